import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../../src/worker.ts";
import { away, overloaded, waitByClock, watchAccounts, watchLanes, watchPace } from "../world/carriers.ts";
import { bearer, deliverLane, dispatch, messagesOf, openWorld, runAlarm } from "../world/world.ts";
import type { World } from "../world/world.ts";

// A single message is submitted by the request that stored it; here to a gateway whose answers the test decides.

let gateway: () => Response | Promise<Response>;
let got: string[] = [];
/** The waits so far, in ms. */
let waits: () => number[];
/** Runs after the reply, while the request's remaining work is still in progress. */
let onReply: () => void | Promise<void>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(console, "error").mockReturnValue();
  waits = waitByClock();
  got = [];
  gateway = () => Response.json({});
  onReply = () => undefined;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    got.push((JSON.parse(await new Response(init?.body ?? null).text()) as { to: string }).to);
    return gateway();
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A fresh environment with a gateway, which has its own batchers and its own knowledge of the pace, like an isolate. */
function isolate(...parts: object[]): Env {
  const own = Object.assign({ CARRIER: "http", DIRECT_DISPATCH: "on", ...watchPace() }, ...parts) as Partial<Env>;
  return { ...env, ...own };
}

/** Sends to these numbers, and waits until the request has finished its work after the reply. */
async function send(world: World, phones: string[], at: Env = isolate(), headers: Record<string, string> = {}) {
  const [path, to] =
    phones.length === 1 ? ["/send-sms", { phone: phones[0] }] : ["/send-bulk-sms", { recipients: phones }];
  const request = new Request(`http://sms.localhost${path}`, {
    method: "POST",
    headers: { ...bearer(world.apiKey), "content-type": "application/json", ...headers },
    body: JSON.stringify({ ...to, message: "Hello" }),
  });
  const ctx = createExecutionContext();
  const reply = await worker.fetch(request as Parameters<typeof worker.fetch>[0], at, ctx);
  const body = await reply.json();
  await onReply();
  await waitOnExecutionContext(ctx);
  return { status: reply.status, body };
}

const PHONE = ["9876543210"];

const statesOf = async (world: World) => (await messagesOf(world)).map(({ state }) => state);

const token = (world: World, lane = "single") => ({ kind: "send", account: world.name, lane });

it("hands a single message to its carrier without a queue and with two calls of its account", async () => {
  const world = await openWorld();
  const { lanes, sent } = watchLanes();
  const { ACCOUNT, calls } = watchAccounts();
  const pace = watchPace();
  const { status, body } = await send(world, PHONE, isolate({ ...lanes, ACCOUNT, PACE: pace.PACE }));
  expect(status).toBe(200);
  expect(body).toMatchObject({ success: true, coins_used: 1 });
  expect(got).toEqual(["+919876543210"]);
  expect(await statesOf(world)).toEqual(["submitted"]);
  expect(sent).toEqual([]);
  expect(calls).toEqual(["send", "report"]);
  expect(pace.asked).toEqual([]);
});

it("answers without waiting for the carrier", async () => {
  const world = await openWorld();
  const { promise, resolve } = Promise.withResolvers<Response>();
  gateway = () => promise;
  // The gateway answers only after the reply, so a request that waited for the gateway would never end.
  onReply = async () => {
    await vi.waitUntil(() => got.length === 1);
    expect(await statesOf(world)).toEqual(["sending"]);
    resolve(Response.json({}));
  };
  expect(await send(world, PHONE)).toMatchObject({ status: 200, body: { success: true, coins_used: 1 } });
  expect(await statesOf(world)).toEqual(["submitted"]);
});

it("submits once, even when a token of the account comes while the submission is under way", async () => {
  const world = await openWorld();
  onReply = async () => {
    await dispatch(world, [], { CARRIER: "http" });
  };
  await send(world, PHONE);
  await dispatch(world, [], { CARRIER: "http" });
  expect(got).toHaveLength(1);
});

it("reports `submitted` ten seconds later, and each account's messages of that time in one call", async () => {
  const world = await openWorld();
  const { ACCOUNT, calls } = watchAccounts();
  const at = isolate({ ACCOUNT });
  const hold = Promise.withResolvers<undefined>();
  const holds = vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => void (ms > 9_000 && (await hold.promise)));
  const sent = [send(world, PHONE, at), send(world, PHONE, at), send(world, PHONE, at)];
  await vi.waitUntil(() => got.length === 3 && holds.mock.calls.length > 0);
  expect(holds.mock.calls.filter(([ms]) => ms > 0)).toEqual([[10_000]]);
  expect(await statesOf(world)).toEqual(["sending", "sending", "sending"]);
  vi.setSystemTime(Date.now() + 10_000);
  hold.resolve(undefined);
  await Promise.all(sent);
  expect(await statesOf(world)).toEqual(["submitted", "submitted", "submitted"]);
  expect(calls.filter((call) => call === "report")).toHaveLength(1);
});

