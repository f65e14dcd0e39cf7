import { env } from "cloudflare:workers";
import { randomId } from "../../src/crypto/ids.ts";
import { UNITS_PER_COIN } from "../../src/money/money.ts";
import type { PaymentEvent } from "../../src/payments/provider.ts";
import { settleEvent } from "../../src/payments/settle.ts";
import { PLANS } from "../../src/money/plans.ts";
import type { Shop } from "./shop.ts";

// Events as a payment provider's module reports them, settled without their webhook.

/** The credit of the business plan, in units. */
export const BUSINESS = PLANS.business.creditCoins * UNITS_PER_COIN;
/** What an account is after it bought the business plan. */
export const BOUGHT = { balance: BUSINESS, plan: "business", otpRate: PLANS.business.otpUnits, status: "active" };

/** An event as a provider's module returns it. */
export function eventOf({ order }: Shop, more: Partial<PaymentEvent> = {}): PaymentEvent {
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

/** Settles an event of the sandbox. */
export const settle = (told: PaymentEvent, at: Env = env) => settleEvent(at, "sandbox", told, Date.now());

/** The refund of all that the order cost. */
export const refundOf = (shop: Shop, more: Partial<PaymentEvent> = {}) =>
  eventOf(shop, { kind: "refunded", refundedPaise: shop.order.amountPaise, ...more });
