import * as fc from "fast-check";
import type { ReceiptState } from "../../src/model/message.ts";

// What happens to a message that several carriers may get, as it is drawn.

export const DAY_MS = 86_400_000;
export const NAMES = ["acme", "bravo", "charlie"];

export type Answer = "refuses" | "takes" | "rejects" | "is silent";

export type Step =
  | { kind: "claim"; plan: number }
  | { kind: "offer"; answer: Answer }
  | { kind: "report"; back: number; times: number }
  | { kind: "receipt"; carrier: number; state: ReceiptState; times: number }
  | { kind: "wait"; ms: number }
  | { kind: "release" | "evict" };

/** What a claim leaves to its consumer: any of some carriers, one, or that of the settings, which may have changed. */
export const PLANS: { plan?: string[]; carrier?: string }[] = [
  { plan: NAMES },
  { plan: ["bravo", "acme"] },
  { plan: ["charlie"] },
  {},
  { carrier: "charlie" },
];

const anyAnswer = fc.constantFrom<Answer>("refuses", "refuses", "takes", "rejects", "is silent");
const anyState = fc.constantFrom<ReceiptState>("submitted", "delivered", "undelivered", "failed");
const claims = fc.nat(PLANS.length - 1).map((plan): Step => ({ kind: "claim", plan }));
const offers = anyAnswer.map((answer): Step => ({ kind: "offer", answer }));
const reports = fc
  .tuple(fc.constantFrom(0, 0, 0, 1), fc.constantFrom(1, 1, 2))
  .map(([back, times]): Step => ({ kind: "report", back, times }));
const receipts = fc
  .tuple(fc.nat(NAMES.length - 1), anyState, fc.constantFrom(1, 1, 2))
  .map(([carrier, state, times]): Step => ({ kind: "receipt", carrier, state, times }));
// A gap between attempts, a lease with the pass that looks at it, and the windows.
const waits = fc.constantFrom(5_000, 61_000, 700_000, DAY_MS).map((ms): Step => ({ kind: "wait", ms }));
const others = fc.constantFrom<Step>({ kind: "release" }, { kind: "evict" });

const REFUSED: Step = { kind: "offer", answer: "refuses" };
const GAP: Step = { kind: "wait", ms: 61_000 };
const LOST: Step = { kind: "wait", ms: 700_000 };
const refusals = fc.constantFrom([], [REFUSED], [REFUSED, REFUSED]);
const said = fc.array(receipts, { maxLength: 3 });

// Purely random steps hardly ever form a claim's course: its carriers in turn, what they say, and its report in time, late
// or never, are drawn as one stretch.
const anyStretch: fc.Arbitrary<Step[]> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(claims, refusals, said, offers, said, reports)
      .map(([taken, refused, early, last, more, told]): Step[] => [
        taken,
        ...refused,
        ...early,
        last,
        ...more,
        told,
        GAP,
      ]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(claims, refusals, offers, said, said, fc.option(reports))
      .map(([taken, refused, last, early, late, told]): Step[] => {
        return [taken, ...refused, last, ...early, LOST, ...late, ...(told ? [told] : [])];
      }),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(claims, claims, said, fc.constant<Step>({ kind: "release" }))
      .map(([first, second, early, back]): Step[] => {
        return [first, REFUSED, REFUSED, REFUSED, { kind: "report", back: 0, times: 1 }, GAP, second, ...early, back];
      }),
  },
  { weight: 3, arbitrary: fc.oneof(claims, offers, reports, receipts, waits, others).map((step) => [step]) },
);

/** How it was ordered, claimed at once or to wait, and what happens then. */
export const anyHistory = fc.record({
  fallbacks: fc.constantFrom<string[] | null>(null, ["bravo"], ["bravo", "charlie"]),
  steps: fc.array(anyStretch, { minLength: 1, maxLength: 5, size: "max" }).map((stretches) => stretches.flat()),
});
