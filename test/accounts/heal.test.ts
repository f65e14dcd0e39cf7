import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { healAlarms } from "../../src/accounts/heal.ts";
import { openAlerts } from "../../src/db/health/alerts.ts";
import { watchAccounts } from "../../src/db/watch.ts";
import { undoStepsFrom } from "../world/older-storage.ts";
import { alarmMs, HOUR_MS, later, PASS_MS, stopClock } from "../world/pass.ts";
import { balanceOf, claim, messagesOf, openWorld, recordHistory, runAlarm, sendSms } from "../world/world.ts";
import type { World } from "../world/world.ts";

// Alarms that were lost come back without a request of their customer.

const DAY_MS = 24 * HOUR_MS;

beforeEach(async () => {
  stopClock();
  vi.spyOn(console, "log").mockReturnValue();
  await env.DB.exec("DELETE FROM account; DELETE FROM cursor; DELETE FROM alert");
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Deletes the alarm behind the account's back, and ends its object. */
async function loseAlarm(world: World): Promise<void> {
  await runInDurableObject(world.stub, (_, { storage }) => storage.deleteAlarm());
  await evictDurableObject(world.stub);
}

/** The environment, and the names of the accounts that are called in it. */
function watchCalls(): { at: Env; called: string[] } {
  const called: string[] = [];
  const getByName = (name: string) => {
    called.push(name);
    return env.ACCOUNT.getByName(name);
  };
  return { at: { ...env, ACCOUNT: { getByName } as unknown as Env["ACCOUNT"] }, called };
}

const watchedUntil = async ({ ref }: World) =>
  (await env.DB.prepare("SELECT watch_until FROM account WHERE account_id = ?")
    .bind(ref.accountId)
    .first("watch_until")) ?? 0;

it("sets the alarm of an account with queued messages and a due refund, which then sends and refunds", async () => {
  const world = await openWorld();
  const full = await balanceOf(world);
  await sendSms(world);
  // An attempt of which nothing was heard again.
  await claim(world, { max: 1, leaseMs: 10_000 });
  await sendSms(world);
  await recordHistory(world, []);
  await loseAlarm(world);
  later(2 * DAY_MS);

  await healAlarms(env, Date.now());
  const [alert] = await openAlerts(env.DB, 10);
  expect(alert).toMatchObject({ kind: "alarm_healed", values: { accounts: 1 } });
  const setTo = await alarmMs(world);
  expect(setTo).not.toBeNull();
  vi.setSystemTime(setTo ?? 0);
  await runAlarm(world);
  // The end of the attempt's window and of the other's validity both passed.
  expect((await messagesOf(world)).map(({ state, refunded }) => [state, refunded])).toEqual([
    ["unknown", true],
    ["failed", true],
  ]);
  expect(await balanceOf(world)).toBe(full);
});

it("finds an alarm that is lost while the object runs", async () => {
  const world = await openWorld();
  await sendSms(world);
  await runInDurableObject(world.stub, (_, { storage }) => storage.deleteAlarm());
  expect(await world.stub.heal()).toBe(true);
  expect(await alarmMs(world)).not.toBeNull();
  expect(await world.stub.heal()).toBe(false);
});

it("costs one call and no row for a healthy account, and raises no alert", async () => {
  const world = await openWorld();
  await sendSms(world);
  await recordHistory(world, []);
  const before = await alarmMs(world);
  const wrote: string[] = [];
  await runInDurableObject(world.stub, (_, { storage }) => {
    const exec = storage.sql.exec.bind(storage.sql);
    Object.assign(storage.sql, {
      exec: (query: string, ...bindings: unknown[]) => {
        if (!/^\s*SELECT/u.test(query)) wrote.push(query);
        return exec(query, ...bindings);
      },
    });
    vi.spyOn(storage, "setAlarm").mockImplementation(async () => void wrote.push("the alarm"));
  });
  const { at, called } = watchCalls();
  await healAlarms(at, Date.now());
  // Once as a watched account, and once in the walk over all.
  expect(called).toEqual([world.name, world.name]);
  expect(wrote).toEqual([]);
  // Nor where the call starts its object.
  await evictDurableObject(world.stub);
  expect(await world.stub.heal()).toBe(false);
  expect(await alarmMs(world)).toBe(before);
  expect(await openAlerts(env.DB, 10)).toEqual([]);
});

/** The last step that lets history record everything again. */
const RECORDS_AGAIN = 6;

it("does not take an alarm for lost that rang, or one of an account whose storage was migrated only now", async () => {
  const world = await openWorld();
  await sendSms(world);
  await recordHistory(world, []);
  await runAlarm(world);
  expect(await world.stub.heal()).toBe(false);
  // At rest, and then a release comes whose migration lets history record everything again.
  later(3 * DAY_MS);
  for (let rings = 0; rings < 20 && (await runAlarm(world)); rings += 1) {
    later(PASS_MS);
    await recordHistory(world, [2]);
  }
  await runInDurableObject(world.stub, async (_, { storage }) => {
    await storage.deleteAlarm();
    undoStepsFrom(storage.sql, RECORDS_AGAIN);
  });
  await evictDurableObject(world.stub);
  expect(await world.stub.heal()).toBe(false);
  expect(await alarmMs(world)).not.toBeNull();
});

it("visits watched accounts every hour and the others once a day, and stops where one run ends", async () => {
  const worlds = await Promise.all(Array.from({ length: 3 }, () => openWorld()));
  for (const world of worlds) await recordHistory(world, []);
  const [busy] = worlds;
  await env.DB.prepare("UPDATE account SET watch_until = 0 WHERE account_id <> ?").bind(busy?.ref.accountId).run();
  const { at, called } = watchCalls();
  const run = async () => {
    called.length = 0;
    await healAlarms(at, Date.now());
    return called.length;
  };
  expect(await run()).toBe(1 + 3);
  expect(await run()).toBe(0);
  later(HOUR_MS);
  expect(await run()).toBe(1);
  later(23 * HOUR_MS);
  expect(await run()).toBe(1 + 3);
});

it("goes on after the last account of the run before, and past one that fails", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  await env.DB.batch(
    Array.from({ length: 450 }, (_, at) =>
      env.DB.prepare(
        "INSERT INTO account (account_id, mode, rev, name, status, plan, created_at) VALUES (?, 'live', 1, 'a', 'active', 'starter', 1)",
      ).bind(`acc_${String(at).padStart(4, "0")}`),
    ),
  );
  const called: string[] = [];
  const heal = async (name: string) => {
    called.push(name);
    if (name.includes("0003")) throw new Error("this object is away");
    return null;
  };
  const at = {
    ...env,
    ACCOUNT: { getByName: (name: string) => ({ heal: () => heal(name) }) } as unknown as Env["ACCOUNT"],
  };
  for (const visited of [200, 400, 450, 450]) {
    await healAlarms(at, Date.now());
    expect(called).toHaveLength(visited);
  }
  expect(new Set(called).size).toBe(450);
});

it("notes what history hears of: each account that is busy costs a row a day", async () => {
  const world = await openWorld();
  await recordHistory(world, []);
  const first = await watchedUntil(world);
  expect(Number(first)).toBeGreaterThan(Date.now() + 4 * DAY_MS);
  later(HOUR_MS);
  await recordHistory(world, []);
  expect(await watchedUntil(world)).toBe(first);
  later(DAY_MS);
  await recordHistory(world, []);
  expect(await watchedUntil(world)).toBeGreaterThan(Number(first));
  await watchAccounts(env.DB, [], 1);
});
