import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  balanceOf,
  bearer,
  call,
  dispatch,
  follow,
  messagesOf,
  post,
  recordHistory,
  runAlarm,
  sendSms,
  claim,
} from "../../world/world.ts";
import type { News } from "../../../src/model/message.ts";
import { countRows, sendTaken, warmWorld } from "../../world/cost.ts";
import { quoteOf, sendOf } from "../../world/quotes.ts";
import { QUOTA, uploadOf } from "../../world/recordings.ts";
import type { World } from "../../world/world.ts";

// Rows written are the bill. SQLite counts them; ARCHITECTURE.md quotes the figures that are asserted here.

/** Tomorrow in the late morning, so that no day ends, in UTC or in India, while a test runs. */
const MORNING = new Date(Date.now() + 86_400_000).setUTCHours(6, 0, 0, 0);

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: MORNING }));
afterEach(() => vi.useRealTimers());

/** An environment whose history counts the rows that its batches write. */
function countD1(): { at: Env; counted: { rows: number } } {
  const counted = { rows: 0 };
  const database = {
    prepare: (query: string) => env.HISTORY_1.prepare(query),
    async batch(statements: D1PreparedStatement[]) {
      const results = await env.HISTORY_1.batch(statements);
      for (const { meta } of results) counted.rows += meta.rows_written;
      return results;
    },
  };
  return { at: { ...env, HISTORY_1: database as unknown as D1Database }, counted };
}

/** Takes all queued messages through the carrier and their receipts. */
async function deliverAll(world: World, { DB }: Pick<Env, "DB"> = env): Promise<number[]> {
  const seqs = [...new Set((await messagesOf(world)).map((message) => message.seq))];
  await dispatch(world, seqs, { DB });
  await follow(world, seqs, { DB });
  expect((await messagesOf(world)).every((message) => message.state === "delivered")).toBe(true);
  return seqs;
}

it("writes 2 rows in the account and sets one alarm for a delivered SMS whose sender submits it", async () => {
  const world = await warmWorld();
  const counted = await countRows(world);
  const done = await sendTaken(world);
  expect(done.claimed.flatMap(({ messages }) => messages)).toHaveLength(1);
  expect(counted).toMatchObject({ rows: 1, alarms: 1 });
  await world.stub.report([{ kind: "receipt", seq: done.seq, index: 0, state: "delivered" }], false);
  expect(counted).toMatchObject({ rows: 2, alarms: 1 });
  // The outcome of the attempt arrives after the receipt, and is no news.
  const outcome = { kind: "submitted" } as const;
  await world.stub.report([{ kind: "outcome", seq: done.seq, index: 0, attempt: 1, outcome }], false);
  expect(counted).toMatchObject({ rows: 2, alarms: 1 });
  expect((await messagesOf(world))[0]).toMatchObject({ state: "delivered", attempts: 1, carrier: "http" });
});

it("sets no second alarm while one is set", async () => {
  const world = await warmWorld();
  const counted = await countRows(world);
  for (let sent = 0; sent < 5; sent++) {
    const { seq } = await sendTaken(world);
    await world.stub.report([{ kind: "receipt", seq, index: 0, state: "delivered" }], false);
  }
  expect(counted).toMatchObject({ rows: 10, alarms: 1 });
});

it("writes 4 rows for a single message that waits for a consumer: one more for its place in the lane", async () => {
  const world = await warmWorld();
  const counted = await countRows(world);
  await sendSms(world);
  expect(counted).toMatchObject({ rows: 2, alarms: 1 });
  const [job] = await claim(world);
  expect(counted.rows).toBe(3);
  await world.stub.report([{ kind: "receipt", seq: job?.seq ?? 0, index: 0, state: "delivered" }], false);
  expect(counted).toMatchObject({ rows: 4, alarms: 1 });
});

it("writes one more row with an Idempotency-Key, and none for its replay", async () => {
  const world = await warmWorld();
  const counted = await countRows(world);
  await sendSms(world, { headers: { "idempotency-key": "once" } });
  expect(counted.rows).toBe(3);
  await sendSms(world, { headers: { "idempotency-key": "once" } });
  expect(counted.rows).toBe(3);
});

