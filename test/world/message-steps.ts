import { applyOutcome, applyReceipt, claim } from "../../src/durable/account/message-life.ts";
import { applyTime } from "../../src/durable/account/message/deadlines.ts";
import type { Moment, Timers } from "../../src/durable/account/message/retry.ts";
import type { Message, Step } from "../../src/durable/account/message/states.ts";
import type { Outcome, ReceiptState } from "../../src/model/message.ts";

// Messages in each state, and the steps between them, for tests of the state machine.

export const TIMERS: Timers = {
  retryBaseMs: 2_000,
  attemptsMax: 3,
  unknownWindowMs: 86_400_000,
  receiptWindowMs: 259_200_000,
  sweepMs: 30_000,
};
export const T0 = 1_790_000_000_000;
export const LEASE_MS = 30_000;
export const EXPIRES = T0 + 3_600_000;

export const fresh: Message = { to: "+919876543210", state: "queued", attempts: 0 };

/** A moment without jitter. */
export const at = (nowMs: number, random = 0): Moment => ({ nowMs, timers: TIMERS, random: () => random });

export const LEASE = { leaseMs: LEASE_MS, resubmits: false };

/** A message that was claimed at this time. */
export function claimedAt(nowMs: number, message: Message = fresh, lease = LEASE): Message {
  const result = claim(at(nowMs), message, 0, lease);
  if (!result) throw new Error("the message was not waiting");
  return result[0];
}

/** The outcome of the message's last attempt, or of another one. */
export function outcome(
  message: Message,
  what: Outcome,
  nowMs: number,
  more: { follow?: boolean; attempt?: number } = {},
) {
  const news = { attempt: more.attempt ?? message.attempts, outcome: what };
  return applyOutcome(at(nowMs), message, news, { expiresAt: EXPIRES, follow: more.follow ?? false });
}

export const receipt = (message: Message, state: ReceiptState, nowMs: number, code?: string): Step =>
  applyReceipt(at(nowMs), message, { state, code });
export const time = (message: Message, nowMs: number): Step =>
  applyTime(at(nowMs), message, { expiresAt: EXPIRES, canLookUp: true });

export const SUBMITTED = { kind: "submitted" } as const;
export const REJECTED = { kind: "rejected", code: "http_400" } as const;
export const BUSY = { kind: "not_accepted", code: "http_429" } as const;
export const FAULT = { kind: "not_sent", code: "internal_error" } as const;
export const RELEASED = { kind: "released" } as const;
export const UNKNOWN = { kind: "unknown", code: "timeout" } as const;

// One message in each state, from one attempt at T0.
export const sending = claimedAt(T0);
export const submitted = outcome(sending, SUBMITTED, T0 + 10).message;
export const unknown = outcome(sending, UNKNOWN, T0 + 10_000).message;
export const refundedUnknown = time(unknown, T0 + TIMERS.unknownWindowMs).message;
export const unconfirmed = time(submitted, T0 + 10 + TIMERS.receiptWindowMs).message;
export const failed = outcome(sending, REJECTED, T0 + 10).message;
