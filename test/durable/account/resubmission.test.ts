import { describe, expect, it } from "vitest";
import { applyOutcome, claim } from "../../../src/durable/account/message-life.ts";
import { isFinal, readyOf } from "../../../src/durable/account/message/states.ts";
import {
  TIMERS,
  T0,
  LEASE_MS,
  EXPIRES,
  fresh,
  at,
  claimedAt,
  time,
  SUBMITTED,
  REJECTED,
  BUSY,
  FAULT,
  RELEASED,
  UNKNOWN,
} from "../../world/message-steps.ts";
import type { Message } from "../../../src/durable/account/message/states.ts";
import type { Outcome } from "../../../src/model/message.ts";

const lease = { leaseMs: LEASE_MS, resubmits: true };
const resubmit = (message: Message, what: Outcome, nowMs: number, attempt = message.attempts) =>
  applyOutcome(at(nowMs), message, { attempt, outcome: what }, { expiresAt: EXPIRES, follow: false, resubmits: true });

describe("at a carrier that recognises references, a message of unknown outcome", () => {
  const claimed = claimedAt(T0, fresh, lease);
  const doubtful = resubmit(claimed, UNKNOWN, T0 + 10_000).message;
  const again = claimedAt(T0 + 20_000, doubtful, lease);

  it("stays unknown, is claimed again after a growing gap, and counts its attempts", () => {
    expect(doubtful).toMatchObject({ state: "unknown", attempts: 1, againMs: T0 + 12_000 });
    expect(claim(at(T0 + 11_999), doubtful, 0, lease)).toBeNull();
    expect(again).toMatchObject({ state: "unknown", attempts: 2, againMs: T0 + 20_000 + LEASE_MS });
    // Its window begins with the last attempt, which the carrier may have accepted.
    expect(again.dueMs).toBe(T0 + 20_000 + TIMERS.unknownWindowMs);
    const still = resubmit(again, UNKNOWN, T0 + 30_000).message;
    expect(still).toMatchObject({ state: "unknown", againMs: T0 + 34_000 });
    const busy = resubmit(claimedAt(T0 + 34_000, still, lease), { ...BUSY, retryAfterMs: 60_000 }, T0 + 35_000).message;
    expect(busy).toMatchObject({ state: "unknown", attempts: 3, againMs: T0 + 95_000 });
  });

  it("waits for as long as its carrier asks, and as a claim says that is given back, but never too long for a last try", () => {
    const asked: Outcome = { kind: "unknown", code: "http_500", retryAfterMs: 60_000 };
    expect(resubmit(claimed, asked, T0 + 10_000).message).toMatchObject({ againMs: T0 + 70_000 });
    expect(resubmit(again, asked, T0 + 30_000).message).toMatchObject({ againMs: T0 + 90_000 });
    const put = (afterMs: number) => resubmit(again, { kind: "released", afterMs }, T0 + 21_000).message;
    expect(put(4_000)).toMatchObject({ state: "unknown", released: 1, againMs: T0 + 25_000 });
    expect(put(EXPIRES)).toMatchObject({ againMs: EXPIRES - 10_000 });
    expect(resubmit(again, RELEASED, T0 + 21_000).message).toMatchObject({ againMs: T0 + 21_000 });
  });

  it("is claimed by no consumer whose carrier does not recognise references", () => {
    expect(claim(at(T0 + 20_000), doubtful, 0, { leaseMs: LEASE_MS, resubmits: false })).toBeNull();
  });

  it("comes back when the lease of an attempt ends, and when the consumer dies after the claim", () => {
    expect(time(claimed, T0 + LEASE_MS).message).toMatchObject({ state: "unknown", againMs: T0 + LEASE_MS });
    expect(claim(at(T0 + 49_999), again, 0, lease)).toBeNull();
    expect(claim(at(T0 + 50_000), again, 0, lease)?.[1].attempt).toBe(3);
  });

  it("is submitted, rejected or refused once the carrier says so, also by the answer to an earlier attempt", () => {
    expect(resubmit(again, SUBMITTED, T0 + 21_000)).toMatchObject({ refund: false, message: { state: "submitted" } });
    expect(resubmit(again, REJECTED, T0 + 21_000)).toMatchObject({ refund: true, message: { state: "failed" } });
    expect(resubmit(again, SUBMITTED, T0 + 21_000, 1).message.state).toBe("submitted");
    for (const what of [REJECTED, BUSY, FAULT, RELEASED, UNKNOWN]) {
      expect(resubmit(again, what, T0 + 21_000, 1)).toEqual({ message: again, refund: false });
    }
  });

  it("stays unknown, and is not refunded, when the service's own code fails too often or gives the claim back", () => {
    let message = doubtful;
    for (let nowMs = T0 + 20_000; message.againMs !== undefined; nowMs = (message.againMs ?? 0) + 1) {
      const step = resubmit(claimedAt(nowMs, message, lease), FAULT, nowMs);
      expect(step).toMatchObject({ refund: false, message: { state: "unknown" } });
      ({ message } = step);
    }
    expect(message.faults).toBe(TIMERS.attemptsMax);
    const back = resubmit(again, RELEASED, T0 + 21_000);
    expect(back).toMatchObject({ refund: false, message: { state: "unknown", released: 1, againMs: T0 + 21_000 } });
  });

  it("is not submitted after its validity, and refunded when its window ends", () => {
    const late = resubmit(claimedAt(EXPIRES - 5_000, doubtful, lease), UNKNOWN, EXPIRES - 1_000).message;
    expect(readyOf(late, { createdAt: T0, expiresAt: EXPIRES, sendAt: null })).toBeNull();
    const end = time(late, EXPIRES - 5_000 + TIMERS.unknownWindowMs);
    expect(end).toMatchObject({ refund: true, message: { state: "unknown", refunded: true } });
    expect(isFinal(end.message)).toBe(true);
    expect(claim(at(T0 + 20_000), end.message, 0, lease)).toBeNull();
  });
});
