import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  applyOutcome,
  applyReceipt,
  applyTime,
  claim,
  dueOf,
  isFinal,
} from "../../../src/durable/account/message-life.ts";
import type { Message, Moment, Step, Timers } from "../../../src/durable/account/message-life.ts";
import type { MessageState, Outcome, ReceiptState } from "../../../src/model/message.ts";

// Contract §6 and §9 hold for any sequence of events of a message.

const T0 = 1_790_000_000_000;
const VALIDITY_MS = 300_000;
const LEASE_MS = 30_000;
const JOB = { createdAt: T0, expiresAt: T0 + VALIDITY_MS };
const TIMERS: Timers = {
  retryBaseMs: 2_000,
  attemptsMax: 4,
  unknownWindowMs: 600_000,
  receiptWindowMs: 900_000,
  sweepMs: 30_000,
};

/** Contract §9, written independently of the code: the rank of each state. */
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

type Event =
  | { kind: "claim" }
  | { kind: "outcome"; outcome: Outcome; behind: number; jitter: number; follow: boolean }
  | { kind: "receipt"; state: ReceiptState; code?: string }
  | { kind: "sweep" };

// Busy answers are drawn more often than the rest, so that sequences reach the last attempt.
const anyOutcome = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.constantFrom<Outcome>(
      { kind: "submitted" },
      { kind: "submitted" },
      { kind: "rejected", code: "http_400" },
      { kind: "unknown", code: "timeout" },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("not_accepted" as const),
      code: fc.constant("http_429"),
      retryAfterMs: fc.integer({ min: 1, max: 100_000 }),
    }),
  },
  { weight: 3, arbitrary: fc.constant<Outcome>({ kind: "not_accepted", code: "http_503" }) },
);

const anyReport = fc.record({
  kind: fc.constant("outcome" as const),
  outcome: anyOutcome,
  // How many attempts ago this outcome is from; most are of the latest attempt.
  behind: fc.constantFrom(0, 0, 0, 0, 1, 2),
  jitter: fc.double({ min: 0, max: 0.999, noNaN: true }),
  follow: fc.boolean(),
});
const anyReceipt = fc.record({
  kind: fc.constant("receipt" as const),
  state: fc.constantFrom<ReceiptState>("submitted", "delivered", "undelivered", "failed"),
});
const claimEvent = fc.constant<Event>({ kind: "claim" });
const sweepEvent = fc.constant<Event>({ kind: "sweep" });

const soon = fc.integer({ min: 0, max: 10_000 });
const late = fc.constantFrom(LEASE_MS, VALIDITY_MS, TIMERS.unknownWindowMs, TIMERS.receiptWindowMs);

// Purely random events hardly ever form the usual course. So an attempt with its outcome, an attempt whose lease ends
// before a late outcome, and a long pause with the sweep after it are often drawn as one stretch, with all other events
// in between.
const anyStretch: fc.Arbitrary<[number, Event][]> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.tuple(soon, claimEvent), fc.tuple(soon, anyReport)) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.tuple(soon, claimEvent),
      fc.tuple(fc.constant(LEASE_MS), sweepEvent),
      fc.tuple(soon, anyReport),
    ),
  },
  { weight: 2, arbitrary: fc.tuple(fc.tuple(late, sweepEvent)) },
  { weight: 1, arbitrary: fc.tuple(fc.tuple(soon, claimEvent)) },
  { weight: 1, arbitrary: fc.tuple(fc.tuple(fc.oneof(soon, late), anyReport)) },
  { weight: 1, arbitrary: fc.tuple(fc.tuple(fc.oneof(soon, late), anyReceipt)) },
  { weight: 1, arbitrary: fc.tuple(fc.tuple(soon, sweepEvent)) },
);
const anyLife = fc.array(anyStretch, { maxLength: 20 }).map((stretches) => stretches.flat());

const at = (nowMs: number, random = 0): Moment => ({ nowMs, timers: TIMERS, random: () => random });

function happen(message: Message, event: Event, nowMs: number): Step {
  switch (event.kind) {
    case "claim": {
      // As in the account: a message past its validity is not claimed.
      const claimed = JOB.expiresAt > nowMs ? claim(message, 0, nowMs, LEASE_MS) : null;
      return { message: claimed ? claimed[0] : message, refund: false };
    }
    case "outcome": {
      const news = { attempt: message.attempts - event.behind, outcome: event.outcome };
      const { expiresAt } = JOB;
      return applyOutcome(at(nowMs, event.jitter), message, news, { expiresAt, follow: event.follow });
    }
    case "receipt":
      return applyReceipt(at(nowMs), message, event);
    case "sweep":
      return applyTime(at(nowMs), message, JOB.expiresAt);
  }
}

