import type http from "node:http";
import type { Log } from "../log.ts";
import type { Moments } from "../moments.ts";
import { randomOf } from "../random.ts";
import { Receipts } from "../receipts.ts";
import { statusOf } from "../signed-receipts.ts";
import { BASE, PORTS, TIMERS } from "../settings.ts";
import type { Taken } from "./desk.ts";
import { carriersNow, watchHealth } from "./health.ts";
import { RouteKeeper, SMPP, SPARE, TEMPLATE } from "./routes.ts";
import { SmppCarrier, smppSetup } from "./smpp-carrier.ts";
import { TemplateCarrier, postForm, templateSetup } from "./template-carrier.ts";
import { planTroubles } from "./troubles.ts";
import type { CarrierTrouble } from "./troubles.ts";

// The carriers beside the gateway, and everything that happens to them in a run.

/** The rates that the operator sets, in submissions per second, and how much more the carriers take. */
const TPS = { [TEMPLATE]: 100, [SMPP]: 80 } as const;
const MARGIN = 1.2;
/** The share of messages of which a carrier tells that never had them. */
const FOREIGN_SHARE = 0.03;
const NO_FAULTS = { none: 1, forged: 0, stale: 0, unknown_ref: 0, no_state: 0 };

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export interface SquadOptions {
  seed: string;
  carrierLog: Log;
  routeLog: Log;
  faultLog: Log;
  agent: http.Agent;
  moments: Moments;
}

export class Squad {
  readonly #options: SquadOptions;
  readonly template: TemplateCarrier;
  readonly smpp: SmppCarrier;
  readonly routes: RouteKeeper;
  readonly receipts: { template: Receipts<Taken>; smpp: Receipts<Taken>; spare: Receipts<Taken> };
  readonly #callbacks = new Map<string, string>();
  #isClosed = false;
  #watching: Promise<void> = Promise.resolve();

