import type { Lane } from "../../src/model/lane.ts";
import type { MessageState, Outcome, ReceiptState } from "../../src/model/message.ts";
import { rank } from "./model-message.ts";
import type { Held, ModelMessage, Quoted, Seen } from "./model-message.ts";

// A plain model of an account, written from the contract and not from the code: what must be true after each step, in
// as few lines as possible.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The lease of a consumer's claim. */
export const LEASE_MS = 30_000;
const UNKNOWN_WINDOW_MS = 24 * HOUR;
const RECEIPT_WINDOW_MS = 72 * HOUR;
const VALIDITY_MS: Record<Lane, number> = { otp: 5 * MINUTE, single: 24 * HOUR, bulk: 24 * HOUR };
const ATTEMPTS_MAX = 6;
const RETRY_BASE_MS = 2_000;
const RETRY_GAP_MS_MAX = 10 * MINUTE;
/** The last try of a message whose next gap would outlast its validity comes this long before its end. */
const LAST_TRY_MS = 10_000;

/** How long a deadline may pass before the account's housekeeping finds it, where nothing else does. */
export const PASS_MS = 15 * MINUTE;

export class Model {
  balance: number;
  nowMs: number;
  /** Whether the carrier recognises references, so that an unknown outcome is submitted again. */
  readonly resubmits: boolean;
  readonly messages: ModelMessage[] = [];
  /** Expected ledger entries, in any order: kind and amount. */
  readonly entries: string[] = [];
  /** Idempotency keys with their request, reply and time. */
  readonly done = new Map<string, { request: string; reply: string; at: number }>();
  readonly credits = new Map<string, number>();
  readonly quotes: Quoted[] = [];
  /** Units for a one-time password. */
  otpRate = 1_500;
  /** Attempts whose outcome no consumer has reported yet. */
  readonly held: Held[] = [];
  nextSeq = 2;

  constructor(balance: number, nowMs: number, resubmits = false) {
    this.balance = balance;
    this.nowMs = nowMs;
    this.resubmits = resubmits;
    this.entries.push(`credit ${balance}`);
  }

  /** An accepted request, for now or for later: one debit, with its messages in jobs of a hundred. */
  send(lane: Lane, scenarios: readonly number[], charge: number, sendAt: number | null = null): ModelMessage[] {
    const first = this.nextSeq;
    this.balance -= charge * scenarios.length;
    this.entries.push(`debit ${-charge * scenarios.length}`);
    const sent = scenarios.map((scenario, at): ModelMessage => {
      const place = { seq: first + Math.floor(at / 100), index: at % 100 };
      const from = sendAt ?? this.nowMs;
      const times = { attemptAt: 0, sendAt, expiresAt: from + VALIDITY_MS[lane], dueAt: from, againAt: null };
      const counts = { claims: 0, released: 0, busy: 0, faults: 0 };
      this.nextSeq = place.seq + 1;
      return {
        ...place,
        first,
        ...times,
        ...counts,
        lane,
        scenario,
        charge,
        state: "queued",
        refunded: false,
        isInterrupted: false,
        isAskedAgain: false,
      };
    });
    this.messages.push(...sent);
    return sent;
  }

  /** The state as it is shown. */
  stateOf({ state, sendAt }: ModelMessage): MessageState {
    return state === "queued" && sendAt !== null && this.nowMs < sendAt ? "scheduled" : state;
  }

