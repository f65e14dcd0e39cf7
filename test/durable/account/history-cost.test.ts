import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { randomId } from "../../../src/crypto/ids.ts";
import { historyOf, rowsOf, settledSeq } from "../../world/history.ts";
import {
  PASS_MS,
  alarm,
  deliver,
  later,
  receipt,
  restingWorld,
  sendDelivered,
  seqsIn,
  stopClock,
} from "../../world/pass.ts";
import { bearer, messagesOf, post, recordHistory, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// Rows written are the bill: in D1, in the object, and one for each time that its alarm is set.

beforeEach(stopClock);
afterEach(() => vi.useRealTimers());

/** Counts what the object reads and writes from now on, and how often it sets its alarm. */
async function countRows(world: World) {
  const counted = { rows: 0, read: 0, alarms: 0 };
  await runInDurableObject(world.stub, (_, { storage }) => {
    const exec = storage.sql.exec.bind(storage.sql);
    const setAlarm = storage.setAlarm.bind(storage);
    Object.assign(storage.sql, {
      exec(query: string, ...bindings: unknown[]) {
        const cursor = exec(query, ...bindings);
        // A cursor's row counts are complete only once it is read to its end.
        const found = cursor.toArray();
        counted.rows += cursor.rowsWritten;
        counted.read += cursor.rowsRead;
        return { toArray: () => found, one: () => found[0] };
      },
    });
    Object.assign(storage, {
      setAlarm(time: number) {
        counted.alarms += 1;
        return setAlarm(time);
      },
    });
  });
  return counted;
}

/** Counts the rows that D1 writes from now on. */
function countD1() {
  const counted = { rows: 0 };
  const batch = env.HISTORY_1.batch.bind(env.HISTORY_1);
  vi.spyOn(env.HISTORY_1, "batch").mockImplementation(async (statements) => {
    const results = await batch(statements);
    for (const { meta } of results) counted.rows += meta.rows_written;
    return results;
  });
  return counted;
}

afterEach(() => vi.restoreAllMocks());

const bulkOf = (count: number) => Array.from({ length: count }, (_, at) => `98765${String(at).padStart(5, "0")}`);

it("writes 10 rows in D1 and 1 in the account for a delivered bulk of 1,000, however often it is recorded", async () => {
  const world = await restingWorld({ balance: 2_000 });
  await post("http://sms.localhost/send-bulk-sms", { recipients: bulkOf(1_000), message: "Hi" }, bearer(world.apiKey));
  await sendDelivered(world, 0);
  later(PASS_MS);
  const counted = await countRows(world);
  const inD1 = countD1();
  const named = await alarm(world);
  expect(named).toHaveLength(1);
  await deliver(world, named);
  await deliver(world, named);
  expect(inD1.rows).toBe(10);
  // The settled mark, and the alarm that looks for the answer.
  expect(counted).toMatchObject({ rows: 1, alarms: 1 });
  expect(await rowsOf(world)).toBe(10);
  expect(await historyOf(world)).toEqual(await messagesOf(world));
});

it("writes at most 4 rows in D1 for a hundred single messages", async () => {
  const world = await restingWorld();
  await sendDelivered(world, 100);
  later(PASS_MS);
  const inD1 = countD1();
  const named = await alarm(world);
  expect(named).toHaveLength(1);
  await deliver(world, named);
  expect(inD1.rows).toBeLessThanOrEqual(4);
  expect(await settledSeq(world)).toBe(101);
});

/** Sends an SMS that its sender submits, and that is delivered at once. */
async function sendTaken(world: World): Promise<void> {
  const done = await world.stub.send({
    keyId: world.keyId,
    requestId: randomId("req"),
    operation: "sms",
    recipients: ["+919876543210"],
    price: { kind: "fixed", units: 10_000 },
    content: {},
    text: null,
    validityMs: 86_400_000,
    take: { carrier: "http", leaseMs: 60_000 },
  });
  if (!done?.ok) throw new Error("the account refused");
  await receipt(world, done.seq, "delivered");
}

it("rings once in ten minutes for an account with a message a minute, and records each of them once", async () => {
  const world = await restingWorld();
  const counted = await countRows(world);
  const inD1 = countD1();
  let passes = 0;
  for (let minute = 0; minute < 61; minute += 1) {
    await sendTaken(world);
    later(60_000);
    const named = await alarm(world);
    passes += named.length > 0 ? 1 : 0;
    await deliver(world, named);
  }
  expect(passes).toBe(6);
  // A bucket of 64 is written again by each pass; the first pass comes ten minutes after the first message.
  expect(inD1.rows).toBeLessThanOrEqual(7);
  expect(counted.alarms).toBeLessThanOrEqual(7);
  expect(await settledSeq(world)).toBeGreaterThanOrEqual(55);
});

it("answers a search in bounded work with 10,000 open jobs of a bulk, and with 4,000 single messages", async () => {
  for (const [count, recipients] of [
    [10_000, bulkOf(100)],
    [4_000, bulkOf(1)],
  ] as const) {
    const world = await restingWorld({ balance: 10_000 });
    if (recipients.length === 1) await sendSms(world);
    else await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
    await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
      const columns =
        "request_id, operation, debit, balance_after, charge, created_at, expires_at, content, messages, rev, lane";
      sql.exec(
        `WITH RECURSIVE n(seq) AS (SELECT 3 UNION ALL SELECT seq + 1 FROM n WHERE seq <= ?)
         INSERT INTO job (seq, ${columns}) SELECT n.seq, ${columns} FROM n JOIN job WHERE job.seq = 2`,
        count,
      );
    });
    const counted = await countRows(world);
    const look = { terms: [], direction: "older" as const, from: null, limit: 51 };
    expect((await world.stub.look(look))?.rows).toHaveLength(51);
    expect(counted.read).toBeLessThan(1_000);
    counted.read = 0;
    const nothing = { on: "to" as const, digits: "12121212", not: false };
    const found = await world.stub.look({ ...look, terms: [nothing] });
    expect(found).toMatchObject({ rows: [] });
    // It ends early, and says from where the search goes on.
    expect(found?.end?.seq).toBeGreaterThan(2);
    expect(counted.read).toBeLessThan(2_000);
    counted.read = 0;
    // The chart counts the newest jobs.
    expect((await world.stub.outline(0))?.unrecorded.counts).toHaveLength(1);
    expect(counted.read).toBeLessThan(12_000);
  }
}, 60_000);

it("looks at the jobs of the last minutes only, however long the account's history is", async () => {
  const world = await restingWorld();
  await sendDelivered(world);
  await recordHistory(world, [2]);
  await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
    const columns =
      "request_id, operation, balance_after, charge, created_at, expires_at, content, messages, lives, rev";
    sql.exec(`WITH RECURSIVE n(seq) AS (SELECT 3 UNION ALL SELECT seq + 1 FROM n WHERE seq < 5002)
      INSERT INTO job (seq, ${columns}) SELECT n.seq, ${columns} FROM n JOIN job WHERE job.seq = 2`);
    sql.exec("UPDATE account SET settled_seq = 5000");
  });
  later(PASS_MS);
  await sendDelivered(world);
  later(PASS_MS);
  const counted = await countRows(world);
  expect(seqsIn(await alarm(world))).toEqual([5_001, 5_002, 5_003]);
  expect(counted.read).toBeLessThan(80);
});
