import type { Claimed, MessageState, Outcome, ReceiptState } from "../../model/message.ts";

// The life of a message (contract §9) as pure functions: a message and some news in, the next message out.
// Ranks only rise; the one step back is sending → queued, when the carrier certainly took nothing.

/** The timers and limits of contract §12 that rule a message's life. */
export interface Timers {
  retryBaseMs: number;
  attemptsMax: number;
  unknownWindowMs: number;
  receiptWindowMs: number;
  sweepMs: number;
}

/** A message as its job's row keeps it; what is absent has not happened. */
export interface Message {
  to: string;
  /** The revision of its job with which it changed last; absent: the first. */
  rev?: number;
  state: MessageState;
  attempts: number;
  /** When somebody must look at it again: next attempt, end of a lease or of a window. */
  dueMs?: number;
  /** When its carrier is asked next what became of it, where the carrier can be asked. */
  pollMs?: number;
  /** Why it is in this state, where there is a reason. */
  code?: string;
  carrierId?: string;
  refunded?: true;
  /** States after `queued`, with their times. */
  log?: [MessageState, number][];
}

/** What a step did: the message to store, and whether its charge goes back. */
export interface Step {
  message: Message;
  refund: boolean;
}

const RANK: Record<MessageState, number> = {
  queued: 0,
  sending: 1,
  unknown: 2,
  submitted: 3,
  unconfirmed: 4,
  undelivered: 5,
  failed: 5,
  delivered: 6,
};

const FINAL: ReadonlySet<MessageState> = new Set(["delivered", "undelivered", "unconfirmed", "failed"]);

/** Retries wait at most this long, however often they doubled. */
const RETRY_GAP_MS_MAX = 600_000;

/**
 * The alarm leaves a submitted message to the invocation that handed it over, which asks its carrier a second later.
 * Where the sweep is shorter than this, every message would be written and queued once more for nothing.
 */
const FIRST_POLL_MS_MIN = 5_000;

/** Whether nothing but a late receipt can change this message. */
export function isFinal(message: Message): boolean {
  return FINAL.has(message.state) || (message.state === "unknown" && message.refunded === true);
}

function enter(message: Message, state: MessageState, nowMs: number, more: Partial<Message> = {}): Message {
  const { dueMs: _due, pollMs: _poll, code: _code, ...kept } = message;
  return { ...kept, state, log: [...(message.log ?? []), [state, nowMs]], ...more };
}

const unchanged = (message: Message): Step => ({ message, refund: false });

function failWithRefund(message: Message, code: string, nowMs: number): Step {
  const refund = message.refunded !== true;
  return { message: enter(message, "failed", nowMs, { code, refunded: true }), refund };
}

/** The last time that a message was handed to a carrier. */
function attemptedAt(message: Message, nowMs: number): number {
  return message.log?.findLast(([state]) => state === "sending")?.[1] ?? nowMs;
}

/** Takes a waiting message for one attempt under a lease; null when it is not waiting, or not yet. */
export function claim(message: Message, index: number, nowMs: number, leaseMs: number): [Message, Claimed] | null {
  if (message.state !== "queued" || (message.attempts > 0 && (message.dueMs ?? 0) > nowMs)) return null;
  const attempts = message.attempts + 1;
  return [
    enter(message, "sending", nowMs, { attempts, dueMs: nowMs + leaseMs }),
    { index, to: message.to, attempt: attempts },
  ];
}

/** The gap before the next attempt: doubling, with up to half of it again as jitter (0 ≤ jitter < 1). */
export function retryGapMs(attempts: number, retryBaseMs: number, jitter: number): number {
  const gap = Math.min(RETRY_GAP_MS_MAX, retryBaseMs * 2 ** (attempts - 1));
  return Math.floor(gap * (1 + jitter / 2));
}

function submitted(message: Message, timers: Timers, nowMs: number, more: Partial<Message>): Message {
  return enter(message, "submitted", nowMs, { dueMs: nowMs + timers.receiptWindowMs, ...more });
}

