import type { Claimed, MessageState, Outcome, ReceiptState } from "../../model/message.ts";

// The states of a message (contract §9), as pure functions from a message and an event to the next message. Ranks only
// rise; the one step back is sending → queued, when the carrier certainly accepted nothing.

/** The timers and limits of contract §12 that determine when a message changes state. */
export interface Timers {
  retryBaseMs: number;
  attemptsMax: number;
  unknownWindowMs: number;
  receiptWindowMs: number;
  sweepMs: number;
}

/** The time of a step, and the settings that apply to it. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly timers: Timers;
  /** A random number, 0 ≤ random() < 1. */
  readonly random: () => number;
}

/** A message as its job's row holds it; an absent field means that nothing of the kind has happened. */
export interface Message {
  to: string;
  /** The revision of its job at its last change; absent: the first. */
  rev?: number;
  state: MessageState;
  attempts: number;
  /** When the sweep must handle it: next attempt, end of a lease or of a window. */
  dueMs?: number;
  /** When to look it up at its carrier next. */
  pollMs?: number;
  /** The reason for its state, where there is one. */
  code?: string;
  refunded?: true;
  /** States after `queued`, with their times. */
  log?: [MessageState, number][];
}

/** The result of a step: the message to store, and whether its charge must be refunded. */
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

/** The doubling gap between attempts rises to this at most, in ms, before jitter. */
const RETRY_GAP_MS_MAX = 600_000;

/**
 * The alarm first polls a submitted message after this, in ms, even if the sweep is shorter: the invocation that
 * submitted it asks the carrier a second later, and an earlier poll would write and queue each message again for nothing.
 */
const FIRST_POLL_MS_MIN = 5_000;

/** Whether only a late receipt can still change this message. */
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

/** When the last attempt began. */
function attemptedAt(message: Message, nowMs: number): number {
  return message.log?.findLast(([state]) => state === "sending")?.[1] ?? nowMs;
}

/** Claims a waiting message for one attempt under a lease; null when it is not waiting, or its retry is not due. */
export function claim(message: Message, index: number, nowMs: number, leaseMs: number): [Message, Claimed] | null {
  if (message.state !== "queued" || (message.attempts > 0 && (message.dueMs ?? 0) > nowMs)) return null;
  const attempts = message.attempts + 1;
  return [
    enter(message, "sending", nowMs, { attempts, dueMs: nowMs + leaseMs }),
    { index, to: message.to, attempt: attempts },
  ];
}

/** The gap in ms before the next attempt: doubles with each one, plus up to half of it as jitter. */
export function retryGapMs(attempts: number, { timers, random }: Pick<Moment, "timers" | "random">): number {
  const gap = Math.min(RETRY_GAP_MS_MAX, timers.retryBaseMs * 2 ** (attempts - 1));
  return Math.floor(gap * (1 + random() / 2));
}

function submitted(message: Message, { timers, nowMs }: Moment, more: Partial<Message>): Message {
  return enter(message, "submitted", nowMs, { dueMs: nowMs + timers.receiptWindowMs, ...more });
}

/** Applies the outcome of an attempt; a repeated or late outcome changes nothing. */
export function applyOutcome(
  moment: Moment,
  message: Message,
  { attempt, outcome }: { attempt: number; outcome: Outcome },
  { expiresAt, follow }: { expiresAt: number; follow: boolean },
): Step {
  const { nowMs, timers } = moment;
  const pending = message.state === "sending" || message.state === "unknown";
  if (!pending || message.attempts !== attempt) return unchanged(message);
  const pollIn = (ms: number) => (follow ? { pollMs: nowMs + ms } : {});
  switch (outcome.kind) {
    case "submitted":
      return unchanged(submitted(message, moment, pollIn(Math.max(timers.sweepMs, FIRST_POLL_MS_MIN))));
    case "rejected":
      return failWithRefund(message, outcome.code, nowMs);
    case "not_accepted": {
      const gap = Math.max(outcome.retryAfterMs ?? 0, retryGapMs(attempt, moment));
      // A message in state unknown is not tried again but refunded: now it is certain that nothing was sent.
      const over = attempt >= timers.attemptsMax || nowMs + gap >= expiresAt || message.state === "unknown";
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

/** Applies a carrier's receipt, which can only raise the state and never charges (contract §6). */
export function applyReceipt(
  moment: Moment,
  message: Message,
  { state, code }: { state: ReceiptState; code?: string | undefined },
): Step {
  const { nowMs } = moment;
  // A message that was never attempted cannot have a receipt.
  if (message.attempts === 0 || RANK[state] <= RANK[message.state]) return unchanged(message);
  const why = code === undefined ? {} : { code };
  switch (state) {
    case "submitted":
      return unchanged(submitted(message, moment, why));
    case "delivered":
    case "undelivered":
      return unchanged(enter(message, state, nowMs, why));
    case "failed":
      return failWithRefund(message, code ?? "carrier_failed", nowMs);
  }
}

/** Applies the deadlines that have passed: validity, leases and windows. */
export function applyTime(moment: Moment, message: Message, expiresAt: number): Step {
  const { nowMs, timers } = moment;
  if (message.state === "queued" && expiresAt <= nowMs) return failWithRefund(message, "validity_ended", nowMs);
  if (message.dueMs === undefined || message.dueMs > nowMs) return unchanged(message);
  switch (message.state) {
    case "sending": {
      const dueMs = attemptedAt(message, nowMs) + timers.unknownWindowMs;
      // Set for every carrier; the consumer skips those without lookup().
      const pollMs = nowMs + timers.sweepMs;
      const lost = enter(message, "unknown", nowMs, { code: "attempt_interrupted", dueMs, pollMs });
      return dueMs <= nowMs ? applyTime(moment, lost, expiresAt) : unchanged(lost);
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

/** When the sweep must handle a message next, or null when it never must. */
export function dueOf(
  { timers }: Pick<Moment, "timers">,
  message: Message,
  job: { createdAt: number; expiresAt: number },
): number | null {
  if (isFinal(message)) return null;
  if (message.state === "queued") return Math.min(message.dueMs ?? job.createdAt + timers.sweepMs, job.expiresAt);
  return Math.min(message.dueMs ?? job.expiresAt, message.pollMs ?? Number.MAX_SAFE_INTEGER);
}

/** Schedules the next lookup: as long from now as has passed since the attempt, so that the gaps double. */
export function pollAgain({ timers, nowMs }: Moment, message: Message): Message {
  const waitedMs = Math.max(timers.sweepMs, nowMs - attemptedAt(message, nowMs));
  return { ...message, pollMs: nowMs + waitedMs };
}
