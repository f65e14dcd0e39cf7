import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pause, receiptsOf, sendBulk, storedBulk, submitBulk } from "../../../world/bulk.ts";
import {
  beginEvents,
  eventsOf,
  expectTold,
  inShort,
  kill,
  receipt,
  reportWithoutEvents,
  sendClaimed,
  storedFeed,
} from "../../../world/events.ts";
import { messagesOf, openWorld, recordHistory, runAlarm } from "../../../world/world.ts";

// What the sequence of events survives: kills, failed transactions, and releases that know no events.

const DAY_MS = 86_400_000;

beforeEach(() => {
  // A day ahead of the real clock, so that no alarm fires by itself; and no flush but one that a test has run.
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.now() + DAY_MS });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("an eviction between a change and its number", () => {
  it("loses nothing, and changes nothing of what is told", async () => {
    const world = await openWorld();
    await beginEvents(world);
    const seq = await sendClaimed(world);
    await world.stub.report([receipt(seq, "submitted")], false);
    pause();
    await world.stub.report([receipt(seq, "undelivered", "absent")], false);
    await kill(world);
    const events = await eventsOf(world);
    expect(events.map(inShort)).toEqual([`submitted ${seq}.0`, `undelivered ${seq}.0`]);
    expect(events.map((event) => "message" in event && event.message.errorCode)).toEqual([null, "absent"]);
    await kill(world);
    expect(await eventsOf(world)).toEqual(events);
  });

  it("loses no receipt that is only in the journal, nor one that was folded", async () => {
    const world = await openWorld();
    await beginEvents(world);
    await sendBulk(world, 250);
    const places = await submitBulk(world, 250);
    await eventsOf(world);
    pause();
    await world.stub.report(receiptsOf(places.filter((_, at) => at % 3 === 0)), false);
    expect((await storedBulk(world)).journal).toBe(1);
    await kill(world);
    expect((await eventsOf(world)).length).toBe(250 + 84);
    pause();
    await world.stub.report(receiptsOf(places.filter((_, at) => at % 3 === 1)), false);
    // Everything is written into the jobs' rows before the numbers are given.
    vi.setSystemTime(Date.now() + 700_000);
    await runInDurableObject(world.stub, (_, { storage }) => storage.deleteAlarm());
    await world.stub.report(receiptsOf(places.filter((_, at) => at % 3 === 2)), false);
    await kill(world);
    expectTold(await eventsOf(world), await messagesOf(world));
    expect(await eventsOf(world)).toHaveLength(500);
  });

  it("loses no late receipt of a job that history has settled", async () => {
    const world = await openWorld();
    await beginEvents(world);
    const seq = await sendClaimed(world);
    await world.stub.report([receipt(seq, "undelivered")], false);
    vi.setSystemTime(Date.now() + DAY_MS / 24);
    await runAlarm(world);
    await recordHistory(world, [seq]);
    expect(
      await runInDurableObject(world.stub, (_, { storage: { sql } }) =>
        sql.exec("SELECT settled_seq FROM account").one(),
      ),
    ).toEqual({ settled_seq: seq });
    await world.stub.report([receipt(seq, "delivered")], false);
    await kill(world);
    expect((await eventsOf(world)).map(inShort)).toEqual([`undelivered ${seq}.0`, `delivered ${seq}.0`]);
    // A change that history records before it has a number gets one with that.
    const other = await sendClaimed(world);
    await world.stub.report([receipt(other, "delivered")], false);
    vi.setSystemTime(Date.now() + DAY_MS / 24);
    await recordHistory(world, [seq, other]);
    await kill(world);
    expect((await eventsOf(world, 2)).map(inShort)).toEqual([`delivered ${other}.0`]);
  });

  it("is repaired by the alarm where no one reads", async () => {
    const world = await openWorld();
    await beginEvents(world);
    const seq = await sendClaimed(world);
    await world.stub.report([receipt(seq, "submitted")], false);
    await kill(world);
    await runAlarm(world);
    expect((await storedFeed(world)).pages).toEqual([{ first: 1, last: 1 }]);
  });
});

