import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyOutcome, applyReceipt, claim } from "../../../src/durable/account/message-life.ts";
import { decodeMessages, encodeLives, encodeNumbers } from "../../../src/durable/account/message/codec.ts";
import { applyTime, dueOf } from "../../../src/durable/account/message/deadlines.ts";
import type { Moment, Timers } from "../../../src/durable/account/message/retry.ts";
import { attemptsMade, isFinal, readyOf, takeBack } from "../../../src/durable/account/message/states.ts";
import type { Message, Step } from "../../../src/durable/account/message/states.ts";
import type { MessageState, Outcome, ReceiptState } from "../../../src/model/message.ts";

// Contract §6 and §9 hold for any sequence of events of a message.

const T0 = 1_790_000_000_000;
const VALIDITY_MS = 300_000;
const LEASE_MS = 30_000;
const JOB = { createdAt: T0, expiresAt: T0 + VALIDITY_MS, sendAt: null };
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
  ["undelivered", "failed", "cancelled"],
  ["delivered"],
];
const rank = (state: MessageState) => ORDER.findIndex((states) => states.includes(state));

type Event =
  | { kind: "claim" }
  | { kind: "outcome"; outcome: Outcome; behind: number; jitter: number; follow: boolean }
  | { kind: "receipt"; state: ReceiptState; code?: string }
  | { kind: "sweep" }
  | { kind: "takeBack" };

// Busy answers are drawn more often than the rest, so that sequences reach the last attempt.
const anyOutcome = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom<Outcome>(
      { kind: "released" },
      { kind: "not_sent", code: "internal_error" },
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
const anyState = fc.constantFrom<ReceiptState>("submitted", "delivered", "undelivered", "failed");
const anyReceipt = fc.record({ kind: fc.constant("receipt" as const), state: anyState });
const claimEvent = fc.constant<Event>({ kind: "claim" });
const sweepEvent = fc.constant<Event>({ kind: "sweep" });

const fault: Outcome = { kind: "not_sent", code: "internal_error" };
const FAULT_NOW: Event = { kind: "outcome", outcome: fault, behind: 0, jitter: 0, follow: false };

const soon = fc.integer({ min: 0, max: 10_000 });
const late = fc.constantFrom(LEASE_MS, VALIDITY_MS, TIMERS.unknownWindowMs, TIMERS.receiptWindowMs);

// Purely random events hardly ever form the usual course. So an attempt with its outcome, an attempt whose lease ends
// before a late outcome, and a long pause with the sweep after it are often drawn as one stretch, with all other events
// in between.
const anyStretch: fc.Arbitrary<[number, Event][]> = fc.oneof(
  { weight: 18, arbitrary: fc.tuple(fc.tuple(soon, claimEvent), fc.tuple(soon, anyReport)) },
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.tuple(soon, claimEvent),
      fc.tuple(fc.constant(LEASE_MS), sweepEvent),
      fc.tuple(soon, anyReport),
    ),
  },
  { weight: 6, arbitrary: fc.tuple(fc.tuple(soon, claimEvent), fc.tuple(soon, fc.constant(FAULT_NOW))) },
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.tuple(soon, claimEvent),
      fc.tuple(fc.constant(LEASE_MS), sweepEvent),
      fc.tuple(fc.constant(TIMERS.unknownWindowMs), sweepEvent),
      fc.tuple(soon, anyReceipt),
    ),
  },
  { weight: 6, arbitrary: fc.tuple(fc.tuple(late, sweepEvent)) },
  { weight: 3, arbitrary: fc.tuple(fc.tuple(soon, claimEvent)) },
  { weight: 3, arbitrary: fc.tuple(fc.tuple(fc.oneof(soon, late), anyReport)) },
  { weight: 3, arbitrary: fc.tuple(fc.tuple(fc.oneof(soon, late), anyReceipt)) },
  { weight: 3, arbitrary: fc.tuple(fc.tuple(soon, sweepEvent)) },
  { weight: 1, arbitrary: fc.tuple(fc.tuple(soon, fc.constant<Event>({ kind: "takeBack" }))) },
);
const anyLife = fc.array(anyStretch, { maxLength: 20 }).map((stretches) => stretches.flat());

