import { describe, expect, it } from "vitest";
import {
  applyOutcome,
  applyReceipt,
  applyTime,
  claim,
  dueOf,
  isFinal,
  pollAgain,
  retryGapMs,
} from "../../../src/durable/account/message-life.ts";
import type { Message, Moment, Step, Timers } from "../../../src/durable/account/message-life.ts";
import type { Outcome, ReceiptState } from "../../../src/model/message.ts";

const TIMERS: Timers = {
  retryBaseMs: 2_000,
  attemptsMax: 3,
  unknownWindowMs: 86_400_000,
  receiptWindowMs: 259_200_000,
  sweepMs: 30_000,
};
const T0 = 1_790_000_000_000;
const LEASE_MS = 30_000;
const EXPIRES = T0 + 3_600_000;

const fresh: Message = { to: "+919876543210", state: "queued", attempts: 0 };

/** A moment without jitter. */
const at = (nowMs: number, random = 0): Moment => ({ nowMs, timers: TIMERS, random: () => random });

/** A message that was claimed at this time. */
function claimedAt(nowMs: number, message: Message = fresh): Message {
  const result = claim(message, 0, nowMs, LEASE_MS);
  if (!result) throw new Error("the message was not waiting");
  return result[0];
}

function outcome(message: Message, what: Outcome, nowMs: number, more: { follow?: boolean; attempt?: number } = {}) {
  const news = { attempt: more.attempt ?? message.attempts, outcome: what };
  return applyOutcome(at(nowMs), message, news, { expiresAt: EXPIRES, follow: more.follow ?? false });
}

const receipt = (message: Message, state: ReceiptState, nowMs: number, code?: string): Step =>
  applyReceipt(at(nowMs), message, { state, code });
const time = (message: Message, nowMs: number): Step => applyTime(at(nowMs), message, EXPIRES);

const SUBMITTED: Outcome = { kind: "submitted" };
const REJECTED: Outcome = { kind: "rejected", code: "http_400" };
const BUSY: Outcome = { kind: "not_accepted", code: "http_429" };
const UNKNOWN: Outcome = { kind: "unknown", code: "timeout" };

const sending = claimedAt(T0);
const submitted = outcome(sending, SUBMITTED, T0 + 10).message;
const unknown = outcome(sending, UNKNOWN, T0 + 10_000).message;
const refundedUnknown = time(unknown, T0 + TIMERS.unknownWindowMs).message;
const unconfirmed = time(submitted, T0 + 10 + TIMERS.receiptWindowMs).message;
const failed = outcome(sending, REJECTED, T0 + 10).message;

describe("claim", () => {
  it("takes a queued message for one attempt under a lease", () => {
    expect(claim(fresh, 7, T0, LEASE_MS)).toEqual([
      { to: fresh.to, state: "sending", attempts: 1, dueMs: T0 + LEASE_MS, log: [["sending", T0]] },
      { index: 7, to: fresh.to, attempt: 1 },
    ]);
  });

  it("takes a message that waits for its next attempt only once that attempt is due", () => {
    const { message } = outcome(sending, BUSY, T0);
    expect(claim(message, 0, T0 + 1_999, LEASE_MS)).toBeNull();
    expect(claim(message, 0, T0 + 2_000, LEASE_MS)?.[1]).toEqual({ index: 0, to: fresh.to, attempt: 2 });
  });

  it.each([
    ["sending", sending],
    ["submitted", submitted],
    ["unknown", unknown],
    ["refunded", refundedUnknown],
    ["unconfirmed", unconfirmed],
    ["failed", failed],
  ])("never takes a message that is %s", (_, message) => {
    expect(claim(message, 0, T0 + 10 * TIMERS.receiptWindowMs, LEASE_MS)).toBeNull();
  });
});

