import type { Log } from "./log.ts";
import { between, weighted } from "./random.ts";
import type { Random } from "./random.ts";

// A carrier's receipts: late, twice, out of order, contradictory, forged, stale, for unknown messages, or never. How one
// is posted is the carrier's own (signed-receipts.ts, routed/).

export type State = "submitted" | "delivered" | "undelivered" | "failed";

/** Why a receipt must change nothing; `foreign`: its carrier was never given the message; `untold`: nor was its id. */
export type ReceiptFault = "forged" | "stale" | "unknown_ref" | "no_state" | "foreign" | "untold";

/** One receipt; one with a `fault` must be refused by the service. */
interface Receipt {
  state: State;
  afterMs: number;
  fault?: ReceiptFault;
}

/** A receipt that is not accepted is sent again until the run closes. */
const REPEAT_MS = 400;

const PLANS = {
  delivered: 62,
  delivered_twice: 5,
  in_order: 7,
  out_of_order: 5,
  delivered_then_failed: 3,
  undelivered: 5,
  undelivered_then_delivered: 1.5,
  failed: 3.5,
  failed_then_delivered: 1.5,
  very_late: 2.5,
  never: 4,
};

/** The receipts for a message that was accepted. */
function newsOfTaken(random: Random): Receipt[] {
  const soon = between(random, 0, 1_200);
  const later = soon + between(random, 200, 3_000);
  switch (weighted(random, PLANS)) {
    case "delivered":
      return [{ state: "delivered", afterMs: soon }];
    case "delivered_twice":
      return [soon, soon, later].map((afterMs) => ({ state: "delivered", afterMs }));
    case "in_order":
      return [
        { state: "submitted", afterMs: soon },
        { state: "delivered", afterMs: later },
      ];
    case "out_of_order":
      return [
        { state: "delivered", afterMs: soon },
        { state: "submitted", afterMs: later },
      ];
    case "delivered_then_failed":
      return [
        { state: "delivered", afterMs: soon },
        { state: "failed", afterMs: later },
      ];
    case "undelivered":
      return [{ state: "undelivered", afterMs: soon }];
    case "undelivered_then_delivered":
      return [
        { state: "undelivered", afterMs: soon },
        { state: "delivered", afterMs: later },
      ];
    case "failed":
      return [{ state: "failed", afterMs: soon }];
    case "failed_then_delivered":
      return [
        { state: "failed", afterMs: soon },
        { state: "delivered", afterMs: later },
      ];
    case "very_late":
      return [{ state: "delivered", afterMs: between(random, 5_000, 11_000) }];
    case "never":
      return [];
  }
}

const FAULTS = { none: 95, forged: 2, stale: 1, unknown_ref: 1, no_state: 1 };
type Faults = Record<keyof typeof FAULTS, number>;

/** Receipts for one submission, depending on the gateway's answer. */
function planFor(random: Random, tells: string, { faults = FAULTS, byId = false }: ReceiptSettings<never>): Receipt[] {
  const chance = random();
  const plan: Receipt[] = [];
  if (tells === "taken") plan.push(...newsOfTaken(random));
  // Even without an answer, the gateway may have accepted the message; but an id that was in no answer says nothing.
  const untold = byId ? { fault: "untold" as const } : {};
  const perhaps = { state: "delivered" as const, afterMs: between(random, 500, 9_000), ...untold };
  if (tells === "nothing" && chance < 0.4) plan.push(perhaps);
  // A gateway that contradicts its own answer.
  if (tells === "rejected" && chance < 0.03 && !byId) plan.push({ state: "delivered", afterMs: 500 });
  const isKnown = tells === "taken" || !byId;
  const fault = isKnown ? weighted(random, faults) : "none";
  if (fault !== "none") plan.push({ state: chance < 0.5 ? "failed" : "delivered", afterMs: 50, fault });
  return plan;
}

export interface ReceiptSettings<T> {
  /** The name of the carrier, for the log. */
  carrier: string;
  log: Log;
  /** Posts a receipt once; resolves with the status of the answer, or null where there was none. */
  post: (of: T, receipt: { id: string; state: State; fault: ReceiptFault | undefined }) => Promise<number | null>;
  /** How often a submission has a faulty receipt besides; absent: as a gateway of signed receipts. */
  faults?: Faults;
  /** Whether receipts have only the carrier's own id, which the service knows from an answer alone. */
  byId?: boolean;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The receipts of one carrier; `T` is what it knows of a submission. */
export class Receipts<T extends { ref: string; to: string }> {
  readonly #settings: ReceiptSettings<T>;
  #count = 0;
  readonly #pending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(settings: ReceiptSettings<T>) {
    this.#settings = settings;
  }

  /** Resolves once all receipts that are pending now were accepted; those for what is submitted meanwhile are not. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Gives up all receipts that have not been accepted. */
  close(): void {
    this.#isClosed = true;
  }

  /** Sends the receipts for a submission, each at its time. Returns whether they say that the gateway took it. */
  plan(random: Random, submission: T, tells: string): boolean {
    const plan = planFor(random, tells, this.#settings);
    for (const receipt of plan) void this.#send(submission, receipt);
    return plan.some(({ fault }) => fault === undefined);
  }

  /** Tells that a message arrived, and what is forged of it; resolves once both were answered. */
  async tell(submission: T): Promise<true> {
    await Promise.all([
      this.#send(submission, { state: "delivered", afterMs: 0 }),
      this.#send(submission, { state: "failed", afterMs: 0, fault: "forged" }),
    ]);
    return true;
  }

  /** Tells of a message that another carrier has; resolves once that was answered. */
  async tellForeign(submission: T, state: State): Promise<true> {
    await this.#send(submission, { state, afterMs: 0, fault: "foreign" });
    return true;
  }

  #send(submission: T, receipt: Receipt): Promise<void> {
    const sent = this.#sendUntilAccepted(submission, receipt).finally(() => this.#pending.delete(sent));
    this.#pending.add(sent);
    return sent;
  }

  async #sendUntilAccepted(submission: T, { state, afterMs, fault }: Receipt): Promise<void> {
    this.#count += 1;
    const { log, carrier, post } = this.#settings;
    const id = `receipt-${carrier}-${this.#count}`;
    await pause(afterMs);
    const { ref, to } = submission;
    log.append({ t: "receipt", id, carrier, ref, to, state, fault });
    for (let status: number | null = null; status !== 200 && !this.#isClosed;) {
      status = await post(submission, { id, state, fault });
      log.append({ t: "receipt-reply", id, status });
      // A faulty receipt is not repeated once it is refused.
      if (fault !== undefined && status !== null && status < 500) break;
      if (status !== 200) await pause(REPEAT_MS);
    }
  }
}