const at = (nowMs: number, random = 0): Moment => ({ nowMs, timers: TIMERS, random: () => random });

function happen(message: Message, event: Event, nowMs: number, resubmits: boolean): Step {
  switch (event.kind) {
    case "claim": {
      // As in the account: a message past its validity is not claimed.
      const claimed = JOB.expiresAt > nowMs ? claim(at(nowMs), message, 0, { leaseMs: LEASE_MS, resubmits }) : null;
      return { message: claimed ? claimed[0] : message, refund: false };
    }
    case "outcome": {
      const news = { attempt: message.attempts - event.behind, outcome: event.outcome };
      const { expiresAt } = JOB;
      return applyOutcome(at(nowMs, event.jitter), message, news, { expiresAt, follow: event.follow, resubmits });
    }
    case "receipt":
      return applyReceipt(at(nowMs), message, event);
    case "sweep":
      return applyTime(at(nowMs), message, { ...JOB, canLookUp: true });
    case "takeBack":
      return takeBack(message, nowMs);
  }
}

/** What was seen of one message so far. */
interface Seen {
  resubmits: boolean;
  refunds: number;
  /** Whether the carrier may have the message of an attempt without an outcome. */
  inDoubt: boolean;
  everDelivered: boolean;
  states: Set<string>;
}

/** Outcomes after which a claimed message may wait again: the carrier certainly has nothing of it. */
const NOTHING_SENT: ReadonlySet<Outcome["kind"]> = new Set(["not_accepted", "not_sent", "released"]);

function checkStates(before: Message, event: Event, message: Message, seen: Seen): void {
  const isOpen = before.state === "sending" || (before.state === "unknown" && before.refunded !== true);
  const stepBack = isOpen && message.state === "queued";
  if (message.state !== before.state && !stepBack) {
    expect(rank(message.state), `${before.state} to ${message.state}`).toBeGreaterThan(rank(before.state));
  }
  if (stepBack) {
    expect(event).toMatchObject({ kind: "outcome", behind: 0 });
    expect(event.kind === "outcome" && NOTHING_SENT.has(event.outcome.kind)).toBe(true);
    // Out of doubt only by the outcome of the one attempt that was cut off.
    if (before.state === "unknown") expect([before.code, seen.resubmits]).toEqual(["attempt_interrupted", false]);
  }
  // What is claimed is never taken back.
  if (message.state === "cancelled" && message !== before) expect(before.state).toBe("queued");
  // The outcome of an earlier claim never touches a newer one; it can only say that the message is there.
  if (event.kind === "outcome" && event.behind > 0 && message !== before) {
    expect([before.state, event.outcome.kind, seen.resubmits]).toEqual(["unknown", "submitted", true]);
  }
  // A message that may have been sent is never sent again, unless its carrier recognises references.
  if (seen.inDoubt) expect(["queued", "sending"]).not.toContain(message.state);
  if (seen.inDoubt && !seen.resubmits) expect(message.attempts).toBe(before.attempts);
  expect(message.log?.at(-1)?.[0] ?? "queued").toBe(message.state);
}

function checkMoney(before: Message, event: Event, { message, refund }: Step, seen: Seen): void {
  // At most one refund, never in the state delivered, and the message records it.
  if (refund) expect(message.state).not.toBe("delivered");
  if (seen.everDelivered) expect(message).toBe(before);
  expect(seen.refunds).toBeLessThanOrEqual(1);
  expect(message.refunded === true).toBe(seen.refunds === 1);
  if (message.state === "failed" || message.state === "cancelled") expect(message.refunded).toBe(true);
  // Where references are recognised, the carrier may have a message of an earlier attempt: only it can say no.
  if (refund && before.state === "unknown" && seen.resubmits && event.kind === "outcome") {
    expect(event.outcome.kind).toBe("rejected");
  }
}