/** What was seen of one message so far. */
interface Seen {
  refunds: number;
  everUnknown: boolean;
  everDelivered: boolean;
  states: Set<string>;
}

function checkStep(before: Message, event: Event, { message, refund }: Step, seen: Seen): void {
  const stepBack = before.state === "sending" && message.state === "queued";
  if (message.state !== before.state && !stepBack) {
    expect(rank(message.state), `${before.state} to ${message.state}`).toBeGreaterThan(rank(before.state));
  }
  if (stepBack) expect(event).toMatchObject({ kind: "outcome", outcome: { kind: "not_accepted" } });
  // At most one refund, never in the state delivered, and the message records it.
  if (refund) expect(message.state).not.toBe("delivered");
  if (seen.everDelivered) expect(message).toBe(before);
  expect(seen.refunds).toBeLessThanOrEqual(1);
  expect(message.refunded === true).toBe(seen.refunds === 1);
  if (message.state === "failed") expect(message.refunded).toBe(true);
  // A message that may have been sent is never sent again.
  if (seen.everUnknown) expect(["queued", "sending"]).not.toContain(message.state);
  expect(message.attempts).toBeLessThanOrEqual(TIMERS.attemptsMax);
  expect(message.attempts - before.attempts).toBe(event.kind === "claim" && message !== before ? 1 : 0);
  if (message.state === "queued" && message.attempts > 0) {
    // Every wait for the next attempt ends within the validity.
    expect(message.dueMs).toBeLessThan(JOB.expiresAt);
  }
  expect(message.log?.at(-1)?.[0] ?? "queued").toBe(message.state);
  expect(dueOf(at(T0), message, JOB) === null).toBe(isFinal(message));
}

/** Applies the events and checks each step; returns the final message, the time and what was seen. */
function live(life: [number, Event][]): { message: Message; nowMs: number; seen: Seen } {
  let message: Message = { to: "+919876543210", state: "queued", attempts: 0 };
  const seen: Seen = { refunds: 0, everUnknown: false, everDelivered: false, states: new Set() };
  let nowMs = T0;
  for (const [pause, event] of life) {
    nowMs += pause;
    const step = happen(message, event, nowMs);
    if (step.refund) seen.refunds += 1;
    seen.everUnknown ||= step.message.state === "unknown";
    checkStep(message, event, step, seen);
    seen.everDelivered ||= step.message.state === "delivered";
    ({ message } = step);
    seen.states.add(`${message.state}${message.refunded ? " refunded" : ""}`);
    if (message.attempts === TIMERS.attemptsMax) seen.states.add("last attempt");
  }
  return { message, nowMs, seen };
}

describe("the life of a message", () => {
  it("holds under any order of events", () => {
    fc.assert(
      fc.property(anyLife, (life) => void live(life)),
      { numRuns: 2_000 },
    );
  });

  it("ends: without further events, time alone makes it final within validity and windows", () => {
    fc.assert(
      fc.property(anyLife, (life) => {
        let { message, nowMs } = live(life);
        const refundsBefore = message.refunded === true ? 1 : 0;
        const quietSince = nowMs;
        let refunds = 0;
        // The alarm runs when the message is due, at most twice: at the end of a lease, and of the unknown window.
        for (let looks = 0; !isFinal(message); looks++) {
          expect(looks).toBeLessThan(2);
          nowMs = Math.max(nowMs, message.dueMs ?? JOB.expiresAt);
          if (message.state === "queued") nowMs = Math.max(nowMs, JOB.expiresAt);
          const step = applyTime(at(nowMs), message, JOB.expiresAt);
          if (step.refund) refunds += 1;
          ({ message } = step);
        }
        expect(refundsBefore + refunds).toBeLessThanOrEqual(1);
        const windows = LEASE_MS + Math.max(TIMERS.unknownWindowMs, TIMERS.receiptWindowMs);
        expect(nowMs).toBeLessThanOrEqual(Math.max(quietSince, JOB.expiresAt) + windows);
        if (message.state === "unknown") expect(message.refunded).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is tested thoroughly: the drawn sequences reach every state and every refund", () => {
    const reached = new Set<string>();
    // A fixed seed, because the rarest state must be reached in every run.
    for (const life of fc.sample(anyLife, { numRuns: 2_000, seed: 1 })) {
      for (const state of live(life).seen.states) reached.add(state);
    }
    expect([...reached].toSorted()).toEqual([
      "delivered",
      "delivered refunded",
      "failed refunded",
      "last attempt",
      "queued",
      "sending",
      "submitted",
      "submitted refunded",
      "unconfirmed",
      "unconfirmed refunded",
      "undelivered",
      "undelivered refunded",
      "unknown",
      "unknown refunded",
    ]);
  });
});