it("does not step back when the receipt came before that report", async () => {
  const world = await openWorld();
  onReply = async () => {
    await vi.waitUntil(() => got.length === 1);
    await world.stub.report([{ kind: "receipt", seq: 2, index: 0, state: "delivered" }], false);
    expect(await statesOf(world)).toEqual(["delivered"]);
  };
  await send(world, PHONE);
  expect(await statesOf(world)).toEqual(["delivered"]);
});

it("leaves a message that the carrier did not accept for another attempt, and never fails the request", async () => {
  const world = await openWorld();
  gateway = () => new Response(null, { status: 503 });
  expect((await send(world, PHONE)).status).toBe(200);
  expect(await statesOf(world)).toEqual(["queued"]);
  gateway = () => Response.json({});
  vi.setSystemTime(Date.now() + 60_000);
  expect(await runAlarm(world)).toBe(true);
  await dispatch(world, [], { CARRIER: "http" });
  expect(await statesOf(world)).toEqual(["submitted"]);
});

describe("an invocation whose account cannot take the report", () => {
  it("tries again after 50, 200 and 800 ms with fresh stubs", async () => {
    const world = await openWorld();
    gateway = () => new Response(null, { status: 400 });
    let tries = 0;
    const report = (...news: Parameters<World["stub"]["report"]>) => {
      tries += 1;
      return tries < 4 ? away() : env.ACCOUNT.getByName(world.name).report(...news);
    };
    const { ACCOUNT } = watchAccounts({ report });
    const { lanes, sent } = watchLanes();
    await send(world, PHONE, isolate({ ...lanes, ACCOUNT }));
    expect(waits().filter((ms) => ms > 0)).toEqual([50, 200, 800]);
    expect(await statesOf(world)).toEqual(["failed"]);
    expect(sent).toEqual([]);
  });

  it.each([
    ["overloaded", overloaded, 1],
    ["away", away, 4],
  ])("(%s) hands what it knows to the lane's queue, whose consumer reports it", async (_, report, tries) => {
    const world = await openWorld();
    gateway = () => new Response(null, { status: 400 });
    const { ACCOUNT, calls } = watchAccounts({ report });
    const { lanes, sent, bodies } = watchLanes();
    await send(world, PHONE, isolate({ ...lanes, ACCOUNT }));
    expect(calls.filter((call) => call === "report")).toHaveLength(tries);
    const outcome = { kind: "rejected", code: "http_400" };
    const news = [{ kind: "outcome", seq: 2, index: 0, attempt: 1, outcome }];
    const body = { kind: "report", account: world.name, lane: "single", follow: false, resubmits: false, news };
    expect(sent).toEqual([{ body, delaySeconds: 2 }]);
    expect(await statesOf(world)).toEqual(["sending"]);
    // While the account is away, the queue keeps the news; afterwards it arrives, any number of times.
    expect((await deliverLane(bodies(), { ACCOUNT })).retryMessages).toHaveLength(1);
    expect((await deliverLane(bodies())).explicitAcks).toHaveLength(1);
    expect((await deliverLane(bodies())).explicitAcks).toHaveLength(1);
    expect(await messagesOf(world)).toMatchObject([{ state: "failed", errorCode: "http_400", refunded: true }]);
  });

  it("leaves the message unknown when it dies before, and its receipt still counts", async () => {
    const world = await openWorld();
    const { ACCOUNT } = watchAccounts({ report: away });
    await send(world, PHONE, isolate({ ACCOUNT, ...watchLanes(away).lanes }));
    expect(await statesOf(world)).toEqual(["sending"]);
    vi.setSystemTime(Date.now() + 700_000);
    await runAlarm(world);
    expect(await statesOf(world)).toEqual(["unknown"]);
    await dispatch(world, [], { CARRIER: "http" });
    expect(got).toHaveLength(1);
    await world.stub.report([{ kind: "receipt", seq: 2, index: 0, state: "delivered" }], false);
    expect(await statesOf(world)).toEqual(["delivered"]);
  });
});

