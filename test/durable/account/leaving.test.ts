import { env } from "cloudflare:workers";
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { isErased } from "../../../src/durable/erased.ts";
import { UNITS_PER_COIN } from "../../../src/money/money.ts";
import {
  bearer,
  call,
  claim,
  deliverLane,
  dispatch,
  ledgerOf,
  openWorld,
  recordHistory,
  sendSms,
} from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// An account that closes, and one that was erased, as their object answers.

const LATER = Date.now() + 86_400_000;

/** An account whose only message is over, and which history has. */
async function settledWorld(): Promise<World> {
  const world = await openWorld({ balance: 10 });
  await sendSms(world);
  await dispatch(world);
  await world.stub.report([{ kind: "receipt", seq: 2, index: 0, state: "delivered" }], false);
  return world;
}

/** The tables of the object's storage. */
const tablesOf = (world: World) =>
  runInDurableObject(world.stub, (_, { storage }) =>
    storage.sql
      .exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'")
      .toArray()
      .map((row) => row["name"]),
  );

describe("a closing account", () => {
  it("sends nothing any more, can be read, and sends again once it is kept", async () => {
    const world = await openWorld();
    expect(await world.stub.close(LATER)).toMatchObject({ status: "closing", closesAt: LATER });
    const refused = await sendSms(world);
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: "account_suspended", error: expect.stringContaining("being closed") });
    const balance = await call("http://sms.localhost/account-balance", { headers: bearer(world.apiKey) });
    expect(balance.body).toMatchObject({ balance: 1_000 });
    // A take-back of another closing than the present one changes nothing.
    expect(await world.stub.keep(LATER - 1)).toMatchObject({ status: "closing" });
    expect(await world.stub.keep(LATER)).toMatchObject({ status: "active", closesAt: null });
    expect((await sendSms(world)).status).toBe(200);
  });

  it("answers a repeated request that it carried out before", async () => {
    const world = await openWorld();
    const once = { headers: { "idempotency-key": "the-one-before-closing" } };
    const first = await sendSms(world, once);
    await world.stub.close(LATER);
    const again = await sendSms(world, once);
    expect([again.status, again.body.messageId]).toEqual([200, first.body.messageId]);
  });

  it("carries to its end what it had accepted, also against a send at the same moment", async () => {
    const world = await openWorld({ balance: 10 });
    const [sent] = await Promise.all([sendSms(world), world.stub.close(LATER)]);
    const open = sent?.status === 200;
    expect((await world.stub.closing())?.hasOpen).toBe(open);
    await dispatch(world);
    const messages = (await world.stub.messages({ seq: 0, index: 0 }, 10)) ?? [];
    expect(messages.map(({ state }) => state)).toEqual(open ? ["submitted"] : []);
  });

  it("is not settled while a message is open, for more than was given up, and twice", async () => {
    const world = await openWorld({ balance: 10 });
    expect(await world.stub.settleClosing(Infinity)).toMatchObject({ ok: false });
    await sendSms(world);
    await world.stub.close(LATER);
    const view = await world.stub.closing();
    expect(view).toMatchObject({ hasOpen: true, openUnits: expect.any(Number) });
    expect((view?.balance ?? 0) + (view?.openUnits ?? 0)).toBe(10 * UNITS_PER_COIN);
    expect(await world.stub.settleClosing(Infinity)).toEqual({ ok: false, hindrance: "open_messages" });
    await dispatch(world);
    expect(await world.stub.settleClosing(Infinity)).toEqual({ ok: false, hindrance: "open_messages" });
    await world.stub.report([{ kind: "receipt", seq: 2, index: 0, state: "delivered" }], false);
    const balance = (await world.stub.view())?.balance ?? 0;
    expect(await world.stub.settleClosing(balance - 1)).toEqual({ ok: false, hindrance: "balance" });
    expect(await ledgerOf(world)).toHaveLength(2);
    expect(await world.stub.settleClosing(balance)).toEqual({ ok: true, given: balance });
    expect(await world.stub.settleClosing(0)).toEqual({ ok: true, given: balance });
    expect((await ledgerOf(world)).at(-1)).toMatchObject({ type: "adjustment", amount: 0 - balance, balanceAfter: 0 });
    expect(await world.stub.reconcile()).toEqual([]);
  });
});

