import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { randomId } from "../../../../src/crypto/ids.ts";
import { pause, receiptsOf, sendBulk, submitBulk } from "../../../world/bulk.ts";
import { beginEvents, eventsOf, kill, receipt } from "../../../world/events.ts";
import { openWorld, recordHistory, runAlarm } from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// What events add to the rows that an account writes; ARCHITECTURE.md quotes it.

const DAY_MS = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.now() + DAY_MS });
});
afterEach(() => vi.useRealTimers());

interface Rows {
  job: number;
  feed: number;
  other: number;
  alarms: number;
}

/** Counts the rows that an account object writes from now on, by table. */
async function countRows({ stub }: World): Promise<Rows> {
  const counted: Rows = { job: 0, feed: 0, other: 0, alarms: 0 };
  await runInDurableObject(stub, (_, { storage }) => {
    const exec = storage.sql.exec.bind(storage.sql);
    const setAlarm = storage.setAlarm.bind(storage);
    Object.assign(storage.sql, {
      exec(query: string, ...bindings: unknown[]) {
        const cursor = exec(query, ...bindings);
        const found = cursor.toArray();
        const [, table = ""] = /^\s*(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)/u.exec(query) ?? [];
        counted[table === "job" || table === "feed" ? table : "other"] += cursor.rowsWritten;
        return { toArray: () => found, one: () => found[0] };
      },
    });
    Object.assign(storage, {
      setAlarm(time: number) {
        counted.alarms += 1;
        return setAlarm(time);
      },
    });
  });
  return counted;
}

/** Sends an SMS that its sender submits: it is stored already claimed. Returns its job. */
async function sendTaken(world: World): Promise<number> {
  const done = await world.stub.send({
    keyId: world.keyId,
    requestId: randomId("req"),
    operation: "sms",
    recipients: ["+919876543210"],
    price: { kind: "fixed", units: 10_000 },
    content: {},
    text: null,
    validityMs: DAY_MS,
    take: { carrier: "http", leaseMs: 60_000 },
  });
  if (!done?.ok) throw new Error("the account refused");
  return done.seq;
}

/** A world whose key was used this hour. */
async function warmWorld(isOn: boolean, balance = 100_000): Promise<World> {
  const world = await openWorld({ balance });
  await recordHistory(world, []);
  await runAlarm(world);
  await sendTaken(world);
  if (isOn) await beginEvents(world);
  return world;
}

it("is one row for a lone SMS, and nothing while the feed is off", async () => {
  for (const isOn of [false, true]) {
    const world = await warmWorld(isOn);
    const counted = await countRows(world);
    const seq = await sendTaken(world);
    await world.stub.report([receipt(seq, "delivered")], false);
    // What the timer does after a second, the feed's reader has done.
    if (isOn) await eventsOf(world);
    else await runInDurableObject(world.stub, () => undefined);
    expect(counted).toEqual({ job: 2, feed: isOn ? 1 : 0, other: 0, alarms: 0 });
  }
});

it("is one row for both changes of an SMS within a second, and none for reading", async () => {
  const world = await warmWorld(true);
  const counted = await countRows(world);
  const seq = await sendTaken(world);
  await world.stub.report([receipt(seq, "submitted")], false);
  await world.stub.report([receipt(seq, "delivered")], false);
  for (let times = 0; times < 3; times += 1) expect(await eventsOf(world)).toHaveLength(2);
  expect(counted).toEqual({ job: 3, feed: 1, other: 0, alarms: 0 });
});

it("is at most a tenth of a row for a message of an account that sends 40 in a second", async () => {
  const world = await warmWorld(true);
  const counted = await countRows(world);
  for (let second = 0; second < 10; second += 1) {
    for (let at = 0; at < 40; at += 1) {
      const seq = await sendTaken(world);
      await world.stub.report([receipt(seq, "submitted")], false);
      await world.stub.report([receipt(seq, "delivered")], false);
    }
    // The flush of that second; so far apart that no limit is met.
    await world.stub.events(null, 1);
    vi.setSystemTime(Date.now() + 60_000);
  }
  expect(await eventsOf(world)).toHaveLength(800);
  // A flush for each second, and a row more where it crosses into another page.
  expect(counted.feed).toBe(10 + 2);
  expect(counted.feed / 400).toBeLessThanOrEqual(0.1);
  expect(counted.job).toBe(3 * 400);
});

it("is at most 20 rows for a bulk of 1,000 whose receipts come in 40 batches", async () => {
  const world = await warmWorld(true);
  const counted = await countRows(world);
  await sendBulk(world, 1_000);
  const places = await submitBulk(world, 1_000);
  const mixed = places.map((place, at) => ({ place, key: (at * 7_919) % 1_000 })).toSorted((a, b) => a.key - b.key);
  const before = { ...counted };
  for (let from = 0; from < 1_000; from += 25) {
    pause();
    await world.stub.report(receiptsOf(mixed.slice(from, from + 25).map(({ place }) => place)), false);
    if (from % 200 === 0) await world.stub.events(null, 1);
  }
  expect(await eventsOf(world)).toHaveLength(2_000);
  expect(counted.feed).toBeLessThanOrEqual(20);
  // The journal still spares the jobs' rows most of the receipts.
  expect(counted.job - before.job).toBeLessThanOrEqual(40);
});

it("is a row for each page that is forgotten, once a day, and for the newest of them emptied", async () => {
  const world = await openWorld();
  await beginEvents(world);
  for (let day = 0; day < 3; day += 1) {
    for (let at = 0; at < 5; at += 1) {
      await world.stub.credit({ amount: 1, reference: randomId("gift"), requestId: "req_1" });
    }
    vi.setSystemTime(Date.now() + DAY_MS);
  }
  const pages = () =>
    runInDurableObject(
      world.stub,
      (_, { storage: { sql } }) => sql.exec("SELECT count(*) AS pages FROM feed").toArray()[0]?.["pages"],
    );
  expect(await pages()).toBe(3);
  // An object that starts, as each does once a day for the archive, sets the alarm for it.
  await kill(world);
  await world.stub.ping();
  const counted = await countRows(world);
  vi.setSystemTime(Date.now() + 29 * DAY_MS);
  expect(await runAlarm(world)).toBe(true);
  expect([counted.feed, await pages()]).toEqual([2, 1]);
  vi.setSystemTime(Date.now() + 3 * DAY_MS);
  expect(await runAlarm(world)).toBe(true);
  expect([counted.feed, await pages()]).toEqual([3, 1]);
  expect(await world.stub.events(15, 1)).toEqual({ ok: true, events: [], last: 15 });
  expect(await world.stub.events(14, 1)).toMatchObject({ reason: "events_expired", first: 16 });
});