it("writes one more row with a quote: that it was used", async () => {
  const world = await warmWorld();
  const fields = { phone: "9876543210", message: "Hi" };
  const counted = await countRows(world);
  const quote = await quoteOf(world, "sms", fields);
  expect(counted.rows).toBe(0);
  expect((await sendOf(world, "sms", fields, { quote })).status).toBe(200);
  expect(counted).toMatchObject({ rows: 3, alarms: 1 });
  expect((await sendOf(world, "sms", fields, { quote })).status).toBe(400);
  // A used one is deleted once it has long expired, by the next that is used.
  vi.setSystemTime(Date.now() + 2 * 3_600_000);
  const next = await quoteOf(world, "sms", fields);
  counted.rows = 0;
  expect((await sendOf(world, "sms", fields, { quote: next })).status).toBe(200);
  expect(counted.rows).toBe(5);
});

it("writes 30 rows to schedule a bulk of 1,000 and 2,010 to cancel it: two for each refund", async () => {
  const world = await warmWorld({ balance: 2_000 });
  const recipients = Array.from({ length: 1_000 }, (_, at) => `98765${String(at).padStart(5, "0")}`);
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const counted = await countRows(world);
  const body = { recipients, message: "Hi", sendAt };
  const sent = await post("http://sms.localhost/send-bulk-sms", body, bearer(world.apiKey));
  expect(counted.rows).toBe(30);
  counted.rows = 0;
  const path = `http://console.localhost/v1/requests/${sent.headers.get("x-request-id")}`;
  const cancelled = await call(path, { method: "DELETE", headers: bearer(world.apiKey) });
  expect(cancelled.body).toMatchObject({ cancelled: 1_000, refunded: 1_000 });
  expect(counted.rows).toBe(2_010);
});

it("writes one row for the first text of a day, and none for the others", async () => {
  const world = await warmWorld();
  const counted = await countRows(world);
  await sendSms(world);
  expect(counted.rows).toBe(2);
  vi.setSystemTime(Date.now() + 86_400_000);
  counted.rows = 0;
  await sendSms(world);
  // The job with its place in the lane, the key's last use, and the key of the day's texts.
  expect(counted.rows).toBe(4);
  await sendSms(world);
  expect(counted.rows).toBe(6);
});

it("writes one row in D1 for a job of a bulk, each time that it is recorded anew", async () => {
  const world = await warmWorld();
  const recipients = ["9876500001", "9876500002", "9876500003"];
  await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  await dispatch(world, [2]);
  const { at, counted } = countD1();
  await recordHistory(world, [2], at);
  expect(counted.rows).toBe(1);
  await world.stub.report([{ kind: "receipt", seq: 2, index: 1, state: "delivered" }], false);
  await recordHistory(world, [2], at);
  await recordHistory(world, [2], at);
  expect(counted.rows).toBe(2);
});

/**
 * Sends a bulk of 1,000 and submits all of it, in rounds as a consumer makes them: each reports the round before and
 * claims the next. Returns what that wrote, and the number of calls.
 */
async function submitBulk(world: World, consumers: number, max: number) {
  const recipients = Array.from({ length: 1_000 }, (_, at) => `98765${String(at).padStart(5, "0")}`);
  const counted = await countRows(world);
  const reply = await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  expect(reply.body.coins_used).toBe(1_000);
  const inserted = counted.rows;
  let calls = 0;
  const news: News[][] = Array.from({ length: consumers }, () => []);
  for (let claimed = 1; claimed > 0;) {
    claimed = 0;
    for (const [at, last] of news.entries()) {
      const wanted = { lane: "bulk", max, carrier: "http", leaseMs: 60_000 } as const;
      const done = await world.stub.work({ news: last, follow: false, resubmits: false, claim: wanted });
      calls += 1;
      claimed += done?.jobs.flatMap(({ messages }) => messages).length ?? 0;
      news[at] = (done?.jobs ?? []).flatMap(({ seq, messages }) =>
        messages.map(({ index, attempt }): News => {
          return { kind: "outcome", seq, index, attempt, outcome: { kind: "submitted" } };
        }),
      );
    }
  }
  expect((await messagesOf(world)).every(({ state }) => state === "submitted")).toBe(true);
  return { inserted, rows: counted.rows, alarms: counted.alarms, calls, bytes: counted.bytes };
}

