import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { randomId } from "../../src/crypto/ids.ts";
import { UNITS_PER_COIN } from "../../src/money/money.ts";
import type { PaymentEvent } from "../../src/payments/provider.ts";
import { quarantinedEvents, resolveEvent } from "../../src/payments/events.ts";
import { settleEvent } from "../../src/payments/settle.ts";
import { PLANS } from "../../src/money/plans.ts";
import { sendSms } from "../world/world.ts";
import {
  deliver,
  entriesOf,
  openShop,
  orderNow,
  orderOf,
  recordedOf,
  standingOf,
  tell,
  webhooksOf,
} from "../world/shop.ts";
import type { Shop } from "../world/shop.ts";

const BUSINESS = PLANS.business.creditCoins * UNITS_PER_COIN;
const BOUGHT = { balance: BUSINESS, plan: "business", otpRate: PLANS.business.otpUnits, status: "active" };

/** An event as a provider's module returns it. */
function event({ order }: Shop, more: Partial<PaymentEvent> = {}): PaymentEvent {
  return {
    id: randomId("evt"),
    kind: "paid",
    orderId: order.id,
    providerRef: null,
    paymentRef: "pay_1",
    amountPaise: order.amountPaise,
    currency: "INR",
    refundedPaise: 0,
    ...more,
  };
}

const settle = (told: PaymentEvent, at: Env = env) => settleEvent(at, "sandbox", told, Date.now());

const refundOf = (shop: Shop, more: Partial<PaymentEvent> = {}) =>
  event(shop, { kind: "refunded", refundedPaise: shop.order.amountPaise, ...more });

describe("a paid order", () => {
  it("gives credit, plan, OTP rate and limit; the test twin gets the same without the credit", async () => {
    const { world, twin, order } = await openShop();
    await tell(order, "success");
    expect(await standingOf(world)).toEqual(BOUGHT);
    expect(await standingOf(twin)).toEqual({ ...BOUGHT, balance: 0 });
    expect(await orderNow(order)).toMatchObject({ state: "credited", checkAt: null });
    expect((await sendSms(world)).headers.get("ratelimit-policy")).toBe('"business";q=60;w=60');
  });

  it("is credited once when the same event arrives ten times in sequence", async () => {
    const { world, order } = await openShop();
    const [webhook] = webhooksOf(order, "success");
    for (let time = 0; time < 10; time++) expect((await deliver(webhook!)).status).toBe(200);
    expect(await entriesOf(world)).toEqual([[`payment:${order.id}`, BUSINESS]]);
    expect(await recordedOf(order)).toEqual([{ kind: "paid", quarantined: null }]);
  });

  it("is credited once when the same event arrives ten times at once", async () => {
    const { world, order } = await openShop();
    const [webhook] = webhooksOf(order, "success");
    const replies = await Promise.all(Array.from({ length: 10 }, () => deliver(webhook!)));
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(await entriesOf(world)).toEqual([[`payment:${order.id}`, BUSINESS]]);
    expect(await recordedOf(order)).toEqual([{ kind: "paid", quarantined: null }]);
  });

  it("is credited although it failed before, and stays credited when late events arrive", async () => {
    const { world, order } = await openShop();
    await tell(order, "failure");
    expect(await orderNow(order)).toMatchObject({ state: "failed" });
    expect(await standingOf(world)).toMatchObject({ balance: 0, plan: "starter" });
    await tell(order, "success", { twice: true, disorder: true });
    await tell(order, "failure");
    expect(await orderNow(order)).toMatchObject({ state: "credited", reason: null });
    expect(await standingOf(world)).toEqual(BOUGHT);
  });

  it("is pending until it is paid or has failed", async () => {
    const { world, order } = await openShop();
    await tell(order, "pending");
    expect(await orderNow(order)).toMatchObject({ state: "pending" });
    expect(await entriesOf(world)).toEqual([]);
    await tell(order, "success");
    await tell(order, "pending");
    expect(await orderNow(order)).toMatchObject({ state: "credited" });
    const other = await orderOf(world);
    await tell(other, "pending");
    expect(await orderNow(other)).toMatchObject({ state: "pending" });
    await tell(other, "failure");
    await tell(other, "pending");
    expect(await orderNow(other)).toMatchObject({ state: "failed" });
    expect(await entriesOf(world)).toEqual([[`payment:${order.id}`, BUSINESS]]);
  });

  it("is credited once although two payments arrive, and the second waits for the operator", async () => {
    const shop = await openShop();
    await settle(event(shop, { paymentRef: "pay_1" }));
    const second = event(shop, { paymentRef: "pay_2" });
    await settle(second);
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
    expect(await orderNow(shop.order)).toMatchObject({ paymentRef: "pay_1" });
    const waiting = (await quarantinedEvents(env, 1_000)).filter(({ eventId }) => eventId === second.id);
    expect(waiting.map(({ quarantined }) => quarantined)).toEqual([
      "Paid twice: this order was credited for pay_1; refund pay_2.",
    ]);
    // The operator refunds the second payment: it gave no credit, so none is taken back.
    await settle(refundOf(shop, { paymentRef: "pay_2" }));
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
    expect(await orderNow(shop.order)).toMatchObject({ state: "credited" });
  });

  it("is credited for one of several payments that are reported at once", async () => {
    const shop = await openShop();
    await Promise.all(["pay_1", "pay_2", "pay_3"].map((paymentRef) => settle(event(shop, { paymentRef }))));
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
    const recorded = await recordedOf(shop.order);
    expect(recorded.filter(({ quarantined }) => quarantined?.startsWith("Paid twice") === true)).toHaveLength(2);
    const { paymentRef } = await orderNow(shop.order);
    for (const { quarantined } of recorded) expect(quarantined ?? `for ${paymentRef};`).toContain(`for ${paymentRef};`);
  });
});

