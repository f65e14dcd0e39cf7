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
  openWorld,
  post,
  recordHistory,
  runAlarm,
  sendSms,
} from "../../world/world.ts";
import { QUOTA, uploadOf } from "../../world/recordings.ts";
import type { Opening, World } from "../../world/world.ts";

// Rows written are the bill. SQLite counts them; ARCHITECTURE.md quotes the figures that are asserted here.

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());

interface Rows {
  rows: number;
  /** Each time the alarm is set is billed as a row. */
  alarms: number;
  read: number;
}

/** Counts what an account object writes from now on. */
async function countRows(world: World): Promise<Rows> {
  const counted: Rows = { rows: 0, alarms: 0, read: 0 };
  await runInDurableObject(world.stub, (_, state) => {
    const { sql } = state.storage;
    const exec = sql.exec.bind(sql);
    const setAlarm = state.storage.setAlarm.bind(state.storage);
    Object.assign(sql, {
      exec(query: string, ...bindings: unknown[]) {
        const cursor = exec(query, ...bindings);
        // A cursor's row counts are complete only once it is read to its end.
        const found = cursor.toArray();
        counted.rows += cursor.rowsWritten;
        counted.read += cursor.rowsRead;
        return { toArray: () => found, one: () => found[0] };
      },
    });
    Object.assign(state.storage, {
      setAlarm(time: number) {
        counted.alarms += 1;
        return setAlarm(time);
      },
    });
  });
  return counted;
}

/** An environment whose D1 counts the rows that its batches write. */
function countD1(): { at: Env; counted: { rows: number } } {
  const counted = { rows: 0 };
  const database = {
    prepare: (query: string) => env.DB.prepare(query),
    async batch(statements: D1PreparedStatement[]) {
      const results = await env.DB.batch(statements);
      for (const { meta } of results) counted.rows += meta.rows_written;
      return results;
    },
  };
  return { at: { ...env, DB: database as unknown as D1Database }, counted };
}

/** A world at rest: its key was used this hour, history contains the account, and no alarm is set. */
async function warmWorld(opening: Opening = {}): Promise<World> {
  const world = await openWorld(opening);
  await recordHistory(world, []);
  await runAlarm(world);
  await call("http://sms.localhost/account-balance", { headers: bearer(world.apiKey) });
  return world;
}

/** Takes all queued messages through the carrier and their receipts. */
async function deliverAll(world: World, { DB }: Pick<Env, "DB"> = env): Promise<number[]> {
  const seqs = [...new Set((await messagesOf(world)).map((message) => message.seq))];
  await dispatch(world, seqs, { DB });
  await follow(world, seqs, { DB });
  expect((await messagesOf(world)).every((message) => message.state === "delivered")).toBe(true);
  return seqs;
}

it("writes 4 rows in the account and sets one alarm for a delivered SMS", async () => {
  const world = await warmWorld();
  const counted = await countRows(world);
  await sendSms(world);
  expect(counted).toMatchObject({ rows: 1, alarms: 1 });
  await deliverAll(world);
  expect(counted).toMatchObject({ rows: 4, alarms: 1 });
});

it("sets no second alarm while one is set", async () => {
  const world = await warmWorld();
  const counted = await countRows(world);
  for (let sent = 0; sent < 5; sent++) await sendSms(world);
  expect(counted).toMatchObject({ rows: 5, alarms: 1 });
});

it("writes one more row with an Idempotency-Key, and none for its replay", async () => {
  const world = await warmWorld();
  const counted = await countRows(world);
  await sendSms(world, { headers: { "idempotency-key": "once" } });
  expect(counted.rows).toBe(2);
  await sendSms(world, { headers: { "idempotency-key": "once" } });
  expect(counted.rows).toBe(2);
});

it("records a delivered SMS without a queue message and without another call of its account", async () => {
  const world = await warmWorld();
  const told = vi.spyOn(env.HISTORY, "send");
  const { at, counted } = countD1();
  await sendSms(world);
  await dispatch(world, [2]);
  await follow(world, [2], { DB: at.DB });
  await vi.waitFor(() => expect(counted.rows).toBe(1));
  expect(told).not.toHaveBeenCalled();
});

