import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { countRows, warmWorld } from "../../../world/cost.ts";
import { stopClock } from "../../../world/pass.ts";
import { deliverStates, listenForStates, report, sendTwilio } from "../../../world/twilio.ts";
import { claim, sendSms } from "../../../world/world.ts";
import type { Reply, World } from "../../../world/world.ts";

// What Twilio's form costs in rows: nothing more than operation 1, unless a message has an address of its own.

// A day ahead, so that no alarm rings by itself, however slow the machine.
beforeEach(stopClock);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function costOf(send: (world: World) => Promise<Reply>): Promise<{ rows: number; alarms: number }> {
  const world = await warmWorld();
  listenForStates();
  const { rows, alarms } = await countedWhile(world, async () => {
    await send(world);
    const [job] = await claim(world);
    await report(world, job?.seq ?? 0, "delivered");
    await deliverStates(world);
  });
  return { rows, alarms };
}

async function countedWhile(world: World, work: () => Promise<void>) {
  const counted = await countRows(world);
  await work();
  return counted;
}

it("costs as much as any SMS", async () => {
  expect(await costOf((world) => sendTwilio(world))).toEqual(await costOf((world) => sendSms(world)));
});

it("costs two rows with their indexes, and an alarm, for a message that has an address", async () => {
  const without = await costOf((world) => sendTwilio(world));
  const called = await costOf((world) => sendTwilio(world, { StatusCallback: "https://example.com/" }));
  expect(called.rows - without.rows).toBeLessThanOrEqual(4);
  expect(called.alarms - without.alarms).toBeLessThanOrEqual(1);
});
