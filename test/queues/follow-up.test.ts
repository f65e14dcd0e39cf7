import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WAITING_MAX } from "../../src/queues/batcher.ts";
import { askSoon } from "../../src/queues/follow-up.ts";
import { handOver } from "../../src/queues/hand-over.ts";
import worker from "../../src/worker.ts";
import { inboxOf } from "../world/inbox.ts";
import { overloaded, watchAccounts, watchLanes } from "../world/carriers.ts";
import { bearer, deliverLane, follow, messagesOf, openWorld, runAlarm } from "../world/world.ts";
import type { World } from "../world/world.ts";

// The work of a request after its reply, with the simulator; if that work is lost, the alarm does it.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(console, "log").mockReturnValue();
  // A wait advances the clock instead of sleeping.
  vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => void vi.setSystemTime(Date.now() + ms));
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const DIRECT = { ...env, DIRECT_DISPATCH: "on" } as unknown as Env;

/** Sends one SMS from each account in one isolate, and waits for all work that the requests do after their replies. */
async function sendDirect(worlds: World[], at: Env = DIRECT, phone = "9876543210"): Promise<number[]> {
  const ctx = createExecutionContext();
  const replies = await Promise.all(
    worlds.map((world) => {
      const headers = { ...bearer(world.apiKey), "content-type": "application/json" };
      const body = JSON.stringify({ phone, message: "Hello" });
      const request = new Request("http://sms.localhost/send-sms", { method: "POST", headers, body });
      return worker.fetch(request as Parameters<typeof worker.fetch>[0], at, ctx);
    }),
  );
  await waitOnExecutionContext(ctx);
  return replies.map(({ status }) => status);
}

/** Makes the one-second wait after a submission last until `end()`; other waits end at once. */
function holdDelay() {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const waits = vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => void (ms === 1_000 && (await promise)));
  return {
    end: () => resolve(undefined),
    begun: () => waits.mock.calls.filter(([ms]) => ms === 1_000).length,
  };
}

const inboxesOf = (worlds: World[]) => Promise.all(worlds.map(inboxOf));

const statesOf = async (world: World) => (await messagesOf(world)).map(({ state }) => state);

const LANE_QUEUES = [env.OTP_LANE, env.SINGLE_LANE, env.BULK_LANE];

/** What the account's alarm puts into the lanes' queues when it has looked at every message under way. */
async function foundByAlarm(world: World) {
  const queued = LANE_QUEUES.map((queue) => vi.spyOn(queue, "sendBatch").mockResolvedValue(undefined as never));
  vi.setSystemTime(Date.now() + 700_000);
  await runAlarm(world);
  const found = queued.flatMap(({ mock }) => mock.calls.flatMap(([messages]) => [...messages].map(({ body }) => body)));
  for (const one of queued) one.mockRestore();
  return found;
}

/** The context of a request that has ended: its work after the reply is lost. */
const ENDED = { waitUntil: () => undefined };

/** A fresh environment, which has its own batchers, like an isolate. */
const isolate = (variables: object = {}): Env => ({ ...DIRECT, ...variables });

describe("a message that a request submitted to the simulator", () => {
  it("is delivered a second later without a queue message", async () => {
    const world = await openWorld();
    const { lanes, sent } = watchLanes();
    const { ACCOUNT, calls } = watchAccounts();
    const second = holdDelay();
    const sending = sendDirect([world], isolate({ ...lanes, ACCOUNT }));
    await vi.waitUntil(() => second.begun() === 1);
    // Its outcome is reported with its receipt.
    expect(await statesOf(world)).toEqual(["sending"]);
    second.end();
    expect(await sending).toEqual([200]);
    const [message] = await messagesOf(world);
    expect(message?.timeline.map(({ state }) => state)).toEqual(["queued", "sending", "submitted", "delivered"]);
    expect(calls).toEqual(["send", "report"]);
    expect(sent).toEqual([]);
  });

  it("shares one wait for its lookup with messages of other accounts", async () => {
    const worlds = await Promise.all([openWorld(), openWorld(), openWorld()]);
    const second = holdDelay();
    const sent = sendDirect(worlds, isolate());
    await vi.waitUntil(async () => (await inboxesOf(worlds)).every((messages) => messages.length === 1));
    vi.setSystemTime(Date.now() + 1_000);
    second.end();
    await sent;
    expect(await Promise.all(worlds.map(statesOf))).toEqual([["delivered"], ["delivered"], ["delivered"]]);
    expect(second.begun()).toBe(1);
  });

  it("is submitted, also where the simulator has no receipt for it", async () => {
    const world = await openWorld({ mode: "test" });
    expect(await sendDirect([world], isolate(), "7000000003")).toEqual([200]);
    expect(await statesOf(world)).toEqual(["submitted"]);
  });

  it("does not stop another account's message when its own account fails: what is known waits in a queue", async () => {
    const [busy, here] = [await openWorld(), await openWorld()];
    const errors = vi.spyOn(console, "error").mockReturnValue();
    const { lanes, bodies } = watchLanes();
    const { ACCOUNT } = watchAccounts({ report: overloaded }, busy);
    await sendDirect([busy, here], isolate({ ...lanes, ACCOUNT }));
    expect(await statesOf(here)).toEqual(["delivered"]);
    expect(await statesOf(busy)).toEqual(["sending"]);
    expect(errors).toHaveBeenCalled();
    expect(bodies()).toMatchObject([{ kind: "report", account: busy.name, lane: "single", follow: true }]);
    await deliverLane(bodies());
    expect(await statesOf(busy)).toEqual(["delivered"]);
  });
});

const token = (account: string) => ({ kind: "send" as const, account, lane: "single" as const });

/** The work of a request for which its isolate's batcher has no room. */
describe("a full batcher", () => {
  const more = { account: "acc_x", carrier: "none", operation: "sms", to: "+919876543210", seq: 1, index: 0 } as const;

  it("has the outcome of a submitted message reported at once; the alarm asks for its receipt", async () => {
    const world = await openWorld();
    const full = isolate();
    holdDelay();
    askSoon(
      full,
      ENDED,
      Array.from({ length: WAITING_MAX }, () => ({ ...more, lane: "single", attempt: 1 }) as const),
    );
    await sendDirect([world], full);
    expect(await statesOf(world)).toEqual(["submitted"]);
    expect(await foundByAlarm(world)).toMatchObject([{ kind: "follow", account: world.name, seqs: [2] }]);
    await follow(world, [2]);
    expect(await statesOf(world)).toEqual(["delivered"]);
  });

  it("drops a token, and the alarm sends another", async () => {
    const world = await openWorld();
    const hanging = Promise.withResolvers<void>();
    const { lanes, bodies } = watchLanes(() => hanging.promise);
    const full = isolate({ ...lanes, DIRECT_DISPATCH: "off" });
    // The first call is in progress at once; later tokens wait in the batcher until it returns.
    handOver(ENDED, full, "single", [token("acc_x")]);
    handOver(
      ENDED,
      full,
      "single",
      Array.from({ length: WAITING_MAX }, (_, at) => token(`acc_${at}`)),
    );
    await sendDirect([world], full);
    hanging.resolve();
    expect(JSON.stringify(bodies())).not.toContain(world.name);
    expect(await statesOf(world)).toEqual(["queued"]);
    expect(await foundByAlarm(world)).toEqual([token(world.name)]);
  });
});
