import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { balanceOf, messagesOf, openWorld, runAlarm, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// One broken row does not stop the alarm.

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 }));
afterEach(() => vi.useRealTimers());

const exec = (world: World, query: string) =>
  runInDurableObject(world.stub, (_, { storage }) => void storage.sql.exec(query));

const alarmOf = (world: World) => runInDurableObject(world.stub, (_, { storage }) => storage.getAlarm());

it("refunds the other messages when one job cannot be read and the refund of another cannot be written", async () => {
  const world = await openWorld();
  for (let sent = 0; sent < 4; sent++) await sendSms(world);
  const before = await balanceOf(world);
  await exec(world, "UPDATE job SET messages = '!' || messages WHERE seq = 3");
  // A refund whose reference is already taken: the job must stay unchanged, and the others must go on.
  await exec(
    world,
    `INSERT INTO ledger_entry (seq, type, amount, balance_after, reference, created_at)
      SELECT 100, 'adjustment', 0, min(balance_after), 'refund:4.0', 1 FROM job`,
  );
  vi.setSystemTime(Date.now() + 86_400_000);
  expect(await runAlarm(world)).toBe(true);
  expect(await alarmOf(world)).not.toBeNull();
  await exec(world, "UPDATE job SET messages = substr(messages, 2) WHERE seq = 3");
  const states = (await messagesOf(world)).map((message) => message.state);
  expect(states).toEqual(["failed", "queued", "queued", "failed"]);
  expect(await balanceOf(world)).toBe(before + 2 * 10_000);
});

it("runs again when the configuration is broken, and does its work once that is fixed", async () => {
  const world = await openWorld();
  await sendSms(world);
  vi.setSystemTime(Date.now() + 86_400_000);
  await runInDurableObject(world.stub, async (instance, { storage }) => {
    const account = instance as unknown as { env: Env; alarm: () => Promise<void> };
    const own = account.env;
    account.env = { ...own, ENVIRONMENT: "nowhere" };
    await storage.deleteAlarm();
    await account.alarm();
    account.env = own;
  });
  expect(await alarmOf(world)).not.toBeNull();
  expect(await runAlarm(world)).toBe(true);
  expect((await messagesOf(world))[0]?.state).toBe("failed");
});
