import { attemptMs } from "../carriers/carrier.ts";
import type { Carrier } from "../carriers/carrier.ts";
import { carrierFor, carrierNamed, currentCarriers } from "../carriers/table.ts";
import type { Carriers } from "../carriers/table.ts";
import { configOf } from "../config/config.ts";
import { simCarrier } from "../carriers/sim.ts";
import type { Claimed, ClaimedJob } from "../model/message.ts";
import type { Operation } from "../model/operations.ts";
import type { Mode } from "../model/ref.ts";
import { choose } from "../routing/choose.ts";
import { paceOf } from "./pace/clients.ts";
import { carrierOfJob } from "./submit.ts";

// To which carriers a message is offered, and in which order (contract §16.2). The account knows nothing of routes: its
// consumers choose, each time that a message is claimed, by the set as their isolate knows it.

/** What the choice depends on. */
interface Facts {
  requestId: string;
  operation: Operation;
  to: string;
  attempt: number;
}

/** The choice for the messages of one mode, as of one moment. */
export class Offers {
  readonly #env: Env;
  readonly #mode: Mode;
  readonly #carriers: Carriers | null;
  /** The carrier of all messages, where no routes are stored and with test keys; null where routes choose. */
  readonly sole: Carrier | null;

  constructor(env: Env, mode: Mode, carriers: Carriers | null) {
    this.#env = env;
    this.#mode = mode;
    this.#carriers = carriers;
    const isRouted = mode === "live" && carriers !== null && carriers.routes.length > 0;
    this.sole = isRouted ? null : carrierFor(configOf(env), mode);
  }

  /** What a claim says of the carriers that its messages may go to. */
  get claim(): { carrier: string; plan?: string[]; dedupes?: string[] } {
    if (this.sole) return { carrier: this.sole.name };
    const plan = [...(this.#carriers?.routed ?? [])];
    const dedupes = plan.filter((name) => this.named(name)?.resubmits === true);
    return { carrier: configOf(this.#env).CARRIER, plan, dedupes };
  }

  /** The longest attempt at any of them, in ms. */
  get attemptMs(): number {
    const routed = this.#carriers?.routed.map((name) => this.named(name)).filter((one) => one !== null) ?? [];
    return attemptMs(configOf(this.#env), this.sole ? [this.sole] : routed);
  }

  /** The carrier with this name; null where there is none any more. */
  named(name: string): Carrier | null {
    return this.#carriers ? this.#carriers.named(name) : carrierNamed(configOf(this.#env), name);
  }

  /** All carriers of a new message, first to last; at least one. */
  all(facts: Facts): Carrier[] {
    if (this.sole) return [this.sole];
    const { routes = [], can = () => false } = this.#carriers ?? {};
    const { requestId, operation, to, attempt } = facts;
    const merits = (name: string) => paceOf(this.#env, name).merit(Date.now());
    const choices = { routes, can, merits, otherwise: configOf(this.#env).CARRIER, simulator: simCarrier.name };
    // By request and number, which are known before the account gives the message its reference.
    const names = choose(choices, { operation, to, attempt, mode: this.#mode, ref: `${requestId} ${to}` });
    return names.map((name) => this.named(name)).filter((one) => one !== null);
  }

  /** Those of them that are not passed over now, else all. */
  present(all: Carrier[]): Carrier[] {
    const nowMs = Date.now();
    const up = all.filter((one) => !one.isPaced || !paceOf(this.#env, one.name, one.tps).isAway(nowMs));
    return up.length > 0 ? up : all;
  }

  /** All carriers of a claimed message; none where only one may get it that does not exist any more. */
  allOfClaimed(job: ClaimedJob, { to, attempt, only }: Claimed): Carrier[] {
    if (only !== undefined) {
      const carrier = this.named(only);
      return carrier ? [carrier] : [];
    }
    // Without routes a job stays with the carrier of its first claim, the only one that can look its messages up.
    if (this.sole) return [carrierOfJob(configOf(this.#env), job, this.sole)];
    return this.all({ requestId: job.requestId, operation: job.operation, to, attempt });
  }
}

/** The choice for messages of a mode; throws (503) where the set is not known and cannot be read. */
export async function offersOf(env: Env, ctx: Pick<ExecutionContext, "waitUntil">, mode: Mode): Promise<Offers> {
  return new Offers(env, mode, mode === "test" ? null : await currentCarriers(env, ctx));
}
