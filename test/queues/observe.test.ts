import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { talliesSince, waitsByLane } from "../../src/db/observed.ts";
import type { LongWait } from "../../src/model/history.ts";
import type { MessageState, MessageView } from "../../src/model/message.ts";
import { consumeHistory } from "../../src/queues/history.ts";
import { observe, observedIn } from "../../src/queues/observe.ts";
import { groupsOf, messageOf } from "../world/history.ts";
import { later, stopClock } from "../world/pass.ts";
import { dispatch, openWorld, sendSms } from "../world/world.ts";
import type { World } from "../world/world.ts";

// What the history consumer sees of deliveries and long waits.

const NOW = Date.parse("2026-11-22T10:00:00Z");
const SINCE = NOW - 720_000;

/** A message that ended at a time, so long after it was accepted. */
function ended(seq: number, state: MessageState, tookSec: number, at = NOW - 1_000): MessageView {
  const createdAt = at - tookSec * 1_000;
  const timeline = [
    { state: "queued" as const, at: createdAt },
    { state, at },
  ];
  return { ...messageOf(seq, seq, 0), state, carrier: "http", refunded: false, createdAt, updatedAt: at, timeline };
}

const seenOf = (
  messages: MessageView[],
  more: { seqs?: number[]; mode?: "live" | "test"; waits?: LongWait[] | null } = {},
) => ({
  accountId: "acc_1",
  mode: "live" as const,
  groups: groupsOf(messages),
  seqs: messages.map(({ seq }) => seq),
  waits: [],
  ...more,
});

const refuse = () => Promise.reject(new Error("D1 is away"));

/** Consumes these jobs; what they show is stored at once. */
async function consume(world: World, seqs: number[]): Promise<void> {
  const body = { account: world.name, seqs };
  const batch = createMessageBatch("dastak-history", [{ id: "1", timestamp: new Date(), attempts: 1, body }]);
  const waiting = vi.spyOn(scheduler, "wait").mockResolvedValue();
  const ctx = createExecutionContext();
  await consumeHistory(batch, env, ctx);
  await waitOnExecutionContext(ctx);
  waiting.mockRestore();
}

beforeEach(async () => {
  await env.DB.batch(["delivery_tally", "long_wait"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a wave", () => {
  it("is counted by carrier, state and time to delivery", () => {
    const messages = [
      ended(1, "delivered", 3),
      ended(2, "delivered", 15),
      ended(3, "delivered", 4_000),
      ended(4, "undelivered", 3),
      ended(5, "failed", 3),
      ended(6, "unconfirmed", 3),
      { ...ended(7, "unknown", 3), refunded: true },
      ended(8, "unknown", 3),
      ended(9, "queued", 3),
      ended(10, "submitted", 3),
      { ...ended(11, "delivered", 3), carrier: "sim" },
    ];
    expect(observedIn([seenOf(messages)], SINCE, NOW).tallies).toEqual([
      {
        carrier: "http",
        delivered: 3,
        undelivered: 1,
        failed: 2,
        unconfirmed: 1,
        sumMs: 4_018_000,
        within: [1, 2, 2, 2, 2],
      },
      expect.objectContaining({ carrier: "sim", delivered: 1, within: [1, 1, 1, 1, 1] }),
    ]);
  });

  it("leaves out what was counted before: other jobs of a bucket, and old ends of a job that is recorded again", () => {
    const messages = [ended(1, "delivered", 3), ended(2, "delivered", 3), ended(3, "delivered", 3, SINCE - 1)];
    const { tallies } = observedIn([seenOf(messages, { seqs: [2, 3] })], SINCE, NOW);
    expect(tallies).toMatchObject([{ delivered: 1 }]);
  });

  it("leaves out test accounts, and waits of accounts whose version does not say", () => {
    const test = seenOf([ended(1, "delivered", 3)], { mode: "test" });
    expect(observedIn([test], SINCE, NOW)).toEqual({ tallies: [], accounts: [], waits: [] });
    expect(observedIn([seenOf([], { waits: null })], SINCE, NOW).accounts).toEqual([]);
  });

  it("is gathered with those that follow, and stored with one batch", async () => {
    const batches = vi.spyOn(env.DB, "batch");
    const ctx = createExecutionContext();
    const wait: LongWait = { lane: "single", carrier: "http", oldestAt: NOW - 300_000 };
    const one = seenOf([ended(1, "delivered", 3, Date.now())], { waits: [wait] });
    observe(env, ctx, [one], Date.now(), 20);
    observe(
      env,
      ctx,
      [
        { ...one, waits: [{ ...wait, carrier: "sim" }] },
        { ...one, accountId: "acc_2" },
      ],
      Date.now(),
      20,
    );
    await waitOnExecutionContext(ctx);
    expect(batches).toHaveBeenCalledTimes(1);
    expect(await talliesSince(env.DB, 0)).toMatchObject([{ carrier: "http", delivered: 3 }]);
    expect((await waitsByLane(env.DB)).map(({ carrier, accounts }) => `${carrier} ${accounts}`).toSorted()).toEqual([
      "http 1",
      "sim 1",
    ]);
  });

  it("changes nothing for the queue when it cannot be stored", async () => {
    const problems = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const ctx = createExecutionContext();
    const away = {
      ...env,
      DB: { ...env.DB, batch: refuse, prepare: env.DB.prepare.bind(env.DB) } as unknown as D1Database,
    };
    observe(away, ctx, [seenOf([ended(1, "delivered", 3, Date.now())])], Date.now(), 1);
    await waitOnExecutionContext(ctx);
    expect(problems).toHaveBeenCalledTimes(1);
  });
});

describe("history of an account", () => {
  it("shows the oldest message that waits, until it waits no more", async () => {
    stopClock();
    const world = await openWorld();
    await sendSms(world);
    const createdAt = Date.now();
    later(30_000);
    await consume(world, [2]);
    expect(await waitsByLane(env.DB)).toEqual([]);
    later(600_000);
    await sendSms(world);
    await consume(world, [2, 3]);
    expect(await waitsByLane(env.DB)).toEqual([
      { lane: "single", carrier: "", accounts: 1, oldestAt: createdAt, seenAt: Date.now() },
    ]);
    await dispatch(world);
    later(600_000);
    await consume(world, [2, 3]);
    expect(await waitsByLane(env.DB)).toEqual([]);
  });
});