  constructor(options: SquadOptions) {
    const { seed, carrierLog: log, routeLog, agent, moments } = options;
    this.#options = options;
    const callback = (name: string) => () => this.#callbacks.get(name) ?? `${BASE}/callbacks/${name}/none`;
    const spare = new Receipts<Taken>({
      carrier: SPARE,
      log,
      post: ({ ref }, { state }) => {
        const body = new URLSearchParams({ ref, status: state }).toString();
        return statusOf(callback(SPARE)(), { "content-type": "application/x-www-form-urlencoded" }, body, agent);
      },
    });
    const template = new Receipts<Taken>({
      carrier: TEMPLATE,
      log,
      post: postForm(callback(TEMPLATE), agent),
      byId: true,
      faults: { none: 94, forged: 2, stale: 0, unknown_ref: 2, no_state: 2 },
    });
    const smpp: Receipts<Taken> = new Receipts<Taken>({
      carrier: SMPP,
      log,
      post: (of, receipt) => this.smpp.post(of, receipt),
      byId: true,
      faults: { ...NO_FAULTS, none: 97, unknown_ref: 3 },
    });
    this.receipts = { template, smpp, spare };
    const strange = randomOf(seed, "foreign");
    const onTaken = (taken: Taken) => {
      if (taken.ref !== "" && strange() < FOREIGN_SHARE) void spare.tellForeign(taken, "failed");
    };
    const common = { seed, log, moments, onTaken, timeoutMs: TIMERS.CARRIER_TIMEOUT_MS };
    this.template = new TemplateCarrier({
      ...common,
      name: TEMPLATE,
      port: PORTS.template,
      perSec: TPS[TEMPLATE] * MARGIN,
      receipts: template,
    });
    this.smpp = new SmppCarrier({
      ...common,
      name: SMPP,
      port: PORTS.smpp,
      perSec: TPS[SMPP] * MARGIN,
      receipts: smpp,
    });
    this.routes = new RouteKeeper({ seed, log: routeLog, isClosed: () => this.#isClosed });
  }

  /** The rates that the operator sets, by carrier, in submissions per second. */
  readonly rates = TPS;

  listen = () => Promise.all([this.template.listen(), this.smpp.listen()]);

  readonly #setups = {
    [TEMPLATE]: () => templateSetup(PORTS.template, TPS[TEMPLATE]),
    [SMPP]: () => smppSetup(PORTS.smpp, TPS[SMPP], TIMERS.CARRIER_TIMEOUT_MS / 1_000),
  };

  /** Sets the carriers up at the service, and watches how they stand. */
  async setUp(): Promise<void> {
    for (const [name, setup] of Object.entries(this.#setups)) await this.routes.setUp(name, setup());
    const { settings, ...spare } = templateSetup(PORTS.template, 1);
    const states = Object.fromEntries(["submitted", "delivered", "undelivered", "failed"].map((one) => [one, one]));
    const { id: _, ...plain } = settings;
    const url = `http://127.0.0.1:${PORTS.template}/spare`;
    await this.routes.setUp(SPARE, {
      ...spare,
      settings: { ...plain, url, receipt: { ref: "ref", state: "status", states } },
    });
    for (const { name, callback_url: url } of (await carriersNow()) ?? []) this.#callbacks.set(name, url);
    this.#watching = watchHealth(this.#options.routeLog, () => this.#isClosed);
  }

  /** Changes routes and troubles carriers until the run is over. */
  async torment(isOver: () => boolean, durationMs: number, gapMs: number): Promise<void> {
    const beganAt = Date.now();
    const changing = this.routes.keepChanging(isOver, this.#setups);
    const troubles: Promise<void>[] = [];
    for (const trouble of planTroubles(this.#options.seed, durationMs, gapMs)) {
      await pause(Math.max(0, beganAt + trouble.atMs - Date.now()));
      troubles.push(this.#trouble(trouble, troubles.length));
    }
    await Promise.all([changing, ...troubles]);
  }

  /** How many troubles of a kind are running at a carrier; the last one to end ends it. */
  readonly #running = new Map<string, number>();

  async #trouble(trouble: CarrierTrouble, nth: number): Promise<void> {
    const { faultLog } = this.#options;
    const { atMs: _, carrier, lastsMs, kind, ...what } = trouble;
    const one = carrier === 0 ? this.template : this.smpp;
    const name = carrier === 0 ? TEMPLATE : SMPP;
    const id = `trouble-${nth}`;
    const of = `${name} ${kind}`;
    faultLog.append({ t: "begin", id, kind, carrier: name, ...what });
    this.#running.set(of, (this.#running.get(of) ?? 0) + 1);
    if (trouble.kind === "carrier_away") await one.close();
    else if (trouble.kind === "carrier_trouble") one.desk.trouble = trouble.how;
    else one.desk.mood = trouble.mood;
    await pause(lastsMs);
    const left = (this.#running.get(of) ?? 1) - 1;
    this.#running.set(of, left);
    if (left === 0) {
      if (trouble.kind === "carrier_away") await one.listen();
      else if (trouble.kind === "carrier_trouble") one.desk.trouble = null;
      else one.desk.mood = null;
    }
    faultLog.append({ t: "end", id });
  }

  /** Notes a fault of a carrier beside those that were planned. */
  note(line: { t: "begin" | "end"; id: string; [name: string]: unknown }): void {
    this.#options.faultLog.append(line);
  }

  /** Takes all routes away: from then on the gateway is the one carrier. */
  unroute(): Promise<void> {
    return this.routes.put([]);
  }

  async settled(): Promise<void> {
    await Promise.all(Object.values(this.receipts).map((one) => one.settled()));
  }

  /** Leaves no open port behind. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const one of Object.values(this.receipts)) one.close();
    await Promise.all([this.template.close(), this.smpp.close(), this.#watching.catch(() => undefined)]);
  }
}