describe("the outcome of an attempt", () => {
  it("submitted: waits for its receipt", () => {
    expect(outcome(sending, SUBMITTED, T0 + 10)).toEqual({
      message: {
        ...sending,
        state: "submitted",
        dueMs: T0 + 10 + TIMERS.receiptWindowMs,
        log: [
          ["sending", T0],
          ["submitted", T0 + 10],
        ],
      },
      refund: false,
    });
  });

  it("rejected: failed and refunded", () => {
    const step = outcome(sending, REJECTED, T0 + 10);
    expect(step).toMatchObject({ refund: true, message: { state: "failed", refunded: true, code: "http_400" } });
    expect(step.message).not.toHaveProperty("dueMs");
  });

  it("not accepted: queued again after a gap, still charged", () => {
    const step = outcome(sending, BUSY, T0 + 10);
    expect(step).toMatchObject({ refund: false, message: { state: "queued", attempts: 1, dueMs: T0 + 10 + 2_000 } });
  });

  it("not accepted, with Retry-After: due no earlier than Retry-After and no earlier than the gap", () => {
    const later = outcome(sending, { ...BUSY, retryAfterMs: 9_000 }, T0).message;
    expect(later.dueMs).toBe(T0 + 9_000);
    const sooner = outcome(sending, { ...BUSY, retryAfterMs: 1 }, T0).message;
    expect(sooner.dueMs).toBe(T0 + 2_000);
  });

  it("not accepted on the last attempt: failed and refunded at once", () => {
    let message = fresh;
    let nowMs = T0;
    for (let attempt = 1; attempt < TIMERS.attemptsMax; attempt++) {
      const step = outcome(claimedAt(nowMs, message), BUSY, nowMs);
      expect(step).toMatchObject({ refund: false, message: { state: "queued" } });
      ({ message } = step);
      nowMs = message.dueMs ?? 0;
    }
    const last = outcome(claimedAt(nowMs, message), BUSY, nowMs);
    expect(last).toMatchObject({ refund: true, message: { state: "failed", attempts: 3, code: "http_429" } });
  });

  it("not accepted, with the next attempt due after the end of validity: failed and refunded", () => {
    const late = outcome(claimedAt(EXPIRES - 2_000), BUSY, EXPIRES - 2_000);
    expect(late).toMatchObject({ refund: true, message: { state: "failed" } });
    const inTime = outcome(claimedAt(EXPIRES - 2_001), BUSY, EXPIRES - 2_001);
    expect(inTime).toMatchObject({ refund: false, message: { state: "queued" } });
  });

  it("unknown: not refunded yet, with a window that starts at the attempt, not at the answer", () => {
    expect(outcome(sending, UNKNOWN, T0 + 10_000)).toMatchObject({
      refund: false,
      message: { state: "unknown", code: "timeout", dueMs: T0 + TIMERS.unknownWindowMs },
    });
  });

  it("of another attempt, or reported a second time, changes nothing", () => {
    for (const what of [SUBMITTED, REJECTED, BUSY, UNKNOWN]) {
      expect(outcome(sending, what, T0, { attempt: 2 })).toEqual({ message: sending, refund: false });
      for (const message of [submitted, unconfirmed, failed, fresh]) {
        expect(outcome(message, what, T0)).toEqual({ message, refund: false });
      }
    }
  });

  it("is polled with growing pauses if the carrier supports lookups", () => {
    const { message } = outcome(sending, SUBMITTED, T0, { follow: true });
    expect(message.pollMs).toBe(T0 + TIMERS.sweepMs);
    expect(outcome(sending, UNKNOWN, T0, { follow: true }).message.pollMs).toBe(T0 + TIMERS.sweepMs);
    expect(outcome(sending, SUBMITTED, T0).message).not.toHaveProperty("pollMs");
    let polled = message;
    const pauses = [1, 2, 3, 4].map(() => {
      const before = polled.pollMs ?? 0;
      polled = pollAgain(at(before), polled);
      return (polled.pollMs ?? 0) - before;
    });
    expect(pauses).toEqual([30_000, 60_000, 120_000, 240_000]);
  });

  it("is first polled after five seconds when the sweep is shorter, because the sender asks before that", () => {
    const moment = { ...at(T0), timers: { ...TIMERS, sweepMs: 1_000 } };
    const news = { attempt: sending.attempts, outcome: SUBMITTED };
    const { message } = applyOutcome(moment, sending, news, { expiresAt: EXPIRES, follow: true });
    expect(message.pollMs).toBe(T0 + 5_000);
  });
});

describe("an attempt that was interrupted", () => {
  it("becomes unknown when its lease ends, and no sooner", () => {
    expect(time(sending, T0 + LEASE_MS - 1)).toEqual({ message: sending, refund: false });
    expect(time(sending, T0 + LEASE_MS)).toMatchObject({
      refund: false,
      message: { state: "unknown", code: "attempt_interrupted", dueMs: T0 + TIMERS.unknownWindowMs },
    });
  });

  it("is refunded when its window ends, counted from the attempt, even if it was never marked unknown before", () => {
    const lost = time(sending, T0 + LEASE_MS).message;
    expect(time(lost, T0 + TIMERS.unknownWindowMs - 1).refund).toBe(false);
    const late = time(sending, T0 + TIMERS.unknownWindowMs);
    expect(late).toMatchObject({ refund: true, message: { state: "unknown", refunded: true } });
    expect(isFinal(late.message)).toBe(true);
    expect(time(late.message, T0 + 10 * TIMERS.unknownWindowMs)).toEqual({ message: late.message, refund: false });
  });

  it("may still be resolved by a late report", () => {
    const lost = time(sending, T0 + LEASE_MS).message;
    expect(outcome(lost, SUBMITTED, T0 + 40_000)).toMatchObject({ refund: false, message: { state: "submitted" } });
    expect(outcome(lost, REJECTED, T0 + 40_000)).toMatchObject({ refund: true, message: { state: "failed" } });
    // It was certainly not accepted, but had already been given up: refund it, and do not send it again.
    expect(outcome(lost, BUSY, T0 + 40_000)).toMatchObject({ refund: true, message: { state: "failed" } });
    expect(outcome(lost, UNKNOWN, T0 + 40_000)).toEqual({ message: lost, refund: false });
  });
});