describe("at a carrier with a limit", () => {
  it("one message takes one permit, and waits for its time", async () => {
    const world = await openWorld();
    const pace = watchPace(() => ({ atMs: [Date.now() + 1_500], isLimited: true }));
    await send(world, PHONE, isolate({ PACE: pace.PACE, CARRIER_TPS: "5" }));
    expect(waits()).toContain(1_500);
    expect(pace.asked).toMatchObject([{ lane: "single", account: world.name, max: 1 }]);
    expect(await statesOf(world)).toEqual(["submitted"]);
  });

  it("a message without a permit is given back, and waits in its queue; its claim counts nowhere", async () => {
    const world = await openWorld();
    const { lanes, bodies } = watchLanes();
    const { PACE } = watchPace(() => ({ atMs: [], againMs: 9_000, isLimited: true }));
    await send(world, PHONE, isolate({ ...lanes, PACE, CARRIER_TPS: "5" }));
    expect(got).toEqual([]);
    expect(await messagesOf(world)).toMatchObject([{ state: "queued", attempts: 0 }]);
    expect(bodies()).toEqual([token(world)]);
    await dispatch(world, [], { CARRIER: "http" });
    expect(await messagesOf(world)).toMatchObject([{ state: "submitted", attempts: 1 }]);
  });

  it("whose Retry-After runs, nothing is submitted: the next message is stored for its queue", async () => {
    const world = await openWorld();
    const { lanes, bodies } = watchLanes();
    const { PACE, seen } = watchPace();
    const at = isolate({ ...lanes, PACE });
    gateway = () => new Response(null, { status: 429, headers: { "retry-after": "60" } });
    await send(world, PHONE, at);
    expect(seen).toMatchObject([{ busy: 1, quietMs: 60_000 }]);
    await send(world, PHONE, at);
    expect(got).toHaveLength(1);
    expect(await messagesOf(world)).toMatchObject([
      { state: "queued", attempts: 1 },
      { state: "queued", attempts: 0 },
    ]);
    expect(bodies()).toEqual([token(world)]);
    vi.setSystemTime(Date.now() + 61_000);
    gateway = () => Response.json({});
    await dispatch(world, [], { CARRIER: "http" });
    expect(await statesOf(world)).toEqual(["submitted", "submitted"]);
  });
});

describe("a repeated request", () => {
  it("whose message was stored and never claimed sends a token", async () => {
    const world = await openWorld();
    const key = { "idempotency-key": "once" };
    // The first request died before its token left.
    const first = await send(world, PHONE, isolate({ ...watchLanes(away).lanes, DIRECT_DISPATCH: "off" }), key);
    expect(await statesOf(world)).toEqual(["queued"]);
    const { lanes, bodies } = watchLanes();
    const replay = await send(world, PHONE, isolate(lanes), key);
    expect(replay).toMatchObject({ status: 200, body: first.body });
    expect(bodies()).toEqual([token(world)]);
    await dispatch(world, [], { CARRIER: "http" });
    expect(await statesOf(world)).toEqual(["submitted"]);
    expect(got).toHaveLength(1);
  });

  it("whose message was submitted makes no call beside the request", async () => {
    const world = await openWorld();
    const key = { "idempotency-key": "once" };
    await send(world, PHONE, isolate(), key);
    const { ACCOUNT, calls } = watchAccounts();
    const { lanes, sent } = watchLanes();
    expect((await send(world, PHONE, isolate({ ...lanes, ACCOUNT }), key)).status).toBe(200);
    expect(calls).toEqual(["send"]);
    expect(sent).toEqual([]);
    expect(got).toHaveLength(1);
  });

  it("of a bulk sends its tokens again until any of it was claimed", async () => {
    const world = await openWorld({ balance: 10_000 });
    const key = { "idempotency-key": "once" };
    const phones = Array.from({ length: 1_001 }, (_, nth) => String(9_000_000_000 + nth));
    const { lanes, bodies } = watchLanes();
    const at = isolate(lanes);
    const three = [token(world, "bulk"), token(world, "bulk"), token(world, "bulk")];
    await send(world, phones, at, key);
    expect(bodies()).toEqual(three);
    await send(world, phones, at, key);
    expect(bodies()).toEqual([...three, ...three]);
    await dispatch(world, [], { CARRIER: "http" });
    await send(world, phones, at, key);
    expect(bodies()).toHaveLength(6);
  });
});

it.each([
  ["a bulk", ["9876543210", "9876543211"], {}, "bulk"],
  ["every message when DIRECT_DISPATCH is off", PHONE, { DIRECT_DISPATCH: "off" }, "single"],
  ["a submission that may outlive its request", PHONE, { CARRIER_TIMEOUT_MS: "20001" }, "single"],
])("leaves %s to the queue of its lane", async (_, phones, variables, lane) => {
  const world = await openWorld();
  const { lanes, sent } = watchLanes();
  await send(world, phones, isolate(lanes, variables));
  expect(got).toHaveLength(0);
  expect(sent).toEqual([{ body: token(world, lane) }]);
  expect(new Set(await statesOf(world))).toEqual(new Set(["queued"]));
});
