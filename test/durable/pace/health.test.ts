import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HealthRecord } from "../../../src/durable/pace/health.ts";
import { noResults } from "../../../src/model/carrier/health.ts";

const told = (results: object, submitMs: number[] = [], agoMs = 0) => ({ agoMs, results, submitMs, deliveryMs: [] });

describe("the health of a carrier", () => {
  it("counts the last minute, the median of its times, and the last error", () => {
    const record = new HealthRecord();
    expect(record.standing(5)).toEqual({ lastError: null, minute: noResults(), medianMs: null });
    record.saw([told({ submitted: 2 }, [100, 900]), told({ rejected: 1 }, [200])], 100_000);
    record.saw([told({ delivered: 3, unknown: 1 }, [], 30_000), told({ failed: 9 }, [5], 60_000)], 110_000);
    record.erred("http_500", 100_000);
    record.erred("http_404", 90_000);
    expect(record.standing(110_000)).toEqual({
      lastError: { code: "http_500", atMs: 100_000 },
      minute: { ...noResults(), submitted: 2, rejected: 1, delivered: 3, unknown: 1 },
      medianMs: 200,
    });
    expect(record.standing(180_000)).toMatchObject({ minute: noResults(), medianMs: null });
  });

  it("counts all of the last 55 seconds and nothing of before a minute, in whatever order it is told", () => {
    const word = fc.record({ gapMs: fc.nat(9_000), agoMs: fc.nat(80_000) });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 100 }), (words) => {
        const record = new HealthRecord();
        let nowMs = 1_000_000;
        const times: number[] = [];
        for (const { gapMs, agoMs } of words) {
          nowMs += gapMs;
          record.saw([told({ submitted: 1 }, [1], agoMs)], nowMs);
          times.push(nowMs - agoMs);
        }
        const { submitted } = record.standing(nowMs).minute;
        expect(submitted).toBeGreaterThanOrEqual(times.filter((at) => at > nowMs - 55_000).length);
        expect(submitted).toBeLessThanOrEqual(times.filter((at) => at > nowMs - 60_000).length);
      }),
    );
  });
});
