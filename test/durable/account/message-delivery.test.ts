import { describe, expect, it } from "vitest";
import { applyOutcome, claim } from "../../../src/durable/account/message-life.ts";
import { pollAgain } from "../../../src/durable/account/message/deadlines.ts";
import { isFinal } from "../../../src/durable/account/message/states.ts";
import {
  TIMERS,
  T0,
  LEASE_MS,
  EXPIRES,
  fresh,
  at,
  LEASE,
  claimedAt,
  outcome,
  receipt,
  time,
  SUBMITTED,
  REJECTED,
  BUSY,
  FAULT,
  RELEASED,
  UNKNOWN,
  sending,
  submitted,
  unknown,
  refundedUnknown,
  unconfirmed,
  failed,
} from "../../world/message-steps.ts";

describe("claim", () => {
  it("takes a queued message for one attempt under a lease", () => {
    expect(claim(at(T0), fresh, 7, LEASE)).toEqual([
      { to: fresh.to, state: "sending", attempts: 1, dueMs: T0 + LEASE_MS, log: [["sending", T0]] },
      { index: 7, to: fresh.to, attempt: 1 },
    ]);
  });

  it("takes a message that waits for its next attempt only once that attempt is due", () => {
    const { message } = outcome(sending, BUSY, T0);
    expect(claim(at(T0 + 1_999), message, 0, LEASE)).toBeNull();
    expect(claim(at(T0 + 2_000), message, 0, LEASE)?.[1]).toEqual({ index: 0, to: fresh.to, attempt: 2 });
  });

  it.each([
    ["sending", sending],
    ["submitted", submitted],
    ["unknown", unknown],
    ["refunded", refundedUnknown],
    ["unconfirmed", unconfirmed],
    ["failed", failed],
  ])("never takes a message that is %s", (_, message) => {
    expect(claim(at(T0 + 10 * TIMERS.receiptWindowMs), message, 0, LEASE)).toBeNull();
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

  it("not accepted, any number of times: queued again with growing gaps until the validity ends, then failed", () => {
    let message = fresh;
    const gaps: number[] = [];
    for (let nowMs = T0; nowMs < EXPIRES; nowMs = message.dueMs ?? 0) {
      const step = outcome(claimedAt(nowMs, message), BUSY, nowMs);
      expect(step).toMatchObject({ refund: false, message: { state: "queued", code: "http_429" } });
      ({ message } = step);
      gaps.push((message.dueMs ?? 0) - nowMs);
    }
    expect(gaps.slice(0, 5)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000]);
    expect(Math.max(...gaps)).toBe(600_000);
    expect(claim(at(EXPIRES - 1), message, 0, LEASE)).toBeNull();
    const end = { refund: true, message: { state: "failed", code: "validity_ended", refunded: true } };
    expect(time(message, EXPIRES)).toMatchObject(end);
  });

  it("not accepted, with the gap beyond the end of validity: one last try shortly before it", () => {
    const { message } = outcome(claimedAt(EXPIRES - 20_000), { ...BUSY, retryAfterMs: 60_000 }, EXPIRES - 20_000);
    expect(message).toMatchObject({ state: "queued", dueMs: EXPIRES - 10_000 });
    const last = outcome(claimedAt(EXPIRES - 10_000, message), BUSY, EXPIRES - 7_000);
    expect(last).toMatchObject({ refund: false, message: { state: "queued", dueMs: EXPIRES - 3_000 } });
    const over = outcome(claimedAt(EXPIRES - 3_000, last.message), BUSY, EXPIRES - 2_000).message;
    expect(over).toMatchObject({ state: "queued", dueMs: EXPIRES });
    expect(claim(at(EXPIRES - 1), over, 0, LEASE)).toBeNull();
    expect(time(over, EXPIRES - 1).refund).toBe(false);
    expect(time(over, EXPIRES)).toMatchObject({ refund: true, message: { code: "validity_ended" } });
  });

  it("not sent: counts towards ATTEMPTS_MAX, then failed and refunded at once; busy answers do not count", () => {
    let message = fresh;
    let nowMs = T0;
    for (const what of [FAULT, BUSY, BUSY, BUSY, FAULT, BUSY]) {
      const step = outcome(claimedAt(nowMs, message), what, nowMs);
      expect(step).toMatchObject({ refund: false, message: { state: "queued" } });
      ({ message } = step);
      nowMs = message.dueMs ?? 0;
    }
    const last = outcome(claimedAt(nowMs, message), FAULT, nowMs);
    expect(last).toMatchObject({ refund: true, message: { state: "failed", attempts: 7, code: "internal_error" } });
  });

  it("released: as before the claim, and counted nowhere", () => {
    expect(outcome(sending, RELEASED, T0 + 5).message).toEqual({ ...fresh, attempts: 1, released: 1 });
    const waiting = outcome(sending, BUSY, T0).message;
    const again = claimedAt(T0 + 2_000, waiting);
    const { dueMs: _due, ...before } = waiting;
    expect(outcome(again, RELEASED, T0 + 2_500)).toEqual({
      message: { ...before, attempts: 2, released: 1 },
      refund: false,
    });
  });

  it("of an older claim never gives back a newer one, nor ends it", () => {
    const released = outcome(sending, RELEASED, T0).message;
    const newer = claimedAt(T0 + 1, released);
    const waiting = outcome(sending, BUSY, T0).message;
    const retried = claimedAt(T0 + 2_000, waiting);
    for (const what of [RELEASED, BUSY, FAULT, REJECTED, UNKNOWN, SUBMITTED]) {
      expect(outcome(newer, what, T0 + 2, { attempt: 1 })).toEqual({ message: newer, refund: false });
      expect(outcome(retried, what, T0 + 2_001, { attempt: 1 })).toEqual({ message: retried, refund: false });
      expect(outcome(released, what, T0 + 2, { attempt: 1 })).toEqual({ message: released, refund: false });
      expect(outcome(waiting, what, T0 + 2, { attempt: 1 })).toEqual({ message: waiting, refund: false });
    }
  });

  it("unknown: not refunded yet, with a window that starts at the attempt, not at the answer", () => {
    expect(outcome(sending, UNKNOWN, T0 + 10_000)).toMatchObject({
      refund: false,
      message: { state: "unknown", code: "timeout", dueMs: T0 + TIMERS.unknownWindowMs },
    });
  });

  it("of another attempt, or reported a second time, changes nothing", () => {
    for (const what of [SUBMITTED, REJECTED, BUSY, FAULT, RELEASED, UNKNOWN]) {
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
    // It was certainly not accepted: it waits again, as if the report had come in time.
    for (const what of [BUSY, FAULT, RELEASED]) {
      expect(outcome(lost, what, T0 + 40_000)).toMatchObject({ refund: false, message: { state: "queued" } });
    }
    expect(outcome(lost, RELEASED, T0 + 40_000).message).toEqual({ ...fresh, attempts: 1, released: 1 });
    // Not after its refund, and not where the outcome of the attempt is known to be unknown.
    const refunded = time(lost, T0 + TIMERS.unknownWindowMs).message;
    for (const what of [BUSY, FAULT, RELEASED]) {
      expect(outcome(refunded, what, T0 + 2 * TIMERS.unknownWindowMs)).toEqual({ message: refunded, refund: false });
      expect(outcome(unknown, what, T0 + 40_000)).toEqual({ message: unknown, refund: false });
    }
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
