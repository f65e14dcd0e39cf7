import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Account } from "../../../src/durable/account.ts";
import type { Outcome } from "../../../src/model/message.ts";
import { watchLanes } from "../../world/carriers.ts";
import { balanceOf, bearer, claim, messagesOf, openWorld, post, recordHistory, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// The alarm rings for the next thing that is due, and for nothing that waits its turn; its work is bounded.

const DAY_MS = 86_400_000;
/** Ahead of the real clock, so that no alarm rings by itself. */
const T0 = Date.now() + 1_000 * DAY_MS;
const BUSY: Outcome = { kind: "not_accepted", code: "http_503" };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: T0 });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const alarmOf = (world: World) => runInDurableObject(world.stub, (_, { storage }) => storage.getAlarm());

const sqlOf = <T>(world: World, work: (sql: SqlStorage) => T) =>
  runInDurableObject(world.stub, (_, { storage }) => work(storage.sql));

/** Rings the alarm now, and returns the lanes for which it sent a token. */
async function ring(world: World): Promise<string[]> {
  const { lanes, bodies } = watchLanes();
  await runInDurableObject(world.stub, async (instance, { storage }) => {
    const account = instance as unknown as { env: Env } & Account;
    const own = account.env;
    account.env = { ...own, ...lanes };
    await storage.deleteAlarm();
    await account.alarm();
    account.env = own;
  });
  return bodies().map(({ lane }) => lane);
}

/** Rings the alarm at the time for which it is set; returns when that was, and which tokens it sent. */
async function ringNext(world: World): Promise<[number, string[]]> {
  const atMs = await alarmOf(world);
  if (atMs === null) throw new Error("no alarm is set");
  vi.setSystemTime(atMs);
  return [atMs - T0, await ring(world)];
}

/** Sends an OTP that its sender submits; returns its job. */
async function sendTaken(world: World, requestId: string): Promise<number> {
  const sent = await world.stub.send({
    keyId: world.keyId,
    requestId,
    operation: "otp",
    recipients: ["+919876543210"],
    price: { kind: "fixed", units: 1 },
    content: {},
    text: null,
    validityMs: 300_000,
    take: { carrier: "http", leaseMs: 60_000 },
  });
  if (!sent?.ok) throw new Error("the account refused");
  return sent.seq;
}

/** Sends an OTP whose carrier is busy; its retry is due after two seconds and the jitter. */
async function busyOtp(world: World, jitter: number): Promise<void> {
  vi.spyOn(Math, "random").mockReturnValue(jitter);
  const seq = await sendTaken(world, `req_${jitter}`);
  await world.stub.report([{ kind: "outcome", seq, index: 0, attempt: 1, outcome: BUSY }], false);
}

async function sendBulk(world: World, recipients: number): Promise<void> {
  const numbers = Array.from({ length: recipients }, (_, at) => String(9_000_000_000 + at));
  const body = { recipients: numbers, message: "Hi" };
  expect((await post("http://sms.localhost/send-bulk-sms", body, bearer(world.apiKey))).status).toBe(200);
}

it.each([0, 200])("rings for each retry when it is due, with %i messages of a bulk waiting", async (waiting) => {
  const world = await openWorld({ balance: 1_000 });
  if (waiting > 0) {
    await sendBulk(world, waiting);
    vi.setSystemTime(T0 + 40_000);
    await ring(world);
  }
  const startMs = Date.now();
  await busyOtp(world, 0);
  await busyOtp(world, 0.9);
  expect(await alarmOf(world)).toBe(startMs + 2_000);
  vi.setSystemTime(startMs + 2_000);
  expect(await ring(world)).toEqual(["otp"]);
  // What was just handed over is not due again; the other retry is.
  expect(await alarmOf(world)).toBe(startMs + 2_900);
  vi.setSystemTime(startMs + 2_100);
  expect(await claim(world, { lane: "otp" })).toHaveLength(1);
  expect(await alarmOf(world)).toBe(startMs + 2_900);
  vi.setSystemTime(startMs + 2_900);
  // A consumer that just took messages of the lane comes back for more; it is waited for, briefly.
  expect(await ring(world)).toEqual([]);
  expect(await alarmOf(world)).toBe(startMs + 4_100);
  vi.setSystemTime(startMs + 4_100);
  expect(await ring(world)).toEqual(["otp"]);
});

