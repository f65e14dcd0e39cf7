import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UNITS_PER_COIN } from "../../src/money/money.ts";
import { placeOrder, resumeOrder } from "../../src/payments/orders.ts";
import { PLANS } from "../../src/money/plans.ts";
import { openWorld } from "../world/world.ts";
import {
  HOOK,
  KEY,
  at,
  hmac,
  openRazorpay,
  paidEvent,
  pay,
  payment,
  razorpay,
  shopOf,
  webhook,
} from "../world/razorpay.ts";
import { entriesOf, orderNow, recordedOf, standingOf } from "../world/shop.ts";

const BOUGHT = { balance: PLANS.business.creditCoins * UNITS_PER_COIN, plan: "business" };

beforeEach(openRazorpay);

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("an order", () => {
  it("becomes a payment link with our price and reference, and a return address", async () => {
    const { order, placed } = await shopOf();
    expect(placed.checkout).toEqual({
      ok: true,
      url: razorpay.links[0]?.short_url,
      providerRef: razorpay.links[0]?.id,
    });
    expect(order).toMatchObject({ provider: "razorpay", providerRef: razorpay.links[0]?.id, state: "created" });
    expect(razorpay.asked).toHaveLength(1);
    expect(razorpay.asked[0]).toMatchObject({
      method: "POST",
      path: "/v1/payment_links",
      body: {
        amount: 199_900,
        currency: "INR",
        accept_partial: false,
        reference_id: order.id,
        notes: { order_id: order.id },
        callback_url: `http://console.localhost/billing/orders/${order.id}`,
        callback_method: "get",
      },
    });
    expect(razorpay.asked[0]?.headers.get("authorization")).toBe(`Basic ${btoa(`rzp_test_1:${KEY}`)}`);
    expect(order.id.length).toBeLessThanOrEqual(40);
  });

  it.each(["lost", "answer_lost", "busy", "nonsense"] as const)(
    "whose request was %s stays open, and another try finds or creates its one link",
    async (fate) => {
      razorpay.fates = [fate, "lost"];
      const { order, placed, again } = await shopOf();
      expect(placed.checkout).toEqual({ ok: false, reason: "unavailable" });
      expect(order).toMatchObject({ state: "created", providerRef: null });
      const second = await again();
      expect(second).toMatchObject({ ok: true, order: { id: order.id } });
      expect(second.ok && second.checkout).toMatchObject({ ok: true });
      expect(razorpay.links).toHaveLength(1);
      expect(await orderNow(order)).toMatchObject({ providerRef: razorpay.links[0]?.id });
      expect(await resumeOrder(at, await orderNow(order))).toMatchObject({
        ok: true,
        url: razorpay.links[0]?.short_url,
      });
      expect(razorpay.links).toHaveLength(1);
    },
  );

  it("that is posted five times at once has one link", async () => {
    const world = await openWorld({ plan: "starter", balance: 0 });
    const person = { accountId: world.ref.accountId, name: "Asha", buyer: null };
    const all = await Promise.all(Array.from({ length: 5 }, () => placeOrder(at, person, "business", "same")));
    expect(new Set(all.map((one) => one.ok && one.order.id)).size).toBe(1);
    expect(new Set(all.map((one) => one.ok && one.checkout.ok && one.checkout.url))).toEqual(
      new Set([razorpay.links[0]?.short_url]),
    );
    expect(razorpay.links).toHaveLength(1);
  });

  it("whose link has expired is reported as closed, and fails", async () => {
    const { order } = await shopOf();
    razorpay.links[0]!.status = "expired";
    expect(await resumeOrder(at, order)).toEqual({ ok: false, reason: "closed" });
    expect(await orderNow(order)).toMatchObject({ state: "failed", reason: "The payment link is expired." });
  });
});

