import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TAKEN_BACK_MAX } from "../../../../src/durable/account/limits/daily-cancels.ts";
import { bearer, call, claim, messagesOf, openWorld, post, sendSms } from "../../../world/world.ts";
import type { Reply, World } from "../../../world/world.ts";

// To schedule and to cancel is free for the account. What it cancelled of a day limits what it schedules on that day.

/** Noon in India, far ahead of the real clock, so that no alarm rings by itself. */
const NOON_MS = Date.UTC(2040, 0, 10, 6, 30);
const HOUR_MS = 3_600_000;

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: NOON_MS }));
afterEach(() => vi.useRealTimers());

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

/** Sends to this many recipients, a day later or at once. */
function sendBulk(world: World, count: number, sendAt: string | null = inMs(24 * HOUR_MS)): Promise<Reply> {
  const recipients = Array.from({ length: count }, (_, at) => `98765${String(at).padStart(5, "0")}`);
  return post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi", sendAt }, bearer(world.apiKey));
}

/** Cancels what a send ordered. */
async function cancel(world: World, sent: Reply): Promise<number> {
  const path = `/v1/requests/${sent.headers.get("x-request-id")}`;
  const { body } = await call(`http://console.localhost${path}`, { method: "DELETE", headers: bearer(world.apiKey) });
  return body.cancelled as number;
}

/**
 * Adds refunds of a message as if they were many, from a time on: of another number each, and worth nothing, so that the
 * balance stays right. The account counts them when it is next in memory.
 */
async function addRefunds(world: World, jobSeq: number, count: number, atMs: number): Promise<void> {
  await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
    sql.exec(
      `WITH RECURSIVE n(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < ?2),
         head AS (SELECT max(seq) AS seq FROM (SELECT max(seq) AS seq FROM job UNION ALL SELECT max(seq) FROM ledger_entry))
       INSERT INTO ledger_entry (seq, type, amount, balance_after, reference, job_seq, job_index, created_at)
       SELECT head.seq + n.at, 'refund', 0, (SELECT balance_after FROM job WHERE seq = head.seq
         UNION ALL SELECT balance_after FROM ledger_entry WHERE seq = head.seq), 'more:' || (head.seq + n.at), ?1, 0, ?3
         FROM n, head`,
      jobSeq,
      count,
      atMs,
    );
  });
  await evictDurableObject(world.stub);
}

const full = {
  success: false,
  code: "rate_limited",
  param: "sendAt",
  error: `${TAKEN_BACK_MAX} scheduled messages or more were cancelled today, so no others can be scheduled; try again in 43200 s.`,
};

it("schedules nothing more on a day on which too much was cancelled; sends and cancels go on", async () => {
  const world = await openWorld({ balance: 40_000 });
  const [first, second] = [await sendBulk(world, 120), await sendBulk(world, 30)];
  await addRefunds(world, 2, TAKEN_BACK_MAX - 121, NOON_MS);
  expect(await cancel(world, first)).toBe(120);
  expect((await sendBulk(world, 2)).status).toBe(200);
  expect(await cancel(world, second)).toBe(30);
  const refused = await sendBulk(world, 2);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("43200");
  expect(refused.body).toMatchObject(full);
  expect((await sendSms(world, { body: { sendAt: inMs(HOUR_MS) } })).body).toMatchObject(full);
  const asked = { operation: "sms", phone: "9876543210", message: "Hi", sendAt: inMs(HOUR_MS) };
  const { body } = await post("http://console.localhost/v1/preflight", asked, bearer(world.apiKey));
  expect(body).toMatchObject({ would: "refuse", problems: [{ code: "rate_limited", param: "sendAt" }] });
  // At once, and for a time that is already over, nothing is scheduled.
  expect((await sendSms(world)).status).toBe(200);
  expect((await sendSms(world, { body: { sendAt: inMs(-30_000) } })).status).toBe(200);
  vi.setSystemTime(NOON_MS + 12 * HOUR_MS - 1);
  expect((await sendBulk(world, 2)).status).toBe(429);
  vi.setSystemTime(NOON_MS + 12 * HOUR_MS);
  expect((await sendBulk(world, 2)).status).toBe(200);
});

it("counts the day after an eviction, from its first refund on", async () => {
  const world = await openWorld({ balance: 40_000 });
  await sendBulk(world, 2);
  // What was cancelled before midnight counts no more; what comes after it, and before the day's first job, does.
  await addRefunds(world, 2, TAKEN_BACK_MAX, NOON_MS - 12 * HOUR_MS - 1);
  await addRefunds(world, 2, TAKEN_BACK_MAX - 2, NOON_MS - 12 * HOUR_MS);
  const sent = await sendBulk(world, 3);
  expect(sent.status).toBe(200);
  expect(await cancel(world, sent)).toBe(3);
  await evictDurableObject(world.stub);
  expect((await sendBulk(world, 1)).body).toMatchObject(full);
});

it("counts neither refunds of what was not scheduled, nor of what was refunded after its time", async () => {
  const world = await openWorld({ balance: 40_000 });
  const atOnce = await sendBulk(world, 2, null);
  await addRefunds(world, 2, TAKEN_BACK_MAX, NOON_MS);
  expect(await cancel(world, atOnce)).toBe(2);
  const soon = await sendBulk(world, 2, inMs(HOUR_MS));
  expect(soon.status).toBe(200);
  vi.setSystemTime(NOON_MS + HOUR_MS);
  const { seq } = (await messagesOf(world)).findLast(({ operation }) => operation === "sms") ?? { seq: 0 };
  await claim(world, { lane: "bulk", max: 1 });
  await addRefunds(world, seq, TAKEN_BACK_MAX, NOON_MS + HOUR_MS);
  expect(await cancel(world, soon)).toBe(1);
  await evictDurableObject(world.stub);
  expect((await sendBulk(world, 2)).status).toBe(200);
});
