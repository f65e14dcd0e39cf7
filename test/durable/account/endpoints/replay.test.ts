import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventsOf } from "../../../world/events.ts";
import {
  deliverAll,
  happen,
  happenTimes,
  hooks,
  makeWebhook,
  receive,
  verify,
  webhookOf,
} from "../../../world/webhooks.ts";
import { openWorld } from "../../../world/world.ts";

// Events that are sent again, and an endpoint whose secret cannot be made any more.

beforeEach(() => {
  // A day ahead of the real clock, so that no alarm fires by itself; and no flush but one that a test has run.
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.now() + 86_400_000 });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a replay", () => {
  it("posts a range again, with the ids that it had", async () => {
    const world = await openWorld();
    const { id } = await makeWebhook(world);
    const { got } = receive();
    await happenTimes(world, 4);
    await deliverAll(world);
    expect((await hooks(world, "POST", `/${id}/replay`, { from: 2, to: 3 })).body).toEqual({
      success: true,
      replayed: 2,
    });
    await happen(world);
    await deliverAll(world);
    const seqs = got.map((one) => one.seqs[0]);
    expect(seqs).toEqual([1, 2, 3, 4, 2, 3, 5]);
    expect(got[4]?.id).toBe(got[1]?.id);
    await deliverAll(world);
    expect(got).toHaveLength(7);
  });
});

it("disables a webhook whose KEY_SECRET is no longer listed, says so, and goes on once it is rotated", async () => {
  const world = await openWorld();
  const { id } = await makeWebhook(world);
  const { got } = receive();
  await happen(world);
  await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
    sql.exec("UPDATE endpoint SET about = json_set(about, '$.secretId', 7)");
  });
  await deliverAll(world);
  expect(got).toHaveLength(0);
  expect(await webhookOf(world, id)).toMatchObject({ state: "disabled", last_error: "disabled_secret_removed" });
  expect((await eventsOf(world)).at(-1)).toMatchObject({
    type: "webhook.disabled",
    data: { webhook_id: id, reason: "secret_removed" },
  });
  const { secret } = (await hooks(world, "POST", `/${id}/rotate`, {})).body;
  await hooks(world, "PATCH", `/${id}`, { state: "active" });
  await deliverAll(world);
  expect(got.map(({ seqs }) => seqs)).toEqual([[1], [2]]);
  for (const one of got) expect(() => verify(secret, one)).not.toThrow();
});
