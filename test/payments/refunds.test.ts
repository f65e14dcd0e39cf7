import { describe, expect, it } from "vitest";
import { sendSms } from "../world/world.ts";
import { entriesOf, openShop, orderNow, orderOf, recordedOf, standingOf } from "../world/shop.ts";
import { BOUGHT, BUSINESS, eventOf, refundOf, settle } from "../world/settling.ts";

/** Units that are left of the business plan's credit after so much of its price was refunded. */
const leftAfter = (paise: number) => BUSINESS - Math.floor((BUSINESS * paise) / 199_900);

describe("a refund", () => {
  it("takes the credit and the plan back, once", async () => {
    const shop = await openShop();
    await settle(eventOf(shop));
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
    await settle(eventOf(shop));
    expect(await standingOf(shop.world)).toMatchObject({ balance: 0, plan: "starter" });
    expect(await orderNow(shop.order)).toMatchObject({ state: "refunded" });
  });

  it("takes what is left of spent credit, suspends the account, and reports the shortfall to the operator", async () => {
    const shop = await openShop();
    await settle(eventOf(shop));
    await sendSms(shop.world);
    await settle(refundOf(shop));
    expect(await standingOf(shop.world)).toMatchObject({ balance: 0, status: "suspended" });
    const why =
      "The refund took 2099 coins back. 1 were spent already: the account is suspended and owes them; refunds of its " +
      "messages pay them first.";
    expect(await recordedOf(shop.order)).toContainEqual({ kind: "refunded", quarantined: why });
    expect((await sendSms(shop.world)).status).toBe(403);
  });

  it("that arrives before its payment is remembered, and the payment then gives nothing", async () => {
    const shop = await openShop();
    await settle(refundOf(shop));
    await settle(refundOf(shop));
    expect(await orderNow(shop.order)).toMatchObject({ state: "created" });
    await settle(eventOf(shop));
    await settle(eventOf(shop));
    expect(await standingOf(shop.world)).toEqual({ balance: 0, plan: "starter", otpRate: 2_500, status: "active" });
    expect(await orderNow(shop.order)).toMatchObject({ state: "refunded", refundedPaise: 199_900 });
    expect((await recordedOf(shop.order)).filter(({ quarantined }) => quarantined !== null)).toEqual([]);
  });

  it("of a payment with a wrong amount does not touch the correct payment's credit, in either order", async () => {
    const shop = await openShop();
    await settle(eventOf(shop, { paymentRef: "pay_wrong", amountPaise: 500_000 }));
    await settle(refundOf(shop, { paymentRef: "pay_wrong", refundedPaise: 500_000 }));
    await settle(eventOf(shop, { paymentRef: "pay_right" }));
    await settle(refundOf(shop, { paymentRef: "pay_wrong", refundedPaise: 500_000 }));
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
  });

  it("in parts takes what each part adds, in any order of the reports, and the plan with the last one", async () => {
    for (const totals of [
      [50_000, 90_000, 199_900],
      [90_000, 50_000, 199_900],
      [199_900, 50_000, 90_000],
    ]) {
      const shop = await openShop();
      await settle(eventOf(shop));
      let highest = 0;
      for (const refundedPaise of totals) {
        await Promise.all([1, 2, 3].map(() => settle(refundOf(shop, { refundedPaise }))));
        highest = Math.max(highest, refundedPaise);
        const plan = highest === 199_900 ? "starter" : "business";
        expect(await standingOf(shop.world)).toMatchObject({ balance: leftAfter(highest), plan, status: "active" });
        expect(await standingOf(shop.twin)).toMatchObject({ plan });
        expect(await orderNow(shop.order)).toMatchObject({ state: "refunded", refundedPaise: highest });
      }
      expect(await standingOf(shop.world)).toMatchObject({ balance: 0 });
      expect((await recordedOf(shop.order)).filter(({ quarantined }) => quarantined !== null)).toEqual([]);
    }
  });

  it("in parts that all arrive before the payment leaves what was not refunded", async () => {
    const shop = await openShop();
    await settle(refundOf(shop, { refundedPaise: 90_000 }));
    await settle(refundOf(shop, { refundedPaise: 150_000 }));
    await settle(refundOf(shop, { refundedPaise: 120_000 }));
    await settle(eventOf(shop));
    expect(await standingOf(shop.world)).toEqual({ ...BOUGHT, balance: leftAfter(150_000) });
    await settle(refundOf(shop));
    expect(await standingOf(shop.world)).toMatchObject({ balance: 0, plan: "starter" });
  });

  it("in a wrong currency, of nothing, or of an unknown payment changes nothing", async () => {
    const shop = await openShop();
    await settle(eventOf(shop));
    for (const more of [{ currency: "USD" }, { refundedPaise: 0 }, { paymentRef: null }, { orderId: "ord_unknown" }]) {
      await settle(refundOf(shop, more));
    }
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
  });

  it("of one of two purchases returns to the plan that the other one gave", async () => {
    const shop = await openShop("premium");
    const business = await orderOf(shop.world, "business");
    await settle(eventOf(shop));
    await settle(eventOf({ ...shop, order: business }, { paymentRef: "pay_2" }));
    await settle(refundOf(shop));
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
    await settle(refundOf({ ...shop, order: business }, { paymentRef: "pay_2" }));
    expect(await standingOf(shop.world)).toMatchObject({ balance: 0, plan: "starter" });
  });
});
