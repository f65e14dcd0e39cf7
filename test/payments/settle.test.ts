import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { UNITS_PER_COIN } from "../../src/money/money.ts";
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
import { BOUGHT, BUSINESS, eventOf, refundOf, settle } from "../world/settling.ts";

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
    await settle(eventOf(shop, { paymentRef: "pay_1" }));
    const second = eventOf(shop, { paymentRef: "pay_2" });
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
    await Promise.all(["pay_1", "pay_2", "pay_3"].map((paymentRef) => settle(eventOf(shop, { paymentRef }))));
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
    await settle(eventOf(shop));
    expect(await standingOf(world)).toEqual(BOUGHT);
    expect(await orderNow(order)).toMatchObject({ state: "credited", paymentRef: "pay_1" });
    expect(await recordedOf(order)).toEqual([{ kind: "paid", quarantined: null }]);
  });

  it.each([1, 2, 3, 5, 6])(
    "at D1 query %i loses nothing, and fails the call so that the event is redelivered",
    async (at) => {
      const shop = await openShop();
      const told = eventOf(shop);
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
      // A payment makes six queries, of which the fourth adds to the audit trail; a seventh would need its own case.
      expect(queries - at).toBe(6);
      expect(await standingOf(shop.world)).toEqual(BOUGHT);
      expect(await standingOf(shop.twin)).toMatchObject({ plan: "business" });
      expect(await orderNow(shop.order)).toMatchObject({ state: "credited" });
      expect(await recordedOf(shop.order)).toEqual([{ kind: "paid", quarantined: null }]);
      const invoices = env.DB.prepare("SELECT count(*) AS n FROM invoice WHERE order_id = ?").bind(shop.order.id);
      expect(await invoices.first("n")).toBe(1);
    },
  );
});

it("a query of the audit trail that fails is tried again, and fails no payment", async () => {
  const shop = await openShop();
  let queries = 0;
  const prepare = (sql: string) => {
    queries += 1;
    if (queries === 4) throw new Error("D1 is busy");
    return env.DB.prepare(sql);
  };
  const DB = new Proxy(env.DB, { get: (db, name) => (name === "prepare" ? prepare : Reflect.get(db, name)) });
  await settle(eventOf(shop), { ...env, DB });
  expect(queries).toBe(7);
  expect(await standingOf(shop.world)).toEqual(BOUGHT);
  const acts = env.DB.prepare("SELECT action, actor_kind FROM audit WHERE subject = ?").bind(shop.order.id);
  expect((await acts.all()).results).toEqual([{ action: "order.paid", actor_kind: "service" }]);
});

describe("an event that does not match our order", () => {
  it.each([
    ["a wrong amount", { amountPaise: 199_800 }, "Wrong amount: ₹1998.00 came for an order of ₹1999.00."],
    ["no amount", { amountPaise: null }, "Wrong amount: no amount came for an order of ₹1999.00."],
    ["a wrong currency", { currency: "USD" }, "Wrong currency: USD for an order in INR."],
    ["no payment", { paymentRef: null }, "The event names no payment."],
  ] as const)("%s: no credit, and the operator sees the reason", async (_, more, why) => {
    const shop = await openShop();
    await settle(eventOf(shop, more));
    expect(await entriesOf(shop.world)).toEqual([]);
    expect(await orderNow(shop.order)).toMatchObject({ state: "created" });
    expect(await recordedOf(shop.order)).toEqual([{ kind: "paid", quarantined: why }]);
    // The correct payment is credited all the same.
    await settle(eventOf(shop, { paymentRef: "pay_2" }));
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
  });

  it("an unknown order, and an order of another provider: quarantined for the operator, who resolves each once", async () => {
    const shop = await openShop();
    const unknown = eventOf(shop, { orderId: "ord_unknown" });
    await settle(unknown);
    await settleEvent(env, "razorpay", eventOf(shop), Date.now());
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
    await settle(eventOf(shop));
    expect(await orderNow(shop.order)).toMatchObject({ state: "paid" });
    expect(await recordedOf(shop.order)).toMatchObject([{ quarantined: "Paid, and the account does not exist." }]);
  });
});
