import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { messageId, newAccountId } from "../../src/crypto/ids.ts";
import { CarrierIds } from "../../src/durable/carrier-ids.ts";
import { Outbox } from "../../src/durable/carrier-ids/outbox.ts";
import { Ledger } from "../../src/durable/carrier-ids/ledger.ts";
import type { News } from "../../src/model/message.ts";
import type { AccountRef } from "../../src/model/ref.ts";

// The ids under which a carrier took messages, and receipts that name only these. A restart is another instance over the
// same storage.

const DAY_MS = 86_400_000;
const ACCOUNT: AccountRef = { accountId: newAccountId(env.KEY_SECRET, "ids"), mode: "live" };
const refOf = (seq: number) => messageId(env.KEY_SECRET, ACCOUNT, "sms", { seq, index: 0 });

interface At {
  /** An instance over the storage; each further one is a restart. */
  start: () => CarrierIds;
  storage: DurableObjectStorage;
  /** What the account was told, in order. */
  told: News[];
  /** When the alarm rings, in ms; null where it is not set. */
  alarmMs: () => number | null;
  /** Waits until what was begun beside the calls has ended. */
  settled: () => Promise<unknown>;
}

let opened = 0;
let logged: string[] = [];

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function inIds(run: (at: At) => Promise<void>): Promise<void> {
  logged = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void logged.push(line));
  await runInDurableObject(env.CARRIER_IDS.getByName(`shop${++opened}:0`), async (_, ctx) => {
    const told: News[] = [];
    let alarm: number | null = null;
    vi.spyOn(ctx.storage, "setAlarm").mockImplementation(async (at) => void (alarm = Number(at)));
    vi.spyOn(ctx.storage, "getAlarm").mockImplementation(async () => alarm);
    vi.spyOn(ctx.storage, "deleteAlarm").mockImplementation(async () => void (alarm = null));
    const begun: Promise<unknown>[] = [];
    vi.spyOn(ctx, "waitUntil").mockImplementation((work) => void begun.push(work));
    const report = async (news: News[]) => void told.push(...news);
    const at = { ...env, ACCOUNT: { getByName: () => ({ report }) } } as unknown as Env;
    const start = () => new CarrierIds(ctx, at);
    const settled = () => Promise.all(begun);
    await run({ start, storage: ctx.storage, told, alarmMs: () => alarm, settled });
  });
}

const receipt = (seq: number, state: string, code?: string) => ({
  kind: "receipt",
  seq,
  index: 0,
  state,
  carrier: `shop${opened}`,
  ...(code !== undefined && { code }),
});

describe("the ids of a carrier", () => {
  it("are found, also after a restart, and by each of several receipts", () =>
    inIds(async ({ start, told, settled }) => {
      await start().note("4711", refOf(1));
      const again = start();
      expect(await again.find("4711", "submitted", null)).toBe(refOf(1));
      expect(await again.find("4711", "delivered", null)).toBe(refOf(1));
      expect(await again.find("4711", "delivered", null)).toBe(refOf(1));
      await settled();
      // The one who asked tells the account.
      expect(told).toEqual([]);
    }));

  it("keep a receipt that came before its message, and tell it once", () =>
    inIds(async ({ start, told, settled, storage }) => {
      expect(await start().find("soon", "undelivered", "011")).toBeNull();
      const again = start();
      await again.note("soon", refOf(2));
      await again.note("soon", refOf(2));
      await settled();
      expect(told).toEqual([receipt(2, "undelivered", "011")]);
      expect(storage.sql.exec("SELECT * FROM early").toArray()).toEqual([]);
      expect(storage.sql.exec("SELECT * FROM outbox").toArray()).toEqual([]);
    }));

  it.each([
    ["submitted then delivered", ["submitted", "delivered"], "delivered"],
    ["delivered then submitted", ["delivered", "submitted"], "delivered"],
    ["failed then delivered", ["failed", "delivered"], "delivered"],
    ["undelivered then delivered", ["undelivered", "delivered"], "delivered"],
    ["delivered then undelivered", ["delivered", "undelivered"], "delivered"],
    ["undelivered then failed", ["undelivered", "failed"], "undelivered"],
  ] as const)("of two early receipts tell the delivery, else the first that is final: %s", (_, states, final) =>
    inIds(async ({ start, told, settled }) => {
      const ids = start();
      for (const state of states) await ids.find("both", state, null);
      await ids.note("both", refOf(3));
      await settled();
      expect(told).toEqual([receipt(3, final)]);
    }),
  );

  it("of two early receipts on two days tell the final one too", () =>
    inIds(async ({ start, told, settled }) => {
      const nowMs = Date.now();
      const ids = start();
      await ids.find("days", "delivered", null);
      vi.useFakeTimers({ toFake: ["Date"], now: nowMs + DAY_MS });
      await ids.find("days", "submitted", null);
      await ids.note("days", refOf(4));
      await settled();
      expect(told).toEqual([receipt(4, "delivered")]);
    }));

  it("belong to the newest message where the carrier gives one again", () =>
    inIds(async ({ start }) => {
      const ids = start();
      await ids.note("1", refOf(5));
      await ids.note("1", refOf(6));
      expect(await ids.find("1", "delivered", null)).toBe(refOf(6));
    }));

  it("are many, and do not meet", () =>
    inIds(async ({ start, told, settled }) => {
      const ids = start();
      for (let seq = 1; seq <= 300; seq++) {
        if (seq % 3 === 0) await ids.find(`id-${seq}`, "delivered", null);
        await ids.note(`id-${seq}`, refOf(seq));
      }
      await settled();
      expect(told).toHaveLength(100);
      for (const seq of [1, 150, 299]) expect(await ids.find(`id-${seq}`, "failed", null)).toBe(refOf(seq));
      expect(await ids.find("id-301", "failed", null)).toBeNull();
    }));
});

