import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AccountAlarm } from "../../../src/durable/account/alarm.ts";
import { beginTurn } from "../../../src/durable/account/turn.ts";
import { bearer, claim, messagesOf, openWorld, post, recordHistory, runAlarm, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// The alarm is kept whatever is lost or broken, and a quiet account has none.

const DAY_MS = 86_400_000;
/** Ahead of the real clock, so that no alarm rings by itself. */
const T0 = Date.now() + 1_000 * DAY_MS;

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

it("deletes a sealed reply when its key expires, and later the text; then a quiet account has no alarm", async () => {
  const world = await openWorld();
  await post(
    "http://otp.localhost/send-otp",
    { phone: "9876543210", otp: "048213" },
    { ...bearer(world.apiKey), "idempotency-key": "k1" },
  );
  await claim(world, { lane: "otp" });
  await world.stub.report([{ kind: "receipt", seq: 2, index: 0, state: "delivered" }], false);
  await recordHistory(world, [2]);
  const times: number[] = [];
  let keysBefore = 1;
  const keys = () => sqlOf(world, (sql) => Number(sql.exec("SELECT count(*) AS n FROM idempotency").one()["n"]));
  for (let next = await alarmOf(world); next !== null && times.length < 200; next = await alarmOf(world)) {
    vi.setSystemTime(next);
    await runAlarm(world);
    times.push(next - T0);
    // Only while the key counts.
    if (next < T0 + 7 * DAY_MS) expect(await keys()).toBe(1);
    // And not as late as the text, whose alarm comes weeks later.
    if (next >= T0 + 8 * DAY_MS) expect(keysBefore).toBe(0);
    keysBefore = await keys();
  }
  expect(await keys()).toBe(0);
  expect(await sqlOf(world, (sql) => sql.exec("SELECT since FROM text_key").toArray())).toEqual([]);
  expect(times.filter((time) => time > DAY_MS && time < 7 * DAY_MS).length).toBeLessThanOrEqual(6);
  expect(times.at(-2)).toBeLessThan(8 * DAY_MS);
  expect(times.at(-1)).toBeLessThan(31 * DAY_MS);
});

it("sets a lost alarm again, when the object starts and when something changes", async () => {
  const world = await openWorld();
  await sendSms(world);
  const lose = () => runInDurableObject(world.stub, (_, { storage }) => storage.deleteAlarm());
  await lose();
  await evictDurableObject(world.stub);
  await world.stub.ping();
  expect(await alarmOf(world)).toBe(T0 + 30_000);
  // In memory it is set, but it never rings: a minute later it is taken for lost.
  await lose();
  vi.setSystemTime(T0 + 91_000);
  await sendSms(world);
  expect(await alarmOf(world)).toBeGreaterThan(T0 + 91_000);
  // A message that was claimed has no index entry yet, and is found all the same.
  await claim(world);
  await lose();
  await evictDurableObject(world.stub);
  await world.stub.ping();
  expect(await alarmOf(world)).not.toBeNull();
});

it("rings soon in place of a lost one, and does what that was set for, whatever a change would set it for", async () => {
  const world = await openWorld();
  const sendTaken = async (operation: "otp" | "sms", requestId: string) => {
    const caller = { keyId: world.keyId, requestId, price: { kind: "fixed" as const, units: 10_000 } };
    const order = { operation, recipients: ["+919876543210"], content: {}, text: null, validityMs: DAY_MS };
    const sent = await world.stub.send({ ...caller, ...order, take: { carrier: "http", leaseMs: 30_000 } });
    return sent?.ok ? sent.seq : -1;
  };
  const seq = await sendTaken("otp", "req_lost");
  await world.stub.report([{ kind: "receipt", seq, index: 0, state: "submitted" }], false);
  const setTo = (await alarmOf(world)) ?? 0;
  expect(setTo).toBeGreaterThan(T0);
  // The object stays in memory, where the alarm is set as before; what is stored never rings.
  await runInDurableObject(world.stub, (_, { storage }) => storage.deleteAlarm());
  const laterMs = T0 + 4 * DAY_MS;
  vi.setSystemTime(laterMs);
  // Alone it would set the alarm for the housekeeping pass, ten minutes ahead.
  await sendTaken("sms", "req_later");
  expect(await alarmOf(world)).toBe(laterMs + 1_000);
  expect((await messagesOf(world)).find(({ operation }) => operation === "otp")?.state).toBe("submitted");
  vi.setSystemTime(laterMs + 1_000);
  await runAlarm(world);
  expect((await messagesOf(world)).find(({ operation }) => operation === "otp")?.state).toBe("unconfirmed");
});

function brokenSetting(): never {
  throw new Error("SWEEP_MS is no number");
}

it("is set for an open message when the object starts, although a clock that was set back left it hours ahead", async () => {
  const world = await openWorld();
  const take = { carrier: "http", leaseMs: 30_000 };
  const caller = { keyId: world.keyId, requestId: "req_taken", price: { kind: "fixed" as const, units: 10_000 } };
  const order = { operation: "sms" as const, recipients: ["+919876543210"], content: {}, text: null };
  await world.stub.send({ ...caller, ...order, validityMs: DAY_MS, take });
  await runInDurableObject(world.stub, (_, { storage }) => storage.setAlarm(T0 + DAY_MS / 12));
  await evictDurableObject(world.stub);
  await world.stub.ping();
  expect(await alarmOf(world)).toBe(T0 + 30_000);
});

it("is set while the configuration is broken, from the start of the object on", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const world = await openWorld();
  await sendSms(world);
  const setTo = await runInDurableObject(world.stub, async (_, ctx) => {
    await ctx.storage.deleteAlarm();
    const commit = <T>(work: (turn: ReturnType<typeof beginTurn>) => T) =>
      work(beginTurn(ctx.storage.sql, { times: null }, { ...env, SWEEP_MS: "no" }));
    const alarm = new AccountAlarm({
      ctx,
      env: () => env,
      sweepMs: brokenSetting,
      keeps: brokenSetting,
      commit,
      posts: () => [],
    });
    await alarm.wake();
    const woken = await ctx.storage.getAlarm();
    await ctx.storage.deleteAlarm();
    await alarm.ring();
    return [woken, await ctx.storage.getAlarm()];
  });
  // The second one is not set to the very time for which it rang.
  expect(setTo).toEqual([T0 + 30_000, T0 + 30_001]);
  expect((await messagesOf(world))[0]?.state).toBe("queued");
});