  /** Takes back what waits of these; what was taken back before counts again. Null: nothing is taken back. */
  takeBack(messages: readonly ModelMessage[]): { cancelled: number; refunded: number } | null {
    for (const message of messages) {
      if (message.state !== "queued") continue;
      message.state = "cancelled";
      this.#refund(message);
    }
    const taken = messages.filter(({ state }) => state === "cancelled");
    const refunded = taken.reduce((sum, { charge }) => sum + charge, 0);
    return taken.length > 0 ? { cancelled: taken.length, refunded } : null;
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

  /** When a waiting message may be claimed; null when it may not be. */
  readyAt({ state, refunded, dueAt, againAt, expiresAt }: ModelMessage): number | null {
    if (this.nowMs >= expiresAt) return null;
    if (state === "queued") return dueAt;
    return state === "unknown" && this.resubmits && !refunded ? againAt : null;
  }

  /** The messages of a lane that may be claimed now. */
  claimable(lane: Lane): ModelMessage[] {
    return this.messages.filter(
      (message) => message.lane === lane && (this.readyAt(message) ?? Infinity) <= this.nowMs,
    );
  }

  /** A claim of a message that may be claimed. */
  claim(message: ModelMessage): Held {
    message.claims += 1;
    const endsAt = this.nowMs + LEASE_MS;
    if (message.state === "unknown") {
      message.isAskedAgain = true;
      message.againAt = endsAt;
      message.dueAt = this.nowMs + UNKNOWN_WINDOW_MS;
    } else {
      message.state = "sending";
      message.attemptAt = this.nowMs;
      message.dueAt = endsAt;
    }
    return { message, attempt: message.claims };
  }

  /** When to try again after so many failures in a row: the end of the validity, if that is too late. */
  #retryAt({ expiresAt }: ModelMessage, tries: number, retryAfterMs = 0): number {
    const gap = Math.min(RETRY_GAP_MS_MAX, RETRY_BASE_MS * 2 ** (tries - 1));
    const at = this.nowMs + Math.max(gap, retryAfterMs);
    if (at < expiresAt) return at;
    return this.nowMs + RETRY_BASE_MS <= expiresAt - LAST_TRY_MS ? expiresAt - LAST_TRY_MS : expiresAt;
  }

