import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Account } from "../../../src/durable/account.ts";
import { HOUR_MS, alarmMs, later, stopClock } from "../../world/pass.ts";
import { openWorld, runAlarm, sendSms } from "../../world/world.ts";

beforeEach(stopClock);
afterEach(() => vi.useRealTimers());

it("keeps an Idempotency-Key for IDEMPOTENCY_DAYS, and deletes it also where the account is at rest", async () => {
  const world = await openWorld();
  await runInDurableObject(world.stub, (instance) => {
    (instance as unknown as { env: Env } & Account).env = { ...env, IDEMPOTENCY_DAYS: "2" } as Env;
  });
  const keys = () =>
    runInDurableObject(world.stub, (_, { storage }) => storage.sql.exec("SELECT * FROM idempotency").toArray().length);
  const once = { headers: { "idempotency-key": "once" } };
  await sendSms(world, once);
  const fromMs = Date.now();
  later(48 * HOUR_MS - 1);
  expect((await sendSms(world, once)).headers.get("idempotent-replayed")).toBe("true");
  later(1);
  expect((await sendSms(world, once)).headers.get("idempotent-replayed")).toBeNull();
  // Nothing comes any more: the alarm alone deletes the second one.
  for (
    let dueMs = await alarmMs(world);
    dueMs !== null && dueMs < fromMs + 240 * HOUR_MS;
    dueMs = await alarmMs(world)
  ) {
    if (dueMs < fromMs + 96 * HOUR_MS) expect(await keys()).toBe(1);
    vi.setSystemTime(Math.max(dueMs, Date.now()));
    await runAlarm(world);
    if ((await keys()) === 0) break;
  }
  expect(await keys()).toBe(0);
  expect(Date.now()).toBeLessThanOrEqual(fromMs + 120 * HOUR_MS);
}, 120_000);
