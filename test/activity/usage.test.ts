import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { countByDay } from "../../src/db/usage.ts";
import { firstJobSince } from "../../src/durable/account/jobs.ts";
import { scaleOf } from "../../src/ui/chart.tsx";
import { DAYS, daysOf, usageOf, usageStartMs } from "../../src/activity/usage.ts";
import { openWorld, recordHistory, sendSms } from "../world/world.ts";
import { runInDurableObject } from "cloudflare:test";

const DAY_MS = 86_400_000;
/** Half past midnight on 21 November in India, while it is still the 20th in UTC. */
const NOW = Date.UTC(2026, 10, 20, 19, 0);

describe("the last days", () => {
  it("are days in India, today last, with zeros where nothing was sent", () => {
    const today = Math.floor((NOW + 5.5 * 3_600_000) / DAY_MS);
    const days = daysOf(
      [
        { day: today, operation: "otp", count: 3 },
        { day: today, operation: "sms", count: 2 },
        { day: today, operation: "sms_international", count: 1 },
        { day: today - 13, operation: "tts", count: 4 },
        { day: today - 13, operation: "voice", count: 5 },
        { day: today - 14, operation: "otp", count: 99 },
      ],
      NOW,
    );
    expect(days).toHaveLength(DAYS);
    expect(days.at(-1)).toEqual({ at: Date.UTC(2026, 10, 20, 18, 30), otp: 3, sms: 3, calls: 0 });
    expect(days[0]).toEqual({ at: usageStartMs(NOW), otp: 0, sms: 0, calls: 9 });
    expect(days.reduce((sum, day) => sum + day.otp + day.sms + day.calls, 0)).toBe(15);
  });

  it("get a chart scale of even numbers that is at least the largest day", () => {
    for (const [max, scale] of [
      [0, 2],
      [1, 2],
      [3, 4],
      [10, 10],
      [11, 20],
      [47, 60],
      [99, 100],
      [12_345, 20_000],
    ] as const) {
      expect(scaleOf(max)).toBe(scale);
    }
  });
});

describe("usage", () => {
  it("counts what this account sent in this mode, from a given job and time on", async () => {
    const world = await openWorld();
    const other = await openWorld();
    for (const each of [world, other]) {
      await sendSms(each);
      await sendSms(each);
      await recordHistory(each, [2, 3]);
    }
    const nowMs = Date.now();
    const sent = async (seq: number, at: number) => (await usageOf(env, world.ref, seq, at))?.map(({ sms }) => sms);
    expect((await sent(0, nowMs))?.at(-1)).toBe(2);
    expect((await sent(3, nowMs))?.at(-1)).toBe(1);
    expect((await usageOf(env, { ...world.ref, mode: "test" }, 0, nowMs))?.at(-1)?.sms).toBe(0);
    // The same messages are out of range after two weeks.
    expect((await sent(0, nowMs + 13 * DAY_MS))?.[0]).toBe(2);
    expect(await sent(0, nowMs + 14 * DAY_MS)).toEqual(Array.from({ length: DAYS }, () => 0));
  });

  it("reads along the primary key from that job on, and no row before it", async () => {
    const world = await openWorld();
    const query = countByDay(env.DB, world.ref, { seq: 900, atMs: 0 }, 0).toSQL();
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${query.sql}`)
      .bind(...query.params)
      .all<{ detail: string }>();
    const plan = results.map(({ detail }) => detail);
    expect(plan[0]).toBe("SEARCH message USING PRIMARY KEY (account_id=? AND mode=? AND seq>?)");
    expect(plan.slice(1)).toEqual(["USE TEMP B-TREE FOR GROUP BY"]);
  });

  it("is null while D1 is unavailable, so that the page still opens", async () => {
    const world = await openWorld();
    const DB = { prepare: () => ({ bind: () => ({ raw: () => Promise.reject(new Error("away")) }) }) };
    expect(await usageOf({ ...env, DB: DB as unknown as D1Database }, world.ref, 0, Date.now())).toBeNull();
  });

  it("finds the first job of these days in a few reads, however many jobs there are", async () => {
    const world = await openWorld();
    await sendSms(world);
    await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
      const columns = "request_id, operation, balance_after, charge, expires_at, content, messages, rev";
      // Every second number is missing, as it is when refunds share the sequence.
      sql.exec(`WITH RECURSIVE n(seq) AS (SELECT 4 UNION ALL SELECT seq + 2 FROM n WHERE seq < 20000)
        INSERT INTO job (seq, created_at, ${columns}) SELECT n.seq, n.seq * 10, ${columns} FROM n JOIN job WHERE job.seq = 2`);
      sql.exec("UPDATE job SET created_at = 20 WHERE seq = 2");
      let reads = 0;
      const counting = {
        exec: (query: string, ...bindings: unknown[]) => {
          reads += 1;
          return sql.exec(query, ...bindings);
        },
      } as unknown as SqlStorage;
      for (const [sinceMs, seq] of [
        [0, 0],
        [20, 0],
        [21, 3],
        [40, 3],
        [150_000, 14_999],
        [150_001, 15_001],
        [999_999, 20_001],
      ] as const) {
        const found = firstJobSince(counting, sinceMs);
        const next = sql.exec("SELECT min(seq) AS seq FROM job WHERE seq >= ?", found).one()["seq"];
        expect(next).toBe(sql.exec("SELECT min(seq) AS seq FROM job WHERE created_at >= ?", sinceMs).one()["seq"]);
        expect(found).toBe(seq);
      }
      expect(reads).toBeLessThan(7 * 20);
    });
  });
});
