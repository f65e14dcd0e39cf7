import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Lane } from "../../src/model/lane.ts";
import { consumeDead } from "../../src/queues/dead.ts";
import { away, watchLanes } from "../world/carriers.ts";
import {
  bearer,
  claim,
  deliverLane,
  dispatch,
  follow,
  messagesOf,
  openWorld,
  post,
  runAlarm,
  sendSms,
} from "../world/world.ts";
import type { World } from "../world/world.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    await new Response(init?.body ?? null).text();
    return Response.json({});
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function sendOne(world: World, phone = "9876543210"): Promise<number> {
  expect((await sendSms(world, { body: { phone } })).status).toBe(200);
  return (await messagesOf(world))[0]!.seq;
}

const stateOf = async (world: World) => (await messagesOf(world))[0]?.state;

/** Delivers a token and returns what the consumer put into the lane's queue. */
async function sentAfter(world: World, lane: Lane = "single", variables: Record<string, string> = {}) {
  const { lanes, sent } = watchLanes();
  const result = await deliverLane([{ kind: "send", account: world.name, lane }], { ...lanes, ...variables });
  expect(result.explicitAcks).toHaveLength(1);
  return sent;
}

/** Runs the alarm when the account has looked at every message under way; returns what it put into the lanes' queues. */
async function enqueuedByAlarm(world: World): Promise<unknown[]> {
  const queued = [env.OTP_LANE, env.SINGLE_LANE, env.BULK_LANE].map((queue) =>
    vi.spyOn(queue, "sendBatch").mockResolvedValue(undefined as never),
  );
  vi.setSystemTime(Date.now() + 700_000);
  await runAlarm(world);
  const bodies = queued.flatMap(({ mock }) =>
    mock.calls.flatMap(([messages]) => [...messages].map(({ body }) => body)),
  );
  for (const one of queued) one.mockRestore();
  return bodies;
}

describe("a consumer whose time is up", () => {
  it("puts its token back, and leaves the rest unclaimed", async () => {
    const world = await openWorld();
    const recipients = Array.from({ length: 62 }, (_, at) => `98765${String(at).padStart(5, "0")}`);
    await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
    vi.mocked(globalThis.fetch).mockImplementation(async (_, init) => {
      await new Response(init?.body ?? null).text();
      vi.setSystemTime(Date.now() + 300);
      return Response.json({});
    });
    const sent = await sentAfter(world, "bulk", { CARRIER: "http" });
    const states = (await messagesOf(world)).map((message) => message.state);
    expect(states.filter((state) => state === "submitted")).toHaveLength(60);
    expect(states.filter((state) => state === "queued")).toHaveLength(2);
    expect(sent).toEqual([{ body: { kind: "send", account: world.name, lane: "bulk" }, delaySeconds: 0 }]);
  });
});

describe("after a submission", () => {
  it("a carrier with lookups is asked a moment later", async () => {
    const world = await openWorld();
    const seq = await sendOne(world);
    const body = { kind: "follow", account: world.name, lane: "single", seqs: [seq] };
    expect(await sentAfter(world)).toEqual([{ body, delaySeconds: 1 }]);
    await follow(world, [seq]);
    expect(await stateOf(world)).toBe("delivered");
    await follow(world, [seq]);
    expect(await stateOf(world)).toBe("delivered");
  });

  it("one queue message leads to the lookups of a bulk that took many rounds", async () => {
    const world = await openWorld();
    const recipients = Array.from({ length: 20 }, (_, at) => `98765${String(at).padStart(5, "0")}`);
    await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
    const body = { kind: "follow", account: world.name, lane: "bulk", seqs: [2] };
    expect(await sentAfter(world, "bulk", { DISPATCH_CONCURRENCY: "3" })).toEqual([{ body, delaySeconds: 1 }]);
    expect((await messagesOf(world)).every(({ state }) => state === "submitted")).toBe(true);
  });

  it("a carrier without lookups is not asked", async () => {
    const world = await openWorld();
    const seq = await sendOne(world);
    expect(await sentAfter(world, "single", { CARRIER: "http" })).toEqual([]);
    await follow(world, [seq], { CARRIER: "http" });
    expect(await stateOf(world)).toBe("submitted");
  });

  it("no lookup follows if nothing was accepted", async () => {
    const world = await openWorld({ mode: "test" });
    await sendOne(world, "7000000001");
    expect(await sentAfter(world)).toEqual([]);
    expect(await stateOf(world)).toBe("failed");
  });

  it("an unavailable queue does not fail the job, and the alarm asks the carrier later", async () => {
    const world = await openWorld();
    await sendOne(world);
    const errors = vi.spyOn(console, "error").mockReturnValue();
    const { lanes } = watchLanes(away);
    const token = { kind: "send", account: world.name, lane: "single" };
    expect((await deliverLane([token], lanes)).explicitAcks).toHaveLength(1);
    expect(errors).toHaveBeenCalledOnce();
    expect(await stateOf(world)).toBe("submitted");
    await deliverLane(await enqueuedByAlarm(world));
    expect(await stateOf(world)).toBe("delivered");
  });
});

