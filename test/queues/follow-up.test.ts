import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WAITING_MAX } from "../../src/queues/batcher.ts";
import { askSoon } from "../../src/queues/follow-up.ts";
import { handOver } from "../../src/queues/hand-over.ts";
import { recordEnded } from "../../src/queues/record-ended.ts";
import worker from "../../src/worker.ts";
import { bearer, dispatch, follow, messagesOf, openWorld, recordHistory, runAlarm, sendSms } from "../world/world.ts";
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
async function sendDirect(worlds: World[], at: Env = DIRECT): Promise<number[]> {
  const ctx = createExecutionContext();
  const replies = await Promise.all(
    worlds.map((world) => {
      const headers = { ...bearer(world.apiKey), "content-type": "application/json" };
      const body = JSON.stringify({ phone: "9876543210", message: "Hello" });
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

const TAKEN = "submitted,submitted,submitted";

const statesOf = async (world: World) => (await messagesOf(world)).map(({ state }) => state);

const followsOf = (queued: { mock: { calls: unknown[][] } }) =>
  queued.mock.calls.flatMap(([messages]) => (messages as { body: { kind: string } }[]).map(({ body }) => body));

/** The jobs that the account's alarm puts into the dispatch queue after a minute. */
async function foundByAlarm(world: World) {
  const queued = vi.spyOn(env.DISPATCH, "sendBatch").mockResolvedValue(undefined as never);
  vi.setSystemTime(Date.now() + 60_000);
  await runAlarm(world);
  const found = followsOf(queued);
  queued.mockRestore();
  return found;
}

/** The context of a request that has ended: its work after the reply is lost. */
const ENDED = { waitUntil: () => undefined };

/** A fresh environment, which has its own batchers, like an isolate. */
const isolate = (variables: object = {}): Env => ({ ...DIRECT, ...variables });

describe("a message that a request submitted to the simulator", () => {
  it("is delivered a second later without a queue message", async () => {
    const world = await openWorld();
    const queued = [vi.spyOn(env.DISPATCH, "send"), vi.spyOn(env.DISPATCH, "sendBatch")];
    expect(await sendDirect([world])).toEqual([200]);
    const [message] = await messagesOf(world);
    const timeline = Object.fromEntries((message?.timeline ?? []).map(({ state, at }) => [state, at]));
    expect(message?.state).toBe("delivered");
    expect((timeline["delivered"] ?? 0) - (timeline["submitted"] ?? 0)).toBe(1_000);
    for (const sent of queued) expect(sent).not.toHaveBeenCalled();
  });

  it("shares one wait for its lookup with messages of other accounts", async () => {
    const worlds = await Promise.all([openWorld(), openWorld(), openWorld()]);
    const second = holdDelay();
    const sent = sendDirect(worlds, isolate());
    await vi.waitUntil(async () => (await Promise.all(worlds.map(statesOf))).flat().join() === TAKEN);
    vi.setSystemTime(Date.now() + 1_000);
    second.end();
    await sent;
    expect(await Promise.all(worlds.map(statesOf))).toEqual([["delivered"], ["delivered"], ["delivered"]]);
    expect(second.begun()).toBe(1);
  });

  it("does not stop another account's message when its own account fails", async () => {
    const [away, here] = [await openWorld(), await openWorld()];
    const errors = vi.spyOn(console, "error").mockReturnValue();
    const stub = env.ACCOUNT.getByName(away.name);
    const shaky = {
      send: (command: Parameters<typeof stub.send>[0]) => stub.send(command),
      claim: (...asked: Parameters<typeof stub.claim>) => stub.claim(...asked),
      report: ([news, ...more]: Parameters<typeof stub.report>[0], following: boolean) =>
        news?.kind === "outcome"
          ? stub.report([news, ...more], following)
          : Promise.reject(new Error("the object is away")),
    };
    const ACCOUNT = { getByName: (name: string) => (name === away.name ? shaky : env.ACCOUNT.getByName(name)) };
    await sendDirect([away, here], isolate({ ACCOUNT }));
    expect(await statesOf(here)).toEqual(["delivered"]);
    expect(await statesOf(away)).toEqual(["submitted"]);
    expect(errors).toHaveBeenCalled();
    expect(await foundByAlarm(away)).toEqual([{ kind: "follow", account: away.name, seqs: [2] }]);
  });
});

describe("the account's alarm finds work that a full batcher dropped:", () => {
  const more = { account: "acc_x", carrier: "none", operation: "sms", to: "+919876543210", seq: 1, index: 0 } as const;

  it("a lookup of a submitted message", async () => {
    const world = await openWorld();
    const full = isolate();
    holdDelay();
    askSoon(
      full,
      ENDED,
      Array.from({ length: WAITING_MAX }, () => more),
    );
    await sendDirect([world], full);
    expect(await statesOf(world)).toEqual(["submitted"]);
    expect(await foundByAlarm(world)).toEqual([{ kind: "follow", account: world.name, seqs: [2] }]);
    await follow(world, [2]);
    expect(await statesOf(world)).toEqual(["delivered"]);
  });

  it("a job for the dispatch queue", async () => {
    const world = await openWorld();
    const sendBatch = vi.fn(() => Promise.resolve());
    const full = isolate({ DISPATCH: { sendBatch }, DIRECT_DISPATCH: "off" });
    // The first call is in progress at once; later jobs wait in the batcher until it returns.
    const hanging = Promise.withResolvers<undefined>();
    sendBatch.mockReturnValueOnce(hanging.promise);
    handOver(ENDED, full, "acc_x", [1]);
    handOver(
      ENDED,
      full,
      "acc_x",
      Array.from({ length: WAITING_MAX }, (_, at) => at + 1),
    );
    await sendDirect([world], full);
    hanging.resolve(undefined);
    expect(JSON.stringify(sendBatch.mock.calls)).not.toContain(world.name);
    expect(await statesOf(world)).toEqual(["queued"]);
    expect(await foundByAlarm(world)).toEqual([{ kind: "send", account: world.name, seqs: [2] }]);
  });

  it("a job for history", async () => {
    const world = await openWorld();
    await recordHistory(world, []);
    await sendSms(world);
    await dispatch(world, [2]);
    const hanging = Promise.withResolvers<undefined>();
    const batch = vi.fn(() => hanging.promise);
    const full = { ...env, DB: { prepare: (query: string) => env.DB.prepare(query), batch } as unknown as D1Database };
    const views = await messagesOf(world);
    const job = Array.from({ length: 100 }, () => views).flat();
    recordEnded(ENDED, full, world.name, [views]);
    recordEnded(
      ENDED,
      full,
      world.name,
      Array.from({ length: WAITING_MAX / 100 }, () => job),
    );
    await follow(world, [2], { DB: full.DB });
    expect(await statesOf(world)).toEqual(["delivered"]);
    const told = vi.spyOn(env.HISTORY, "send").mockResolvedValue(undefined as never);
    await foundByAlarm(world);
    expect(told.mock.calls).toEqual([[{ account: world.name, seqs: [2], profile: false }]]);
    hanging.resolve(undefined);
  });
});
