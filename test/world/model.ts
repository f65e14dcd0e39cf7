import type { MessageState, ReceiptState } from "../../src/model/message.ts";

// A plain model of an account, written from the contract and not from the code: what must be true after each step, in
// as few lines as possible.

const HOUR = 3_600_000;
const LEASE_MS = 30_000;
const UNKNOWN_WINDOW_MS = 24 * HOUR;
const RECEIPT_WINDOW_MS = 72 * HOUR;
const VALIDITY_MS = 24 * HOUR;

/** How long an Idempotency-Key is kept (contract §8). */
export const KEY_KEPT_MS = 7 * 24 * HOUR;

/** Contract §9: a state is replaced only by one of a higher rank. */
const ORDER: MessageState[][] = [
  ["queued"],
  ["sending"],
  ["unknown"],
  ["submitted"],
  ["unconfirmed"],
  ["undelivered", "failed"],
  ["delivered"],
];
const rank = (state: MessageState) => ORDER.findIndex((states) => states.includes(state));

export interface ModelMessage {
  seq: number;
  index: number;
  /** The last two digits of a steered number, or 0. */
  scenario: number;
  state: MessageState;
  /** Units. */
  charge: number;
  refunded: boolean;
  attempts: number;
  attemptAt: number;
  expiresAt: number;
  dueAt: number;
}

export class Model {
  balance: number;
  nowMs: number;
  readonly messages: ModelMessage[] = [];
  /** Expected ledger entries, in any order: kind and amount. */
  readonly entries: string[] = [];
  /** Idempotency keys with their request, reply and time. */
  readonly done = new Map<string, { request: string; reply: string; at: number }>();
  readonly credits = new Map<string, number>();
  nextSeq = 2;

  constructor(balance: number, nowMs: number) {
    this.balance = balance;
    this.nowMs = nowMs;
    this.entries.push(`credit ${balance}`);
  }

  /** An accepted request: one debit, with its messages in jobs of a hundred. */
  send(scenarios: number[], charge: number): void {
    const first = this.nextSeq;
    this.balance -= charge * scenarios.length;
    this.entries.push(`debit ${-charge * scenarios.length}`);
    scenarios.forEach((scenario, at) => {
      const place = { seq: first + Math.floor(at / 100), index: at % 100 };
      const expiresAt = this.nowMs + VALIDITY_MS;
      const fresh = { state: "queued" as const, refunded: false, attempts: 0, attemptAt: 0, expiresAt, dueAt: 0 };
      this.messages.push({ ...place, ...fresh, scenario, charge });
      this.nextSeq = place.seq + 1;
    });
  }

  credit(amount: number): void {
    this.balance += amount;
    this.entries.push(`${amount < 0 ? "adjustment" : "credit"} ${amount}`);
    this.nextSeq += 1;
  }

  #refund(message: ModelMessage): void {
    if (message.refunded) return;
    message.refunded = true;
    this.balance += message.charge;
    this.entries.push(`refund ${message.charge}`);
    this.nextSeq += 1;
  }

  #fail(message: ModelMessage): void {
    message.state = "failed";
    this.#refund(message);
  }

  #take(message: ModelMessage): boolean {
    const waiting = message.state === "queued" && message.expiresAt > this.nowMs;
    if (!waiting || (message.attempts > 0 && message.dueAt > this.nowMs)) return false;
    message.attempts += 1;
    message.attemptAt = this.nowMs;
    return true;
  }

  /** A consumer that claims everything and dies. */
  claimAndDie(): void {
    for (const message of this.messages) {
      if (!this.#take(message)) continue;
      message.state = "sending";
      message.dueAt = this.nowMs + LEASE_MS;
    }
  }

  dispatch(): void {
    for (const message of this.messages) {
      if (!this.#take(message)) continue;
      const gap = 2_000 * 2 ** (message.attempts - 1);
      if (message.scenario === 1) this.#fail(message);
      else if (message.scenario === 4 && message.attempts <= 2) {
        message.dueAt = this.nowMs + gap;
        if (message.dueAt >= message.expiresAt) this.#fail(message);
      } else if (message.scenario === 5) {
        message.state = "unknown";
        message.dueAt = this.nowMs + UNKNOWN_WINDOW_MS;
      } else {
        message.state = "submitted";
        message.dueAt = this.nowMs + RECEIPT_WINDOW_MS;
      }
    }
  }

  /** The carrier is asked about every message that it may have. */
  follow(): void {
    for (const message of this.messages) {
      if (message.state !== "submitted" && message.state !== "unknown") continue;
      if (message.scenario === 3 || message.scenario === 5) continue;
      // An interrupted attempt never reached the simulator, so the test inbox does not have its message.
      if (message.state === "unknown") this.#fail(message);
      else message.state = message.scenario === 2 ? "undelivered" : "delivered";
    }
  }

  receipt(message: ModelMessage, state: ReceiptState): void {
    if (message.attempts === 0 || rank(state) <= rank(message.state)) return;
    if (state === "failed") this.#fail(message);
    else message.state = state;
    if (state === "submitted") message.dueAt = this.nowMs + RECEIPT_WINDOW_MS;
  }

  /** The alarm: validities, leases and windows that have ended. */
  alarm(): void {
    for (const message of this.messages) {
      if (message.state === "queued" && message.expiresAt <= this.nowMs) this.#fail(message);
      if (message.state === "sending" && message.dueAt <= this.nowMs) {
        message.state = "unknown";
        message.dueAt = message.attemptAt + UNKNOWN_WINDOW_MS;
      }
      if (message.state === "unknown" && message.dueAt <= this.nowMs) this.#refund(message);
      if (message.state === "submitted" && message.dueAt <= this.nowMs) message.state = "unconfirmed";
    }
  }

  /** Whether something is still due to happen without a further call. */
  get unfinished(): boolean {
    return this.messages.some(
      ({ state, refunded }) => ["queued", "sending", "submitted"].includes(state) || (state === "unknown" && !refunded),
    );
  }
}