it("is not set again to the time for which it rings, where it rings early: the runtime would forget it", async () => {
  const world = await openWorld({ balance: 1_000 });
  await busyOtp(world, 0);
  const setTo = Date.now() + 2_000;
  expect(await alarmOf(world)).toBe(setTo);
  vi.setSystemTime(setTo - 1);
  expect(await ring(world)).toEqual([]);
  expect(await alarmOf(world)).toBe(setTo + 1);
  expect(await ringNext(world)).toEqual([setTo + 1 - T0, ["otp"]]);
});

it.each<[string, Outcome]>([
  ["a carrier that is busy", { ...BUSY, retryAfterMs: 2_345.678 }],
  ["a claim that is given back", { kind: "released", afterMs: 2_345.678 }],
])("rings, and lets messages be claimed, at whole milliseconds after %s", async (_, outcome) => {
  const world = await openWorld({ balance: 1_000 });
  vi.spyOn(Math, "random").mockReturnValue(0);
  const seq = await sendTaken(world, "req_whole");
  const setAlarm = await runInDurableObject(world.stub, (__, { storage }) => vi.spyOn(storage, "setAlarm"));
  await world.stub.report([{ kind: "outcome", seq, index: 0, attempt: 1, outcome }], false);
  const readyAt = await sqlOf(world, (sql) => sql.exec("SELECT ready_at FROM job").one()["ready_at"]);
  expect(readyAt).toBe(T0 + 2_346);
  expect(setAlarm.mock.calls.map(([at]) => at)).toEqual([T0 + 2_346]);
});

it("sends a token again only where nothing was claimed, with gaps that double", async () => {
  const world = await openWorld({ balance: 1_000 });
  await sendBulk(world, 300);
  const times: number[] = [];
  while ((times.at(-1) ?? 0) < 4_000_000) {
    const [atMs, lanes] = await ringNext(world);
    if (lanes.length > 0) times.push(atMs);
  }
  const sec = 1_000;
  const doubling = [30 * sec, 60 * sec, 120 * sec, 240 * sec, 480 * sec, 960 * sec];
  expect(times.slice(0, 6)).toEqual(doubling);
  for (const [at, time] of times.entries()) if (at > 6) expect(time - (times[at - 1] ?? 0)).toBe(480 * sec);
  // Once a consumer takes something and does not come back, a token follows after one sweep.
  await claim(world, { lane: "bulk" });
  const takenMs = Date.now() - T0;
  const next: [number, string[]][] = [];
  while ((next.at(-1)?.[0] ?? 0) < takenMs + 30_000) next.push(await ringNext(world));
  expect(next.at(-1)).toEqual([takenMs + 30_000, ["bulk"]]);
});

it("sends a token when a busy message is ready again, although a consumer was just there", async () => {
  const world = await openWorld({ balance: 1_000 });
  await sendBulk(world, 2);
  vi.spyOn(Math, "random").mockReturnValue(0);
  const [job] = await claim(world, { lane: "bulk" });
  const news = { kind: "outcome" as const, seq: job?.seq ?? 0, index: 0, attempt: 1, outcome: BUSY };
  const asked = { lane: "bulk" as const, max: 60, carrier: "http", leaseMs: 60_000 };
  const done = await world.stub.work({ news: [news], follow: false, resubmits: false, claim: asked });
  expect(done).toEqual({ jobs: [], againMs: 2_000 });
  expect(await ringNext(world)).toEqual([2_000, ["bulk"]]);
  // The same where the last outcomes come without another claim, and where a claim was given back.
  await claim(world, { lane: "bulk" });
  await world.stub.report([{ ...news, attempt: 2 }], false);
  expect(await ringNext(world)).toEqual([6_000, ["bulk"]]);
  await claim(world, { lane: "bulk" });
  await world.stub.report([{ ...news, attempt: 3, outcome: { kind: "released" } }], false);
  expect(await ringNext(world)).toEqual([7_000, ["bulk"]]);
});

it("rings a few times for many messages of a busy account", async () => {
  const world = await openWorld({ balance: 1_000 });
  await recordHistory(world, []);
  let alarms = 0;
  for (let sec = 0; sec < 900; sec += 3) {
    vi.setSystemTime(T0 + sec * 1_000);
    const atMs = await alarmOf(world);
    if (atMs !== null && atMs <= Date.now()) {
      await ring(world);
      alarms += 1;
    }
    await sendTaken(world, `req_${sec}`);
    if (sec % 60 === 0) await recordHistory(world, (await messagesOf(world)).map(({ seq }) => seq).slice(-20));
  }
  // One pass, and one alarm per sweep while history lacks something; not one per message.
  expect(alarms).toBeLessThanOrEqual(12);
});