it("writes only the changed messages of a job in D1", async () => {
  const world = await warmWorld();
  const recipients = ["9876500001", "9876500002", "9876500003"];
  await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  await dispatch(world, [2]);
  const { at, counted } = countD1();
  await recordHistory(world, [2], at);
  expect(counted.rows).toBe(3);
  await world.stub.report([{ kind: "receipt", seq: 2, index: 1, state: "delivered" }], false);
  await recordHistory(world, [2], at);
  expect(counted.rows).toBe(4);
});

it("writes 1 row in D1 for an SMS that is recorded once, and 3 for one that is recorded at every step", async () => {
  const world = await warmWorld();
  const { at, counted } = countD1();
  await recordHistory(world, [], at);
  counted.rows = 0;
  await sendSms(world);
  const [first] = await deliverAll(world, at);
  await vi.waitFor(() => expect(counted.rows).toBe(1));
  // The same job again changes nothing and costs nothing.
  await recordHistory(world, [first ?? 0], at);
  expect(counted.rows).toBe(1);

  counted.rows = 0;
  await sendSms(world);
  const second = (await messagesOf(world)).at(-1)?.seq ?? 0;
  await recordHistory(world, [second], at);
  await dispatch(world, [second]);
  await recordHistory(world, [second], at);
  await follow(world, [second], { DB: at.DB });
  await vi.waitFor(() => expect(counted.rows).toBe(3));
  await recordHistory(world, [second], at);
  expect(counted.rows).toBe(3);
});

it("writes 60 rows for a delivered bulk of 1,000, and one in D1 per recipient", async () => {
  const world = await warmWorld({ balance: 2_000 });
  const recipients = Array.from({ length: 1_000 }, (_, at) => `98765${String(at).padStart(5, "0")}`);
  const counted = await countRows(world);
  const reply = await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  expect(reply.body.coins_used).toBe(1_000);
  // Ten jobs of a hundred messages.
  expect(counted.rows).toBe(10);
  const d1 = countD1();
  await deliverAll(world, d1.at);
  // Each job is claimed and reported in two rounds of DISPATCH_CONCURRENCY, and followed once.
  expect(counted.rows).toBe(60);
  await vi.waitFor(() => expect(d1.counted.rows).toBe(1_000));
});

it("writes 1 row for a balance, 4 for a refused SMS with its refund, 4 for an upload", async () => {
  const world = await warmWorld({ mode: "test" });
  const caller = { keyId: world.keyId, requestId: "req_x" };
  const counted = await countRows(world);
  await call("http://sms.localhost/account-balance", { headers: bearer(world.apiKey) });
  expect(counted.rows).toBe(1);

  await sendSms(world, { body: { phone: "7000000001" } });
  const [message] = await messagesOf(world);
  const before = await balanceOf(world);
  counted.rows = 0;
  await dispatch(world, [message?.seq ?? 0]);
  expect(await balanceOf(world)).toBe(before + 10_000);
  // The claim, the report, and the ledger entry with its unique index.
  expect(counted.rows).toBe(4);

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
    sql.exec("UPDATE job SET late = 2, due_at = 1 WHERE seq IN (10, 20)");
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

it("leaves the sweep alone while a bulk is being sent", async () => {
  const world = await warmWorld({ balance: 2_000 });
  const recipients = Array.from({ length: 500 }, (_, at) => `98765${String(at).padStart(5, "0")}`);
  await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  // Half a minute later it is still being sent, which is no reason for an immediate alarm.
  vi.setSystemTime(Date.now() + 31_000);
  await runAlarm(world);
  const counted = await countRows(world);
  for (let round = 0; round < 5; round++) await world.stub.claim([2, 3], 10, "http", 60_000);
  expect(counted.alarms).toBe(0);
});
