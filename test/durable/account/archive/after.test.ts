import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { olderPage } from "../../../../src/activity/list.ts";
import { bucketOf } from "../../../../src/model/history.ts";
import { DAY_MS, archive, deliverClear, rowsLeft, settle, stateOf } from "../../../world/archive.ts";
import { historyOf, rowsOf } from "../../../world/history.ts";
import { later, receipt, sendDelivered, stopClock } from "../../../world/pass.ts";
import {
  balanceOf,
  ledgerOf,
  messagesOf,
  openWorld,
  operator,
  recordHistory,
  sendBulk,
  sendSms,
} from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// An account of which the old part was archived answers as before, as to all that is left.

beforeEach(stopClock);
afterEach(() => vi.useRealTimers());

/** An account with this many old messages, all of them archived, and then young ones. */
async function archivedWorld(
  old: number,
  young: number,
  opening: Parameters<typeof openWorld>[0] = {},
): Promise<World> {
  const world = await openWorld(opening);
  await sendDelivered(world, old);
  await settle(world);
  later(432 * DAY_MS);
  await sendDelivered(world, young);
  await settle(world);
  await archive(world);
  return world;
}

const seqsOf = (rows: readonly { seq: number }[]) => rows.map(({ seq }) => seq);

const differences = async ({ ref }: World) =>
  (await operator("GET", `/operator/reconcile?account=${ref.accountId}`)).body.differences as unknown[];

describe("after an archive", () => {
  it("the account sends on: numbers and balance continue, also where nothing is left of it", async () => {
    for (const young of [0, 2]) {
      const world = await archivedWorld(3, young);
      const [before, seq] = [await balanceOf(world), 4 + young];
      expect((await world.stub.view())?.seq).toBe(seq);
      await evictDurableObject(world.stub);
      const reply = await sendSms(world);
      expect(reply.status).toBe(200);
      expect((await ledgerOf(world)).at(-1)).toMatchObject({ seq: seq + 1, balanceAfter: before - 10_000 });
      expect(await differences(world)).toEqual([]);
    }
  });

  it("pages of the ledger begin with the checkpoint, whatever their size", async () => {
    const world = await archivedWorld(3, 3);
    const whole = await ledgerOf(world);
    expect(whole.map(({ seq, type }) => [seq, type])).toEqual([
      [4, "checkpoint"],
      [5, "debit"],
      [6, "debit"],
      [7, "debit"],
    ]);
    for (let size = 1; size <= 4; size += 1) {
      const pages = [];
      for (let after = 0; ;) {
        const rows = (await world.stub.ledger(after, size)) ?? [];
        pages.push(...rows);
        if (rows.length < size) break;
        after = rows.at(-1)?.seq ?? 0;
      }
      expect(pages).toEqual(whole);
    }
    const path = `/operator/accounts/${world.ref.accountId}/ledger?limit=1`;
    const wire = { seq: 4, type: "checkpoint", reference: "archive", message_id: null, request_id: null };
    expect((await operator("GET", path)).body.data).toMatchObject([wire]);
  });

  it("a reference credits once, and the credit is answered as before", async () => {
    const world = await openWorld();
    const credit = () =>
      operator("POST", `/operator/accounts/${world.ref.accountId}/credits`, { amount: 5, reference: "cheque 1" });
    const first = await credit();
    await sendDelivered(world);
    await settle(world);
    later(432 * DAY_MS);
    await archive(world);
    const before = await balanceOf(world);
    const again = await credit();
    expect(again.body.entry).toEqual(first.body.entry);
    expect(await balanceOf(world)).toBe(before);
    const opening = { name: "Test", plan: "premium", otpRate: null, keyId: 1, keyName: "k" } as const;
    expect(await world.stub.open({ ...opening, balance: 10_000_000 })).toBe("repeated");
    expect(await world.stub.open({ ...opening, balance: 1 })).toBe("other");
  });

  it("a paid order is refunded, and what was spent of it is owed and paid", async () => {
    const world = await openWorld({ balance: 0, plan: "starter" });
    const order = { orderId: "ord_1", paymentRef: "pay_1" };
    await world.stub.settlePayment({ ...order, creditUnits: 100_000, plan: "premium" });
    await sendDelivered(world, 3);
    await settle(world);
    later(432 * DAY_MS);
    await archive(world);
    expect((await rowsLeft(world)).jobs).toEqual([]);
    expect(await world.stub.settlePayment({ ...order, creditUnits: 100_000, plan: "premium" })).toMatchObject({
      changed: false,
    });
    const refund = { ...order, refundedPaise: 100, amountPaise: 100 };
    expect(await world.stub.refundPayment(refund)).toEqual({
      changed: true,
      refund: { refundedPaise: 100, taken: 70_000, shortfall: 30_000 },
    });
    expect(await differences(world)).toEqual([]);
    await operator("PATCH", `/operator/accounts/${world.ref.accountId}`, { status: "active" });
    await settle(world);
    later(500 * DAY_MS);
    await archive(world);
    expect((await world.stub.view())?.owed).toBe(30_000);
    expect(await world.stub.refundPayment(refund)).toMatchObject({ changed: false });
    expect(await differences(world)).toEqual([]);
  });

  it("a refund of a message that left before it keeps its message in the ledger", async () => {
    const world = await openWorld();
    await sendSms(world);
    const [claimed] = await world.stub
      .work({
        news: [],
        follow: false,
        resubmits: false,
        claim: { lane: "single", max: 1, carrier: "http", leaseMs: 60_000 },
      })
      .then((done) => done?.jobs ?? []);
    if (!claimed) throw new Error("nothing to claim");
    // The month ends between the message and its refund.
    vi.setSystemTime(Date.parse(`${new Date(Date.now() + 32 * DAY_MS).toISOString().slice(0, 7)}-01T00:00:01Z`));
    await world.stub.report([{ kind: "receipt", seq: claimed.seq, index: 0, state: "failed", code: "x" }], false);
    const before = await ledgerOf(world);
    expect(before.at(-1)).toMatchObject({ type: "refund", message: { seq: 2, index: 0, operation: "sms" } });
    await settle(world);
    later(401 * DAY_MS);
    await archive(world);
    expect(await rowsLeft(world)).toEqual({ jobs: [], entries: [1, 3] });
    expect((await ledgerOf(world)).slice(1)).toEqual(before.slice(2));
    expect(await differences(world)).toEqual([]);
  });

  it("a receipt for a message that left changes nothing and is answered as before", async () => {
    const world = await archivedWorld(2, 1);
    const before = [await ledgerOf(world), await messagesOf(world)];
    expect(await receipt(world, 2, "undelivered")).toBe(true);
    expect([await ledgerOf(world), await messagesOf(world)]).toEqual(before);
    expect(await world.stub.follow([2])).toEqual([]);
    expect(await world.stub.messageDetail({ seq: 2, index: 0 })).toBeNull();
    expect(await world.stub.records([2], false)).toMatchObject({ groups: [], profile: null });
  });

  it("the window still counts what was sent within the minute", async () => {
    const world = await openWorld({ plan: "starter" });
    await sendDelivered(world, 2);
    await settle(world);
    later(432 * DAY_MS);
    await archive(world);
    for (let sent = 0; sent < 3; sent += 1) await sendSms(world);
    await evictDurableObject(world.stub);
    const { headers } = await sendSms(world);
    expect(headers.get("RateLimit")).toContain(";r=6;");
  });
});