it("refunds what is due at once, however many jobs wait for a slow carrier", async () => {
  const world = await openWorld({ balance: 1_000 });
  await sendSms(world);
  await claim(world);
  const unknown: Outcome = { kind: "unknown", code: "timeout" };
  await world.stub.report([{ kind: "outcome", seq: 2, index: 0, attempt: 1, outcome: unknown }], false);
  await sendSms(world);
  // Jobs that wait with a deadline which passed too early: each is looked at once, and none of them is in the way.
  await sqlOf(world, (sql) => {
    const columns = "request_id, operation, balance_after, charge, created_at, content, messages, rev, lane, ready_at";
    sql.exec(`WITH RECURSIVE n(seq) AS (SELECT 4 UNION ALL SELECT seq + 1 FROM n WHERE seq < 1103)
      INSERT INTO job (seq, ${columns}, expires_at, due_at)
      SELECT n.seq, ${columns}, expires_at + ${10 * DAY_MS}, 5 FROM n JOIN job WHERE job.seq = 3`);
  });
  const before = await balanceOf(world);
  vi.setSystemTime(T0 + DAY_MS + 1);
  await ring(world);
  // Message 2's window and message 3's validity have ended.
  expect(await balanceOf(world)).toBe(before + 20_000);
  const due = await sqlOf(world, (sql) =>
    sql.exec("SELECT count(*) AS n FROM job WHERE due_at <= ?", Date.now()).one(),
  );
  expect(due["n"]).toBe(0);
});

it("does its work in slices, between which the account answers", async () => {
  const world = await openWorld({ balance: 1_000 });
  await sendSms(world);
  await sqlOf(world, (sql) => {
    const columns = "request_id, operation, balance_after, charge, created_at, content, messages, rev, lane, ready_at";
    sql.exec(`WITH RECURSIVE n(seq) AS (SELECT 3 UNION ALL SELECT seq + 1 FROM n WHERE seq < 502)
      INSERT INTO job (seq, ${columns}, expires_at, due_at)
      SELECT n.seq, ${columns}, expires_at, 5 FROM n JOIN job WHERE job.seq = 2`);
  });
  const left = await runInDurableObject(world.stub, async (account, { storage }) => {
    const counts: number[] = [];
    const query = "SELECT count(*) AS n FROM job WHERE due_at <= ?";
    const count = () => counts.push(Number(storage.sql.exec(query, Date.now()).one()["n"]));
    const state = { isRinging: true };
    const ringing = account.alarm().finally(() => (state.isRinging = false));
    while (state.isRinging) {
      count();
      await scheduler.wait(0);
    }
    await ringing;
    count();
    return counts;
  });
  expect(left.length).toBeGreaterThan(5);
  for (const [at, count] of left.entries()) if (at > 0) expect((left[at - 1] ?? 0) - count).toBeLessThanOrEqual(80);
  expect(left.at(-1)).toBe(0);
});

it("reads a few rows while thousands of jobs wait their turn", async () => {
  const world = await openWorld({ balance: 1_000 });
  await sendBulk(world, 200);
  await sqlOf(world, (sql) => {
    const columns = "request_id, operation, balance_after, charge, created_at, content, messages, rev, lane, ready_at";
    sql.exec(`WITH RECURSIVE n(seq) AS (SELECT 4 UNION ALL SELECT seq + 1 FROM n WHERE seq < 5003)
      INSERT INTO job (seq, ${columns}, expires_at, due_at)
      SELECT n.seq, ${columns}, expires_at, expires_at FROM n JOIN job WHERE job.seq = 3`);
    sql.exec("UPDATE account SET settled_seq = 5003");
  });
  vi.setSystemTime(T0 + 31_000);
  let read = 0;
  await runInDurableObject(world.stub, async (account, { storage }) => {
    const exec = storage.sql.exec.bind(storage.sql);
    Object.assign(storage.sql, {
      exec(query: string, ...bindings: unknown[]) {
        const cursor = exec(query, ...bindings);
        const found = cursor.toArray();
        read += cursor.rowsRead;
        return { toArray: () => found, one: () => found[0] };
      },
    });
    await account.alarm();
    Object.assign(storage.sql, { exec });
  });
  expect(read).toBeLessThan(100);
});