describe("a receipt", () => {
  it.each([
    ["delivered", submitted],
    ["undelivered", submitted],
    ["delivered", sending],
    ["delivered", unknown],
    ["undelivered", unknown],
    ["submitted", unknown],
    ["submitted", sending],
    ["delivered", unconfirmed],
    ["undelivered", unconfirmed],
  ] as const)("raises the state to %s and leaves the money", (state, message) => {
    expect(receipt(message, state, T0 + 100, "c")).toMatchObject({ refund: false, message: { state, code: "c" } });
  });

  it("of failed, which means never sent, refunds once", () => {
    for (const message of [sending, submitted, unknown, unconfirmed]) {
      const step = receipt(message, "failed", T0 + 100);
      expect(step).toMatchObject({ refund: true, message: { state: "failed", refunded: true } });
      expect(receipt(step.message, "failed", T0 + 101)).toEqual({ message: step.message, refund: false });
    }
    expect(receipt(refundedUnknown, "failed", T0 + 100)).toMatchObject({ refund: false, message: { state: "failed" } });
  });

  it.each([
    ["failed", failed],
    ["unknown past its window", refundedUnknown],
  ])("of a delivery after the refund (%s) corrects the state but not the money", (_, message) => {
    const step = receipt(message, "delivered", T0 + 2 * TIMERS.unknownWindowMs);
    expect(step).toMatchObject({ refund: false, message: { state: "delivered", refunded: true } });
  });

  it("never lowers a state", () => {
    const delivered = receipt(submitted, "delivered", T0 + 100).message;
    const undelivered = receipt(submitted, "undelivered", T0 + 100).message;
    for (const state of ["submitted", "undelivered", "failed", "delivered"] as const) {
      expect(receipt(delivered, state, T0 + 200)).toEqual({ message: delivered, refund: false });
    }
    expect(receipt(undelivered, "submitted", T0 + 200).message).toBe(undelivered);
    expect(receipt(undelivered, "failed", T0 + 200)).toEqual({ message: undelivered, refund: false });
    expect(receipt(unconfirmed, "submitted", T0 + 200).message).toBe(unconfirmed);
    expect(receipt(undelivered, "delivered", T0 + 200).message.state).toBe("delivered");
  });

  it("for a message that never left changes nothing", () => {
    expect(receipt(fresh, "delivered", T0)).toEqual({ message: fresh, refund: false });
  });
});

describe("the passage of time", () => {
  it("ends the validity: a message that was never accepted is failed and refunded", () => {
    expect(time(fresh, EXPIRES - 1)).toEqual({ message: fresh, refund: false });
    const step = time(fresh, EXPIRES);
    expect(step).toMatchObject({ refund: true, message: { state: "failed", code: "validity_ended" } });
    const waiting = outcome(sending, BUSY, T0).message;
    expect(time(waiting, EXPIRES)).toMatchObject({ refund: true, message: { state: "failed" } });
    expect(time(sending, T0 + 1)).toEqual({ message: sending, refund: false });
  });

  it("ends the wait for a receipt: unconfirmed, and still charged", () => {
    expect(time(submitted, T0 + 9 + TIMERS.receiptWindowMs).message).toBe(submitted);
    expect(time(submitted, T0 + 10 + TIMERS.receiptWindowMs)).toMatchObject({
      refund: false,
      message: { state: "unconfirmed" },
    });
  });

  it("does not change final messages", () => {
    for (const message of [failed, unconfirmed, refundedUnknown, receipt(submitted, "delivered", T0).message]) {
      expect(isFinal(message)).toBe(true);
      expect(time(message, T0 + 10 * TIMERS.receiptWindowMs)).toEqual({ message, refund: false });
      expect(dueOf(at(T0), message, { createdAt: T0, expiresAt: EXPIRES })).toBeNull();
    }
  });
});

describe("the gap before a retry", () => {
  it("doubles up to ten minutes, plus up to half of it as jitter", () => {
    expect([1, 2, 3, 4].map((attempt) => retryGapMs(attempt, at(T0)))).toEqual([2_000, 4_000, 8_000, 16_000]);
    expect(retryGapMs(1, at(T0, 0.999))).toBe(2_999);
    for (let attempt = 1; attempt <= 100; attempt++) {
      const [least, most] = [retryGapMs(attempt, at(T0)), retryGapMs(attempt, at(T0, 0.999_999))];
      expect(most).toBeLessThanOrEqual(900_000);
      // Up to the maximum, the longest gap of one attempt is shorter than the shortest gap of the next.
      if (least < 600_000) expect(retryGapMs(attempt + 1, at(T0))).toBeGreaterThan(Math.min(most, 599_999));
    }
  });
});
