import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyOutcome, applyReceipt, claim } from "../../../../src/durable/account/message-life.ts";
import { applyTime } from "../../../../src/durable/account/message/deadlines.ts";
import type { Moment, Timers } from "../../../../src/durable/account/message/retry.ts";
import { attemptsOf } from "../../../../src/durable/account/message/states.ts";
import type { Message } from "../../../../src/durable/account/message/states.ts";
import type { Outcome, ReceiptState, Tried } from "../../../../src/model/message.ts";

// One claim of a message that goes from carrier to carrier, with receipts in any order, true and false ones (contract §16.2).

const T0 = 1_790_000_000_000;
const LEASE_MS = 40_000;
const EXPIRES_AT = T0 + 86_400_000;
const TIMERS: Timers = {
  retryBaseMs: 2_000,
  attemptsMax: 4,
  unknownWindowMs: 600_000,
  receiptWindowMs: 900_000,
  sweepMs: 30_000,
};
const CARRIERS = ["acme", "bravo", "charlie"];
const OWN = "http";

/** What happens in a run, as the world knows it. */
interface Run {
  /** How many of the carriers certainly refused the message; the next one took it. */
  refusals: number;
  /** Whether the carrier that took it answered. */
  isAnswered: boolean;
  /** What becomes of it there. */
  end: "delivered" | "undelivered" | "failed";
  /** When the report comes: 0 between receipts, in the lease; 1 after its end; 2 never. */
  report: 0 | 1 | 2;
  /** Whether the claim names the first carrier, as one of a single message does. */
  isNamed: boolean;
  /** Receipts of carriers that refused, which are false, and never of a delivery. */
  lies: { by: number; state: "submitted" | "undelivered" | "failed" }[];
  /** The order of all that happens. */
  order: number[];
}

const anyRun: fc.Arbitrary<Run> = fc.record({
  refusals: fc.integer({ min: 0, max: 2 }),
  isAnswered: fc.boolean(),
  end: fc.constantFrom("delivered", "undelivered", "failed"),
  report: fc.constantFrom(0, 0, 1, 2),
  isNamed: fc.boolean(),
  lies: fc.array(fc.record({ by: fc.nat(1), state: fc.constantFrom("submitted", "undelivered", "failed") }), {
    maxLength: 3,
  }),
  order: fc.array(fc.nat(1_000), { minLength: 8, maxLength: 8 }),
});

type Step = { kind: "receipt"; carrier: string; state: ReceiptState } | { kind: "report" };

/** All that happens, in the drawn order; twice in part, because carriers repeat receipts. */
function stepsOf({ refusals, end, report, lies, order }: Run): Step[] {
  const taker = CARRIERS[refusals] ?? "";
  const steps: Step[] = [
    { kind: "receipt", carrier: taker, state: "submitted" },
    { kind: "receipt", carrier: taker, state: end },
    { kind: "receipt", carrier: taker, state: end },
    ...(report === 0 ? [{ kind: "report" as const }] : []),
    // Once the lease is over without a report, a false receipt cannot be told from a true one.
    ...(report > 0 ? [] : lies.filter(({ by }) => by < refusals)).map(({ by, state }): Step => {
      return { kind: "receipt", carrier: CARRIERS[by] ?? "", state };
    }),
  ];
  return steps
    .map((step, nth): [number, Step] => [order[nth] ?? 0, step])
    .toSorted(([one], [other]) => one - other)
    .map(([, step]) => step);
}

function live(run: Run): { message: Message; refunds: number; tried: Tried[] } {
  let nowMs = T0;
  let refunds = 0;
  const at = (): Moment => ({ nowMs, timers: TIMERS, random: () => 0.5 });
  const started: Message = { to: "+919876543210", state: "queued", attempts: 0 };
  const first = CARRIERS[0];
  const plan = run.isNamed ? CARRIERS.slice(1) : CARRIERS;
  const lease = { leaseMs: LEASE_MS, resubmits: false, plan, by: run.isNamed ? first : "" };
  let [message] = claim(at(), started, 0, lease) ?? [started];
  const tried = CARRIERS.slice(0, run.refusals + 1).map((carrier, nth): Tried => {
    return { carrier, at: T0 + nth, ...(nth < run.refusals && { code: "http_503" }) };
  });
  const outcome: Outcome = run.isAnswered ? { kind: "submitted" } : { kind: "unknown", code: "timeout" };
  const offered = { tried, follow: false, resubmits: false };
  const take = (next: { message: Message; refund: boolean }) => {
    ({ message } = next);
    if (next.refund) refunds += 1;
  };
  const report = () =>
    take(
      applyOutcome(
        at(),
        message,
        { attempt: 1, outcome, offered },
        { expiresAt: EXPIRES_AT, follow: false, carrier: OWN },
      ),
    );
  for (const step of stepsOf(run)) {
    nowMs += 1_000;
    if (step.kind === "report") report();
    else take(applyReceipt(at(), message, step, OWN));
  }
  nowMs = T0 + LEASE_MS + 1_000;
  take(applyTime(at(), message, { expiresAt: EXPIRES_AT, carrier: OWN, canLookUp: false }));
  if (run.report === 1) report();
  // Consumers and queues repeat a report.
  if (run.report !== 2) report();
  return { message, refunds, tried };
}

describe("a message that goes from carrier to carrier", () => {
  it("ends as the carrier that took it says, with at most one refund, whatever those say that refused", () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        const { message, refunds } = live(run);
        expect(refunds).toBe(run.end === "failed" ? 1 : 0);
        expect(message.state).toBe(run.end);
        expect(message.refunded === true).toBe(run.end === "failed");
      }),
      { numRuns: 3_000 },
    );
  });

  it("tells every carrier that was tried, in order and once, where its report came at all", () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        const { message, tried } = live(run);
        const told = attemptsOf(message, OWN).map(({ carrier }) => carrier);
        if (run.report === 2) expect(told).toEqual([CARRIERS[run.refusals]]);
        else expect(told).toEqual(tried.map(({ carrier }) => carrier));
        const times = (message.log ?? []).map(([, at]) => at);
        expect(times).toEqual(times.toSorted((one, other) => one - other));
      }),
      { numRuns: 3_000 },
    );
  });
});
