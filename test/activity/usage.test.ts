import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { countQuery } from "../../src/db/usage.ts";
import { firstJobSince } from "../../src/durable/account/jobs.ts";
import { scaleOf } from "../../src/ui/chart.tsx";
import { DAYS, daysOf, usageOf, usageStartMs } from "../../src/activity/usage.ts";
import type { Outline } from "../../src/model/account.ts";
import { QUARTER_MS } from "../../src/model/usage.ts";
import { settledSeq } from "../world/history.ts";
import { bearer, dispatch, follow, messagesOf, openWorld, post, recordHistory, sendSms } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { runInDurableObject } from "cloudflare:test";

const DAY_MS = 86_400_000;
/** Half past midnight on 21 November in India, while it is still the 20th in UTC. */
const NOW = Date.UTC(2026, 10, 20, 19, 0);

describe("the last days", () => {
  it("are days in India, today last, with zeros where nothing was sent", () => {
    const today = Math.floor((NOW + 5.5 * 3_600_000) / DAY_MS);
    const quarterOf = (day: number) => (day * DAY_MS - 5.5 * 3_600_000) / QUARTER_MS;
    const days = daysOf(
      [
        { quarter: quarterOf(today), operation: "otp", messages: 3 },
        { quarter: quarterOf(today), operation: "sms", messages: 2 },
        // The last quarter of an hour of today in India.
        { quarter: quarterOf(today + 1) - 1, operation: "sms_international", messages: 1 },
        { quarter: quarterOf(today - 13), operation: "tts", messages: 4 },
        { quarter: quarterOf(today - 13), operation: "voice", messages: 5 },
        { quarter: quarterOf(today - 13) - 1, operation: "otp", messages: 99 },
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

/** What the chart says about each kind of message, over all its days. */
async function sent(world: World, nowMs = Date.now()) {
  const outline: Outline | null = await world.stub.outline(usageStartMs(nowMs));
  const days = outline && (await usageOf(env, world.ref, outline, nowMs));
  return days?.reduce(
    (sum, { otp, sms, calls }) => ({ otp: sum.otp + otp, sms: sum.sms + sms, calls: sum.calls + calls }),
    {
      otp: 0,
      sms: 0,
      calls: 0,
    },
  );
}

describe("usage", () => {
  it("counts what this account sent in this mode at once, and the same while history records it", async () => {
    const world = await openWorld();
    const other = await openWorld();
    await sendSms(other);
    await recordHistory(other, [2]);
    const bulk = { recipients: ["9876500001", "9876500002", "9876500003"], message: "Hi" };
    const wanted = { otp: 0, sms: 0, calls: 0 };
    expect(await sent(world)).toEqual(wanted);
    // More than two buckets, with bulks among them; each is delivered, and some are recorded twice, some not.
    for (let at = 0; at < 24; at += 1) {
      await sendSms(world);
      await post("http://sms.localhost/send-bulk-sms", bulk, bearer(world.apiKey));
      await post(
        "http://otp.localhost/send-otp",
        { phone: "9876543210", otp: "482913", brandName: "Brand" },
        bearer(world.apiKey),
      );
      wanted.sms += 4;
      wanted.otp += 1;
      if (at % 5 !== 4) continue;
      expect(await sent(world)).toEqual(wanted);
      const seqs = [...new Set((await messagesOf(world)).map(({ seq }) => seq))];
      await dispatch(world, seqs);
      await follow(world, seqs);
      await recordHistory(world, seqs.slice(0, at * 2));
      expect(await sent(world)).toEqual(wanted);
    }
    expect(await settledSeq(world)).toBeGreaterThan(30);
    const nothing = { seqSince: 0, unrecorded: { settledSeq: 1_000, historyDb: 1, counts: [] } };
    const twin = await usageOf(env, { ...world.ref, mode: "test" }, nothing, Date.now());
    expect(twin?.every(({ otp, sms }) => otp + sms === 0)).toBe(true);
  });

  it("counts no message that is older than the days of the chart", async () => {
    const world = await openWorld();
    await sendSms(world);
    const nowMs = Date.now();
    expect(await sent(world, nowMs + 13 * DAY_MS)).toMatchObject({ sms: 1 });
    expect(await sent(world, nowMs + 14 * DAY_MS)).toMatchObject({ sms: 0 });
    await dispatch(world, [2]);
    await follow(world, [2]);
    await recordHistory(world, [2]);
    expect(await settledSeq(world)).toBe(2);
    expect(await sent(world, nowMs + 13 * DAY_MS)).toMatchObject({ sms: 1 });
    expect(await sent(world, nowMs + 14 * DAY_MS)).toMatchObject({ sms: 0 });
  });

  it("reads along the primary key from the first job of these days on, and no row before it", async () => {
    const world = await openWorld();
    const query = countQuery(world.ref, { fromSeq: 900, toSeq: 5_000, atMs: 0 });
    const { sql, params } = new SQLiteSyncDialect().sqlToQuery(query);
    const { results } = await env.HISTORY_1.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...params)
      .all<{ detail: string }>();
    const reads = results.map(({ detail }) => detail).filter((detail) => /message_group/u.test(detail));
    const range = "SEARCH message_group USING PRIMARY KEY (account_id=? AND mode=? AND kind=? AND seq>? AND seq<?)";
    expect(reads).toEqual([range, range]);
  });

  it("is null while D1 is unavailable, so that the page still opens", async () => {
    const world = await openWorld();
    const DB = { prepare: () => ({ bind: () => ({ all: () => Promise.reject(new Error("away")) }) }) };
    const outline = { seqSince: 0, unrecorded: { settledSeq: 0, historyDb: 1, counts: [] } };
    expect(await usageOf({ HISTORY_1: DB as unknown as D1Database }, world.ref, outline, Date.now())).toBeNull();
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
