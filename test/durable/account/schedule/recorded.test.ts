import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { olderPage } from "../../../../src/activity/list.ts";
import { packGroup, unpackGroup } from "../../../../src/db/message-groups.ts";
import { decodeMessages, encodeLives, encodeNumbers } from "../../../../src/durable/account/message/codec.ts";
import { attemptsIn, timelineOf } from "../../../../src/model/message.ts";
import type { Entered, MessageView } from "../../../../src/model/message.ts";
import { parseSearch } from "../../../../src/search/parse.ts";
import { ACTIVITY_OPERATORS } from "../../../../src/activity/list.ts";
import { messageOf } from "../../../world/history.ts";
import {
  balanceOf,
  claim,
  dispatch,
  messagesOf,
  openWorld,
  recordHistory,
  runAlarm,
  sendSms,
} from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// What is scheduled or cancelled, in history, in the account's rows, at its closing, and in rows written.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2027, 0, 4, 6);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const later = (world: World, ms: number) => sendSms(world, { body: { sendAt: new Date(NOW + ms).toISOString() } });

async function found(world: World, q: string): Promise<string[]> {
  const { terms } = parseSearch(q, { nowMs: Date.now(), operators: ACTIVITY_OPERATORS });
  const source = { env, ref: world.ref, stub: world.stub };
  return (await olderPage(source, terms, null)).rows.map(({ state }) => state);
}

const settledOf = (world: World) =>
  runInDurableObject(world.stub, (_, { storage }) => storage.sql.exec("SELECT settled_seq FROM account").one());

describe("history", () => {
  it("has what is scheduled after a pass, finds it by its state then and later, and is held up by none of it", async () => {
    const world = await openWorld({ mode: "test" });
    await later(world, 100 * DAY_MS);
    await later(world, 2 * HOUR_MS);
    expect(await found(world, "state:scheduled")).toEqual(["scheduled", "scheduled"]);
    vi.setSystemTime(NOW + HOUR_MS);
    await runAlarm(world);
    await recordHistory(world, [2, 3]);
    // The mark passes what waits for months: what comes after it is recorded and settled as ever.
    expect(await settledOf(world)).toEqual({ settled_seq: 3 });
    expect(await found(world, "state:scheduled")).toEqual(["scheduled", "scheduled"]);
    expect(await found(world, "-state:scheduled")).toEqual([]);
    vi.setSystemTime(NOW + 3 * HOUR_MS);
    expect(await found(world, "state:scheduled")).toEqual(["scheduled"]);
    expect(await found(world, "state:queued")).toEqual(["queued"]);
    expect(await found(world, "-state:queued")).toEqual(["scheduled"]);
    expect(await found(world, "-state:scheduled")).toEqual(["queued"]);
    await dispatch(world);
    await world.stub.takeBack({ seq: 2, index: 0 });
    expect(await found(world, "state:cancelled,submitted")).toEqual(["submitted", "cancelled"]);
    await recordHistory(world, [2, 3]);
    expect(await found(world, "state:cancelled")).toEqual(["cancelled"]);
    expect(await found(world, "state:refunded")).toEqual(["cancelled"]);
    expect(await found(world, "state:scheduled")).toEqual([]);
  });

  it("is read as it was written, at any time before and after the message's own", () => {
    const ms = fc.integer({ min: 0, max: 100_000 });
    const state = fc.constantFrom<MessageView["state"]>("sending", "queued", "cancelled", "submitted", "failed");
    // Who was tried, where that is not the message's carrier; empty: it is not known.
    const by = fc.constantFrom(undefined, undefined, "", "acme");
    const code = fc.constantFrom(undefined, undefined, "busy");
    const life = fc.record({
      sendIn: fc.option(ms, { nil: undefined }),
      steps: fc.array(fc.tuple(state, ms, by, code), { maxLength: 5 }),
      before: fc.boolean(),
      atMs: ms,
    });
    fc.assert(
      fc.property(fc.array(life, { minLength: 1, maxLength: 20 }), (lives) => {
        for (const [n, { sendIn, steps, before, atMs }] of lives.entries()) {
          const view = messageOf(n, 64 + n, 0);
          const { createdAt } = view;
          const sendAt = sendIn === undefined ? undefined : createdAt + sendIn;
          // Nothing but its end comes before the time of a message.
          const isCancelled = before && sendAt !== undefined;
          let at = sendAt ?? createdAt;
          const went: (Entered & { by?: string | undefined })[] = isCancelled
            ? [{ state: "cancelled", at: Math.max(createdAt, sendAt - 1) }]
            : steps.map(([one, gap, name, why]) => ({
                state: one,
                at: (at += gap),
                by: name,
                ...(why && { code: why }),
              }));
          const entered = attemptsIn(went, view.carrier, view.errorCode);
          const viewAt = (nowMs: number): MessageView => {
            const timeline = timelineOf({ createdAt, sendAt }, entered, nowMs);
            const last = timeline.at(-1);
            const own = { timeline, state: last?.state ?? "queued", updatedAt: last?.at ?? createdAt };
            return { ...view, ...(sendAt !== undefined && { sendAt }), ...own };
          };
          const jobs = [{ seq: 64 + n, rev: 1 }];
          const packed = packGroup({ kind: "singles", seq: 64, jobs, messages: [viewAt(createdAt)] });
          const [kinds, states, messages] = [packed.kinds, packed.states, packed.messages].map((one) =>
            JSON.stringify(one),
          );
          const row = { ...packed, kinds: kinds ?? "", states: states ?? "", messages: messages ?? "" };
          const nowMs = createdAt + atMs;
          expect(unpackGroup(row, nowMs)).toEqual([viewAt(nowMs)]);
        }
      }),
    );
  });
});

