import type { Carrier } from "./carrier.ts";
import type { Fault } from "./faults.ts";
import type { Log } from "./log.ts";
import type { Mood } from "./mood.ts";
import type { Moments } from "./moments.ts";
import { randomOf, shuffled } from "./random.ts";
import type { Harm, Service } from "./service.ts";

// Carries out the plan of faults, and logs when each begins and ends.

export interface HarmerOptions {
  service: Service;
  carrier: Carrier;
  moments: Moments;
  seed: string;
  ids: string[];
  log: Log;
}

/**
 * Faults that wait for one another: restarts, and jumps of the clock, because what starts meanwhile has the clock of before
 * for a moment that no log shows.
 */
const IN_TURN: ReadonlySet<Fault["kind"]> = new Set(["clock", "kill", "term", "rotate", "deploy", "rollback"]);

/** A kill waits at most this long for its moment. */
const MOMENT_MS_MAX = 3_000;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export class Harmer {
  readonly #options: HarmerOptions;
  /** The last of those that run one at a time. */
  #before: Promise<void> = Promise.resolve();
  #count = 0;
  /** How many faults of each kind that lasts are running; the last one to end ends it. */
  readonly #running = new Map<string, number>();

  constructor(options: HarmerOptions) {
    this.#options = options;
  }

  /** Carries out one fault; resolves when it is over. */
  async do(fault: Fault): Promise<void> {
    const { log } = this.#options;
    const id = (this.#count += 1);
    const { atMs: _, ...what } = fault;
    const work = async () => {
      log.append({ t: "begin", id, ...what });
      await this.#harm(fault, id);
      log.append({ t: "end", id });
    };
    if (!IN_TURN.has(fault.kind)) return work();
    await (this.#before = this.#before.then(work));
  }

  async #harm(fault: Fault, id: number): Promise<void> {
    const { service, carrier, moments } = this.#options;
    switch (fault.kind) {
      case "kill":
        if (fault.when !== "now") await moments.next(fault.when, MOMENT_MS_MAX);
        await service.kill();
        return service.start();
      case "term":
        await service.terminate();
        return service.start();
      case "rotate":
        await service.terminate();
        service.rotate();
        return service.start();
      case "deploy":
      case "rollback":
        await service.terminate();
        service.release = fault.kind === "deploy" ? "next" : "present";
        return service.start();
      case "archive":
        return this.#archive(this.#some(id, fault.share), fault.how, fault.lastsMs);
      case "evict":
        return service.evict(this.#some(id, fault.share));
      case "break_off":
        return service.breakOff(this.#some(id, fault.share));
      case "clock":
        return service.setClock(fault.toMs);
      case "pace":
        return service.hurtPace(fault.how);
      case "interrupt":
        return this.#service("interrupt", fault.during, fault.lastsMs);
      case "d1":
        return this.#service("d1", fault.how, fault.lastsMs);
      case "queue":
        return this.#service(fault.queue, fault.how, fault.lastsMs);
      case "carrier_away":
        return this.#during(
          "carrier_away",
          fault.lastsMs,
          () => carrier.close(),
          () => carrier.listen(),
        );
      case "carrier_limit": {
        const { perSec, retryAfterSec, lastsMs } = fault;
        return this.#mood({ kind: "limit", perSec, retryAfterSec }, lastsMs);
      }
      case "carrier_busy":
        return this.#mood({ kind: "busy", retryAfterSec: fault.retryAfterSec }, fault.lastsMs);
    }
  }

  /** Asks accounts to archive what is old, with a bucket that fails in this way. */
  async #archive(accounts: string[], how: string, lastsMs: number): Promise<void> {
    const { service } = this.#options;
    if (how === "well") return void (await service.archive(accounts));
    const failing = this.#service("r2", how, lastsMs);
    await service.archive(accounts);
    await failing;
  }

  /** A fault inside of the service, for a while. */
  #service(name: Exclude<keyof Harm, "clockMs">, how: string, lastsMs: number): Promise<void> {
    const { service } = this.#options;
    return this.#during(
      name,
      lastsMs,
      () => service.harm({ [name]: how }),
      () => service.harm({ [name]: null }),
    );
  }

  #mood(mood: Mood, lastsMs: number): Promise<void> {
    const { carrier } = this.#options;
    const put = (to: Mood | null) => () => {
      carrier.mood = to;
    };
    return this.#during("mood", lastsMs, put(mood), put(null));
  }

  async #during(name: string, lastsMs: number, begin: () => unknown, end: () => unknown): Promise<void> {
    this.#running.set(name, (this.#running.get(name) ?? 0) + 1);
    await begin();
    await pause(lastsMs);
    const left = (this.#running.get(name) ?? 1) - 1;
    this.#running.set(name, left);
    if (left === 0) await end();
  }

  /** The accounts that a fault affects. */
  #some(id: number, share: number): string[] {
    const { ids, seed } = this.#options;
    return shuffled(randomOf(seed, "met by", id), ids).slice(0, Math.ceil(ids.length * share));
  }
}
