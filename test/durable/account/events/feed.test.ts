import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { showKeyId } from "../../../../src/crypto/api-key.ts";
import { PAGE_EVENTS } from "../../../../src/durable/account/events/pages.ts";
import { pause, receiptsOf, sendBulk, submitBulk } from "../../../world/bulk.ts";
import {
  beginEvents,
  eventsOf,
  expectTold,
  inShort,
  kill,
  pageAfter,
  receipt,
  sendClaimed,
  storedFeed,
} from "../../../world/events.ts";
import { messagesOf, openWorld, runAlarm } from "../../../world/world.ts";

// The account's sequence of events: its numbers, its pages, and what it tells.

const DAY_MS = 86_400_000;

beforeEach(() => {
  // A day ahead of the real clock, so that no alarm fires by itself; and no flush but one that a test has run.
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.now() + DAY_MS });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("the sequence", () => {
  it("begins when the account first asks, and writes nothing before", async () => {
    const world = await openWorld();
    const seq = await sendClaimed(world);
    await world.stub.report([receipt(seq, "submitted")], false);
    expect(await storedFeed(world)).toEqual({ pages: [], told: 0 });
    await beginEvents(world);
    pause();
    await world.stub.report([receipt(seq, "delivered")], false);
    const events = await eventsOf(world);
    expect(events.map(inShort)).toEqual([`delivered ${seq}.0`]);
    expect(events[0]).toMatchObject({ seq: 1, type: "message.delivered", at: Date.now() });
  });

  it("tells of a message as it was at each change", async () => {
    const world = await openWorld();
    await beginEvents(world);
    const seq = await sendClaimed(world);
    const timeout = { kind: "unknown", code: "timeout" } as const;
    await world.stub.report([{ kind: "outcome", seq, index: 0, attempt: 1, outcome: timeout }], false);
    await world.stub.report([receipt(seq, "submitted")], false);
    await world.stub.report([receipt(seq, "failed", "000")], false);
    const [message] = await messagesOf(world);
    const shared = {
      place: { seq, index: 0, secretId: 1 },
      requestId: message?.requestId,
      operation: "sms",
      to: "+919876543210",
      charge: message?.charge,
      attempts: 1,
    };
    expect((await eventsOf(world)).flatMap((event) => ("message" in event ? [event.message] : []))).toEqual([
      { ...shared, state: "unknown", errorCode: "timeout", refunded: false },
      { ...shared, state: "submitted", errorCode: null, refunded: false },
      { ...shared, state: "failed", errorCode: "000", refunded: true },
    ]);
  });

  it("fills its pages up, and reads across them from any number, with any limit", async () => {
    const world = await openWorld({ balance: 10_000 });
    await beginEvents(world);
    await sendBulk(world, 450);
    const places = await submitBulk(world, 450);
    await eventsOf(world);
    for (let from = 0; from < places.length; from += 90) {
      pause();
      await world.stub.report(receiptsOf(places.slice(from, from + 90)), false);
      await pageAfter(world, 0, 1);
    }
    const all = await eventsOf(world);
    expect(all).toHaveLength(900);
    expectTold(all, await messagesOf(world));
    expect((await storedFeed(world)).pages).toEqual(
      [0, 1, 2, 3, 4].map((page) => ({
        first: page * PAGE_EVENTS + 1,
        last: Math.min(900, (page + 1) * PAGE_EVENTS),
      })),
    );
    for (const [after, limit] of [
      [0, 1],
      [199, 1],
      [199, 2],
      [200, 500],
      [398, 404],
      [899, 500],
      [900, 500],
    ] as const) {
      expect(await pageAfter(world, after, limit)).toEqual(all.slice(after, after + limit));
    }
  });

  it("refuses a number that no event has yet, and one whose events are forgotten", async () => {
    const world = await openWorld();
    await beginEvents(world);
    expect(await world.stub.events(1, 10)).toEqual({ ok: false, reason: "no_such_event", last: 0 });
    const seq = await sendClaimed(world);
    await world.stub.report([receipt(seq, "submitted")], false);
    await eventsOf(world);
    vi.setSystemTime(Date.now() + 32 * DAY_MS);
    await runAlarm(world);
    // The end of the receipt's window is an event of the alarm's own; the numbers go on.
    expect((await storedFeed(world)).pages).toEqual([{ first: 2, last: 2 }]);
    expect(await world.stub.events(0, 10)).toEqual({ ok: false, reason: "events_expired", first: 2 });
    expect((await eventsOf(world, 1)).map((event) => [event.seq, inShort(event)])).toEqual([
      [2, `unconfirmed ${seq}.0`],
    ]);
    vi.setSystemTime(Date.now() + 32 * DAY_MS);
    await runAlarm(world);
    expect((await storedFeed(world)).pages).toEqual([{ first: 3, last: 2 }]);
    expect(await world.stub.events(2, 10)).toEqual({ ok: true, events: [], last: 2 });
    await kill(world);
    await world.stub.report([receipt(seq, "delivered")], false);
    expect((await eventsOf(world, 2)).map((event) => [event.seq, inShort(event)])).toEqual([[3, `delivered ${seq}.0`]]);
  });

  it("throws where a page is missing, and says where", async () => {
    const world = await openWorld({ balance: 10_000 });
    await beginEvents(world);
    await sendBulk(world, 300);
    await submitBulk(world, 300);
    await eventsOf(world);
    await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
      sql.exec("UPDATE feed SET events = substr(events, instr(events, char(10)) + 1) WHERE first = 1");
    });
    await runInDurableObject(world.stub, async (account) => {
      await expect(account.events(0, 10)).rejects.toThrow("the feed of events has a gap at 1");
    });
  });
});

