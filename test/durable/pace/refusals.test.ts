import { describe, expect, it } from "vitest";
import { KINDS, bulks, isOut, taken } from "../../world/paced-carriers.ts";
import { Rate } from "../../../src/durable/pace/rate.ts";
import { PacedWorld, tokenBucket } from "../../world/paced.ts";
import type { Takes } from "../../world/paced.ts";

// What "not now" answers say of a carrier's rate, and what they do not, on a virtual clock.

/** What a carrier took per second between two seconds of the run. */
const perSecBetween = (world: PacedWorld, fromSec: number, toSec: number) =>
  taken(world.between(fromSec * 1_000, toSec * 1_000)) / (toSec - fromSec);

/** Refuses once in so many ms. */
function lone(everyMs: number, takes: (nowMs: number) => boolean, as: false | "away"): Takes {
  let nextMs = 0;
  return (nowMs) => {
    if (nowMs < nextMs) return takes(nowMs);
    nextMs = nowMs + everyMs;
    return as;
  };
}

describe.each(Object.entries(KINDS))("a limit that is set to that of %s", (name, kind) => {
  it.each([
    [5, undefined],
    [20, undefined],
    [200, undefined],
    [5, 1_000],
    [20, 1_000],
    [200, 1_000],
  ])("of %s a second is used, with a Retry-After of %s ms", (perSec, retryAfterMs) => {
    const shares = Array.from({ length: 4 }, (_, seed) => {
      const setting = { seed, takes: kind(() => perSec), setPerSec: perSec, consumers: bulks(perSec) };
      const world = new PacedWorld(retryAfterMs === undefined ? setting : { ...setting, retryAfterMs });
      world.run(60_000);
      return perSecBetween(world, 5, 60) / perSec;
    });
    // As above: where latencies differ most, a sliding window takes no more.
    const least = name === "a sliding window" && perSec <= 20 ? 0.8 : 0.85;
    expect(shares.reduce((sum, share) => sum + share) / 4).toBeGreaterThanOrEqual(least);
  });
});

describe.each([false, "away"] as const)("lone refusals (%s) among many submissions", (as) => {
  it.each([20, 200])("do not lower a limit of %s a second that is set", (perSec) => {
    const takes = lone(3_000, () => true, as);
    const world = new PacedWorld({ seed: 2, takes, setPerSec: perSec, consumers: bulks(perSec) });
    world.run(60_000);
    expect(perSecBetween(world, 10, 60) / perSec).toBeGreaterThanOrEqual(0.9);
  });

  it.each([20, 200])("leave what was learned of %s a second", (perSec) => {
    const takes = lone(
      3_000,
      tokenBucket(() => perSec, 1_000),
      as,
    );
    const world = new PacedWorld({ seed: 2, takes, consumers: bulks(perSec) });
    world.run(120_000);
    expect(perSecBetween(world, 40, 120) / perSec).toBeGreaterThanOrEqual(0.8);
  });
});

describe("a carrier that wants a second of silence now and then, for reasons of its own", () => {
  it.each([
    [20, 20],
    [200, 200],
    [20, Infinity],
    [200, Infinity],
  ])("and takes %s a second loses that second only (set %s)", (perSec, setPerSec) => {
    const takes = lone(
      8_000,
      tokenBucket(() => perSec, 1_000),
      "away",
    );
    const world = new PacedWorld({ seed: 2, takes, retryAfterMs: 1_000, setPerSec, consumers: bulks(perSec) });
    world.run(120_000);
    expect(perSecBetween(world, 40, 120) / perSec).toBeGreaterThanOrEqual(0.8);
  });
});

describe("a carrier that is not ready for some seconds", () => {
  it.each([
    [200, undefined, 200],
    [200, undefined, Infinity],
    [200, 3_000, 200],
    [200, 3_000, Infinity],
    [20, 1_000, Infinity],
    [20, undefined, Infinity],
  ])("and takes %s a second gets them again soon after (Retry-After %s, set %s)", (perSec, retryAfterMs, setPerSec) => {
    const bucket = tokenBucket(() => perSec, 1_000);
    const takes: Takes = (nowMs) => (isOut(nowMs) ? "away" : bucket(nowMs));
    const setting = { seed: 3, takes, setPerSec, consumers: bulks(perSec) };
    const world = new PacedWorld(retryAfterMs === undefined ? setting : { ...setting, retryAfterMs });
    world.run(75_000);
    expect(perSecBetween(world, 50 + 5 + (retryAfterMs ?? 0) / 1_000, 75) / perSec).toBeGreaterThanOrEqual(0.85);
  });
});

describe("a limit that is set too high", () => {
  it.each([5, 20, 200])("by a half is lowered towards the %s a second that the carrier takes", (perSec) => {
    const takes = tokenBucket(() => perSec, 1_000);
    const world = new PacedWorld({ seed: 4, takes, setPerSec: perSec * 1.5, consumers: bulks(perSec) });
    world.run(90_000);
    const all = world.between(30_000, 90_000);
    expect(taken(all) / 60 / perSec).toBeGreaterThanOrEqual(0.85);
    expect(all.length - taken(all)).toBeLessThanOrEqual(taken(all) / 4);
  });
});

describe("a carrier without a known limit that answers a burst at once", () => {
  it.each([
    [5, 5],
    [5, 150],
    [60, 20],
  ])("refuses %s of it after %s ms, and keeps the pace at which limits are looked for", (busy, answerMs) => {
    const rate = new Rate(Infinity, null, 0);
    let nowMs = 0;
    // Some seconds of a message now and then.
    for (; nowMs < 20_000; nowMs += 500) {
      rate.asked(nowMs);
      rate.granted(nowMs);
      rate.saw(nowMs, { taken: 1, busy: 0 }, nowMs);
    }
    expect(rate.perSec(nowMs)).toBe(Infinity);
    for (let sent = 0; sent < 112; sent += 1) rate.granted(nowMs);
    nowMs += answerMs;
    rate.saw(nowMs, { taken: 112 - busy, busy }, nowMs);
    expect(rate.perSec(nowMs)).toBeLessThanOrEqual(100);
    expect(rate.perSec(nowMs)).toBeGreaterThanOrEqual(85);
  });

  it("refuses most of it before a pacing object that has just begun knows a rate, and keeps the pace of what it took", () => {
    const rate = new Rate(Infinity, null, 0);
    rate.asked(0);
    for (let sent = 0; sent < 12; sent += 1) rate.granted(100);
    for (let sent = 0; sent < 60; sent += 1) rate.granted(500);
    rate.saw(510, { taken: 25, busy: 47 }, 500);
    expect(rate.perSec(510)).toBeLessThanOrEqual(40);
    expect(rate.perSec(510)).toBeGreaterThanOrEqual(20);
  });

  it("refuses all that a pacing object that has just begun knows of, and keeps a pace at which its limit is found", () => {
    const rate = new Rate(Infinity, null, 0);
    rate.asked(0);
    for (let sent = 0; sent < 60; sent += 1) rate.granted(50);
    rate.saw(300, { taken: 0, busy: 60 }, 50);
    expect(rate.perSec(300)).toBeLessThanOrEqual(15);
    expect(rate.perSec(300)).toBeGreaterThanOrEqual(5);
  });
});
