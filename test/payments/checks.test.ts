import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { housekeeping } from "../../src/housekeeping.ts";
import { UNITS_PER_COIN } from "../../src/money/money.ts";
import { CHECKS_MS, checkOrder, nextCheck, refreshOrder } from "../../src/payments/orders.ts";
import type { Order } from "../../src/payments/provider.ts";
import { PLANS } from "../../src/money/plans.ts";
import { HOOK, KEY, at, hmac, openRazorpay, pay, razorpay, shopOf } from "../world/razorpay.ts";
import { entriesOf, orderNow, standingOf } from "../world/shop.ts";

// Where the service asks the provider itself: when the buyer returns, and from housekeeping when a webhook was lost.

const BOUGHT = { balance: PLANS.business.creditCoins * UNITS_PER_COIN, plan: "business" };

beforeEach(openRazorpay);

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The query that Razorpay appends to the return address. */
const query = (order: Order, paymentId: string, secret = KEY, status = "paid") => {
  const text = [order.providerRef, order.id, status, paymentId].join("|");
  return new URLSearchParams({
    razorpay_payment_id: paymentId,
    razorpay_payment_link_id: order.providerRef ?? "",
    razorpay_payment_link_reference_id: order.id,
    razorpay_payment_link_status: status,
    razorpay_signature: hmac(secret, text),
  });
};

/** Runs the housekeeping at this time. */
const runAt = (nowMs: number) => {
  vi.useFakeTimers({ toFake: ["Date"], now: nowMs });
  return housekeeping(at, nowMs);
};

describe("a buyer's return", () => {
  it("that is genuine asks Razorpay at once, and only Razorpay's answer leads to credit", async () => {
    const { world, order } = await shopOf();
    expect(await refreshOrder(at, order, query(order, "pay_1"))).toMatchObject({ state: "created" });
    expect(await entriesOf(world)).toEqual([]);
    const id = pay({ order });
    expect(await refreshOrder(at, await orderNow(order), query(order, id))).toMatchObject({ state: "credited" });
    expect(await standingOf(world)).toMatchObject(BOUGHT);
  });

  it("that is forged, or of another order, asks Razorpay nothing", async () => {
    const { order } = await shopOf();
    const other = (await shopOf()).order;
    pay({ order });
    razorpay.asked = [];
    expect(await refreshOrder(at, order, query(order, "pay_1", HOOK))).toMatchObject({ state: "created" });
    expect(await refreshOrder(at, order, query(other, "pay_1"))).toMatchObject({ state: "created" });
    expect(razorpay.asked).toEqual([]);
  });
});

describe("an order whose webhook was lost", () => {
  it("is looked up after 2, 10 and 60 minutes, then at the later times of the schedule, then no more", () => {
    const times: number[] = [];
    for (let next = nextCheck(0, 0); next !== null; next = nextCheck(0, next)) times.push(next);
    expect(times.slice(0, 3)).toEqual([2, 10, 60].map((minutes) => minutes * 60_000));
    expect(times).toEqual(CHECKS_MS);
  });

  it("is credited by the housekeeping, once, even when Razorpay was unavailable at the first lookup", async () => {
    await env.DB.prepare("UPDATE payment_order SET check_at = NULL").run();
    const { world, order } = await shopOf();
    pay({ order });
    razorpay.asked = [];
    await runAt(order.createdAt + 119_000);
    expect(razorpay.asked).toEqual([]);
    razorpay.fates = ["lost"];
    await runAt(order.createdAt + 120_000);
    expect(razorpay.asked).toHaveLength(1);
    expect(await orderNow(order)).toMatchObject({ state: "created", checkAt: order.createdAt + 600_000 });
    await runAt(order.createdAt + 300_000);
    expect(razorpay.asked).toHaveLength(1);
    await Promise.all([runAt(order.createdAt + 600_000), runAt(order.createdAt + 600_000)]);
    expect(razorpay.asked).toHaveLength(2);
    expect(await standingOf(world)).toMatchObject(BOUGHT);
    expect(await orderNow(order)).toMatchObject({ state: "credited", checkAt: null });
    await runAt(order.createdAt + 3_600_000);
    expect(razorpay.asked).toHaveLength(2);
  });

  it("is found by its reference when even the reply to its creation was lost", async () => {
    razorpay.fates = ["answer_lost", "lost"];
    const { world, order } = await shopOf();
    expect(order.providerRef).toBeNull();
    pay({ order });
    expect(await checkOrder(at, order, Date.now())).toBe(true);
    expect(await standingOf(world)).toMatchObject(BOUGHT);
    expect(await orderNow(order)).toMatchObject({ state: "credited", providerRef: razorpay.links[0]?.id });
  });

  it("is still completed after PAYMENTS has changed", async () => {
    const { world, order } = await shopOf();
    const id = pay({ order });
    const later = { ...at, PAYMENTS: "none" };
    await checkOrder(later, order, Date.now());
    expect(await standingOf(world)).toMatchObject(BOUGHT);
    expect(await orderNow(order)).toMatchObject({ paymentRef: id });
  });
});
