import {
  createExecutionContext,
  createMessageBatch,
  evictDurableObject,
  getQueueResult,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { recordHistory as record, recordedJobs } from "../../../src/db/history.ts";
import type { Account } from "../../../src/durable/account.ts";
import { consumeHistory } from "../../../src/queues/history.ts";
import {
  bearer,
  dispatch,
  follow,
  messagesOf,
  openWorld,
  operator,
  post,
  recordHistory,
  runAlarm,
  sendSms,
  claim,
} from "../../world/world.ts";
import type { World } from "../../world/world.ts";

afterEach(() => vi.useRealTimers());

async function rowsOf(world: World) {
  const query =
    "SELECT seq, place, rev, state, refunded, recipient FROM message WHERE account_id = ? ORDER BY seq, place";
  return (await env.DB.prepare(query).bind(world.ref.accountId).all()).results;
}

const broken = (): Env => ({
  ...env,
  DB: {
    prepare: () => {
      throw new Error("D1 is away");
    },
  } as unknown as D1Database,
});

/** Runs the account's alarm with another environment, as if a binding had failed. */
async function alarmWith(world: World, at: Env): Promise<void> {
  await runInDurableObject(world.stub, async (instance) => {
    const account = instance as unknown as { env: Env } & Account;
    const own = account.env;
    account.env = at;
    try {
      await account.alarm();
    } finally {
      account.env = own;
    }
  });
}

it("keeps the newest state, in any order and number of recordings of a change", async () => {
  const world = await openWorld();
  await sendSms(world);
  const early = { ...world.ref, messages: await messagesOf(world), profile: null };
  await dispatch(world, [2]);
  await follow(world, [2]);
  const late = { ...world.ref, messages: await messagesOf(world), profile: null };
  for (const changes of [late, early, late, early]) await record(env.DB, [changes]);
  expect(await rowsOf(world)).toMatchObject([{ seq: 2, place: 0, state: "delivered", recipient: "+919876543210" }]);
  const timeline = await env.DB.prepare("SELECT timeline FROM message WHERE account_id = ?")
    .bind(world.ref.accountId)
    .first<string>("timeline");
  const states = (JSON.parse(timeline ?? "[]") as { state: string }[]).map((step) => step.state);
  expect(states).toEqual(["queued", "sending", "submitted", "delivered"]);
});

it("leaves a batch in the queue for a retry while D1 is unavailable, and sends go on", async () => {
  const world = await openWorld();
  expect((await sendSms(world)).status).toBe(200);
  const result = await recordHistory(world, [2], broken());
  expect(result.retryMessages).toHaveLength(1);
  expect((await sendSms(world)).status).toBe(200);
  await dispatch(world, [2, 3]);
  await follow(world, [2, 3]);
  expect((await messagesOf(world)).map((message) => message.state)).toEqual(["delivered", "delivered"]);
});

it("compares with D1 every ten seconds at most under a shorter sweep, and sets the alarm for the next time", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  vi.useFakeTimers({ toFake: ["Date"] });
  const world = await openWorld();
  await sendSms(world);
  await dispatch(world, [2]);
  await follow(world, [2], { DB: broken().DB });
  const asked = vi.fn<Env["HISTORY"]["send"]>();
  const at = { ...env, SWEEP_MS: "1000", HISTORY: { ...env.HISTORY, send: asked } };
  const comparedAt = Date.now();
  await alarmWith(world, at);
  expect(asked).toHaveBeenCalledTimes(1);
  vi.setSystemTime(comparedAt + 9_999);
  await alarmWith(world, at);
  expect(asked).toHaveBeenCalledTimes(1);
  expect(await runInDurableObject(world.stub, (_, state) => state.storage.getAlarm())).toBe(comparedAt + 10_000);
  vi.setSystemTime(comparedAt + 10_000);
  await alarmWith(world, at);
  expect(asked).toHaveBeenCalledTimes(2);
});

it("completes history from the alarm when the reporting invocation could not record it, and then rests", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const world = await openWorld();
  await sendSms(world);
  await dispatch(world, [2]);
  await follow(world, [2], { DB: broken().DB });
  await evictDurableObject(world.stub);
  const asked = vi.fn<Env["HISTORY"]["send"]>();
  await alarmWith(world, { ...env, HISTORY: { ...env.HISTORY, send: asked } });
  expect(asked).toHaveBeenCalledWith({ account: world.name, seqs: [2], profile: true });
  await recordHistory(world, [2]);
  expect(await rowsOf(world)).toHaveLength(1);
  // Now nothing is missing from history, so this alarm is the last.
  expect(await runAlarm(world)).toBe(true);
  expect(await runAlarm(world)).toBe(false);
});

it("sets the alarm for the next attempt even while D1 is unavailable", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
  const world = await openWorld();
  await sendSms(world);
  await claim(world, { leaseMs: 30_000 });
  const outcome = { kind: "not_accepted" as const, code: "busy", retryAfterMs: 5_000 };
  await world.stub.report([{ kind: "outcome", seq: 2, index: 0, attempt: 1, outcome }], false);
  const dueAt = Date.now() + 5_000;
  await alarmWith(world, broken());
  expect(await runInDurableObject(world.stub, (_, state) => state.storage.getAlarm())).toBe(dueAt);
});

