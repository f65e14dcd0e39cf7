import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { randomId } from "../../../src/crypto/ids.ts";
import { UNITS_PER_COIN } from "../../../src/money/money.ts";
import { standingOf } from "../../world/shop.ts";
import { bearer, claim, dispatch, ledgerOf, messagesOf, openWorld, post } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// Credit that was spent before its payment was refunded is owed, and refunds of messages pay it first. Without that,
// the buyer has the money back and, when the messages fail, the credit as well.

afterEach(() => vi.restoreAllMocks());

const orderOf = (creditUnits: number) => ({
  orderId: randomId("ord"),
  paymentRef: "pay_1",
  creditUnits,
  plan: "premium" as const,
});

/** Sends a bulk, whose messages wait in the queue. */
async function sendBulk(world: World, count: number): Promise<number[]> {
  const recipients = Array.from({ length: count }, (_, at) => String(9_000_000_000 + at));
  const sent = await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  expect(sent.status).toBe(200);
  return [...new Set((await messagesOf(world)).map(({ seq }) => seq))];
}

/** Dispatches jobs at a gateway that refuses everything for good, so that every message is refunded. */
async function failAll(world: World, seqs: number[]): Promise<void> {
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    await new Response(init?.body ?? null).text();
    return new Response(null, { status: 400 });
  });
  await dispatch(world, seqs, { CARRIER: "http" });
}

const debtOf = async (world: World) =>
  (await ledgerOf(world)).filter(({ reference }) => reference?.startsWith("debt:")).map(({ amount }) => amount);

describe("credit that was spent before its payment was refunded", () => {
  it("is paid by the refunds of its messages, however the account is activated again", async () => {
    const world = await openWorld({ plan: "premium", balance: 0 });
    const order = orderOf(210 * UNITS_PER_COIN);
    await world.stub.settlePayment(order);
    const seqs = await sendBulk(world, 210);
    await world.stub.refundPayment({ ...order, refundedPaise: 100, amountPaise: 100 });
    expect(await standingOf(world)).toMatchObject({ balance: 0, status: "suspended" });
    expect(await world.stub.view()).toMatchObject({ owed: 210 * UNITS_PER_COIN });
    await world.stub.amend({ status: "active" });
    await failAll(world, seqs);
    const paid = await debtOf(world);
    expect(paid.reduce((sum, amount) => sum + amount, 0)).toBe(-210 * UNITS_PER_COIN);
    // One entry for each report of a consumer, not one for each message.
    expect(paid.length).toBeLessThan(10);
    expect(await standingOf(world)).toMatchObject({ balance: 0, status: "active" });
    expect(await world.stub.view()).toMatchObject({ owed: 0 });
  });

  it("is paid only up to what is owed; the rest of a refund is the customer's", async () => {
    const world = await openWorld({ plan: "premium", balance: 0 });
    const [one, two] = [orderOf(100 * UNITS_PER_COIN), orderOf(50 * UNITS_PER_COIN)];
    await world.stub.settlePayment(one);
    await world.stub.settlePayment(two);
    const seqs = await sendBulk(world, 140);
    // Of 10 coins that are left, the first part takes 5; the second wants 25 and finds 5.
    for (const refundedPaise of [10, 60]) await world.stub.refundPayment({ ...two, refundedPaise, amountPaise: 100 });
    expect(await world.stub.view()).toMatchObject({ balance: 0, owed: 20 * UNITS_PER_COIN });
    await world.stub.amend({ status: "active" });
    await failAll(world, seqs);
    expect((await debtOf(world)).reduce((sum, amount) => sum + amount, 0)).toBe(-20 * UNITS_PER_COIN);
    expect(await standingOf(world)).toMatchObject({ balance: 120 * UNITS_PER_COIN });
  });

  it("is listed by order, the oldest paid first, with what paid it", async () => {
    const world = await openWorld({ plan: "premium", balance: 0 });
    const [one, two] = [orderOf(100 * UNITS_PER_COIN), orderOf(50 * UNITS_PER_COIN)];
    for (const order of [one, two]) await world.stub.settlePayment(order);
    const seqs = await sendBulk(world, 150);
    for (const order of [one, two]) {
      await world.stub.refundPayment({ ...order, refundedPaise: 60, amountPaise: 100 });
    }
    expect(await world.stub.debts()).toMatchObject({
      owed: 90 * UNITS_PER_COIN,
      debts: [
        { orderId: one.orderId, shortfall: 60 * UNITS_PER_COIN, paid: 0 },
        { orderId: two.orderId, shortfall: 30 * UNITS_PER_COIN, paid: 0 },
      ],
      payments: [],
    });
    const requestId = (await messagesOf(world))[0]?.requestId;
    const failed = Array.from({ length: 70 }, (_, index) => ({ seq: seqs[0] ?? 0, index }));
    await claim(world, { lane: "bulk", max: 100 });
    await world.stub.report(
      failed.map((place) => ({ ...place, kind: "receipt", state: "failed" })),
      false,
    );
    const { owed, debts, payments } = (await world.stub.debts()) ?? { owed: 0, debts: [], payments: [] };
    expect(owed).toBe(20 * UNITS_PER_COIN);
    expect(debts.map(({ paid }) => paid)).toEqual([60 * UNITS_PER_COIN, 10 * UNITS_PER_COIN]);
    expect(payments).toMatchObject([{ amount: 70 * UNITS_PER_COIN, requestId }]);
  });

  it("leaves no entry where nothing is owed", async () => {
    const world = await openWorld({ plan: "premium", balance: 50 });
    await failAll(world, await sendBulk(world, 50));
    expect(await debtOf(world)).toEqual([]);
    expect(await standingOf(world)).toMatchObject({ balance: 50 * UNITS_PER_COIN });
  });

  it("that was paid too often is found by reconciliation", async () => {
    const world = await openWorld({ plan: "premium", balance: 0 });
    const order = orderOf(10 * UNITS_PER_COIN);
    await world.stub.settlePayment(order);
    const seqs = await sendBulk(world, 10);
    await world.stub.refundPayment({ ...order, refundedPaise: 100, amountPaise: 100 });
    await failAll(world, seqs);
    await runInDurableObject(world.stub, (_, { storage }) => {
      storage.sql.exec(`UPDATE ledger_entry SET note = '{"shortfall":5}' WHERE reference LIKE 'payment-refund:%'`);
    });
    expect(await world.stub.reconcile()).toMatchObject([{ kind: "debt" }]);
  });
});
