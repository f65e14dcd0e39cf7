import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { UNITS_PER_COIN } from "../../src/money/money.ts";
import type { PaymentEvent } from "../../src/payments/provider.ts";
import { settleEvent } from "../../src/payments/settle.ts";
import { PLANS } from "../../src/money/plans.ts";
import { openShop, orderNow, standingOf } from "../world/shop.ts";
import type { Shop } from "../world/shop.ts";

// Random histories of one order, with events in any order, twice, and at once: only which payments were made and which
// were refunded may matter, never how that was reported.

const PRICE_PAISE = PLANS.business.priceRupees * 100;
const CREDIT = PLANS.business.creditCoins * UNITS_PER_COIN;

type Told = Pick<PaymentEvent, "id" | "kind" | "paymentRef" | "amountPaise" | "currency" | "refundedPaise">;

const right = { amountPaise: PRICE_PAISE, currency: "INR", refundedPaise: 0 };

/** Every event that can occur for an order that at most one correct payment pays. */
const STORIES: Record<string, Told> = {
  paid: { ...right, id: "paid", kind: "paid", paymentRef: "pay_1" },
  "paid, told by another event": { ...right, id: "paid_too", kind: "paid", paymentRef: "pay_1" },
  pending: { ...right, id: "pending", kind: "pending", paymentRef: "pay_1" },
  failed: { ...right, id: "failed", kind: "failed", paymentRef: "pay_0" },
  "wrong amount": { ...right, id: "wrong", kind: "paid", paymentRef: "pay_2", amountPaise: 1 },
  "wrong currency": { ...right, id: "dollars", kind: "paid", paymentRef: "pay_3", currency: "USD" },
  refunded: { ...right, id: "refund", kind: "refunded", paymentRef: "pay_1", refundedPaise: PRICE_PAISE },
  "wrong amount refunded": { ...right, id: "undo", kind: "refunded", paymentRef: "pay_2", refundedPaise: 1 },
};

const RANK = ["created", "pending", "failed", "credited", "refunded"];

/** The expected result after a set of events, written from the rules and not from the code. */
function expected(told: Set<string>) {
  const paid = told.has("paid") || told.has("paid, told by another event");
  const refunded = paid && told.has("refunded");
  const states = [
    ...(told.has("pending") ? ["pending"] : []),
    ...(told.has("failed") ? ["failed"] : []),
    ...(paid ? ["credited"] : []),
    ...(refunded ? ["refunded"] : []),
  ];
  return {
    balance: paid && !refunded ? CREDIT : 0,
    plan: paid && !refunded ? "business" : "starter",
    state: RANK[Math.max(0, ...states.map((state) => RANK.indexOf(state)))],
  };
}

const tell = ({ order }: Shop, told: Told) => {
  const event = { ...told, id: `${order.id}:${told.id}`, orderId: order.id, providerRef: null };
  return settleEvent(env, "sandbox", event, Date.now());
};

it("any events of an order, in any order, any number of times and at once, end in the same state", async () => {
  const names = fc.constantFrom(...Object.keys(STORIES));
  // The events of one inner list arrive at once.
  const histories = fc.array(fc.array(names, { minLength: 1, maxLength: 3 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const shop = await openShop();
      const told = new Set<string>();
      for (const atOnce of history) {
        await Promise.all(atOnce.map((name) => tell(shop, STORIES[name]!)));
        for (const name of atOnce) told.add(name);
        const { state } = await orderNow(shop.order);
        const { balance, plan, status } = await standingOf(shop.world);
        expect({ balance, plan, state }).toEqual(expected(told));
        expect(status).toBe("active");
        expect(await standingOf(shop.twin)).toMatchObject({ balance: 0, plan });
      }
    }),
    { numRuns: 25 },
  );
});