describe("events that are not of a message", () => {
  it("have their number at once, after all that came before", async () => {
    const world = await openWorld({ balance: 100 });
    await beginEvents(world);
    const seq = await sendClaimed(world);
    await world.stub.report([receipt(seq, "submitted")], false);
    await world.stub.credit({ amount: 50_000, reference: "gift", requestId: "req_1" });
    await kill(world);
    await world.stub.makeKey(world.keyId + 2, "second key");
    await world.stub.makeKey(world.keyId + 2, "second key");
    await world.stub.revokeKey(world.keyId + 2);
    await world.stub.revokeKey(world.keyId + 2);
    await kill(world);
    const events = await eventsOf(world);
    expect(events.map(inShort)).toEqual([`submitted ${seq}.0`, "credit.added", "key.created", "key.revoked"]);
    expect(events.slice(1).map((event) => "data" in event && event.data)).toEqual([
      { amount: 5, balance: 104 },
      { key_id: showKeyId(world.keyId + 2), name: "second key" },
      { key_id: showKeyId(world.keyId + 2), name: "second key" },
    ]);
  });

  it("tell once that the balance fell below its bound, and again after it rose above it", async () => {
    const world = await openWorld({ balance: 12 });
    await beginEvents(world);
    const adjust = (coins: number, reference: string) =>
      world.stub.credit({ amount: coins * 10_000, reference, requestId: "req_1" });
    await adjust(-1, "a");
    await adjust(-1, "b");
    await adjust(-1, "c");
    await adjust(2, "d");
    await adjust(-6, "e");
    const low = (await eventsOf(world)).filter(({ type }) => type === "balance.low");
    expect(low.map((event) => "data" in event && event.data)).toEqual([
      { balance: 9, balance_low_at: 10 },
      { balance: 5, balance_low_at: 10 },
    ]);
    await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
      sql.exec("UPDATE account SET balance_low_at = NULL");
    });
    await adjust(20, "f");
    await adjust(-24, "g");
    expect((await eventsOf(world)).filter(({ type }) => type === "balance.low")).toHaveLength(2);
  });
});

it("gets its numbers by a timer, and a request that waits is answered then", async () => {
  vi.useRealTimers();
  const world = await openWorld();
  await beginEvents(world);
  const [one, other] = [await sendClaimed(world), await sendClaimed(world)];
  await world.stub.report([receipt(one, "submitted")], false);
  await vi.waitFor(async () => expect((await storedFeed(world)).pages).toEqual([{ first: 1, last: 1 }]), 10_000);
  const waiting = world.stub.events(1, 10, 25_000);
  await world.stub.report([receipt(other, "submitted")], false);
  expect(await waiting).toMatchObject({ ok: true, events: [{ seq: 2, type: "message.submitted" }], last: 2 });
  expect(await world.stub.events(2, 10, 20)).toEqual({ ok: true, events: [], last: 2 });
});

it("is deleted with the account", async () => {
  const world = await openWorld();
  await beginEvents(world);
  await world.stub.erase();
  expect(await world.stub.events(0, 10)).toBeNull();
});