describe("webhooks", () => {
  it("credit an order once: the link's event, the payment's event, and both again", async () => {
    const { world, order } = await shopOf();
    const id = pay({ order });
    const captured = {
      event: "payment.captured",
      payload: { payment: payment(order, id, { description: `#${order.providerRef?.slice("plink_".length)}` }) },
    };
    for (const body of [captured, paidEvent(order, id), paidEvent(order, id), captured]) {
      expect(await webhook(body)).toBe(200);
      expect(await standingOf(world)).toMatchObject(BOUGHT);
    }
    expect(await standingOf(world)).toMatchObject(BOUGHT);
    expect(await entriesOf(world)).toHaveLength(1);
    expect(await orderNow(order)).toMatchObject({ state: "credited", paymentRef: id });
    expect((await recordedOf(order)).filter(({ quarantined }) => quarantined !== null)).toEqual([]);
  });

  it("identify an event by its id, or by its content if it has no id", async () => {
    const { world, order } = await shopOf();
    const body = paidEvent(order, pay({ order }));
    await webhook(body, { "x-razorpay-event-id": `event_${order.id}` });
    await webhook(body, { "x-razorpay-event-id": `event_${order.id}` });
    expect(await recordedOf(order)).toHaveLength(1);
    const withoutId = [await shopOf(), await shopOf()];
    for (const shop of withoutId) {
      const id = pay(shop);
      for (const none of [null, "", null]) {
        expect(await webhook(paidEvent(shop.order, id), { "x-razorpay-event-id": none })).toBe(200);
      }
      expect(await recordedOf(shop.order)).toHaveLength(1);
      // The same payment in another event of the same order.
      await webhook({ ...paidEvent(shop.order, id), created_at: 1 }, { "x-razorpay-event-id": null });
      expect(await recordedOf(shop.order)).toHaveLength(2);
    }
    for (const one of [world, ...withoutId.map((shop) => shop.world)]) expect(await entriesOf(one)).toHaveLength(1);
  });

  it("are refused unless the signature matches the exact bytes", async () => {
    const { world, order } = await shopOf();
    const body = paidEvent(order, "pay_forged");
    expect(await webhook(body, {}, KEY)).toBe(401);
    expect(await webhook(body, { "x-razorpay-signature": "" })).toBe(401);
    expect(await webhook(body, { "x-razorpay-signature": hmac(HOOK, JSON.stringify(body, null, 1)) })).toBe(401);
    expect(await webhook(body, { "x-razorpay-signature": hmac(HOOK, JSON.stringify(body)).toUpperCase() })).toBe(401);
    expect(await entriesOf(world)).toEqual([]);
    expect(await recordedOf(order)).toEqual([]);
  });

  it("report a failed attempt with its reason, and the next attempt can still pay the order", async () => {
    const { world, order } = await shopOf();
    const failed = payment(order, "pay_0", { notes: { order_id: order.id }, error_description: "Card declined" });
    expect(await webhook({ event: "payment.failed", payload: { payment: failed } })).toBe(200);
    expect(await orderNow(order)).toMatchObject({ state: "failed", reason: "Card declined" });
    expect(await webhook(paidEvent(order, pay({ order })))).toBe(200);
    expect(await standingOf(world)).toMatchObject(BOUGHT);
    expect(await orderNow(order)).toMatchObject({ state: "credited", reason: null });
  });

  it("apply a refund to the payment that it names", async () => {
    const { world, order } = await shopOf();
    const id = pay({ order });
    await webhook(paidEvent(order, id));
    const refund = { entity: { id: "rfnd_1", amount: order.amountPaise, currency: "INR", payment_id: id } };
    const whole = payment(order, id, { amount_refunded: order.amountPaise });
    const created = { event: "refund.created", payload: { refund, payment: whole } };
    expect(await webhook(created)).toBe(200);
    expect(await standingOf(world)).toMatchObject(BOUGHT);
    expect(await webhook({ ...created, event: "refund.processed" })).toBe(200);
    expect(await standingOf(world)).toMatchObject({ balance: 0, plan: "starter" });
    expect(await orderNow(order)).toMatchObject({ state: "refunded", refundedPaise: order.amountPaise });
  });

  it("are accepted and change nothing when they are genuine but about something else or incomplete", async () => {
    const { world, order } = await shopOf();
    for (const body of [
      { event: "settlement.processed", payload: {} },
      { event: "constructor", payload: {} },
      {},
      [],
    ]) {
      expect(await webhook(body)).toBe(200);
    }
    const thin = { event: "payment_link.paid", payload: { payment_link: { entity: { reference_id: order.id } } } };
    expect(await webhook(thin)).toBe(200);
    expect(await entriesOf(world)).toEqual([]);
    expect(await recordedOf(order)).toMatchObject([{ quarantined: expect.stringContaining("no amount came") }]);
  });
});
