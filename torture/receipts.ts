import type http from "node:http";
import { signedHeaders } from "../src/crypto/webhook-signature.ts";
import { callOnce } from "../harness/http.ts";
import type { Submission } from "../harness/gateway.ts";
import type { Log } from "./log.ts";
import { between, weighted } from "./random.ts";
import type { Random } from "./random.ts";

// The gateway's receipts: late, twice, out of order, contradictory, forged, stale, for unknown messages, or never.

type State = "submitted" | "delivered" | "undelivered" | "failed";

/** One receipt; one with a `fault` must be refused by the service. */
interface Receipt {
  state: State;
  afterMs: number;
  fault?: "forged" | "stale" | "unknown_ref" | "no_state";
}

/** A receipt that is not accepted is sent again until the run closes. */
const REPEAT_MS = 400;
const ANSWER_MS_MAX = 10_000;

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

/** Receipts for one submission, depending on the gateway's answer. */
function planFor(random: Random, tells: string): Receipt[] {
  const chance = random();
  const plan: Receipt[] = [];
  if (tells === "taken") plan.push(...newsOfTaken(random));
  // Even without an answer, the gateway may have accepted the message.
  if (tells === "nothing" && chance < 0.4) plan.push({ state: "delivered", afterMs: between(random, 500, 9_000) });
  // A gateway that contradicts its own answer.
  if (tells === "rejected" && chance < 0.03) plan.push({ state: "delivered", afterMs: 500 });
  const fault = weighted(random, { none: 95, forged: 2, stale: 1, unknown_ref: 1, no_state: 1 });
  if (fault !== "none") plan.push({ state: chance < 0.5 ? "failed" : "delivered", afterMs: 50, fault });
  return plan;
}

export interface ReceiptSettings {
  secret: string;
  log: Log;
  agent: http.Agent;
  /** Times of the service; the first is the current one. */
  timesMs: () => number[];
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export class Receipts {
  readonly #settings: ReceiptSettings;
  #count = 0;
  readonly #pending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(settings: ReceiptSettings) {
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
  plan(random: Random, submission: Submission, tells: string): boolean {
    const plan = planFor(random, tells);
    for (const receipt of plan) void this.#send(submission, receipt);
    return plan.some(({ fault }) => fault === undefined);
  }

  /** Tells that a message arrived, and what is forged of it; resolves once both were answered. */
  async tell(submission: Submission): Promise<true> {
    await Promise.all([
      this.#send(submission, { state: "delivered", afterMs: 0 }),
      this.#send(submission, { state: "failed", afterMs: 0, fault: "forged" }),
    ]);
    return true;
  }

  #send(submission: Submission, receipt: Receipt): Promise<void> {
    const sent = this.#sendUntilAccepted(submission, receipt).finally(() => this.#pending.delete(sent));
    this.#pending.add(sent);
    return sent;
  }

  async #sendUntilAccepted({ ref, callback_url: url }: Submission, { state, afterMs, fault }: Receipt): Promise<void> {
    this.#count += 1;
    const id = `receipt-${this.#count}`;
    const { log } = this.#settings;
    await pause(afterMs);
    log.append({ t: "receipt", id, ref, state, fault });
    for (let status: number | null = null; status !== 200 && !this.#isClosed;) {
      status = await this.#post(url, id, ref, state, fault);
      log.append({ t: "receipt-reply", id, status });
      // A faulty receipt is not repeated once it is refused.
      if (fault !== undefined && status !== null && status < 500) break;
      if (status !== 200) await pause(REPEAT_MS);
    }
  }

  async #post(url: string, id: string, ref: string, state: State, fault: Receipt["fault"]): Promise<number | null> {
    const { secret, agent, timesMs } = this.#settings;
    const [nowMs = Date.now()] = timesMs();
    const about = fault === "unknown_ref" ? `${ref.slice(0, -4)}AAAA` : ref;
    const body = JSON.stringify({ ref: about, state: fault === "no_state" ? "perhaps" : state });
    const signedAt = nowMs - (fault === "stale" ? 3_600_000 : 0);
    const key = fault === "forged" ? `whsec_${Buffer.alloc(32).toString("base64")}` : secret;
    const headers = signedHeaders(key, id, body, signedAt);
    const reply = callOnce(url, { method: "POST", headers, body, agent }).then(({ status }) => status);
    return Promise.race([reply, pause(ANSWER_MS_MAX).then(() => null)]).catch(() => null);
  }
}
