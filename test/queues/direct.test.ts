import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import worker from "../../src/worker.ts";
import { bearer, dispatch, messagesOf, openWorld, runAlarm } from "../world/world.ts";
import type { World } from "../world/world.ts";

// A single message is submitted by the request that stored it; here to a gateway whose answers the test decides.

let gateway: () => Response | Promise<Response>;
let got: string[] = [];
/** Runs after the reply, while the request's remaining work is still in progress. */
let onReply: () => void | Promise<void>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(console, "error").mockReturnValue();
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

/** Sends to these numbers, and waits until the request has finished its work after the reply. */
async function send(
  world: World,
  phones: string[],
  variables: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) {
  const [at, to] =
    phones.length === 1 ? ["/send-sms", { phone: phones[0] }] : ["/send-bulk-sms", { recipients: phones }];
  const request = new Request(`http://sms.localhost${at}`, {
    method: "POST",
    headers: { ...bearer(world.apiKey), "content-type": "application/json", ...headers },
    body: JSON.stringify({ ...to, message: "Hello" }),
  });
  const ctx = createExecutionContext();
  const direct = { ...env, CARRIER: "http", DIRECT_DISPATCH: "on", ...variables } as unknown as Env;
  const reply = await worker.fetch(request as Parameters<typeof worker.fetch>[0], direct, ctx);
  const body = await reply.json();
  await onReply();
  await waitOnExecutionContext(ctx);
  return { status: reply.status, body };
}

/** An account that stores sends, but whose claim() fails. */
function withoutClaims(world: World) {
  const stub = env.ACCOUNT.getByName(world.name);
  const away = {
    send: (command: Parameters<typeof stub.send>[0]) => stub.send(command),
    claim: () => Promise.reject(new Error("the object is away")),
  };
  return { ACCOUNT: { getByName: () => away } };
}

const statesOf = async (world: World) => (await messagesOf(world)).map(({ state }) => state);

it("hands a single message to its carrier without a queue", async () => {
  const world = await openWorld();
  const queued = vi.spyOn(env.DISPATCH, "sendBatch");
  const { status, body } = await send(world, ["9876543210"]);
  expect(status).toBe(200);
  expect(body).toMatchObject({ success: true, coins_used: 1 });
  expect(got).toEqual(["+919876543210"]);
  expect(await statesOf(world)).toEqual(["submitted"]);
  expect(queued).not.toHaveBeenCalled();
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
  expect(await send(world, ["9876543210"])).toMatchObject({ status: 200, body: { success: true, coins_used: 1 } });
  expect(await statesOf(world)).toEqual(["submitted"]);
});

it("submits once, even when the queue delivers the same message", async () => {
  const world = await openWorld();
  await send(world, ["9876543210"]);
  await dispatch(world, [2], { CARRIER: "http" });
  expect(got).toHaveLength(1);
});

it("leaves a message that the carrier did not accept for another attempt, and never fails the request", async () => {
  const world = await openWorld();
  gateway = () => new Response(null, { status: 503 });
  expect((await send(world, ["9876543210"])).status).toBe(200);
  expect(await statesOf(world)).toEqual(["queued"]);
  gateway = () => Response.json({});
  vi.setSystemTime(Date.now() + 60_000);
  expect(await runAlarm(world)).toBe(true);
  await dispatch(world, [2], { CARRIER: "http" });
  expect(await statesOf(world)).toEqual(["submitted"]);
});

it("loses nothing when the request ends before its claim: the message waits for the alarm", async () => {
  const world = await openWorld();
  const { status } = await send(world, ["9876543210"], withoutClaims(world));
  expect(status).toBe(200);
  expect(await statesOf(world)).toEqual(["queued"]);
  const queued = vi.spyOn(env.DISPATCH, "sendBatch").mockResolvedValue(undefined as never);
  vi.setSystemTime(Date.now() + 60_000);
  await runAlarm(world);
  expect(got).toHaveLength(0);
  queued.mockRestore();
  await dispatch(world, [2], { CARRIER: "http" });
  expect(got).toHaveLength(1);
});

it("submits a message that an earlier request stored but did not submit, when that request is repeated", async () => {
  const world = await openWorld();
  const key = { "idempotency-key": "once" };
  const first = await send(world, ["9876543210"], withoutClaims(world), key);
  expect(await statesOf(world)).toEqual(["queued"]);
  const replay = await send(world, ["9876543210"], {}, key);
  expect(replay).toMatchObject({ status: 200, body: first.body });
  expect(await statesOf(world)).toEqual(["submitted"]);
  expect(got).toHaveLength(1);
});

it("does not claim again for a repeated request whose message was submitted", async () => {
  const world = await openWorld();
  const key = { "idempotency-key": "once" };
  await send(world, ["9876543210"], {}, key);
  vi.spyOn(console, "error").mockImplementation((line) => expect.fail(`nothing may be claimed: ${String(line)}`));
  expect((await send(world, ["9876543210"], withoutClaims(world), key)).status).toBe(200);
  expect(got).toHaveLength(1);
});

it("queues all jobs of a bulk again when its request is repeated before any of them was claimed", async () => {
  const world = await openWorld();
  const key = { "idempotency-key": "once" };
  const phones = Array.from({ length: 101 }, (_, nth) => String(9_000_000_000 + nth));
  const queued = vi.spyOn(env.DISPATCH, "sendBatch").mockResolvedValue(undefined as never);
  const jobs = () => queued.mock.calls.flatMap(([messages]) => [...messages].map(({ body }) => body));
  await send(world, phones, {}, key);
  await send(world, phones, {}, key);
  const one = [2, 3].map((seq) => ({ kind: "send", account: world.name, seqs: [seq] }));
  expect(jobs()).toEqual([...one, ...one]);
  await dispatch(world, [2], { CARRIER: "http" });
  await send(world, phones, {}, key);
  expect(jobs()).toHaveLength(4);
});

it.each([
  ["a bulk", ["9876543210", "9876543211"], {}],
  ["every message when DIRECT_DISPATCH is off", ["9876543210"], { DIRECT_DISPATCH: "off" }],
  ["a submission that may outlive its request", ["9876543210"], { CARRIER_TIMEOUT_MS: "20001" }],
])("leaves %s to the queue", async (_, phones, variables) => {
  const world = await openWorld();
  const queued = vi.spyOn(env.DISPATCH, "sendBatch").mockResolvedValue(undefined as never);
  await send(world, phones, variables);
  expect(got).toHaveLength(0);
  expect(queued.mock.calls.map(([messages]) => [...messages].map(({ body }) => body))).toEqual([
    [{ kind: "send", account: world.name, seqs: [2] }],
  ]);
});
