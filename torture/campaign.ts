import http from "node:http";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { historyRows } from "../harness/disk.ts";
import { bundleService } from "../harness/service.mjs";
import type { Submission } from "../harness/gateway.ts";
import { openAccounts } from "./accounts.ts";
import type { Customer } from "./accounts.ts";
import { giveAlms } from "./alms.ts";
import { booksOf, openWork, uncleared } from "./books.ts";
import type { AccountBooks } from "./books.ts";
import { calmDown } from "./calm.ts";
import { Carrier } from "./carrier.ts";
import { findLibfaketime } from "./clock.ts";
import { Crew } from "./consumers/crew.ts";
import { Lane } from "./customer.ts";
import type { Account, World } from "./customer.ts";
import { firstRelease, planFaults } from "./faults.ts";
import type { Fault } from "./faults.ts";
import { Harmer } from "./harm.ts";
import { Log } from "./log.ts";
import { Moments } from "./moments.ts";
import { bundleNextRelease } from "./next-release.ts";
import { RECORDING_SECONDS, upload } from "./orders.ts";
import { changePrices } from "./prices.ts";
import { randomOf, shuffled } from "./random.ts";
import { Receipts } from "./receipts.ts";
import { calmRoutes } from "./routed/calm.ts";
import { Squad } from "./routed/squad.ts";
import { Service } from "./service.ts";
import { BASE, CARRIER_SECRET, PORTS, TIMERS, gatewayLimitOf, variablesOf } from "./settings.ts";
import type { Regime } from "./settings.ts";
import { postSigned } from "./signed-receipts.ts";
import { timelinesOf } from "./timelines.ts";

// A whole run: customers, gateway and faults; then unknown outcomes are retried, what may not have come about is brought
// about, open messages become final, and the books are read.

/** Time limit for settling; messages that are still open after it are a finding. */
const SETTLE_MS_MAX = 120_000;
/**
 * The final clock is this far ahead of every earlier one, so that every lease, window and validity has ended, everything is
 * old enough for the archive, and what failed to be archived is tried again.
 */
const BEYOND_MS = 25 * 3_600_000;
/** The share of accounts that archive everything at the end; of the others, history still has what is young. */
const ARCHIVED_SHARE = 0.5;
const MEMORY_EVERY_MS = 500;
/** The accounts whose events are consumed: rich and poor ones. */
const isConsumed = ({ index }: Account) => index === 0 || index % 4 === 1;
/** When, as a share of the run, a webhook answers that it is gone. */
const GONE_AT = 0.4;

