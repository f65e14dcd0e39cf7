import { describe, expect, it } from "vitest";
import { dueOf } from "../../../src/durable/account/message/deadlines.ts";
import { retryGapMs } from "../../../src/durable/account/message/retry.ts";
import { isFinal } from "../../../src/durable/account/message/states.ts";
import {
  TIMERS,
  T0,
  EXPIRES,
  fresh,
  at,
  outcome,
  receipt,
  time,
  BUSY,
  sending,
  submitted,
  refundedUnknown,
  unconfirmed,
  failed,
} from "../../world/message-steps.ts";

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
      expect(dueOf(message, { expiresAt: EXPIRES })).toBeNull();
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
