import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { forgetOldAttempts } from "../../src/sign-in/attempts.ts";
import { countingStatement } from "../../src/db/sign-in.ts";
import { bucketsOf, retryAfter, takeAttempt } from "../../src/sign-in/buckets.ts";
import type { Limit } from "../../src/sign-in/buckets.ts";
import { forgetCounts } from "../world/codes.ts";

const STORE = { db: env.DB, secret: env.KEY_SECRET };

const limit = (name: string, max: number, windowMs = 1_000): Limit => ({ name, subject: "x", max, windowMs });

const take = (limits: Limit[], nowMs: number) => takeAttempt(STORE, limits, nowMs);

const countsAt = async (nowMs: number): Promise<unknown[]> => {
  const query = "SELECT count FROM attempt WHERE resets_at > ? ORDER BY count";
  return (await env.DB.prepare(query).bind(nowMs).all()).results.map(({ count }) => count);
};

describe("a limit", () => {
  beforeEach(forgetCounts);

  it("admits its number in a window, which starts with the first attempt", async () => {
    const two = [limit("two", 2)];
    expect(await take(two, 5_000)).toEqual({ ok: true, counts: [1] });
    expect(await take(two, 5_999)).toEqual({ ok: true, counts: [2] });
    const refused = await take(two, 5_999);
    expect(refused).toEqual({ ok: false, full: [{ limit: two[0], count: 2, resetsAt: 6_000 }] });
    expect(refused.ok ? 0 : retryAfter(refused.full, 5_999)).toBe(1);
    expect(await take(two, 6_000)).toEqual({ ok: true, counts: [1] });
  });

  it("admits exactly its number of thirty attempts that arrive at the same time", async () => {
    for (const max of [1, 7, 20, 29]) {
      const limits = [limit(`many ${max}`, max), limit(`wide ${max}`, 1_000)];
      const all = await Promise.all(Array.from({ length: 30 }, () => take(limits, 1)));
      const admitted = all.flatMap((one) => (one.ok ? [one.counts] : []));
      expect(admitted).toHaveLength(max);
      const each = Array.from({ length: max }, (_, at) => [at + 1, at + 1]);
      expect(admitted.toSorted(([one = 0], [other = 0]) => one - other)).toEqual(each);
    }
  });

  it("that refuses counts in no other bucket, and writes nothing", async () => {
    const limits = [limit("narrow", 3), limit("wide", 10), limit("wider", 2)];
    await take(limits, 1);
    await take(limits, 1);
    const refused = await take(limits, 1);
    expect(refused).toMatchObject({ ok: false, full: [{ limit: { name: "wider" }, count: 2 }] });
    expect(await countsAt(1)).toEqual([2, 2, 2]);
    const refusal = await countingStatement(env.DB, bucketsOf(env.KEY_SECRET, limits), 1).run();
    expect(refusal.meta.rows_written).toBe(0);
    const counted = await countingStatement(env.DB, bucketsOf(env.KEY_SECRET, [limit("four", 4)]), 1).run();
    // The counter, and its entry in the index by which old ones are found.
    expect(counted.meta.rows_written).toBe(2);
  });

  it("says when all that are full admit again", async () => {
    const limits = [limit("short", 1, 1_000), limit("long", 1, 60_000)];
    await take(limits, 0);
    const refused = await take(limits, 500);
    expect(refused.ok ? 0 : retryAfter(refused.full, 500)).toBe(60);
  });

  it("is deleted when its window is over", async () => {
    await take([limit("old", 1)], 1);
    await take([limit("new", 1, 3_600_000)], Date.now());
    await forgetOldAttempts(env, Date.now());
    expect(await countsAt(0)).toEqual([1]);
  });
});
