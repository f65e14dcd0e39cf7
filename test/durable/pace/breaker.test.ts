import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Breaker, readBreaker } from "../../../src/durable/pace/breaker.ts";
import type { BreakerStored } from "../../../src/durable/pace/breaker.ts";

// The breaker of a carrier (contract §16.2), against a model that is made of the contract's sentences.

const SETTINGS = { failures: 5, openMs: 30_000, trialMs: 20_000 };

const open = (stored: BreakerStored | null = null, nowMs = 0) => new Breaker(SETTINGS, stored, nowMs);

/** Lets it fail so often in a row. */
const fail = (breaker: Breaker, count: number, nowMs: number) => {
  for (let at = 0; at < count; at++) breaker.saw({ failures: 1 }, nowMs);
};

describe("the breaker of a carrier", () => {
  it("opens at the fifth failure in a row, and not where one was taken in between", () => {
    const breaker = open();
    fail(breaker, 4, 10);
    breaker.saw({ takenAgoMs: 0, failures: 0 }, 20);
    fail(breaker, 4, 30);
    expect(breaker.state(30)).toBe("up");
    expect(breaker.saw({ failures: 1 }, 40)).toEqual({ kind: "opened", trouble: null });
    expect(breaker.state(40)).toBe("out");
    expect(breaker.outMs(40)).toBe(30_000);
  });

  it("counts failures of one minute as a row, and no older ones", () => {
    const breaker = open();
    for (let at = 0; at < 40; at++) fail(breaker, 1, at * 15_000);
    expect(breaker.state(600_000)).toBe("up");
    fail(breaker, 4, 700_000);
    fail(breaker, 1, 759_999);
    expect(breaker.state(759_999)).toBe("out");
  });

  it("is not kept from opening by what was taken before the failures and is told late", () => {
    const breaker = open();
    for (let at = 0; at < 5; at++) breaker.saw({ takenAgoMs: 5_000, failures: 1 }, 10_000 + at);
    expect(breaker.state(10_010)).toBe("out");
  });

  it("stays out twice as long after each message that tries it in vain, up to tenfold, and begins anew afterwards", () => {
    const breaker = open();
    let nowMs = 0;
    const spans: number[] = [];
    fail(breaker, 5, nowMs);
    for (let round = 0; round < 6; round++) {
      spans.push(breaker.outMs(nowMs) / SETTINGS.openMs);
      nowMs += breaker.outMs(nowMs);
      expect(breaker.tries(nowMs - 1)).toBe(false);
      expect(breaker.tries(nowMs)).toBe(true);
      breaker.saw({ failures: 1 }, nowMs);
    }
    expect(spans).toEqual([1, 2, 4, 8, 10, 10]);
    nowMs += breaker.outMs(nowMs);
    expect(breaker.tries(nowMs)).toBe(true);
    expect(breaker.saw({ takenAgoMs: 0, failures: 0 }, nowMs + 5)).toEqual({ kind: "closed", trouble: null });
    expect(breaker.state(nowMs + 5)).toBe("up");
    fail(breaker, 5, nowMs + 10);
    expect(breaker.outMs(nowMs + 10)).toBe(30_000);
  });

  it("is not brought back by what was under way when it was taken out, however late that ends", () => {
    const breaker = open();
    fail(breaker, 5, 1_000);
    expect(breaker.saw({ takenAgoMs: 0, failures: 0 }, 2_000)).toBe(null);
    expect(breaker.saw({ takenAgoMs: 20_000, failures: 0 }, 32_000)).toBe(null);
    expect(breaker.state(32_000)).toBe("trial");
  });

  it("opens at once for trouble of the account, says so once, and says when it is over", () => {
    const breaker = open();
    expect(breaker.saw({ failures: 0, trouble: "http_401" }, 0)).toEqual({ kind: "opened", trouble: "http_401" });
    expect(breaker.saw({ failures: 0, trouble: "http_401" }, 10)).toBe(null);
    expect(breaker.saw({ failures: 0, trouble: "http_401" }, 30_000)).toEqual({ kind: "opened", trouble: null });
    expect(breaker.saw({ failures: 1 }, 90_000)).toEqual({ kind: "opened", trouble: null });
    const again = open(readBreaker(structuredClone(breaker.stored)), 210_000);
    expect(again.saw({ takenAgoMs: 0, failures: 0 }, 210_001)).toEqual({ kind: "closed", trouble: "http_401" });
  });

  it("reads nothing that is not its own, and no span that is longer than it can be", () => {
    for (const value of [undefined, null, {}, { sinceMs: "x", opened: null }, { sinceMs: 1, opened: { untilMs: 1 } }]) {
      expect(readBreaker(value)).toBe(null);
    }
    const far = { sinceMs: 0, opened: { untilMs: 1e15, times: 1, trouble: null } };
    expect(open(far, 1_000).outMs(1_000)).toBe(300_000);
  });
});

type Step =
  { kind: "pass"; ms: number } | { kind: "ask" | "taken" | "failed" | "trouble" | "rejected" | "dies" | "evict" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(1, 999, 10_000, 30_000) }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom("ask" as const, "failed" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("taken" as const, "rejected" as const, "dies" as const) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("trouble" as const, "evict" as const) }) },
);

describe("the breaker in any sequence of events", () => {
  it("does what the contract says: one message at a time tries it, and only after its time", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        let nowMs = 1_000;
        let breaker = open(null, nowMs);
        const model = {
          failed: [] as number[],
          untilMs: null as number | null,
          times: 1,
          trial: null as number | null,
        };
        const take = (times: number) => {
          Object.assign(model, { failed: [], times, untilMs: nowMs + times * SETTINGS.openMs, trial: null });
        };
        for (const { kind, ...more } of steps) {
          const isOpen = model.untilMs !== null;
          const isTrial = model.untilMs !== null && nowMs >= model.untilMs;
          if (kind === "pass") nowMs += "ms" in more ? more.ms : 0;
          // Two consumers ask in the same moment.
          if (kind === "ask") {
            const isFree = isTrial && (model.trial === null || nowMs >= model.trial + SETTINGS.trialMs);
            expect([breaker.tries(nowMs), breaker.tries(nowMs)]).toEqual([isFree, false]);
            if (isFree) model.trial = nowMs;
          }
          if (kind === "failed" || kind === "trouble") {
            breaker.saw(kind === "failed" ? { failures: 1 } : { failures: 0, trouble: "20003" }, nowMs);
            if (isTrial) take(Math.min(10, model.times * 2));
            else if (!isOpen && kind === "trouble") take(1);
            else if (!isOpen) {
              model.failed = [...model.failed.filter((atMs) => nowMs - atMs < 60_000), nowMs];
              if (model.failed.length >= SETTINGS.failures) take(1);
            }
          }
          if (kind === "taken") {
            breaker.saw({ takenAgoMs: 0, failures: 0 }, nowMs);
            if (!isOpen) model.failed = [];
            if (isTrial) Object.assign(model, { failed: [], untilMs: null, trial: null });
          }
          if (kind === "rejected") {
            breaker.tried();
            model.trial = null;
          }
          if (kind === "evict") {
            breaker = open(readBreaker(structuredClone(breaker.stored)), nowMs);
            Object.assign(model, { failed: [], trial: null });
          }
          const state = model.untilMs === null ? "up" : nowMs < model.untilMs ? "out" : "trial";
          expect(breaker.state(nowMs)).toBe(state);
          expect(breaker.sinceMs(nowMs)).toBeLessThanOrEqual(nowMs);
        }
      }),
      { numRuns: 500 },
    );
  });
});