describe("history in D1", () => {
  it("loses what left the account, and never shows it again", async () => {
    const world = await openWorld({ balance: 10_000 });
    await sendDelivered(world, 70);
    await sendBulk(world, 150);
    await sendDelivered(world, 1);
    await settle(world);
    const old = (await rowsOf(world)) ?? 0;
    later(432 * DAY_MS);
    await sendDelivered(world, 3);
    await settle(world);
    await archive(world);
    const young = seqsOf(await messagesOf(world));
    const list = () => olderPage({ env, ref: world.ref, stub: world.stub }, [], null);
    expect(seqsOf((await list()).rows)).toEqual(young.toReversed());
    expect(await rowsOf(world)).toBe(old);
    await deliverClear(world);
    await deliverClear(world);
    // What is left is the bucket in which the checkpoint is.
    expect(await rowsOf(world)).toBe(1);
    const state = await stateOf(world);
    expect(state["cleared_seq"]).toBe(state["checkpoint_seq"]);
    expect(seqsOf((await list()).rows)).toEqual(young.toReversed());
    expect(await world.stub.clearNext(null)).toBeNull();
  });

  it("takes a change of a young message whose bucket was divided", async () => {
    const world = await archivedWorld(3, 2);
    const state = await stateOf(world);
    expect(bucketOf(Number(state["checkpoint_seq"]))).toBe(0);
    await runInDurableObject(world.stub, (_, { storage }) => {
      storage.sql.exec(`UPDATE job SET lives = '[[0],[[1,1,"s1t2c3"]]]', rev = rev + 1 WHERE seq = 6`);
    });
    await receipt(world, 6, "delivered");
    await recordHistory(world, [6]);
    expect(await historyOf(world)).toEqual(await messagesOf(world));
  });

  it("is cleared again where the first order was lost, or D1 was away", async () => {
    const world = await archivedWorld(70, 1);
    const away = {
      ...env.HISTORY_1,
      prepare: () => {
        throw new Error("D1 is away");
      },
    } as unknown as D1Database;
    await deliverClear(world, { ...env, HISTORY_1: away });
    expect(await stateOf(world)).toMatchObject({ cleared_seq: 0 });
    const sent: unknown[] = [];
    await runInDurableObject(world.stub, async (account) => {
      const HISTORY = { sendBatch: async (bodies: unknown[]) => void sent.push(...bodies) } as unknown as Queue;
      Object.assign(account, { env: { ...env, HISTORY } });
      await account.archive();
    });
    expect(sent).toEqual([{ body: { account: world.name, seqs: [], clear: true } }]);
    await deliverClear(world);
    expect(await stateOf(world)).toMatchObject({ cleared_seq: 71 });
    expect(await rowsOf(world)).toBe(1);
  });
});

describe("a test account", () => {
  it("forgets what is older than TEST_DAYS, without files", async () => {
    const world = await openWorld({ mode: "test" });
    await sendDelivered(world, 90);
    await settle(world);
    later(6 * DAY_MS);
    expect(await archive(world)).toBe(false);
    await sendDelivered(world, 2);
    await settle(world);
    later(1 * DAY_MS + 60_000);
    const balance = await balanceOf(world);
    await archive(world);
    expect((await rowsLeft(world)).jobs).toEqual([92, 93]);
    expect(await balanceOf(world)).toBe(balance);
    expect(await world.stub.archives(0, 10)).toMatchObject({ manifests: [], checkpoint: { seq: 91 } });
    expect((await env.ARCHIVE.list({ prefix: `${world.name}/` })).objects).toEqual([]);
    expect(await differences(world)).toEqual([]);
  });
});