  #queue(message: ModelMessage, dueAt: number): void {
    message.state = "queued";
    message.dueAt = dueAt;
  }

  /** The outcome of an attempt; one that is repeated, or comes after another attempt has begun, changes nothing. */
  report({ message, attempt }: Held, outcome: Outcome): void {
    const isLast = message.claims === attempt;
    if (message.state === "unknown" && !isLast && this.resubmits && outcome.kind === "submitted") {
      return this.#submitted(message);
    }
    if (!isLast || (message.state !== "sending" && message.state !== "unknown")) return;
    if (outcome.kind === "submitted") return this.#submitted(message);
    if (outcome.kind === "rejected") return this.#fail(message);
    if (message.state === "unknown" && this.resubmits) return this.#stillUnknown(message, outcome);
    // What was certainly not sent waits again, also if its lease had ended; not once it is refunded.
    const isCertain = outcome.kind !== "unknown" && message.isInterrupted && !message.refunded;
    if (message.state === "unknown" && !isCertain) return;
    switch (outcome.kind) {
      case "not_accepted":
        message.busy += 1;
        return this.#queue(message, this.#retryAt(message, message.busy, outcome.retryAfterMs));
      case "not_sent":
        message.busy = 0;
        message.faults += 1;
        if (message.faults >= ATTEMPTS_MAX) return this.#fail(message);
        return this.#queue(message, this.#retryAt(message, message.faults));
      case "released":
        message.released += 1;
        return this.#queue(message, this.nowMs);
      case "unknown":
        message.state = "unknown";
        message.isInterrupted = false;
        message.dueAt = message.attemptAt + UNKNOWN_WINDOW_MS;
        if (!this.resubmits) return;
        message.busy += 1;
        message.againAt = this.#retryAt(message, message.busy);
    }
  }

  #submitted(message: ModelMessage): void {
    message.state = "submitted";
    message.dueAt = this.nowMs + RECEIPT_WINDOW_MS;
  }

  /**
   * An attempt under a known reference ended without an answer about the message: it is made again. What is reported again
   * changes nothing.
   */
  #stillUnknown(message: ModelMessage, outcome: Outcome): void {
    if (!message.isAskedAgain) return;
    message.isAskedAgain = false;
    if (message.refunded) return;
    if (outcome.kind === "released") {
      message.released += 1;
      message.againAt = this.nowMs;
    } else if (outcome.kind === "not_sent") {
      message.faults += 1;
      message.againAt = message.faults >= ATTEMPTS_MAX ? null : this.#retryAt(message, message.faults);
    } else {
      message.busy += 1;
      const afterMs = outcome.kind === "not_accepted" ? outcome.retryAfterMs : 0;
      message.againAt = this.#retryAt(message, message.busy, afterMs);
    }
  }

  /** The consumer of the simulator: it takes everything that waits, and reports what each number is for. */
  dispatch(): void {
    const waiting = (["otp", "single", "bulk"] as const).flatMap((lane) => this.claimable(lane));
    for (const message of waiting) {
      const held = this.claim(message);
      if (message.scenario === 1) this.report(held, { kind: "rejected", code: "no" });
      else if (message.scenario === 4 && message.claims <= 2) this.report(held, { kind: "not_accepted", code: "busy" });
      else if (message.scenario === 5) this.report(held, { kind: "unknown", code: "timeout" });
      else this.report(held, { kind: "submitted" });
    }
  }

  /** The carrier is asked about every message that it may have. */
  follow(): void {
    for (const message of this.messages) {
      if (message.state !== "submitted" && message.state !== "unknown") continue;
      if (message.scenario === 3 || message.scenario === 5) continue;
      if (message.state === "unknown") {
        // An interrupted attempt never reached the simulator, so the test inbox does not have its message.
        this.report({ message, attempt: message.claims }, { kind: "not_accepted", code: "attempt_interrupted" });
        continue;
      }
      message.state = message.scenario === 2 ? "undelivered" : "delivered";
    }
  }

  receipt(message: ModelMessage, state: ReceiptState): void {
    if (message.claims === message.released || rank(state) <= rank(message.state)) return;
    if (state === "failed") this.#fail(message);
    else message.state = state;
    if (state === "submitted") message.dueAt = this.nowMs + RECEIPT_WINDOW_MS;
  }

  /** When time alone changes a message next, or null. */
  deadlineOf({ state, refunded, expiresAt, dueAt }: ModelMessage): number | null {
    if (state === "queued") return expiresAt;
    if (state === "unknown" && refunded) return null;
    return state === "sending" || state === "unknown" || state === "submitted" ? dueAt : null;
  }

  /**
   * The alarm: validities, leases and windows that have ended. A deadline that passed only lately may still be waiting for
   * the housekeeping; then what can be seen decides.
   */
  alarm(seen: (message: ModelMessage) => Seen | undefined): void {
    for (const message of this.messages) {
      for (;;) {
        const deadline = this.deadlineOf(message);
        if (deadline === null || deadline > this.nowMs) break;
        const now = seen(message);
        const isDone = now?.state !== message.state || now.refunded !== message.refunded;
        if (!isDone && this.nowMs - deadline < PASS_MS) break;
        this.#end(message);
      }
    }
  }

  #end(message: ModelMessage): void {
    if (message.state === "queued") return this.#fail(message);
    if (message.state === "unknown") return this.#refund(message);
    if (message.state === "submitted") {
      message.state = "unconfirmed";
      return;
    }
    message.state = "unknown";
    message.isInterrupted = true;
    // Its consumer may still report what became of it.
    message.isAskedAgain = true;
    message.dueAt = message.attemptAt + UNKNOWN_WINDOW_MS;
    message.againAt = this.resubmits ? this.nowMs : null;
  }

  /** When the account must look at itself next, at the latest; null when nothing is left to happen. */
  get alarmAtMost(): number | null {
    const times = this.messages.flatMap((message) => {
      const deadline = this.deadlineOf(message);
      return deadline === null ? [] : [Math.min(deadline, this.readyAt(message) ?? Infinity)];
    });
    return times.length === 0 ? null : Math.max(this.nowMs, Math.min(...times)) + PASS_MS;
  }
}
