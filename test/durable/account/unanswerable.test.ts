import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Account } from "../../../src/durable/account.ts";
import { HOUR_MS, stopClock } from "../../world/pass.ts";
import { balanceOf, claim, messagesOf, openWorld, recordHistory, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// A message of unknown outcome at a carrier that cannot be asked: it waits for a receipt or the end of its window, and
// until then it costs nothing.

beforeEach(stopClock);
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Rings the alarm whenever it is due, for a time; returns the versions of a job's row and the lookups that were queued. */
async function watch(world: World, forMs: number): Promise<{ rows: Set<string>; lookups: number }> {
  const endMs = Date.now() + forMs;
  const rows = new Set<string>();
  let lookups = 0;
  const queue = { sendBatch: async (bodies: { body: { kind: string } }[]) => void (lookups += bodies.length) };
  await runInDurableObject(world.stub, async (instance, { storage }) => {
    const account = instance as unknown as { env: Env } & Account;
    const own = account.env;
    const BULK_LANE = queue as unknown as Queue;
    const HISTORY = { sendBatch: async () => undefined } as unknown as Queue;
    account.env = { ...own, BULK_LANE, HISTORY };
    for (let dueMs = await storage.getAlarm(); dueMs !== null && dueMs < endMs; dueMs = await storage.getAlarm()) {
      vi.setSystemTime(dueMs);
      await storage.deleteAlarm();
      await account.alarm();
      rows.add(JSON.stringify(storage.sql.exec("SELECT lives, due_at FROM job WHERE seq = 2").one()));
    }
    account.env = own;
  });
  vi.setSystemTime(endMs);
  return { rows, lookups };
}

const takenBy = async (carrier: string): Promise<World> => {
  const world = await openWorld();
  await sendSms(world);
  await claim(world, { carrier });
  return world;
};

it("is written once, and never looked up, until its window ends", async () => {
  const world = await takenBy("http");
  const claimedMs = Date.now();
  const before = await balanceOf(world);
  const { rows, lookups } = await watch(world, 23 * HOUR_MS);
  expect((await messagesOf(world))[0]).toMatchObject({ state: "unknown", refunded: false });
  await recordHistory(world, [2]);
  // As it was claimed, and as it is since its lease ended.
  expect([rows.size, lookups]).toEqual([2, 0]);
  expect(JSON.parse([...rows][1] ?? "")).toMatchObject({ due_at: claimedMs + 24 * HOUR_MS });
  await watch(world, 2 * HOUR_MS);
  expect((await messagesOf(world))[0]).toMatchObject({ state: "unknown", refunded: true });
  expect(await balanceOf(world)).toBe(before + 10_000);
});

it("is written once more where an older version has stored when to look it up", async () => {
  const world = await takenBy("http");
  await watch(world, HOUR_MS);
  await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
    const { lives } = sql.exec("SELECT lives FROM job WHERE seq = 2").one();
    const [life, ...more] = JSON.parse(lives as string) as [[number, number, string, object?]];
    life[3] = { ...life[3], pollMs: Date.now() };
    sql.exec("UPDATE job SET lives = ?, due_at = ? WHERE seq = 2", JSON.stringify([life, ...more]), Date.now());
  });
  const { rows, lookups } = await watch(world, 20 * HOUR_MS);
  expect([rows.size, lookups]).toEqual([1, 0]);
});

it("is looked up, with growing gaps, at a carrier that can be asked", async () => {
  const world = await takenBy("sim");
  const { rows, lookups } = await watch(world, 23 * HOUR_MS);
  expect(lookups).toBeGreaterThan(5);
  expect(rows.size).toBeGreaterThan(5);
});