it("handles leases, retries and windows while D1 is unavailable, and sets the next alarm", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
  const world = await openWorld();
  await sendSms(world);
  await claim(world, { leaseMs: 30_000 });
  vi.setSystemTime(Date.now() + 600_000);
  await alarmWith(world, broken());
  expect((await messagesOf(world))[0]?.state).toBe("unknown");
  expect(await runInDurableObject(world.stub, (_, state) => state.storage.getAlarm())).not.toBeNull();
});

it("moves the settled mark past final and recorded messages, and keeps track of late ones", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
  const world = await openWorld({ mode: "test" });
  // The first message never gets a receipt; the forty others are delivered.
  await sendSms(world, { body: { phone: "7000000003" } });
  for (let sent = 0; sent < 40; sent++) await sendSms(world);
  const seqs = (await messagesOf(world)).map((message) => message.seq);
  await dispatch(world, seqs);
  await follow(world, seqs);
  await recordHistory(world, seqs);
  vi.setSystemTime(Date.now() + 11 * 60_000);
  await runAlarm(world);
  const settled = () =>
    runInDurableObject(world.stub, (_, state) => state.storage.sql.exec("SELECT settled_seq FROM account").one());
  expect(await settled()).toEqual({ settled_seq: 42 });
  // A receipt for the late message still arrives, and its final state is still recorded.
  await world.stub.report([{ kind: "receipt", seq: 2, index: 0, state: "delivered" }], false);
  await recordHistory(world, [2]);
  await runAlarm(world);
  expect((await rowsOf(world))[0]).toMatchObject({ seq: 2, state: "delivered" });
  const late = await runInDurableObject(world.stub, (_, state) =>
    state.storage.sql.exec("SELECT count(*) AS late FROM job WHERE late IS NOT NULL").one(),
  );
  expect(late).toEqual({ late: 0 });
});

it("records a bulk of 10,000 completely, and the account's name, plan and status", async () => {
  const world = await openWorld({ balance: 10_000 });
  const recipients = Array.from({ length: 10_000 }, (_, at) => `98765${String(at).padStart(5, "0")}`);
  expect(
    (await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey))).status,
  ).toBe(200);
  const seqs = [...new Set((await messagesOf(world)).map((message) => message.seq))];
  await recordHistory(world, seqs);
  const recorded = await recordedJobs(env.DB, world.ref, 0, []);
  expect([...recorded.values()].reduce((sum, job) => sum + job.messages, 0)).toBe(10_000);
  await operator("PATCH", `/operator/accounts/${world.ref.accountId}`, { status: "suspended" });
  await recordHistory(world, []);
  const row = await env.DB.prepare("SELECT name, plan, status FROM account WHERE account_id = ?")
    .bind(world.ref.accountId)
    .first();
  expect(row).toEqual({ name: "Test", plan: "premium", status: "suspended" });
});

it("records every change of jobs that were settled long ago", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
  const world = await openWorld();
  for (let sent = 0; sent < 40; sent++) await sendSms(world);
  const seqs = (await messagesOf(world)).map((message) => message.seq);
  await claim(world, { leaseMs: 30_000 });
  const receipt = (seq: number, state: "delivered" | "undelivered") =>
    world.stub.report([{ kind: "receipt", seq, index: 0, state }], false);
  for (const seq of seqs) await receipt(seq, "undelivered");
  await recordHistory(world, seqs);
  await runAlarm(world);
  vi.setSystemTime(Date.now() + 60_000);
  await receipt(3, "delivered");
  await receipt(4, "delivered");
  const asked = vi.fn<Env["HISTORY"]["send"]>();
  await alarmWith(world, { ...env, HISTORY: { ...env.HISTORY, send: asked } });
  expect(asked.mock.calls.flatMap(([job]) => (job as { seqs: number[] }).seqs)).toEqual([3, 4]);
  await recordHistory(world, [3, 4]);
  await runAlarm(world);
  const states = (await rowsOf(world)).map((row) => row["state"]);
  expect(states.slice(0, 4)).toEqual(["undelivered", "delivered", "delivered", "undelivered"]);
  const late = await runInDurableObject(world.stub, (_, state) =>
    state.storage.sql.exec("SELECT count(*) AS late FROM job WHERE late IS NOT NULL").one(),
  );
  expect(late).toEqual({ late: 0 });
});

it("retries only the messages of an account that does not answer", async () => {
  const [well, ill] = [await openWorld(), await openWorld()];
  await sendSms(well);
  const bodies = [well, ill].map((world) => ({ account: world.name, seqs: [2], profile: false }));
  const batch = createMessageBatch(
    "dastak-history",
    bodies.map((body, at) => ({ id: `m${at}`, timestamp: new Date(), attempts: 1, body })),
  );
  const accounts = {
    getByName: (name: string) => {
      if (name === ill.name) throw new Error("this object is away");
      return env.ACCOUNT.getByName(name);
    },
  };
  await consumeHistory(batch, { ...env, ACCOUNT: accounts as unknown as Env["ACCOUNT"] });
  const result = await getQueueResult(batch, createExecutionContext());
  expect(result.explicitAcks).toEqual(["m0"]);
  expect((result.retryMessages as { msgId: string }[]).map(({ msgId }) => msgId)).toEqual(["m1"]);
  expect(await rowsOf(well)).toHaveLength(1);
});
