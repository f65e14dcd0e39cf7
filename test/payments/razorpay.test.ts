import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { disputesOf } from "../../src/db/money/disputes.ts";
import { UNITS_PER_COIN } from "../../src/money/money.ts";
import { placeOrder, resumeOrder } from "../../src/payments/orders.ts";
import { PLANS } from "../../src/money/plans.ts";
import type { Order } from "../../src/payments/provider.ts";
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

/** How a payment names the link that it paid. */
const linkMark = ({ providerRef }: Order) => `#${providerRef?.slice("plink_".length)}`;

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
      payload: { payment: payment(order, id, { description: linkMark(order) }) },
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

  it("identify an event by its signed content: one that was captured is not filed again under other ids", async () => {
    const shops = [await shopOf(), await shopOf()];
    for (const shop of shops) {
      const id = pay(shop);
      const wrong = paidEvent({ ...shop.order, amountPaise: 1 }, id);
      for (const eventId of [`event_${shop.order.id}`, null, "", "x".repeat(200), "another"]) {
        expect(await webhook(paidEvent(shop.order, id), { "x-razorpay-event-id": eventId })).toBe(200);
        expect(await webhook(wrong, { "x-razorpay-event-id": eventId })).toBe(200);
      }
      const recorded = await recordedOf(shop.order);
      expect(recorded).toHaveLength(2);
      expect(recorded.filter(({ quarantined }) => quarantined !== null)).toHaveLength(1);
      // The same payment in another event of the same order.
      await webhook({ ...paidEvent(shop.order, id), created_at: 1 });
      expect(await recordedOf(shop.order)).toHaveLength(3);
    }
    for (const { world } of shops) expect(await entriesOf(world)).toHaveLength(1);
  });

  it("credit no payment of another link, whatever order its notes name", async () => {
    const [mine, other] = [await shopOf(), await shopOf()];
    const notes = { order_id: mine.order.id };
    const elsewhere = `${linkMark(other.order)}x`;
    for (const description of [null, "Any text", elsewhere]) {
      const captured = { payment: payment(mine.order, `pay_${String(description)}`, { notes, description }) };
      expect(await webhook({ event: "payment.captured", payload: captured })).toBe(200);
    }
    // The event of a link under our reference that is not the one that the order has.
    const foreign = paidEvent({ ...mine.order, providerRef: "plink_other" }, "pay_foreign");
    expect(await webhook(foreign)).toBe(200);
    expect(await entriesOf(mine.world)).toEqual([]);
    expect(await orderNow(mine.order)).toMatchObject({ state: "created" });
    expect(await recordedOf(mine.order)).toMatchObject([
      { quarantined: expect.stringMatching(/^Wrong link: plink_other/u) },
    ]);
    // The payment of its own link still counts.
    expect(await webhook(paidEvent(mine.order, pay(mine)))).toBe(200);
    expect(await standingOf(mine.world)).toMatchObject(BOUGHT);
    expect(await entriesOf(other.world)).toEqual([]);
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
    const failed = payment(order, "pay_0", { description: linkMark(order), error_description: "Card declined" });
    expect(await webhook({ event: "payment.failed", payload: { payment: failed } })).toBe(200);
    expect(await orderNow(order)).toMatchObject({ state: "failed", reason: "Card declined" });
    expect(await webhook(paidEvent(order, pay({ order })))).toBe(200);
    expect(await standingOf(world)).toMatchObject(BOUGHT);
    expect(await orderNow(order)).toMatchObject({ state: "credited", reason: null });
  });

  it("follow a dispute of the payment that they name, by their own time and not by that of their arrival", async () => {
    const { world, order } = await shopOf();
    const id = pay({ order });
    expect(await webhook(paidEvent(order, id))).toBe(200);
    // As in https://razorpay.com/docs/webhooks/payloads/disputes: neither the link nor the order is in it.
    const dispute = (status: string, atSec: number, more: object = {}) => ({
      entity: "event",
      event: `payment.dispute.${status}`,
      contains: ["payment", "dispute"],
      created_at: 1_790_000_000 + atSec,
      payload: {
        payment: payment(order, id),
        dispute: {
          entity: {
            id: "disp_AHfqOvkldwsbqt",
            entity: "dispute",
            payment_id: id,
            amount: order.amountPaise,
            currency: "INR",
            amount_deducted: 0,
            reason_code: "goods_or_services_not_received",
            respond_by: 1_790_600_000,
            status: "open",
            phase: "chargeback",
            created_at: 1_790_000_000,
            ...more,
          },
        },
      },
    });
    const rowNow = async () => (await disputesOf(env.DB, [order.id]))[0];
    expect(await webhook(dispute("created", 0))).toBe(200);
    expect(await rowNow()).toMatchObject({
      disputeId: "disp_AHfqOvkldwsbqt",
      orderId: order.id,
      accountId: world.ref.accountId,
      status: "open",
      phase: "chargeback",
      reason: "goods_or_services_not_received",
      amountPaise: order.amountPaise,
      deductedPaise: 0,
      respondBy: 1_790_600_000_000,
    });
    expect(await webhook(dispute("lost", 900, { amount_deducted: order.amountPaise }))).toBe(200);
    expect(await webhook(dispute("action_required", 600))).toBe(200);
    expect(await webhook(dispute("under_review", 300))).toBe(200);
    expect(await rowNow()).toMatchObject({ status: "lost", deductedPaise: order.amountPaise });
    expect(await standingOf(world)).toMatchObject({ balance: 0, plan: "starter" });
    expect(await webhook(dispute("won", 1_800, { phase: "pre_arbitration" }))).toBe(200);
    expect(await webhook(dispute("lost", 900, { amount_deducted: order.amountPaise }))).toBe(200);
    expect(await rowNow()).toMatchObject({ status: "won", phase: "pre_arbitration", deductedPaise: 0 });
    expect(await standingOf(world)).toMatchObject(BOUGHT);
    expect(await webhook(dispute("closed", 2_000, { id: null }))).toBe(200);
    expect(await rowNow()).toMatchObject({ status: "won" });
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
