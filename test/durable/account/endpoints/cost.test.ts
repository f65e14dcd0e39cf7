import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { countRows, sendTaken, warmWorld } from "../../../world/cost.ts";
import { HOUR_MS } from "../../../world/pass.ts";
import { deliverAll as deliverWebhooks, makeWebhook, receive } from "../../../world/webhooks.ts";

// What a webhook costs in rows, beside those that a message writes anyway.

// A day ahead, so that no alarm rings by itself; no page of events is written because a slow machine took a second more.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.now() + 24 * HOUR_MS });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("writes 2 rows more, and sets no alarm more, for an SMS that a webhook tells of: a page of events and the endpoint", async () => {
  const world = await warmWorld();
  await makeWebhook(world);
  const { got } = receive();
  const counted = await countRows(world);
  const { seq } = await sendTaken(world);
  await world.stub.report([{ kind: "receipt", seq, index: 0, state: "delivered" }], false);
  await deliverWebhooks(world);
  expect(got).toHaveLength(1);
  expect(counted).toMatchObject({ rows: 4, alarms: 1 });
});

it("writes less than 0.1 rows more for each SMS of a busy account with a webhook", async () => {
  const world = await warmWorld({ balance: 1_000, plan: "premium" });
  await makeWebhook(world);
  const { got } = receive();
  const counted = await countRows(world);
  const COUNT = 200;
  for (let sent = 0; sent < COUNT; sent += 1) {
    const { seq } = await sendTaken(world);
    await world.stub.report([{ kind: "receipt", seq, index: 0, state: "delivered" }], false);
    // The rate window has room again.
    if (sent % 50 === 49) vi.setSystemTime(Date.now() + 61_000);
    // What happens within a second shares a page and a run.
    if (sent % 50 === 49) await deliverWebhooks(world);
  }
  expect(got).toHaveLength(COUNT);
  expect(counted.rows - 2 * COUNT).toBeLessThan(0.1 * COUNT);
});

it("writes nothing more while an account has no webhook", async () => {
  const world = await warmWorld();
  const counted = await countRows(world);
  const { seq } = await sendTaken(world);
  await world.stub.report([{ kind: "receipt", seq, index: 0, state: "delivered" }], false, false, true);
  await deliverWebhooks(world);
  expect(counted).toMatchObject({ rows: 2, alarms: 1 });
});
