import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Lane } from "../../src/model/lane.ts";
import type { Permits } from "../../src/model/pace.ts";
import type { SendJob } from "../../src/queues/jobs.ts";
import worker from "../../src/worker.ts";
import { watchGateway, watchLanes, watchPace } from "../world/carriers.ts";
import { deliverLane, messagesOf, openWorld, sendBulk, sendSms } from "../world/world.ts";
import type { World } from "../world/world.ts";

// What a consumer puts back into its queue, and what it finds there from an earlier version.

const HTTP = { CARRIER: "http" };

let gateway: ReturnType<typeof watchGateway>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  gateway = watchGateway();
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const deliver = (bodies: unknown[], more: Partial<Env> = {}) => deliverLane(bodies, { ...HTTP, ...more });

const token = (world: World, lane: Lane = "single"): SendJob => ({ kind: "send", account: world.name, lane });

/** What is put back for two tokens of one batch, whose work cannot be finished. */
async function putBack(permits: Partial<Permits>) {
  const world = await openWorld();
  await sendBulk(world, 100);
  const { lanes, sent } = watchLanes();
  const { PACE } = watchPace(() => permits);
  const errors = vi.spyOn(console, "error").mockReturnValue();
  await deliver([token(world, "bulk"), token(world, "bulk")], { ...lanes, PACE });
  expect(errors).not.toHaveBeenCalled();
  const body = token(world, "bulk");
  return sent.map((message) => ({ ...message, isSame: JSON.stringify(message.body) === JSON.stringify(body) }));
}

describe("the tokens of a slice that left messages", () => {
  it("come again, both where the carrier has no limit", async () => {
    // The slice is over after the first round.
    gateway.answer = () => {
      if (gateway.got.length === 1) vi.setSystemTime(Date.now() + 6_000);
      return Response.json({});
    };
    expect(await putBack({})).toMatchObject([
      { isSame: true, delaySeconds: 0 },
      { isSame: true, delaySeconds: 0 },
    ]);
  });

  it("come again as one under a limit, when there may be a permit", async () => {
    const none = { atMs: [], againMs: 6_500, isLimited: true };
    expect(await putBack(none)).toMatchObject([{ isSame: true, delaySeconds: 7 }]);
  });

  it("end where others of the account are enough", async () => {
    expect(await putBack({ atMs: [], againMs: 6_500, isLimited: true, isSurplus: true })).toEqual([]);
  });
});

describe("what an earlier version queued", () => {
  it("is read: jobs to submit are a token of each lane, and look-ups are done", async () => {
    const world = await openWorld();
    await sendSms(world);
    const result = await deliver([{ kind: "send", account: world.name, seqs: [2] }]);
    expect(result.explicitAcks).toHaveLength(1);
    expect((await messagesOf(world))[0]?.state).toBe("submitted");
    expect((await deliver([{ kind: "follow", account: world.name, seqs: [2] }])).explicitAcks).toHaveLength(1);
  });

  it("also reaches this consumer from the queue that it named, which stays attached to the Worker", async () => {
    const world = await openWorld();
    await sendSms(world);
    const body = { kind: "send", account: world.name, seqs: [2] };
    const messages = [{ id: "old", timestamp: new Date(), attempts: 1, body }];
    const batch = createMessageBatch("dastak-dispatch", messages);
    await worker.queue(batch, { ...env, ...HTTP, PACE: watchPace().PACE }, createExecutionContext());
    expect((await getQueueResult(batch, createExecutionContext())).explicitAcks).toEqual(["old"]);
    expect((await messagesOf(world))[0]?.state).toBe("submitted");
  });
});