function checkAttempts(before: Message, event: Event, message: Message, nowMs: number): void {
  expect(message.attempts - before.attempts).toBe(event.kind === "claim" && message !== before ? 1 : 0);
  if (message.attempts > before.attempts) expect(nowMs).toBeLessThan(JOB.expiresAt);
  expect(attemptsMade(message)).toBeGreaterThanOrEqual(0);
  if (message.state !== "failed") expect(message.faults ?? 0).toBeLessThanOrEqual(TIMERS.attemptsMax);
  // A carrier that is busy ends no message: only the end of its validity does.
  const isBusy = event.kind === "outcome" && event.outcome.kind === "not_accepted" && event.behind === 0;
  if (isBusy && before.state === "sending") expect(message.state).toBe("queued");
  // Every attempt that is planned begins within the validity.
  expect(readyOf(message, JOB) ?? 0).toBeLessThan(JOB.expiresAt);
}

function checkStep(before: Message, event: Event, step: Step, seen: Seen, nowMs: number): void {
  const { message } = step;
  // Whatever is reported twice changes nothing the second time.
  if (event.kind === "outcome" || event.kind === "receipt") {
    expect(happen(message, event, nowMs, seen.resubmits)).toEqual({ message, refund: false });
  }
  checkStates(before, event, message, seen);
  checkMoney(before, event, step, seen);
  checkAttempts(before, event, message, nowMs);
  expect(dueOf(message, JOB) === null).toBe(isFinal(message));
  // What is stored is what was there.
  const stored = decodeMessages(encodeNumbers([message]), encodeLives([message], T0), T0);
  expect(stored).toEqual({ messages: [message], isCompact: true });
}

/** Applies the events and checks each step; returns the final message, the time and what was seen. */
function live(life: [number, Event][], resubmits: boolean): { message: Message; nowMs: number; seen: Seen } {
  let [nowMs, message]: [number, Message] = [T0, { to: "+919876543210", state: "queued", attempts: 0 }];
  const seen: Seen = { resubmits, refunds: 0, inDoubt: false, everDelivered: false, states: new Set() };
  for (const [pause, event] of life) {
    nowMs += pause;
    const step = happen(message, event, nowMs, resubmits);
    if (step.refund) seen.refunds += 1;
    seen.inDoubt = step.message.state === "unknown" || (seen.inDoubt && step.message.state !== "queued");
    checkStep(message, event, step, seen, nowMs);
    seen.everDelivered ||= step.message.state === "delivered";
    if (seen.inDoubt && step.message.attempts > message.attempts) seen.states.add("submitted again");
    ({ message } = step);
    seen.states.add(`${message.state}${message.refunded ? " refunded" : ""}`);
    if ((message.busy ?? 0) > TIMERS.attemptsMax) seen.states.add("busy for long");
    if ((message.released ?? 0) > 0) seen.states.add("given back");
    if (message.code === "internal_error" && message.state === "failed") seen.states.add("faults used up");
  }
  return { message, nowMs, seen };
}

describe("the life of a message", () => {
  it("holds under any order of events", () => {
    fc.assert(
      fc.property(anyLife, fc.boolean(), (life, resubmits) => void live(life, resubmits)),
      { numRuns: 2_000 },
    );
  });

  it("ends: without further events, time alone makes it final within validity and windows", () => {
    fc.assert(
      fc.property(anyLife, fc.boolean(), (life, resubmits) => {
        let { message, nowMs } = live(life, resubmits);
        const refundsBefore = message.refunded === true ? 1 : 0;
        const quietSince = nowMs;
        let refunds = 0;
        // The alarm runs when the message is due, at most twice: at the end of a lease, and of the unknown window.
        for (let looks = 0; !isFinal(message); looks++) {
          expect(looks).toBeLessThan(2);
          nowMs = Math.max(nowMs, message.dueMs ?? JOB.expiresAt);
          if (message.state === "queued") nowMs = Math.max(nowMs, JOB.expiresAt);
          const step = applyTime(at(nowMs), message, { ...JOB, canLookUp: true });
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
    for (const life of fc.sample(anyLife, { numRuns: 4_000, seed: 3 })) {
      for (const resubmits of [false, true]) for (const state of live(life, resubmits).seen.states) reached.add(state);
    }
    expect([...reached].toSorted()).toEqual([
      "busy for long",
      "cancelled refunded",
      "delivered",
      "delivered refunded",
      "failed refunded",
      "faults used up",
      "given back",
      "queued",
      "sending",
      "submitted",
      "submitted again",
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
