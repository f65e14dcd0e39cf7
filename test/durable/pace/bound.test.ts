import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Bound } from "../../../src/durable/pace/bound.ts";
import { Pacer } from "../../../src/durable/pace/pacer.ts";
import { LANES } from "../../../src/model/lane.ts";
import type { Lane } from "../../../src/model/lane.ts";
import { seeded } from "../../world/paced.ts";

// A limit that the operator set for a carrier holds in each second, wherever that begins (contract §16.1).

/** The most of these times in any second. */
function mostInASecond(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  let most = 0;
  for (let from = 0, to = 0; to < sorted.length; to++) {
    while ((sorted[to] ?? 0) - (sorted[from] ?? 0) >= 1_000) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

describe("a limit of each second", () => {
  it("is never exceeded, in whatever order permits are dated and given back", () => {
    const times = fc.array(
      fc.record({ inMs: fc.integer({ min: 0, max: 3_000 }), isBack: fc.boolean(), gap: fc.nat(40) }),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), times, (perSec, all) => {
        const bound = new Bound(perSec);
        const given: number[] = [];
        let count = 0;
        let nowMs = 1_699_999_999_000;
        for (const { inMs, isBack, gap } of all) {
          nowMs += gap;
          const last = given.at(-1);
          if (isBack && last !== undefined && last > nowMs) bound.giveBack(given.pop() ?? 0);
          else if (bound.take(nowMs + inMs)) count = given.push(nowMs + inMs) && count + 1;
        }
        expect(mostInASecond(given)).toBeLessThanOrEqual(perSec);
        const wanted = all.filter(({ isBack }) => !isBack).length;
        expect(count).toBeGreaterThanOrEqual(Math.min(perSec, wanted));
      }),
    );
  });

  it.each([1, 2, 5, 10, 33, 100, 1_000, 10_000])(
    "of %i holds for all consumers together, OTPs among them, and is nearly used up",
    (tps) => {
      const random = seeded(tps);
      const pacer = new Pacer(Infinity, null, random, 0);
      pacer.limit(tps);
      const dated: number[] = [];
      const open = new Map<string, boolean>();
      const forMs = tps > 500 ? 4_000 : 20_000;
      for (let nowMs = 0; nowMs < forMs; nowMs += 20) {
        for (const lane of LANES) {
          const asks = lane === "otp" ? 1 : lane === "single" ? 2 : Math.ceil(tps / 20);
          for (let nth = 0; nth < asks; nth++) {
            const name = `${lane} ${nth}`;
            if (open.get(name) === true || (lane === "otp" && random() > 0.1)) continue;
            open.set(name, true);
            const asked = { lane: lane satisfies Lane, account: name, max: lane === "bulk" ? 60 : 2 };
            pacer.ask({ ...asked, seen: { taken: 0, busy: 0 } }, nowMs, ({ atMs }) => {
              dated.push(...atMs);
              open.set(name, false);
            });
          }
        }
        pacer.turn(nowMs);
      }
      expect(mostInASecond(dated)).toBeLessThanOrEqual(tps);
      expect(dated.filter((at) => at < forMs).length).toBeGreaterThan(((tps * forMs) / 1_000) * 0.85);
    },
  );

  it("may change while it is used, and be lifted", () => {
    const pacer = new Pacer(Infinity, null, seeded(1), 0);
    const ask = (tps: number | null, nowMs: number) => {
      pacer.limit(tps);
      let given: number[] = [];
      const asked = { lane: "single", account: `${nowMs}`, max: 20, seen: { taken: 0, busy: 0 } } as const;
      pacer.ask(asked, nowMs, ({ atMs }) => (given = atMs));
      return given;
    };
    expect(ask(2, 0).length).toBeLessThanOrEqual(2);
    expect(ask(null, 60_000)).toHaveLength(20);
  });
});