describe("a transaction that is rolled back", () => {
  it("has no events", async () => {
    const world = await openWorld();
    await beginEvents(world);
    const seq = await sendClaimed(world);
    await runInDurableObject(world.stub, async (account, { storage }) => {
      const transactionSync = storage.transactionSync.bind(storage);
      Object.assign(storage, {
        transactionSync: <T>(work: () => T): T =>
          transactionSync(() => {
            work();
            throw new Error("the disk is full");
          }),
      });
      await expect(account.report([receipt(seq, "delivered")], false)).rejects.toThrow("the disk is full");
      Object.assign(storage, { transactionSync });
    });
    expect(await eventsOf(world)).toEqual([]);
    await world.stub.report([receipt(seq, "delivered")], false);
    expect((await eventsOf(world)).map(inShort)).toEqual([`delivered ${seq}.0`]);
  });
});

describe("after a release without events", () => {
  it("each message that it changed gets an event for its newest state, once", async () => {
    const world = await openWorld();
    await beginEvents(world);
    const [known, changed] = [await sendClaimed(world), await sendClaimed(world)];
    await world.stub.report([receipt(known, "submitted"), receipt(changed, "submitted")], false);
    await kill(world);
    pause();
    // Their first change is in no page yet.
    await reportWithoutEvents(world, [receipt(changed, "undelivered")]);
    await reportWithoutEvents(world, [receipt(changed, "delivered")]);
    const events = await eventsOf(world);
    expect(events.map(inShort)).toEqual([`submitted ${known}.0`, `submitted ${changed}.0`, `delivered ${changed}.0`]);
    await kill(world);
    expect(await eventsOf(world)).toEqual(events);
    await world.stub.report([receipt(known, "delivered")], false);
    expect((await eventsOf(world, 3)).map(inShort)).toEqual([`delivered ${known}.0`]);
  });

  it("so does what it left in the journal, and what it let history settle", async () => {
    const world = await openWorld();
    await beginEvents(world);
    await sendBulk(world, 120);
    const places = await submitBulk(world, 120);
    const early = await sendClaimed(world);
    await eventsOf(world);
    pause();
    await reportWithoutEvents(world, receiptsOf(places.slice(90, 110)));
    expect((await storedBulk(world)).journal).toBe(1);
    await reportWithoutEvents(world, [receipt(early, "delivered")]);
    await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
      sql.exec("UPDATE account SET settled_seq = ?", early);
    });
    await kill(world);
    const events = await eventsOf(world);
    expect(events).toHaveLength(120 + 21);
    expectTold(events, await messagesOf(world));
    for (let times = 0; times < 2; times += 1) {
      await kill(world);
      expect(await eventsOf(world)).toEqual(events);
    }
    pause();
    await world.stub.report(receiptsOf(places), false);
    expectTold(await eventsOf(world), await messagesOf(world));
  });
});

describe("the archive", () => {
  it("takes only what has its numbers, and leaves its events", async () => {
    const world = await openWorld({ mode: "test" });
    await beginEvents(world);
    const [old, late] = [await sendClaimed(world), await sendClaimed(world)];
    await world.stub.report([receipt(old, "delivered"), receipt(late, "undelivered")], false);
    vi.setSystemTime(Date.now() + DAY_MS / 24);
    await runAlarm(world);
    await recordHistory(world, [old, late]);
    vi.setSystemTime(Date.now() + 9 * DAY_MS);
    await world.stub.report([receipt(late, "delivered")], false);
    await kill(world);
    await world.stub.archive();
    vi.setSystemTime(Date.now() + DAY_MS);
    await runAlarm(world);
    // The late receipt is not in history yet, so its message stays.
    expect((await messagesOf(world)).map(({ seq }) => seq)).toEqual([late]);
    await kill(world);
    expect((await eventsOf(world)).map(inShort)).toEqual([
      `delivered ${old}.0`,
      `undelivered ${late}.0`,
      `delivered ${late}.0`,
    ]);
  });
});