export interface RunOptions {
  directory: string;
  seed: string;
  durationMs: number;
  accounts: number;
  gapMs: number;
  /** Factor on the usual rate of orders. */
  pace: number;
  regime: Regime;
  say: (line: string) => void;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export class Run {
  readonly #options: RunOptions;
  readonly #clients: Log;
  readonly #memory: Log;
  readonly #receipts: Receipts<Submission>;
  readonly #carrier: Carrier;
  readonly #faults: Fault[];
  readonly #harms: Log;
  readonly #moments = new Moments();
  readonly #agent = new http.Agent({ keepAlive: true });
  readonly #customers: Customer[] = [];
  readonly #crew: Crew;
  /** The carriers beside the gateway; null in a run without them. */
  readonly #squad: Squad | null;
  /** Until the webhook that was gone is enabled again. */
  #gone: Promise<void> = Promise.resolve();
  /** As customers read them before all is archived. */
  readonly #timelines: unknown[] = [];
  #service: Service | null = null;
  #isOver = false;
  #isClosed = false;

  constructor(options: RunOptions) {
    const { directory, seed, durationMs, gapMs, regime } = options;
    const log = (name: string) => new Log(path.join(directory, name));
    this.#options = options;
    this.#clients = log("clients.jsonl");
    this.#memory = log("memory.jsonl");
    this.#harms = log("faults.jsonl");
    const carrierLog = log("carrier.jsonl");
    const timesMs = () => this.#service?.timesMs() ?? [Date.now()];
    const common = { secret: CARRIER_SECRET, log: carrierLog, timesMs };
    const [agent, moments] = [this.#agent, this.#moments];
    this.#crew = new Crew({ base: BASE, port: PORTS.receiver, seed, log: log("events.jsonl"), timesMs });
    this.#receipts = new Receipts({ carrier: "http", log: carrierLog, post: postSigned({ ...common, agent }) });
    const logs = { carrierLog, routeLog: log("routing.jsonl"), faultLog: this.#harms };
    this.#squad = regime.carriers > 1 ? new Squad({ seed, ...logs, agent, moments }) : null;
    const { CARRIER_TIMEOUT_MS: timeoutMs } = TIMERS;
    this.#carrier = new Carrier({
      ...common,
      seed,
      port: PORTS.carrier,
      timeoutMs,
      receipts: this.#receipts,
      moments,
      dedupes: regime.dedupes,
      perSec: gatewayLimitOf(regime),
    });
    this.#faults = planFaults(seed, durationMs, gapMs);
  }

  /** Starts everything, causes all faults, and returns when everything is settled. */
  async torture(): Promise<void> {
    const { directory, seed, durationMs, regime, say } = this.#options;
    const clock = findLibfaketime(path.join(directory, "clock"));
    const library = "library" in clock ? clock.library : null;
    say(library ? `clock: ${library}` : `clock: shifted inside the runtime; ${"why" in clock ? clock.why : ""}`);
    const rates = this.#squad?.rates ?? {};
    const settings = {
      seed,
      minutes: durationMs / 60_000,
      ...regime,
      rates,
      timers: TIMERS,
      clock: library ?? "runtime",
    };
    writeFileSync(path.join(directory, "config.json"), JSON.stringify(settings));
    const bundles = { present: path.join(directory, "bundle.js"), next: path.join(directory, "next-bundle.js") };
    writeFileSync(bundles.present, await bundleService());
    writeFileSync(bundles.next, await bundleNextRelease());
    const service = (this.#service = new Service(directory, bundles, library, variablesOf(regime)));
    service.release = firstRelease(seed);
    process.once("exit", () => service.killNow());
    await this.#carrier.listen();
    await this.#squad?.listen();
    await service.start();
    await this.#squad?.setUp();
    this.#customers.push(...(await openAccounts(this.#options.accounts, this.#clients)));
    await this.#crew.begin(this.#customers.filter(isConsumed));
    const sampling = setInterval(() => {
      this.#memory.append({ t: "memory", life: service.lives, kb: service.memoryKb() });
    }, MEMORY_EVERY_MS);
    try {
      await this.#load(service, durationMs);
      await this.#calm();
      await this.#settle(service);
    } finally {
      clearInterval(sampling);
    }
  }

  get #world(): World {
    return {
      seed: this.#options.seed,
      base: BASE,
      agent: this.#agent,
      log: this.#clients,
      isOver: () => this.#isOver,
      isClosed: () => this.#isClosed,
      onReply: () => this.#moments.note("reply"),
      nowMs: () => this.#service?.timesMs()[0] ?? Date.now(),
    };
  }

  /** Runs customers and faults until the time is up, and then retries unknown outcomes. */
  async #load(service: Service, durationMs: number): Promise<void> {
    const { seed, say } = this.#options;
    const ids = this.#customers.map(({ id }) => id);
    const harmer = new Harmer({
      service,
      carrier: this.#carrier,
      moments: this.#moments,
      seed,
      ids,
      log: this.#harms,
    });
    const ends = { log: this.#clients, isOver: () => this.#isOver, isClosed: () => this.#isClosed };
    const poor = this.#customers.filter(({ role }) => role.opening < 100).map(({ id }) => id);
    const lives = Promise.all([
      ...this.#customers.map((customer) => this.#live(customer)),
      giveAlms({ seed, ids: poor, ...ends }),
      changePrices(ends),
      this.#squad?.torment(ends.isOver, durationMs, this.#options.gapMs),
    ]);
    this.#gone = pause(durationMs * GONE_AT).then(() => this.#crew.retire());
    // Where something else ends the run before, that is what is told.
    this.#gone.catch(() => undefined);
    const beganAt = Date.now();
    const harms: Promise<void>[] = [];
    for (const fault of this.#faults) {
      await pause(Math.max(0, beganAt + fault.atMs - Date.now()));
      harms.push(harmer.do(fault));
    }
    await pause(Math.max(0, beganAt + durationMs - Date.now()));
    this.#isOver = true;
    await Promise.all(harms);
    say(
      `${this.#faults.length} faults in ${Math.round((Date.now() - beganAt) / 1000)} s; now settling whatever is still open`,
    );
    await Promise.race([lives, pause(SETTLE_MS_MAX).then(() => (this.#isClosed = true))]);
    await lives;
  }

  /** Brings about, without faults, what the run may not have: an occasion to check each property. */
  async #calm(): Promise<void> {
    // Its events are consumed.
    const account = this.#customers.find(isConsumed);
    if (!account) return;
    this.#crew.failOnce();
    const [world, carrier, receipts, squad] = [this.#world, this.#carrier, this.#receipts, this.#squad];
    const routed = squad ? await calmRoutes({ world, account, gateway: carrier, receipts, squad }) : [];
    const lacking = [...routed, ...(await calmDown({ world, account, carrier, receipts }))];
    if (lacking.length > 0) this.#options.say(`not brought about in time: ${lacking.join(", ")}`);
  }

  /** The life of a customer: uploads recordings first, then places orders. */
  async #live(customer: Customer): Promise<void> {
    const { role } = customer;
    const office = new Lane(this.#world, customer, 0);
    for (const seconds of RECORDING_SECONDS) {
      const { reply } = await office.insist(upload(seconds));
      if (reply?.body.fileId !== undefined) customer.fileIds.push(reply.body.fileId);
    }
    const lanes = Array.from({ length: role.lanes }, (_, at) => new Lane(this.#world, customer, 1 + at));
    await Promise.all(lanes.map((lane) => lane.run(role.meanGapMs / this.#options.pace)));
  }

  /**
   * Settles everything: restarts once more (which loses what is held back of the last answers), with the present release
   * and a clock past every window, and waits until all messages are final and recorded, and some accounts archived theirs.
   */
  async #settle(service: Service): Promise<void> {
    const giveUpAt = Date.now() + SETTLE_MS_MAX;
    await Promise.race([Promise.all([this.#receipts.settled(), this.#squad?.settled()]), pause(SETTLE_MS_MAX)]);
    this.#receipts.close();
    const toMs = Math.max(0, ...this.#faults.map((fault) => (fault.kind === "clock" ? fault.toMs : 0))) + BEYOND_MS;
    this.#harms.append({ t: "begin", id: "end", kind: "clock", toMs });
    this.#harms.append({ t: "begin", id: "stop", kind: "term" });
    await service.setClock(toMs);
    await service.terminate();
    service.release = "present";
    await service.start();
    this.#harms.append({ t: "end", id: "stop" });
    await this.#crew.recover();
    await this.#gone;
    const ids = this.#customers.map(({ id }) => id);
    const state = path.join(this.#options.directory, "state");
    const drawn = shuffled(randomOf(this.#options.seed, "archived"), ids);
    const asked = new Set(drawn.slice(0, Math.ceil(ids.length * ARCHIVED_SHARE)));
    await this.#until(giveUpAt, () => openWork(ids, state));
    const read = this.#squad ? this.#customers : [];
    for (const one of read) this.#timelines.push(...(await timelinesOf(one, this.#agent)));
    await this.#until(giveUpAt + SETTLE_MS_MAX, async () => {
      const states = (await service.archive([...asked])) ?? [null];
      const leaving = states.filter((one) => one === null || one.nextAt !== null).length;
      // History forgets what left when the account is asked again, where the word of it was lost.
      const kept = await uncleared(ids, state);
      for (const { account_id: id } of kept) asked.add(id);
      return { leaving, uncleared: kept.length, ...(await openWork(ids, state)) };
    });
    await this.#until(Date.now() + SETTLE_MS_MAX, () => this.#crew.behind());
  }

  /** Waits until nothing is left of some work. */
  async #until(giveUpAt: number, count: () => Promise<Record<string, number>>): Promise<void> {
    for (;;) {
      const left = await count();
      if (Object.values(left).every((one) => one === 0)) return;
      if (Date.now() >= giveUpAt) return this.#options.say(`not settled in time: ${JSON.stringify(left)}`);
      await pause(500);
    }
  }

  /** The service's own books, for the checker. */
  async books(): Promise<Record<"history" | "feeds" | "timelines", unknown[]> & { accounts: AccountBooks[] }> {
    const accounts: AccountBooks[] = [];
    const state = path.join(this.#options.directory, "state");
    for (const { id } of this.#customers) accounts.push(await booksOf(id, state));
    return { accounts, history: historyRows(state), feeds: await this.#crew.feeds(), timelines: this.#timelines };
  }

  /** Leaves no process and no open port behind. */
  async end(): Promise<void> {
    this.#isOver = this.#isClosed = true;
    this.#receipts.close();
    this.#agent.destroy();
    await this.#crew.close();
    await this.#gone.catch(() => undefined);
    await this.#carrier.close();
    await this.#squad?.close();
    await this.#service?.kill();
  }
}
