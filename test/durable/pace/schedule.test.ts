import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Schedule } from "../../../src/durable/pace/schedule.ts";

/** Takes slots as a bulk does, unless told otherwise. */
const wanted = (count: number, untilMs: number, gapMs = 0, isBulk = true) => ({ count, gapMs, untilMs, isBulk });

describe("a schedule", () => {
  it("dates slots at the rate, from now on", () => {
    const schedule = new Schedule();
    expect(schedule.take(1_000, 5, 0, wanted(4, 5_000))).toEqual([1_000, 1_200, 1_400, 1_600]);
    expect(schedule.headMs(1_000, true)).toBe(1_800);
    expect(schedule.take(1_000, 5, 0, wanted(9, 2_100))).toEqual([1_800, 2_000]);
  });

  it("loses the time for which no slot was taken", () => {
    const schedule = new Schedule();
    schedule.take(0, 5, 0, wanted(1, 4_000));
    expect(schedule.take(10_000, 5, 0, wanted(2, 14_000))).toEqual([10_000, 10_200]);
  });

  it("leaves the slots between those of a slow consumer to others", () => {
    const schedule = new Schedule();
    const slow = schedule.take(0, 100, 0, wanted(5, 4_000, 50));
    const other = schedule.take(0, 100, 0, wanted(6, 4_000));
    expect(slow).toEqual([0, 50, 100, 150, 200]);
    expect(other).toEqual([10, 20, 30, 40, 60, 70]);
  });

  it("gives a consumer that is faster than the slots several of one", () => {
    const fast = new Schedule().take(0, 2_000, 0, wanted(60, 4_000, 1));
    expect(fast.at(-1)).toBeLessThanOrEqual(65);
  });

  it("kept a tenth for other lanes, until shortly before it lapses", () => {
    const schedule = new Schedule();
    const bulk = schedule.take(0, 20, 0.1, wanted(60, 2_000));
    expect(bulk).toHaveLength(37);
    expect(schedule.take(0, 20, 0.1, wanted(9, 2_000, 0, false))).toEqual([450, 950, 1_450, 1_950]);
    expect(new Schedule().take(0, 20, 0.1, wanted(60, 240))).toHaveLength(5);
  });

  it("gives a slot that came back to the next, and only once", () => {
    const schedule = new Schedule();
    const [first, second] = schedule.take(0, 5, 0, wanted(2, 4_000));
    expect([first, second]).toEqual([0, 200]);
    expect(schedule.giveBack(100, [0, 200, 200, 777])).toEqual([200]);
    expect(schedule.take(100, 5, 0, wanted(2, 4_000))).toEqual([200, 400]);
    expect(schedule.giveBack(1_000, [200, 400])).toEqual([]);
  });

  it("pays a borrowed one back with the next free one, however far", () => {
    const schedule = new Schedule();
    schedule.take(0, 5, 0, wanted(60, 1_900));
    schedule.payBack(0, 5);
    expect(schedule.headMs(0, true)).toBe(2_200);
  });

  it("has never more in any second than the rate, whatever is taken, given back and skipped", () => {
    const step = fc.record({
      passMs: fc.integer({ min: 0, max: 700 }),
      count: fc.integer({ min: 1, max: 60 }),
      gapMs: fc.constantFrom(0, 7, 25, 50),
      isBulk: fc.boolean(),
      kept: fc.constantFrom(0, 0.1, 0.4),
      returns: fc.boolean(),
    });
    const anyRate = fc.constantFrom(1, 3, 5, 20, 199, 200, 333, 1_000, 2_000);
    fc.assert(
      fc.property(anyRate, fc.array(step, { maxLength: 60 }), (perSec, steps) => {
        const schedule = new Schedule();
        let nowMs = 1_000;
        const used: number[] = [];
        for (const { passMs, count, gapMs, isBulk, kept, returns } of steps) {
          nowMs += passMs;
          const taken = schedule.take(nowMs, perSec, kept, wanted(count, nowMs + 4_000, gapMs, isBulk));
          const back = returns ? schedule.giveBack(nowMs, taken.slice(taken.length / 2)) : [];
          used.push(...taken.slice(0, taken.length - back.length));
          expect(taken.every((atMs, at) => atMs >= nowMs && (at === 0 || atMs >= (taken[at - 1] ?? 0) + gapMs))).toBe(
            true,
          );
        }
        used.sort((one, other) => one - other);
        used.forEach((atMs, at) => {
          const within = used.slice(at).findIndex((other) => other >= atMs + 1_000);
          expect(within === -1 ? used.length - at : within).toBeLessThanOrEqual(perSec);
        });
      }),
    );
  });
});