it("an early receipt is told by the alarm where the object broke off after its message was stored", () =>
  inIds(async ({ start, told, alarmMs }) => {
    const ids = start();
    await ids.find("late", "delivered", null);
    vi.spyOn(Outbox.prototype, "flush").mockResolvedValueOnce();
    await ids.note("late", refOf(7));
    expect(told).toEqual([]);
    expect((alarmMs() ?? Infinity) - Date.now()).toBeLessThanOrEqual(30_000);
    await start().alarm();
    expect(told).toEqual([receipt(7, "delivered")]);
  }));

describe("the alarm", () => {
  it("forgets ids after the receipts' window, and leaves nothing behind", () =>
    inIds(async ({ start, alarmMs, storage }) => {
      const ids = start();
      const sentMs = Date.now();
      await ids.note("4711", refOf(8));
      expect(alarmMs()).toBeGreaterThan(sentMs);
      vi.useFakeTimers({ toFake: ["Date"], now: sentMs + 2.9 * DAY_MS });
      await ids.alarm();
      expect(await ids.find("4711", "delivered", null)).toBe(refOf(8));
      vi.setSystemTime(sentMs + 6 * DAY_MS);
      await ids.alarm();
      expect(alarmMs()).toBeNull();
      expect(storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'part'").toArray()).toEqual([]);
      // And begins anew with the next message.
      await ids.note("4712", refOf(9));
      expect(await ids.find("4712", "delivered", null)).toBe(refOf(9));
      expect(alarmMs()).not.toBeNull();
    }));

  it("says in the log how many receipts never found their message, as after a kill before the id was stored", () =>
    inIds(async ({ start, told }) => {
      const ids = start();
      const cameMs = Date.now();
      await ids.find("killed", "delivered", null);
      await ids.find("other", "failed", "633");
      vi.useFakeTimers({ toFake: ["Date"], now: cameMs + DAY_MS });
      await ids.alarm();
      expect(logged.join()).not.toContain("receipts_forgotten");
      vi.setSystemTime(cameMs + 3 * DAY_MS);
      await ids.alarm();
      const line = logged.map((one) => JSON.parse(one) as object);
      expect(line).toContainEqual(expect.objectContaining({ event: "receipts_forgotten", count: 2 }));
      await ids.note("killed", refOf(10));
      expect(told).toEqual([]);
    }));

  it("is not put off by further messages or restarts", () =>
    inIds(async ({ start, alarmMs }) => {
      const nowMs = Date.now();
      await start().note("a", refOf(1));
      const first = alarmMs();
      vi.useFakeTimers({ toFake: ["Date"], now: nowMs + 3_600_000 });
      await start().note("b", refOf(2));
      await start().find("c", "delivered", null);
      expect(alarmMs()).toBe(first);
    }));
});

it("receipts without a message are kept up to a bound, and those that are kept still count", () =>
  inIds(async ({ start, storage }) => {
    await start().note("0", refOf(1));
    const ledger = new Ledger(storage.sql, 3);
    const nowMs = Date.now();
    const early = (id: string) => ledger.receipt({ id, state: "delivered", code: null }, nowMs, 3 * DAY_MS);
    for (const id of ["a", "b", "c", "d", "a"]) expect(early(id)).toEqual([]);
    expect(ledger.early).toBe(3);
    const given = (id: string) => ledger.given({ id, ref: refOf(2), nth: 1, parts: 1 }, nowMs);
    expect(given("d")).toEqual([]);
    expect(given("c")).toHaveLength(1);
    expect(early("e")).toEqual([]);
    expect(given("e")).toHaveLength(1);
    expect(new Ledger(storage.sql, 3).early).toBe(2);
  }));
