import { applyEarly } from "../message-life.ts";
import { NEVER } from "./retry.ts";
import type { Moment } from "./retry.ts";
import { INTERRUPTED, attemptedAt, enter, failWithRefund, isFinal, unchanged } from "./states.ts";
import type { Message, Step } from "./states.ts";

// What time alone makes of a message: validity, leases and windows that end (contract §9).

/** What the passing of time needs to know of a message's job. */
interface Timed {
  expiresAt: number;
  /** The job's carrier. */
  carrier?: string | null;
  /** Whether its carrier can be asked for the message's state. */
  canLookUp: boolean;
}

/** Applies the deadlines that have passed. */
export function applyTime(moment: Moment, message: Message, job: Timed): Step {
  const { nowMs, timers } = moment;
  const { expiresAt, canLookUp } = job;
  if (message.pollMs !== undefined && !canLookUp) {
    // Stored by an older version: a lookup that never happens would cost a row each time that it is due.
    const { pollMs: _poll, ...kept } = message;
    return applyTime(moment, kept, job);
  }
  if (message.state === "queued" && expiresAt <= nowMs) return failWithRefund(message, "validity_ended", nowMs);
  if (message.dueMs === undefined || message.dueMs > nowMs) return unchanged(message);
  switch (message.state) {
    case "sending": {
      const dueMs = attemptedAt(message, nowMs) + timers.unknownWindowMs;
      const poll = canLookUp ? { pollMs: nowMs + timers.sweepMs } : {};
      // The carrier knows the message by its reference, if it has it: it can be submitted again at once.
      const again = message.resubmits ? { againMs: nowMs, inFlight: true as const } : {};
      const { early = [], ...kept } = message;
      const lost = enter(kept, "unknown", nowMs, { code: INTERRUPTED, dueMs, ...poll, ...again });
      // Any carrier of the plan may have it now: what one said meanwhile counts.
      const step = applyEarly(moment, unchanged(lost), early, job.carrier ?? null);
      return dueMs <= nowMs && step.message === lost ? applyTime(moment, lost, job) : step;
    }
    case "submitted":
      return unchanged(enter(message, "unconfirmed", nowMs));
    case "unknown": {
      const { dueMs: _due, pollMs: _poll, againMs: _again, inFlight: _claim, ...kept } = message;
      return { message: { ...kept, refunded: true }, refund: message.refunded !== true };
    }
    case "queued":
    case "delivered":
    case "undelivered":
    case "unconfirmed":
    case "failed":
    case "cancelled":
      return unchanged(message);
  }
}

/** When a deadline of the message passes next, or null when none ever does. */
export function dueOf(message: Message, { expiresAt }: { expiresAt: number }): number | null {
  if (isFinal(message)) return null;
  if (message.state === "queued") return expiresAt;
  return Math.min(message.dueMs ?? expiresAt, message.pollMs ?? NEVER);
}

/** Schedules the next lookup: as long from now as has passed since the attempt, so that the gaps double. */
export function pollAgain({ timers, nowMs }: Moment, message: Message): Message {
  const waitedMs = Math.max(timers.sweepMs, nowMs - attemptedAt(message, nowMs));
  return { ...message, pollMs: nowMs + waitedMs };
}

/**
 * Sweeps after which the housekeeping pass looks at an open job that has no index entry. One pass follows another no sooner
 * than half of this later, so it looks after one and a half at the latest.
 */
export const PASS_SWEEPS = 20;
const PASS_SWEEPS_MAX = 1.5 * PASS_SWEEPS;

/**
 * Whether the housekeeping pass is early enough to look at this message: it is under way at its carrier, or waits with
 * more validity than the pass is away. An interrupted attempt that can be made again is worth an index entry.
 */
export function isUsual({ nowMs, timers }: Moment, message: Message, { expiresAt }: { expiresAt: number }): boolean {
  switch (message.state) {
    case "queued":
      return expiresAt > nowMs + PASS_SWEEPS_MAX * timers.sweepMs;
    case "sending":
      return message.resubmits !== true;
    case "unknown":
      return false;
    default:
      return true;
  }
}