describe("a plan", () => {
  it("that is smaller than the account's adds its credit and changes neither plan nor rate", async () => {
    const { world, order } = await openShop("starter", { plan: "premium" });
    await tell(order, "success");
    const credit = PLANS.starter.creditCoins * UNITS_PER_COIN;
    const { otpUnits: otpRate } = PLANS.premium;
    expect(await standingOf(world)).toEqual({ balance: credit, plan: "premium", otpRate, status: "active" });
  });

  it("keeps the operator's own OTP rate if that is lower, and clears it if it is higher", async () => {
    const lower = await openShop("business", { otpRate: 0.11 });
    await tell(lower.order, "success");
    expect(await standingOf(lower.world)).toMatchObject({ otpRate: 0.11 * UNITS_PER_COIN });
    const higher = await openShop("business", { otpRate: 0.4 });
    await tell(higher.order, "success");
    expect(await standingOf(higher.world)).toMatchObject({ otpRate: PLANS.business.otpUnits });
  });
});

describe("a crash", () => {
  it("between the credit and the order's row loses nothing: the event is redelivered", async () => {
    const shop = await openShop();
    const { world, order } = shop;
    const { id: orderId, plan, creditUnits } = order;
    await world.stub.settlePayment({ orderId, paymentRef: "pay_1", plan, creditUnits });
    expect(await orderNow(order)).toMatchObject({ state: "created" });
    await settle(event(shop));
    expect(await standingOf(world)).toEqual(BOUGHT);
    expect(await orderNow(order)).toMatchObject({ state: "credited", paymentRef: "pay_1" });
    expect(await recordedOf(order)).toEqual([{ kind: "paid", quarantined: null }]);
  });

  it.each([1, 2, 3, 4])(
    "at D1 query %i loses nothing, and fails the call so that the event is redelivered",
    async (at) => {
      const shop = await openShop();
      const told = event(shop);
      let queries = 0;
      const prepare = (sql: string) => {
        queries += 1;
        if (queries === at) throw new Error("killed");
        return env.DB.prepare(sql);
      };
      const DB = new Proxy(env.DB, { get: (db, name) => (name === "prepare" ? prepare : Reflect.get(db, name)) });
      await expect(settle(told, { ...env, DB })).rejects.toThrow();
      expect(queries).toBe(at);
      await settle(told, { ...env, DB });
      // A payment makes four queries; a fifth would need its own case.
      expect(queries - at).toBe(4);
      expect(await standingOf(shop.world)).toEqual(BOUGHT);
      expect(await standingOf(shop.twin)).toMatchObject({ plan: "business" });
      expect(await orderNow(shop.order)).toMatchObject({ state: "credited" });
      expect(await recordedOf(shop.order)).toEqual([{ kind: "paid", quarantined: null }]);
      const invoices = env.DB.prepare("SELECT count(*) AS n FROM invoice WHERE order_id = ?").bind(shop.order.id);
      expect(await invoices.first("n")).toBe(1);
    },
  );
});

