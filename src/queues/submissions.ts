import type { Carrier } from "../carriers/carrier.ts";
import type { Config } from "../config/settings.ts";
import type { Attempt } from "../inbox/landing.ts";
import type { Lane } from "../model/lane.ts";
import type { Claimed, ClaimedJob } from "../model/message.ts";
import type { AccountRef } from "../model/ref.ts";
import type { Budget } from "./budget.ts";
import { givenBack, submitInTurn } from "./in-turn.ts";
import type { Turned, Watching } from "./in-turn.ts";
import { seenIn } from "./pace/attempt-seen.ts";
import { paceOf } from "./pace/clients.ts";
import type { Taken } from "./pace-client.ts";
import type { Slots } from "./slots.ts";

// What a consumer has claimed of one account and lane: submitted as permits allow, each carrier at its own pace.

/** Permits are dated less far ahead: those that are further have lapsed, because the clock was set back. */
const AHEAD_MS_MAX = 5_000;

/** A permit lapses so long after its time: by then others have theirs. */
const LATE_MS_MAX = 1_000;

/** Under a limit, one "not now" among permitted submissions is usual: the limit is being probed. The second stops them. */
const BUSY_MAX_LIMITED = 2;

/** What the work for all tokens of one invocation shares. */
export interface Invocation {
  env: Env;
  ctx: Pick<ExecutionContext, "waitUntil">;
  config: Config;
  slots: Slots;
  budget: Budget;
  /** Whether it works for several accounts or lanes: none of them is to wait for a permit of another. */
  isShared: boolean;
}

/** Claimed, and not submitted yet. */
export interface Ready {
  job: ClaimedJob;
  at: Claimed;
  /** Who may get it, first to last; at least one. */
  carriers: readonly [Carrier, ...Carrier[]];
  /** All that it may go to. */
  all: readonly Carrier[];
  /** Until when it may be submitted: later its lease could end before its report. */
  untilMs: number;
}

/** Messages that are ready for the same carrier; `hasOther`: each of them may go to another one, too. */
export interface Group {
  /** What tells it apart. */
  key: string;
  carrier: Carrier;
  hasOther: boolean;
  ready: Ready[];
}

/** What is known of one claim: `carrier` is null where it was given back. */
export type Known = Omit<Turned, "carrier"> & { carrier: Carrier | null };

/** What tells groups apart. */
const keyOf = ({ carriers }: Ready) => `${carriers[0].name} ${carriers.length > 1}`;

/** What one consumer has claimed, submits and knows. */
export class Submissions {
  readonly #on: Invocation;
  readonly #to: { account: string; lane: Lane; ref: AccountRef };
  /** Whether routes choose the carriers. */
  readonly #isOpen: boolean;
  #ready: Ready[] = [];
  #known: Known[] = [];
  readonly #flying = new Set<Promise<void>>();
  /** By carrier: submissions under way, answers of "not now" to the present permits, and how long the last one took. */
  readonly #flights = new Map<string, number>();
  readonly #busy = new Map<string, number>();
  #landings: { name: string; resolve: () => void }[] = [];
  readonly #latencyMs = new Map<string, number>();

  constructor(on: Invocation, to: { account: string; lane: Lane; ref: AccountRef }, isOpen: boolean) {
    this.#on = on;
    this.#to = to;
    this.#isOpen = isOpen;
  }

  /** How many are ready. */
  get waiting(): number {
    return this.#ready.length;
  }

  /** How long the last submission to a carrier took, in ms; 0 where there was none. */
  latencyMs(carrier: Carrier): number {
    return this.#latencyMs.get(carrier.name) ?? 0;
  }

  add(ready: Ready): void {
    this.#ready.push(ready);
  }

  /** Notes what is known of a claim that nothing was submitted for. */
  note(attempt: Attempt): void {
    this.#known.push({ attempt, carrier: null });
  }