describe("the account's row of a cancelled message", () => {
  it("is failed and refunded to a version that knows no such state, and stays cancelled when that writes it", () => {
    const message = { to: "+919876543210", state: "cancelled" as const, attempts: 0, refunded: true as const };
    const log: [typeof message.state, number][] = [["cancelled", NOW + 5]];
    const lives = encodeLives([{ ...message, log }], NOW);
    expect(JSON.parse(lives)).toEqual([[0], [[1, 0, "f5", { refunded: true, cancelled: true }]]]);
    const read = decodeMessages(encodeNumbers([message]), lives, NOW).messages;
    expect(read).toEqual([{ ...message, log }]);
  });
});

describe("a closing account", () => {
  it("is not held up by what is scheduled: that is sent until the erasure, and then taken back", async () => {
    const world = await openWorld({ balance: 100 });
    for (let sent = 0; sent < 30; sent += 1) await later(world, 100 * DAY_MS + sent);
    await later(world, 5 * DAY_MS);
    await world.stub.close(NOW + 14 * DAY_MS);
    expect(await world.stub.closing()).toMatchObject({ hasOpen: false, openUnits: 310_000, balance: 690_000 });
    vi.setSystemTime(NOW + 5 * DAY_MS);
    expect(await world.stub.closing()).toMatchObject({ hasOpen: true, openUnits: 310_000 });
    expect(await world.stub.settleClosing(Infinity)).toEqual({ ok: false, hindrance: "open_messages" });
    await dispatch(world);
    await world.stub.report([{ kind: "receipt", seq: 32, index: 0, state: "delivered" }], false);
    vi.setSystemTime(NOW + 14 * DAY_MS);
    // What was taken back counts: it is more than was given up.
    expect(await world.stub.settleClosing(690_000)).toEqual({ ok: false, hindrance: "balance" });
    expect(await balanceOf(world)).toBe(990_000);
    expect(new Set((await messagesOf(world)).map(({ state }) => state))).toEqual(new Set(["cancelled", "delivered"]));
    expect(await world.stub.settleClosing(990_000)).toEqual({ ok: true, given: 990_000 });
    expect(await world.stub.reconcile()).toEqual([]);
  });

  it("that is kept after all still has its schedule", async () => {
    const world = await openWorld();
    await later(world, 100 * DAY_MS);
    await world.stub.close(NOW + 14 * DAY_MS);
    await world.stub.keep(NOW + 14 * DAY_MS);
    expect(await world.stub.settleClosing(Infinity)).toMatchObject({ ok: false });
    expect((await messagesOf(world)).map(({ state }) => state)).toEqual(["scheduled"]);
  });
});

/** Rows that the account writes while this runs. */
async function rowsOf(world: World, run: () => Promise<unknown>): Promise<number> {
  const counted = { rows: 0 };
  await runInDurableObject(world.stub, (_, { storage }) => {
    const { sql } = storage;
    const exec = sql.exec.bind(sql);
    Object.assign(sql, {
      exec(...asked: Parameters<typeof exec>) {
        const cursor = exec(...asked);
        counted.rows += cursor.rowsWritten;
        return cursor;
      },
    });
  });
  await run();
  return counted.rows;
}

/** An account whose key was used this hour, and that has the key of the day's texts. */
async function warmWorld(): Promise<World> {
  const world = await openWorld();
  await later(world, HOUR_MS);
  await world.stub.takeBack({ seq: 2, index: 0 });
  return world;
}

describe("rows written", () => {
  it("for an SMS that is scheduled, claimed and delivered are 7, and for one that is cancelled 6", async () => {
    const world = await warmWorld();
    const delivered = await rowsOf(world, async () => {
      await later(world, 1_000);
      vi.setSystemTime(NOW + 1_000);
      await claim(world);
      const outcome = { kind: "submitted" as const };
      await world.stub.report([{ kind: "outcome", seq: 4, index: 0, attempt: 1, outcome }], false);
      await world.stub.report([{ kind: "receipt", seq: 4, index: 0, state: "delivered" }], false);
    });
    expect((await messagesOf(world)).map(({ state }) => state)).toEqual(["cancelled", "delivered"]);
    expect(delivered).toBe(7);
    const twin = await warmWorld();
    const cancelled = await rowsOf(twin, async () => {
      await later(twin, HOUR_MS);
      await twin.stub.takeBack({ seq: 4, index: 0 });
    });
    expect(cancelled).toBe(6);
  });

  it("are a few for each hundred of a scheduled bulk, and none while it waits", async () => {
    const world = await openWorld({ balance: 5_000 });
    await sendSms(world);
    await recordHistory(world, [2]);
    const recipients = Array.from({ length: 1_000 }, (_, at) => `+91${9_000_000_000 + at}`);
    const order = { operation: "sms" as const, content: {}, text: null, validityMs: DAY_MS, recipients };
    const price = { kind: "fixed" as const, units: 10_000 };
    const caller = { keyId: world.keyId, requestId: "req_bulk" };
    const sent = await rowsOf(world, async () =>
      world.stub.sendLater({ ...caller, ...order, price, sendAtMs: NOW + 90 * DAY_MS }),
    );
    // A row with two entries in indexes for each hundred.
    expect(sent).toBe(30);
    await evictDurableObject(world.stub);
    const waiting = await rowsOf(world, async () => {
      vi.setSystemTime(NOW + HOUR_MS);
      await runAlarm(world);
      const seqs = [...new Set((await messagesOf(world)).map(({ seq }) => seq))];
      await recordHistory(world, seqs);
      vi.setSystemTime(NOW + 40 * DAY_MS);
      await runAlarm(world);
      await runAlarm(world);
    });
    // The settled mark, the sweep of idempotency keys and texts: nothing of the jobs.
    expect(waiting).toBeLessThan(10);
  });
});