describe("messages of test keys", () => {
  it("always go to the simulator, whatever the deployment's carrier is", async () => {
    const world = await openWorld({ mode: "test" });
    const seq = await sendOne(world, "7000000002");
    await dispatch(world, [], { CARRIER: "http" });
    await follow(world, [seq], { CARRIER: "http" });
    expect(globalThis.fetch).not.toHaveBeenCalled();
    expect((await messagesOf(world))[0]).toMatchObject({
      state: "undelivered",
      carrier: "sim",
      errorCode: "absent_subscriber",
      refunded: false,
    });
  });

  it("to the number that is busy twice are submitted at the third attempt", async () => {
    const world = await openWorld({ mode: "test" });
    await sendOne(world, "7000000004");
    for (let attempt = 1; attempt <= 3; attempt++) {
      await dispatch(world);
      vi.setSystemTime(Date.now() + 60_000);
    }
    expect((await messagesOf(world))[0]).toMatchObject({ state: "submitted", attempts: 3 });
  });

  it("to the number that times out stay unknown, and are refunded at the end of the window", async () => {
    const world = await openWorld({ mode: "test" });
    const seq = await sendOne(world, "7000000005");
    await dispatch(world);
    await follow(world, [seq]);
    expect((await messagesOf(world))[0]).toMatchObject({ state: "unknown", refunded: false });
    vi.setSystemTime(Date.now() + 86_400_000);
    await runAlarm(world);
    expect((await messagesOf(world))[0]).toMatchObject({ state: "unknown", refunded: true });
  });
});

describe("a dead letter", () => {
  it("is logged and acknowledged, because its rows are safe and the alarm goes on", async () => {
    const world = await openWorld();
    await sendOne(world);
    const body = { kind: "send", account: world.name, lane: "single" };
    const told = vi.spyOn(console, "log").mockReturnValue();
    const messages = ["a", "b"].map((id) => ({ id, timestamp: new Date(), attempts: 6, body }));
    const batch = createMessageBatch("dastak-dead", messages);
    await consumeDead(batch, env);
    expect((await getQueueResult(batch, createExecutionContext())).ackAll).toBe(true);
    expect(told.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown)).toEqual([
      { event: "dead_letter", queue: "dastak-dead", id: "a" },
      { event: "dead_letter", queue: "dastak-dead", id: "b" },
    ]);
    expect(await stateOf(world)).toBe("queued");
    expect(await enqueuedByAlarm(world)).toEqual([body]);
    await deliverLane([body]);
    expect(await stateOf(world)).toBe("submitted");
  });
});

describe("a job that one carrier has started", () => {
  it("stays with that carrier when the deployment changes its carrier", async () => {
    const world = await openWorld();
    const recipients = ["+919876500001", "+919876500002"];
    const price = { kind: "fixed" as const, units: 10_000 };
    const more = { content: {}, text: null, validityMs: 60_000 };
    const caller = { keyId: world.keyId, requestId: "req_x" };
    await world.stub.send({ ...caller, operation: "voice", recipients, price, ...more });
    await claim(world, { lane: "bulk", max: 1 });
    await dispatch(world, [], { CARRIER: "sim" });
    expect(globalThis.fetch).toHaveBeenCalledTimes(1);
    expect((await messagesOf(world)).map((message) => message.carrier)).toEqual(["http", "http"]);
    // The simulator is not asked about messages of the gateway.
    await follow(world, [2], { CARRIER: "sim" });
    expect((await messagesOf(world))[1]?.state).toBe("submitted");
  });
});