describe("an event that does not match our order", () => {
  it.each([
    ["a wrong amount", { amountPaise: 199_800 }, "Wrong amount: ₹1998.00 came for an order of ₹1999.00."],
    ["no amount", { amountPaise: null }, "Wrong amount: no amount came for an order of ₹1999.00."],
    ["a wrong currency", { currency: "USD" }, "Wrong currency: USD for an order in INR."],
    ["no payment", { paymentRef: null }, "The event names no payment."],
  ] as const)("%s: no credit, and the operator sees the reason", async (_, more, why) => {
    const shop = await openShop();
    await settle(event(shop, more));
    expect(await entriesOf(shop.world)).toEqual([]);
    expect(await orderNow(shop.order)).toMatchObject({ state: "created" });
    expect(await recordedOf(shop.order)).toEqual([{ kind: "paid", quarantined: why }]);
    // The correct payment is credited all the same.
    await settle(event(shop, { paymentRef: "pay_2" }));
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
  });

  it("an unknown order, and an order of another provider: quarantined for the operator, who resolves each once", async () => {
    const shop = await openShop();
    const unknown = event(shop, { orderId: "ord_unknown" });
    await settle(unknown);
    await settleEvent(env, "razorpay", event(shop), Date.now());
    expect(await entriesOf(shop.world)).toEqual([]);
    const mine = async () => (await quarantinedEvents(env, 1_000)).filter(({ eventId }) => eventId === unknown.id);
    expect(await mine()).toMatchObject([{ quarantined: "Unknown order: ₹1999.00 came for none of ours." }]);
    expect(await resolveEvent(env, "sandbox", unknown.id)).toBe(true);
    expect(await resolveEvent(env, "sandbox", unknown.id)).toBe(false);
    expect(await mine()).toEqual([]);
    await settle(unknown);
    expect(await mine()).toEqual([]);
  });

  it("an unopened account: paid, not credited, and quarantined for the operator", async () => {
    const shop = await openShop();
    await env.DB.prepare("UPDATE payment_order SET account_id = 'acc_nobody' WHERE id = ?").bind(shop.order.id).run();
    await settle(event(shop));
    expect(await orderNow(shop.order)).toMatchObject({ state: "paid" });
    expect(await recordedOf(shop.order)).toMatchObject([{ quarantined: "Paid, and the account does not exist." }]);
  });
});

