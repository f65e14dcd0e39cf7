import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { consumeDead } from "../../src/queues/dead.ts";
import { consumeDispatch } from "../../src/queues/dispatch.ts";
import { bearer, dispatch, follow, messagesOf, openWorld, post, runAlarm, sendSms } from "../world/world.ts";
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

/** Delivers `send` jobs and returns the messages that the consumer put into its own queue. */
async function sentAfter(world: World, seqs: number[], variables: Record<string, string> = {}) {
  const sendBatch = vi.fn(() => Promise.resolve());
  const body = { kind: "send", account: world.name, seqs };
  const batch = createMessageBatch("dastak-dispatch", [{ id: "m", timestamp: new Date(), attempts: 1, body }]);
  await consumeDispatch(
    batch,
    { ...env, ...variables, DISPATCH: { sendBatch } } as unknown as Env,
    createExecutionContext(),
  );
  return { asked: sendBatch.mock.calls as unknown[][], result: await getQueueResult(batch, createExecutionContext()) };
}

/** Runs the alarm a minute later; returns the jobs that it put into the dispatch queue. */
async function enqueuedByAlarm(world: World, kind: "send" | "follow"): Promise<number[]> {
  const queued = vi.spyOn(env.DISPATCH, "sendBatch").mockResolvedValue(undefined as never);
  vi.setSystemTime(Date.now() + 60_000);
  await runAlarm(world);
  const bodies = queued.mock.calls.flatMap(([messages]) => [...messages].map(({ body }) => body));
  queued.mockRestore();
  expect(bodies).toMatchObject([{ kind, account: world.name }]);
  return (bodies as { seqs: number[] }[]).flatMap(({ seqs }) => seqs);
}

describe("a consumer whose time is up", () => {
  it("requeues the rest, and leaves it unclaimed", async () => {
    const world = await openWorld();
    const seqs = [await sendOne(world)];
    await sendSms(world);
    seqs.push((await messagesOf(world))[1]!.seq);
    vi.mocked(globalThis.fetch).mockImplementation(async (_, init) => {
      await new Response(init?.body ?? null).text();
      vi.setSystemTime(Date.now() + 660_000);
      return Response.json({});
    });
    const send = vi.fn(() => Promise.resolve());
    const body = { kind: "send", account: world.name, seqs };
    const batch = createMessageBatch("dastak-dispatch", [{ id: "m", timestamp: new Date(), attempts: 1, body }]);
    const at = { ...env, CARRIER: "http", DISPATCH_CONCURRENCY: "1", DISPATCH: { send } };
    await consumeDispatch(batch, at as unknown as Env, createExecutionContext());
    expect((await messagesOf(world)).map((message) => message.state)).toEqual(["submitted", "queued"]);
    expect(send.mock.calls).toEqual([[{ kind: "send", account: world.name, seqs }]]);
    expect((await getQueueResult(batch, createExecutionContext())).explicitAcks).toEqual(["m"]);
  });
});

describe("after a submission", () => {
  it("a carrier with lookups is asked a moment later", async () => {
    const world = await openWorld();
    const seq = await sendOne(world);
    const { asked } = await sentAfter(world, [seq]);
    const body = { kind: "follow", account: world.name, seqs: [seq] };
    expect(asked).toEqual([[[{ body }], { delaySeconds: 1 }]]);
    await follow(world, [seq]);
    expect(await stateOf(world)).toBe("delivered");
    await follow(world, [seq]);
    expect(await stateOf(world)).toBe("delivered");
  });

  it("one queue message leads to the lookups of a bulk that took many rounds", async () => {
    const world = await openWorld();
    const recipients = Array.from({ length: 20 }, (_, at) => `98765${String(at).padStart(5, "0")}`);
    await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
    const { asked } = await sentAfter(world, [2], { DISPATCH_CONCURRENCY: "3" });
    expect(asked).toEqual([[[{ body: { kind: "follow", account: world.name, seqs: [2] } }], { delaySeconds: 1 }]]);
    expect((await messagesOf(world)).every(({ state }) => state === "submitted")).toBe(true);
  });

  it("a carrier without lookups is not asked", async () => {
    const world = await openWorld();
    const seq = await sendOne(world);
    expect((await sentAfter(world, [seq], { CARRIER: "http" })).asked).toEqual([]);
    await follow(world, [seq], { CARRIER: "http" });
    expect(await stateOf(world)).toBe("submitted");
  });

  it("no lookup follows if nothing was accepted", async () => {
    const world = await openWorld({ mode: "test" });
    const seq = await sendOne(world, "7000000001");
    expect((await sentAfter(world, [seq])).asked).toEqual([]);
    expect(await stateOf(world)).toBe("failed");
  });

  it("an unavailable queue does not fail the job, and the alarm asks the carrier later", async () => {
    const world = await openWorld();
    const seq = await sendOne(world);
    const errors = vi.spyOn(console, "error").mockReturnValue();
    const body = { kind: "send", account: world.name, seqs: [seq] };
    const batch = createMessageBatch("dastak-dispatch", [{ id: "m", timestamp: new Date(), attempts: 1, body }]);
    const away = { sendBatch: () => Promise.reject(new Error("the queue is away")) };
    await consumeDispatch(batch, { ...env, DISPATCH: away } as unknown as Env, createExecutionContext());
    expect((await getQueueResult(batch, createExecutionContext())).explicitAcks).toEqual(["m"]);
    expect(errors).toHaveBeenCalledOnce();
    expect(await stateOf(world)).toBe("submitted");
    await follow(world, await enqueuedByAlarm(world, "follow"));
    expect(await stateOf(world)).toBe("delivered");
  });
});

describe("messages of test keys", () => {
  it("always go to the simulator, whatever the deployment's carrier is", async () => {
    const world = await openWorld({ mode: "test" });
    const seq = await sendOne(world, "7000000002");
    await dispatch(world, [seq], { CARRIER: "http" });
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
    const seq = await sendOne(world, "7000000004");
    for (let attempt = 1; attempt <= 3; attempt++) {
      await dispatch(world, [seq]);
      vi.setSystemTime(Date.now() + 60_000);
    }
    expect((await messagesOf(world))[0]).toMatchObject({ state: "submitted", attempts: 3 });
  });

  it("to the number that times out stay unknown, and are refunded at the end of the window", async () => {
    const world = await openWorld({ mode: "test" });
    const seq = await sendOne(world, "7000000005");
    await dispatch(world, [seq]);
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
    const seq = await sendOne(world);
    const body = { kind: "send", account: world.name, seqs: [seq] };
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
    await dispatch(world, await enqueuedByAlarm(world, "send"));
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
    await world.stub.claim([2], 1, "http", 60_000);
    await dispatch(world, [2], { CARRIER: "sim" });
    expect(globalThis.fetch).toHaveBeenCalledTimes(1);
    expect((await messagesOf(world)).map((message) => message.carrier)).toEqual(["http", "http"]);
    // The simulator is not asked about messages of the gateway.
    await follow(world, [2], { CARRIER: "sim" });
    expect((await messagesOf(world))[1]?.state).toBe("submitted");
  });
});