it("writes 20 rows to store a bulk of 1,000 in its lane, and 53 until all of it is submitted in claims of 60", async () => {
  const world = await warmWorld({ balance: 2_000 });
  const { bytes, ...written } = await submitBulk(world, 1, 60);
  // Ten jobs with their places in the lane; 17 rounds, and one that finds nothing.
  expect(written).toEqual({ inserted: 20, rows: 53, alarms: 1, calls: 18 });
  expect(bytes).toBeLessThan(150_000);
});

it("writes 90 rows until a bulk of 1,000 is submitted by two consumers in claims of 20", async () => {
  const world = await warmWorld({ balance: 2_000 });
  const { bytes, ...written } = await submitBulk(world, 2, 20);
  expect(written).toEqual({ inserted: 20, rows: 90, alarms: 1, calls: 52 });
  expect(bytes).toBeLessThan(250_000);
});

it("writes 1 row for a balance, 3 for a refused SMS with its refund, 4 for an upload", async () => {
  const world = await warmWorld({ mode: "test" });
  const caller = { keyId: world.keyId, requestId: "req_x" };
  const counted = await countRows(world);
  await call("http://sms.localhost/account-balance", { headers: bearer(world.apiKey) });
  expect(counted.rows).toBe(1);

  const { seq } = await sendTaken(world);
  const before = await balanceOf(world);
  counted.rows = 0;
  const outcome = { kind: "rejected", code: "no" } as const;
  await world.stub.report([{ kind: "outcome", seq, index: 0, attempt: 1, outcome }], false);
  expect(await balanceOf(world)).toBe(before + 10_000);
  // The report, and the ledger entry with its unique index.
  expect(counted.rows).toBe(3);

  counted.rows = 0;
  await world.stub.beginUpload(caller, uploadOf("file_x"), QUOTA);
  await world.stub.endUpload(caller, uploadOf("file_x"), true);
  expect(counted.rows).toBe(4);
});

it("reads only open jobs, however long the account's history is", async () => {
  const world = await warmWorld();
  await sendSms(world);
  await deliverAll(world);
  // A history of 5,000 delivered messages, recorded and settled; two of them were late.
  await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
    const columns = "request_id, operation, balance_after, charge, created_at, expires_at, content, messages, rev";
    sql.exec(`WITH RECURSIVE n(seq) AS (SELECT 3 UNION ALL SELECT seq + 1 FROM n WHERE seq < 5002)
      INSERT INTO job (seq, ${columns}) SELECT n.seq, ${columns} FROM n JOIN job WHERE job.seq = 2`);
    sql.exec("UPDATE account SET settled_seq = 5000");
    sql.exec("UPDATE job SET late = 1, due_at = 1 WHERE seq IN (10, 20)");
  });
  const counted = await countRows(world);
  await runAlarm(world);
  expect(counted.read).toBeLessThan(60);
  counted.read = 0;
  await sendSms(world);
  expect(counted.read).toBeLessThan(20);
  for (const direction of ["older", "newer"] as const) {
    counted.read = 0;
    await world.stub.look({ terms: [], direction, from: null, limit: 50 });
    expect(counted.read).toBeLessThan(60);
  }
});

it("leaves the alarm alone while a bulk is being sent", async () => {
  const world = await warmWorld({ balance: 2_000 });
  const recipients = Array.from({ length: 500 }, (_, at) => `98765${String(at).padStart(5, "0")}`);
  await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  // Half a minute later it is still being sent, which is no reason for an immediate alarm.
  vi.setSystemTime(Date.now() + 31_000);
  await runAlarm(world);
  const counted = await countRows(world);
  for (let round = 0; round < 5; round++) await claim(world, { lane: "bulk", max: 10 });
  expect(counted.alarms).toBe(0);
});