/** Applies the outcome of an attempt; an outcome that comes twice or too late changes nothing. */
export function applyOutcome(
  message: Message,
  attempt: number,
  outcome: Outcome,
  when: { nowMs: number; expiresAt: number; jitter: number; follow: boolean },
  timers: Timers,
): Step {
  const { nowMs } = when;
  const pending = message.state === "sending" || message.state === "unknown";
  if (!pending || message.attempts !== attempt) return unchanged(message);
  const pollIn = (ms: number) => (when.follow ? { pollMs: nowMs + ms } : {});
  switch (outcome.kind) {
    case "submitted": {
      const id = outcome.carrierId === undefined ? {} : { carrierId: outcome.carrierId };
      return unchanged(
        submitted(message, timers, nowMs, { ...pollIn(Math.max(timers.sweepMs, FIRST_POLL_MS_MIN)), ...id }),
      );
    }
    case "rejected":
      return failWithRefund(message, outcome.code, nowMs);
    case "not_accepted": {
      const gap = Math.max(outcome.retryAfterMs ?? 0, retryGapMs(attempt, timers.retryBaseMs, when.jitter));
      // An attempt that was already written off is not resumed: what is certain now is only that nothing was sent.
      const over = attempt >= timers.attemptsMax || nowMs + gap >= when.expiresAt || message.state === "unknown";
      if (over) return failWithRefund(message, outcome.code, nowMs);
      return unchanged(enter(message, "queued", nowMs, { code: outcome.code, dueMs: nowMs + gap }));
    }
    case "unknown": {
      if (message.state === "unknown") return unchanged(message);
      const dueMs = attemptedAt(message, nowMs) + timers.unknownWindowMs;
      return unchanged(enter(message, "unknown", nowMs, { code: outcome.code, dueMs, ...pollIn(timers.sweepMs) }));
    }
  }
}

/** Applies a carrier's receipt: it may only raise the state, and it never takes money (contract §6). */
export function applyReceipt(
  message: Message,
  state: ReceiptState,
  code: string | undefined,
  nowMs: number,
  timers: Timers,
): Step {
  // A message that never left cannot have a receipt.
  if (message.attempts === 0 || RANK[state] <= RANK[message.state]) return unchanged(message);
  const why = code === undefined ? {} : { code };
  switch (state) {
    case "submitted":
      return unchanged(submitted(message, timers, nowMs, why));
    case "delivered":
    case "undelivered":
      return unchanged(enter(message, state, nowMs, why));
    case "failed":
      return failWithRefund(message, code ?? "carrier_failed", nowMs);
  }
}

/** Applies the passing of time: validity, leases and windows that ended. */
export function applyTime(message: Message, expiresAt: number, timers: Timers, nowMs: number): Step {
  if (message.state === "queued" && expiresAt <= nowMs) return failWithRefund(message, "validity_ended", nowMs);
  if (message.dueMs === undefined || message.dueMs > nowMs) return unchanged(message);
  switch (message.state) {
    case "sending": {
      const dueMs = attemptedAt(message, nowMs) + timers.unknownWindowMs;
      // Whether its carrier can be asked is for the one who asks to know.
      const pollMs = nowMs + timers.sweepMs;
      const lost = enter(message, "unknown", nowMs, { code: "attempt_interrupted", dueMs, pollMs });
      return dueMs <= nowMs ? applyTime(lost, expiresAt, timers, nowMs) : unchanged(lost);
    }
    case "submitted":
      return unchanged(enter(message, "unconfirmed", nowMs));
    case "unknown": {
      const { dueMs: _due, pollMs: _poll, ...kept } = message;
      return { message: { ...kept, refunded: true }, refund: message.refunded !== true };
    }
    case "queued":
    case "delivered":
    case "undelivered":
    case "unconfirmed":
    case "failed":
      return unchanged(message);
  }
}

/** When a message needs attention next, or null when it never will. */
export function dueOf(message: Message, job: { createdAt: number; expiresAt: number }, timers: Timers): number | null {
  if (isFinal(message)) return null;
  if (message.state === "queued") return Math.min(message.dueMs ?? job.createdAt + timers.sweepMs, job.expiresAt);
  return Math.min(message.dueMs ?? job.expiresAt, message.pollMs ?? Number.MAX_SAFE_INTEGER);
}

/** Sets the next time to ask the carrier: the pause doubles with the time that has passed since the attempt. */
export function pollAgain(message: Message, timers: Timers, nowMs: number): Message {
  const waitedMs = Math.max(timers.sweepMs, nowMs - attemptedAt(message, nowMs));
  return { ...message, pollMs: nowMs + waitedMs };
}