describe("an erased account", () => {
  it("stores one mark, has no alarm, and answers as one that was never opened, also after an eviction", async () => {
    const world = await settledWorld();
    await world.stub.close(LATER);
    expect(await runInDurableObject(world.stub, (_, { storage }) => storage.getAlarm())).not.toBeNull();
    await world.stub.erase();
    for (const evicted of [false, true]) {
      if (evicted) await evictDurableObject(world.stub);
      expect(await tablesOf(world)).toEqual(["erased"]);
      expect(await runInDurableObject(world.stub, (_, { storage }) => storage.getAlarm())).toBeNull();
      expect(await world.stub.view()).toBeNull();
      expect((await sendSms(world)).body).toMatchObject({ code: "unauthorized" });
      expect((await world.stub.fetch("http://object/")).status).toBe(404);
    }
  });

  it("creates nothing again for a token, a report, a receipt, a history job or an opening that comes late", async () => {
    const world = await settledWorld();
    await world.stub.close(LATER);
    await world.stub.erase();
    for (const evicted of [false, true]) {
      if (evicted) await evictDurableObject(world.stub);
      const tokens = [
        { kind: "send", account: world.name, lane: "single" },
        { kind: "follow", account: world.name, lane: "single", seqs: [2] },
      ];
      expect((await deliverLane(tokens)).retryMessages).toEqual([]);
      expect(await world.stub.report([{ kind: "receipt", seq: 2, index: 0, state: "failed" }], false)).toBeNull();
      expect((await recordHistory(world, [2])).retryMessages).toEqual([]);
      expect(await claim(world)).toEqual([]);
      const opening = { name: "Test", plan: "premium", otpRate: null, balance: 5, keyId: 1, keyName: "k" } as const;
      expect(await world.stub.open(opening)).toBe("erased");
      expect(await runDurableObjectAlarm(world.stub)).toBe(false);
      expect(await tablesOf(world)).toEqual(["erased"]);
    }
  });

  it("is erased completely when the erasure is repeated, and when one before it was cut off", async () => {
    const world = await settledWorld();
    await world.stub.close(LATER);
    await world.stub.erase();
    await world.stub.erase();
    expect(await tablesOf(world)).toEqual(["erased"]);
    const cut = await settledWorld();
    await cut.stub.close(LATER);
    // Dies after everything was deleted, and before the mark.
    await runInDurableObject(cut.stub, async (_, { storage }) => {
      await storage.deleteAlarm();
      await storage.deleteAll();
    });
    await evictDurableObject(cut.stub);
    expect(await runInDurableObject(cut.stub, (_, { storage }) => isErased(storage.sql))).toBe(false);
    await cut.stub.erase();
    expect(await tablesOf(cut)).toEqual(["erased"]);
  });

  it("closes its sockets, and sets no alarm for work that was under way", async () => {
    const world = await settledWorld();
    const reply = await world.stub.fetch("http://object/", { headers: { upgrade: "websocket" } });
    const socket = reply.webSocket;
    socket?.accept();
    const closed = new Promise<number>((resolve) => {
      socket?.addEventListener("close", ({ code }) => resolve(code));
    });
    await world.stub.close(LATER);
    // The alarm awaits queues between its slices: the erasure comes in one of these moments.
    await runInDurableObject(world.stub, async (account) => {
      const rings = account.alarm();
      await account.erase();
      await rings;
    });
    expect(await closed).toBeGreaterThanOrEqual(1_000);
    expect(await runInDurableObject(world.stub, (_, { storage }) => storage.getAlarm())).toBeNull();
    expect(await tablesOf(world)).toEqual(["erased"]);
  });
});

describe("an erased inbox", () => {
  it("drops what lands later", async () => {
    const inbox = env.INBOX.getByName(crypto.randomUUID());
    const caught = {
      account: "acc_x.test",
      requestId: "req_1",
      operation: "sms" as const,
      content: {},
      text: null,
      messages: [{ ref: "msg_1", to: "+919876543210" }],
    };
    await inbox.put([caught]);
    for (const evicted of [false, true]) {
      await inbox.erase();
      if (evicted) await evictDurableObject(inbox);
      await inbox.put([caught]);
      expect(await inbox.list({ account: null }, {}, 10)).toEqual([]);
    }
  });
});