  /** All that is ready. */
  allReady(): Ready[] {
    return [...this.#ready];
  }

  /** What is ready, by the carrier that gets it next. */
  groups(): Group[] {
    return [...Map.groupBy(this.#ready, keyOf)].flatMap(([key, ready]) => {
      const [first] = ready;
      return first ? [{ key, carrier: first.carriers[0], hasOther: first.carriers.length > 1, ready }] : [];
    });
  }

  /** The messages of a group go to the next of their carriers: this one is out. */
  passOver({ ready }: Group): void {
    const passed = new Set(ready);
    this.#ready = this.#ready.map((one): Ready => {
      const [, next, ...more] = one.carriers;
      return passed.has(one) && next ? { ...one, carriers: [next, ...more] } : one;
    });
  }

  /** Submits what is ready of a group, each at its permit's time; returns how many permits were used. */
  async submitAll({ carrier, ready }: Pick<Group, "carrier" | "ready">, { atMs, isLimited }: Taken): Promise<number> {
    const { slots, config } = this.#on;
    this.#busy.set(carrier.name, 0);
    // One that hangs is not to have every slot where others have messages, too.
    const flightsMax = this.#isOpen ? Math.ceil(config.DISPATCH_CONCURRENCY / 2) : config.DISPATCH_CONCURRENCY;
    const left = [...ready];
    let used = 0;
    while (used < atMs.length && left.length > 0) {
      const leftMs = (atMs[used] ?? 0) - Date.now();
      if (leftMs > AHEAD_MS_MAX) return used;
      if (leftMs > 0) await scheduler.wait(leftMs);
      const nowMs = Date.now();
      const later = atMs.findIndex((at, nth) => nth > used && at > nowMs);
      const due = (later === -1 ? atMs.length : later) - used;
      const room = this.#isOpen ? flightsMax - (this.#flights.get(carrier.name) ?? 0) : flightsMax;
      if (room <= 0) return used;
      // Slots as permits fall due: no account holds slots for messages whose time has not come.
      const taken = await slots.take(Math.min(due, left.length, room));
      for (let nth = 0; nth < taken; nth++) {
        const isLate = isLimited && Date.now() - (atMs[used] ?? 0) > LATE_MS_MAX;
        const next = !isLate && this.#mayGoOn(carrier, isLimited) ? this.#next(left) : undefined;
        if (!next) {
          slots.give(taken - nth);
          return used;
        }
        this.#start(next);
        used += 1;
      }
    }
    return used;
  }

  /** The next one of these that is still ready, which it is no more then. */
  #next(left: Ready[]): Ready | undefined {
    for (let next = left.shift(); next; next = left.shift()) {
      const place = this.#ready.indexOf(next);
      if (place < 0) continue;
      this.#ready.splice(place, 1);
      return next;
    }
    return undefined;
  }

  /** Whether another submission may start now. Gives messages back whose lease could end before their report. */
  #mayGoOn(carrier: Carrier, isLimited: boolean): boolean {
    const nowMs = Date.now();
    const quietMs = carrier.isPaced ? paceOf(this.#on.env, carrier.name, carrier.tps).quietMs(nowMs) : 0;
    if ((this.#busy.get(carrier.name) ?? 0) >= (isLimited ? BUSY_MAX_LIMITED : 1) || quietMs > 0) return false;
    this.release(({ untilMs }) => untilMs < nowMs);
    return true;
  }

  #start({ job, at, carriers, all, untilMs }: Ready): void {
    const { env, ctx, config, slots } = this.#on;
    let name: string | null = null;
    const goesTo = (carrier: Carrier | null) => {
      const before = name;
      name = carrier?.name ?? null;
      if (name !== null) this.#fly(name, 1);
      if (before !== null) this.#fly(before, -1);
    };
    const turn = { env, ctx, config, ...this.#to, job, at, carriers, all: () => all, untilMs, isOpen: this.#isOpen };
    const saw: Watching["saw"] = (carrier, outcome, tookMs) => {
      this.#latencyMs.set(carrier.name, tookMs);
      const seen = seenIn(outcome);
      this.#busy.set(carrier.name, (this.#busy.get(carrier.name) ?? 0) + seen.busy + (seen.away ?? 0));
    };
    const flying = submitInTurn(turn, { goesTo, saw })
      .then((turned) => {
        this.#known.push(turned ?? { attempt: givenBack(job, at), carrier: null });
      })
      // Each submission frees its slot as it ends, so that one that hangs does not hold up other accounts.
      .finally(() => {
        slots.give(1);
        goesTo(null);
        this.#flying.delete(flying);
      });
    this.#flying.add(flying);
  }

  /** Waits until a submission to the carrier ends, or its message goes on to another one; false where there is none. */
  async landed({ name }: Carrier): Promise<boolean> {
    if ((this.#flights.get(name) ?? 0) === 0) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#landings.push({ name, resolve });
    await promise;
    return true;
  }

  /** Counts one submission to a carrier more, or less. */
  #fly(name: string, by: 1 | -1): void {
    this.#flights.set(name, (this.#flights.get(name) ?? 0) + by);
    if (by > 0) return;
    for (const landing of this.#landings) if (landing.name === name) landing.resolve();
    this.#landings = this.#landings.filter((landing) => landing.name !== name);
  }

  /** Waits until so much is known, or nothing is awaited. */
  async enough(least: number): Promise<void> {
    while (this.#flying.size > 0 && this.#known.length < least) await Promise.race(this.#flying);
  }

  /** Gives claimed messages back, unused; they can be claimed again after this time. */
  release(which: (one: Ready) => boolean, afterMs = 0): void {
    const released = this.#ready.filter((one) => which(one));
    if (released.length === 0) return;
    this.#ready = this.#ready.filter((one) => !which(one));
    for (const { job, at } of released) this.note(givenBack(job, at, afterMs));
  }

  /** What is known and was not taken before. */
  takeKnown(): Known[] {
    const known = this.#known;
    this.#known = [];
    return known;
  }

  /** Gives back what is ready, and waits for the rest. */
  async end(): Promise<void> {
    this.release(() => true);
    await Promise.all(this.#flying);
  }
}
