import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { recordGroups as record } from "../../../src/db/history.ts";
import { historyOf, settledSeq } from "../../world/history.ts";
import {
  HOUR_MS,
  PASS_MS,
  alarm,
  alarmMs,
  deliver,
  later,
  lateIn,
  receipt,
  recordsOf,
  restingWorld,
  rests,
  revisionsOf,
  sendDelivered,
  seqsIn,
  statesIn,
  stopClock,
} from "../../world/pass.ts";
import { claim, recordHistory, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

beforeEach(stopClock);
afterEach(() => vi.useRealTimers());

/** Three delivered messages, named and read by the consumer, whose answer is under way. */
async function underWay() {
  const world = await restingWorld();
  for (let sent = 0; sent < 3; sent += 1) await sendSms(world);
  await claim(world, { lane: "single", max: 3, carrier: "http", leaseMs: 60_000 });
  for (const seq of [2, 3, 4]) await receipt(world, seq, "undelivered");
  later(PASS_MS);
  expect(seqsIn(await alarm(world))).toEqual([2, 3, 4]);
  return { world, read: await revisionsOf(world, [2, 3, 4]) };
}

describe("what changes while it is recorded", () => {
  it.each([
    ["before the answer", async () => {}],
    ["before the answer, and the object is evicted", (world: World) => evictDurableObject(world.stub)],
  ])("is late when the mark passes it: %s", async (_, between) => {
    const { world, read } = await underWay();
    await receipt(world, 3, "delivered");
    await between(world);
    await world.stub.recorded({ historyDb: 1, jobs: read, profileRev: null });
    expect(await settledSeq(world)).toBe(4);
    expect(await lateIn(world)).toEqual([3]);
    expect(await alarmMs(world)).toBe(Date.now() + PASS_MS);
    // The answer comes once more: it is as old as before.
    await world.stub.recorded({ historyDb: 1, jobs: read, profileRev: null });
    expect(await lateIn(world)).toEqual([3]);
    later(PASS_MS);
    const named = await alarm(world);
    expect(seqsIn(named)).toEqual([3]);
    await deliver(world, named);
    expect(await lateIn(world)).toEqual([]);
    expect(statesIn(await historyOf(world))).toEqual(["undelivered", "delivered", "undelivered"]);
    later(PASS_MS);
    expect(await alarm(world)).toEqual([]);
    expect(await rests(world)).toBe(true);
  });

  it("is late when it changes while an answer before it is missing", async () => {
    const { world, read } = await underWay();
    const [first, ...rest] = read;
    await world.stub.recorded({ historyDb: 1, jobs: rest, profileRev: null });
    expect(await settledSeq(world)).toBe(0);
    await receipt(world, 4, "delivered");
    await world.stub.recorded({ historyDb: 1, jobs: first ? [first] : [], profileRev: null });
    expect(await settledSeq(world)).toBe(4);
    expect(await lateIn(world)).toEqual([4]);
  });

  it("is named again when an answer ahead of the mark was forgotten by an eviction", async () => {
    const { world, read } = await underWay();
    await world.stub.recorded({ historyDb: 1, jobs: read.slice(1), profileRev: null });
    await evictDurableObject(world.stub);
    await world.stub.recorded({ historyDb: 1, jobs: read.slice(0, 1), profileRev: null });
    expect(await settledSeq(world)).toBe(2);
    await sendDelivered(world);
    later(PASS_MS);
    const named = await alarm(world);
    expect(seqsIn(named)).toEqual([3, 4, 5]);
    await deliver(world, named);
    expect(await settledSeq(world)).toBe(5);
  });

  it("stays as it is when an answer with an older revision comes after a newer one", async () => {
    const { world, read } = await underWay();
    const old = { ...world.ref, groups: await recordsOf(world, [3]) };
    await world.stub.recorded({ historyDb: 1, jobs: read, profileRev: null });
    await receipt(world, 3, "delivered");
    await recordHistory(world, [3]);
    expect(await lateIn(world)).toEqual([]);
    await record(env.HISTORY_1, [old]);
    await world.stub.recorded({ historyDb: 1, jobs: read, profileRev: null });
    expect(await lateIn(world)).toEqual([]);
    expect(statesIn(await historyOf(world))).toEqual(["undelivered", "delivered", "undelivered"]);
  });

  it("costs nothing for a young neighbour in the bucket: it is not settled before it is over", async () => {
    const { world } = await underWay();
    await sendSms(world);
    await recordHistory(world, [2, 3, 4]);
    expect(await settledSeq(world)).toBe(4);
    await claim(world, { lane: "single", max: 1, carrier: "http", leaseMs: 60_000 });
    await receipt(world, 5, "delivered");
    expect(await lateIn(world)).toEqual([]);
  });
});

it("names what was sent after a pass whose clock was set back since", async () => {
  const world = await restingWorld();
  const aheadMs = 2 * HOUR_MS;
  later(aheadMs);
  await sendDelivered(world);
  later(PASS_MS);
  const early = await alarm(world);
  expect(seqsIn(early)).toEqual([2]);
  await deliver(world, early);
  later(-aheadMs);
  await sendDelivered(world);
  later(PASS_MS);
  expect(seqsIn(await alarm(world))).toEqual([3]);
});