describe("a refund", () => {
  it("takes the credit and the plan back, once", async () => {
    const shop = await openShop();
    await settle(event(shop));
    const told = refundOf(shop);
    await Promise.all([settle(told), settle(told), settle(told)]);
    await settle(refundOf(shop));
    expect(await standingOf(shop.world)).toEqual({ balance: 0, plan: "starter", otpRate: 2_500, status: "active" });
    expect(await standingOf(shop.twin)).toMatchObject({ plan: "starter" });
    expect(await entriesOf(shop.world)).toEqual([
      [`payment:${shop.order.id}`, BUSINESS],
      [`payment-refund:${shop.order.id}`, -BUSINESS],
    ]);
    expect(await orderNow(shop.order)).toMatchObject({ state: "refunded", refundedPaise: 199_900 });
    // The same payment, reported again, gives nothing.
    await settle(event(shop));
    expect(await standingOf(shop.world)).toMatchObject({ balance: 0, plan: "starter" });
    expect(await orderNow(shop.order)).toMatchObject({ state: "refunded" });
  });

  it("takes what is left of spent credit, suspends the account, and reports the shortfall to the operator", async () => {
    const shop = await openShop();
    await settle(event(shop));
    await sendSms(shop.world);
    await settle(refundOf(shop));
    expect(await standingOf(shop.world)).toMatchObject({ balance: 0, status: "suspended" });
    const why = "The refund took 2099 coins back and 1 were spent already: the account is suspended.";
    expect(await recordedOf(shop.order)).toContainEqual({ kind: "refunded", quarantined: why });
    expect((await sendSms(shop.world)).status).toBe(403);
  });

  it("that arrives before its payment is remembered, and the payment then gives nothing", async () => {
    const shop = await openShop();
    await settle(refundOf(shop));
    await settle(refundOf(shop));
    expect(await orderNow(shop.order)).toMatchObject({ state: "created" });
    await settle(event(shop));
    await settle(event(shop));
    expect(await standingOf(shop.world)).toEqual({ balance: 0, plan: "starter", otpRate: 2_500, status: "active" });
    expect(await orderNow(shop.order)).toMatchObject({ state: "refunded", refundedPaise: 199_900 });
    expect((await recordedOf(shop.order)).filter(({ quarantined }) => quarantined !== null)).toEqual([]);
  });

  it("of a payment with a wrong amount does not touch the correct payment's credit, in either order", async () => {
    const shop = await openShop();
    await settle(event(shop, { paymentRef: "pay_wrong", amountPaise: 500_000 }));
    await settle(refundOf(shop, { paymentRef: "pay_wrong", refundedPaise: 500_000 }));
    await settle(event(shop, { paymentRef: "pay_right" }));
    await settle(refundOf(shop, { paymentRef: "pay_wrong", refundedPaise: 500_000 }));
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
  });

  it("of a part takes its share once and keeps the plan; a second partial refund waits for the operator", async () => {
    const shop = await openShop();
    await settle(event(shop));
    await settle(refundOf(shop, { refundedPaise: 50_000 }));
    const left = BUSINESS - Math.floor((BUSINESS * 50_000) / 199_900);
    expect(await standingOf(shop.world)).toEqual({ ...BOUGHT, balance: left });
    await settle(refundOf(shop, { refundedPaise: 50_000 }));
    await settle(refundOf(shop, { refundedPaise: 90_000 }));
    expect(await standingOf(shop.world)).toEqual({ ...BOUGHT, balance: left });
    expect(await orderNow(shop.order)).toMatchObject({ state: "refunded", refundedPaise: 50_000 });
    const refused = (await recordedOf(shop.order)).filter(({ quarantined }) => quarantined !== null);
    expect(refused).toMatchObject([{ quarantined: expect.stringContaining("Another refund of pay_1 stands already") }]);
  });

  it("in a wrong currency, of nothing, or of an unknown payment changes nothing", async () => {
    const shop = await openShop();
    await settle(event(shop));
    for (const more of [{ currency: "USD" }, { refundedPaise: 0 }, { paymentRef: null }, { orderId: "ord_unknown" }]) {
      await settle(refundOf(shop, more));
    }
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
  });

  it("of one of two purchases returns to the plan that the other one gave", async () => {
    const shop = await openShop("premium");
    const business = await orderOf(shop.world, "business");
    await settle(event(shop));
    await settle(event({ ...shop, order: business }, { paymentRef: "pay_2" }));
    await settle(refundOf(shop));
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
    await settle(refundOf({ ...shop, order: business }, { paymentRef: "pay_2" }));
    expect(await standingOf(shop.world)).toMatchObject({ balance: 0, plan: "starter" });
  });
});
