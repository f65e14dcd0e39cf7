import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WINDOW_MS, admit, stillCounting } from "../../../src/durable/account/window.ts";
import type { Admission } from "../../../src/durable/account/window.ts";

const START_MS = 1_790_000_000_000;

/** The window as the account keeps it: the times that count, updated by each request. */
class Window {
  times: number[] = [];

  ask(limit: number, nowMs: number): Admission {
    this.times = stillCounting(this.times, nowMs);
    const verdict = admit(this.times, limit, nowMs);
    if (verdict.admitted) this.times.push(nowMs);
    return verdict;
  }

  /** The answer to a request at this time, without counting it. */
  wouldSay(limit: number, nowMs: number): Admission {
    return admit(stillCounting(this.times, nowMs), limit, nowMs);
  }
}

/** Gaps between requests: bursts, whole windows, and everything in between. */
const anyGap = fc.oneof(
  fc.constantFrom(0, 1, 999, 1_000, WINDOW_MS - 1, WINDOW_MS, WINDOW_MS + 1),
  fc.integer({ min: 0, max: 20_000 }),
);
const anyLimit = fc.integer({ min: 1, max: 12 });
const anyGaps = fc.array(anyGap, { minLength: 1, maxLength: 120 });

describe("the window", () => {
  it("admits a request exactly when fewer than the limit were admitted in the 60 s before", () => {
    fc.assert(
      fc.property(anyLimit, anyGaps, (limit, gaps) => {
        const window = new Window();
        // The model keeps every admitted time and recounts them for each request.
        const admitted: number[] = [];
        let nowMs = START_MS;
        for (const gap of gaps) {
          nowMs += gap;
          const recent = admitted.filter((time) => nowMs - time < WINDOW_MS).length;
          const verdict = window.ask(limit, nowMs);
          expect(verdict.admitted).toBe(recent < limit);
          expect(verdict.remaining).toBe(Math.max(0, limit - recent - 1));
          if (verdict.admitted) admitted.push(nowMs);
        }
        // No 60 s, wherever they begin, contain more requests than the limit.
        admitted.forEach((time, at) => {
          const later = admitted[at + limit];
          if (later !== undefined) expect(later - time).toBeGreaterThanOrEqual(WINDOW_MS);
        });
      }),
    );
  });

  it("reports a Retry-After that is sufficient and not a second too long", () => {
    fc.assert(
      fc.property(anyLimit, anyGaps, (limit, gaps) => {
        const window = new Window();
        let nowMs = START_MS;
        for (const gap of gaps) {
          nowMs += gap;
          const { admitted, retryAfterSec } = window.ask(limit, nowMs);
          if (admitted) {
            expect(retryAfterSec).toBe(0);
            continue;
          }
          expect(Number.isInteger(retryAfterSec)).toBe(true);
          expect(retryAfterSec).toBeGreaterThanOrEqual(1);
          expect(window.wouldSay(limit, nowMs + retryAfterSec * 1000).admitted).toBe(true);
          expect(window.wouldSay(limit, nowMs + (retryAfterSec - 1) * 1000).admitted).toBe(false);
        }
      }),
    );
  });

  it("reports when its oldest request leaves", () => {
    const window = new Window();
    expect(window.ask(3, START_MS).resetSec).toBe(60);
    expect(window.ask(3, START_MS + 500).resetSec).toBe(60);
    expect(window.ask(3, START_MS + 59_000).resetSec).toBe(1);
    expect(window.ask(3, START_MS + 59_999)).toEqual({ admitted: false, remaining: 0, resetSec: 1, retryAfterSec: 1 });
    expect(window.ask(3, START_MS + 60_000)).toEqual({ admitted: true, remaining: 0, resetSec: 1, retryAfterSec: 0 });
  });
});

describe("a plan that was lowered", () => {
  it("counts what was admitted before, and reports how many seconds until enough have left", () => {
    const window = new Window();
    for (let at = 0; at < 10; at++) expect(window.ask(10, START_MS + at * 1_000).admitted).toBe(true);
    const verdict = window.ask(3, START_MS + 10_000);
    // Eight of ten must leave before fewer than three are counted; the eighth was admitted at 7 s.
    expect(verdict).toEqual({ admitted: false, remaining: 0, resetSec: 50, retryAfterSec: 57 });
    expect(window.wouldSay(3, START_MS + 66_999).admitted).toBe(false);
    expect(window.wouldSay(3, START_MS + 67_000).admitted).toBe(true);
  });

  it("or raised, at any time: Retry-After stays sufficient and minimal under the current limit", () => {
    const anyStep = fc.tuple(anyGap, anyLimit);
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 100 }), (steps) => {
        const window = new Window();
        const admitted: number[] = [];
        let nowMs = START_MS;
        for (const [gap, limit] of steps) {
          nowMs += gap;
          const recent = admitted.filter((time) => nowMs - time < WINDOW_MS).length;
          const verdict = window.ask(limit, nowMs);
          expect(verdict.admitted).toBe(recent < limit);
          if (verdict.admitted) {
            admitted.push(nowMs);
          } else {
            expect(window.wouldSay(limit, nowMs + verdict.retryAfterSec * 1000).admitted).toBe(true);
            expect(window.wouldSay(limit, nowMs + (verdict.retryAfterSec - 1) * 1000).admitted).toBe(false);
          }
        }
      }),
    );
  });
});

describe("a clock that was set back", () => {
  it("counts future times as now, so that no request waits longer than one window", () => {
    const window = new Window();
    expect(window.ask(1, START_MS + 3_600_000).admitted).toBe(true);
    const refused = window.ask(1, START_MS);
    expect(refused).toEqual({ admitted: false, remaining: 0, resetSec: 60, retryAfterSec: 60 });
    expect(window.wouldSay(1, START_MS + 59_999).admitted).toBe(false);
    expect(window.wouldSay(1, START_MS + 60_000).admitted).toBe(true);
  });

  it("never admits more than the limit, and the reported wait stays sufficient", () => {
    const anyMove = fc.oneof(anyGap, fc.integer({ min: -100_000, max: -1 }));
    fc.assert(
      fc.property(anyLimit, fc.array(anyMove, { maxLength: 100 }), (limit, moves) => {
        const window = new Window();
        let nowMs = START_MS;
        for (const move of moves) {
          nowMs += move;
          const { admitted, retryAfterSec } = window.ask(limit, nowMs);
          expect(window.times.length).toBeLessThanOrEqual(limit);
          expect(window.times).toEqual(window.times.toSorted((one, other) => one - other));
          if (admitted) continue;
          expect(retryAfterSec).toBeLessThanOrEqual(60);
          expect(window.wouldSay(limit, nowMs + retryAfterSec * 1000).admitted).toBe(true);
        }
      }),
    );
  });
});

describe("stillCounting", () => {
  it("drops times that are a whole window old, keeps the rest, and does not modify its argument", () => {
    const times = [START_MS - WINDOW_MS - 1, START_MS - WINDOW_MS, START_MS - WINDOW_MS + 1, START_MS, START_MS + 5];
    const before = [...times];
    expect(stillCounting(times, START_MS)).toEqual([START_MS - WINDOW_MS + 1, START_MS, START_MS]);
    expect(times).toEqual(before);
  });
});
