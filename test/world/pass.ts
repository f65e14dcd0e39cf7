import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { Account } from "../../src/durable/account.ts";
import type { MessageView } from "../../src/model/message.ts";
import type { HistoryJob } from "../../src/queues/jobs.ts";
import { dispatch, follow, messagesOf, openWorld, recordHistory, sendSms } from "./world.ts";
import type { World } from "./world.ts";

// The housekeeping pass, one alarm at a time, and its queue, one message at a time.

const SWEEP_MS = 30_000;
export const PASS_MS = 20 * SWEEP_MS;
export const HOUR_MS = 3_600_000;

/** Stops the clock a day ahead, so that no alarm rings by itself: tests run them by hand. */
export const stopClock = () => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24 * HOUR_MS });

/** Moves the clock. */
export const later = (ms: number) => void vi.setSystemTime(Date.now() + ms);

/** Runs the account's alarm if it is due, with this history queue; returns what it named. */
export async function alarm(world: World, isAway = false): Promise<HistoryJob[]> {
  const named: HistoryJob[] = [];
  const sendBatch = async (bodies: { body: HistoryJob }[]) => {
    if (isAway) throw new Error("the queue is away");
    named.push(...bodies.map(({ body }) => body));
  };
  await runInDurableObject(world.stub, async (instance, { storage }) => {
    const dueMs = await storage.getAlarm();
    if (dueMs === null || dueMs > Date.now()) return;
    await storage.deleteAlarm();
    const account = instance as unknown as { env: Env } & Account;
    const own = account.env;
    account.env = { ...env, HISTORY: { ...env.HISTORY, sendBatch } as unknown as Queue };
    try {
      await account.alarm();
    } finally {
      account.env = own;
    }
  });
  return named;
}

export const alarmMs = (world: World) => runInDurableObject(world.stub, (_, { storage }) => storage.getAlarm());

/** Whether no alarm is set but the one of the account's texts, which are forgotten after a month. */
export async function rests(world: World): Promise<boolean> {
  const atMs = await alarmMs(world);
  return atMs === null || atMs > Date.now() + 29 * 24 * HOUR_MS;
}

export const seqsIn = (named: readonly HistoryJob[]) => named.flatMap(({ seqs }) => seqs);

/** Delivers what an alarm named to the consumer. */
export async function deliver(world: World, named: readonly HistoryJob[]): Promise<void> {
  for (const { seqs } of named) await recordHistory(world, seqs);
}

/** An account at rest, whose profile is recorded. */
export async function restingWorld(opening: Parameters<typeof openWorld>[0] = {}): Promise<World> {
  const world = await openWorld(opening);
  await recordHistory(world, []);
  later(PASS_MS);
  expect(await alarm(world)).toEqual([]);
  expect(await alarmMs(world)).toBeNull();
  return world;
}

export async function sendDelivered(world: World, count = 1): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) await sendSms(world);
  await dispatch(world, []);
  await follow(world, [...new Set((await messagesOf(world)).map(({ seq }) => seq))]);
}

export const recordsOf = async ({ stub }: World, seqs: number[]) => (await stub.records(seqs, false))?.groups ?? [];

export const revisionsOf = async (world: World, seqs: number[]) =>
  (await recordsOf(world, seqs)).flatMap(({ jobs }) => jobs).filter(({ seq }) => seqs.includes(seq));

export const receipt = (world: World, seq: number, state: "delivered" | "undelivered") =>
  world.stub.report([{ kind: "receipt", seq, index: 0, state }], false);

export const lateIn = ({ stub }: World) =>
  runInDurableObject(stub, (_, { storage }) =>
    storage.sql
      .exec("SELECT seq FROM job WHERE late IS NOT NULL ORDER BY seq")
      .toArray()
      .map(({ seq }) => seq),
  );

export const statesIn = (messages: readonly MessageView[]) => messages.map(({ state }) => state);
