import type { OrderRow } from "../db/orders.ts";

// The port to whoever takes the money. A provider says what happened; what it means for the account is decided by
// src/payments/settle.ts from our own order.

export type Order = OrderRow;

export type EventKind = "paid" | "failed" | "pending" | "refunded";

/** What a provider tells, in our words. It names an order by our id, or by one of the provider's own. */
export interface PaymentEvent {
  /** Unique at the provider: the same event told again has the same id. */
  id: string;
  kind: EventKind;
  orderId: string | null;
  providerRef: string | null;
  paymentRef: string | null;
  amountPaise: number | null;
  currency: string | null;
  /** All that went back of this payment so far. */
  refundedPaise: number;
  /** Why it failed, in the provider's words. */
  reason?: string;
}

/** Where the buyer pays: an address, or a path of this console. `closed`: that page is over, and a new order is needed. */
export type Checkout =
  { ok: true; url: string; providerRef: string | null } | { ok: false; reason: "unavailable" | "closed" };

/** How an order stands at its provider; `null` where the provider did not say. */
export type PaymentStatus = { providerRef: string | null; events: PaymentEvent[] } | null;

export interface PaymentProvider {
  /** As it stands in orders and in the address of its webhook. */
  name: string;
  /** Opens the page where the buyer pays, or finds it again; an order never has two that can be paid. Never throws. */
  createCheckout(order: Order, again: boolean): Promise<Checkout>;
  /** Reads a webhook from its raw text, whose signature is the only proof. `ignored`: genuine, and not about orders. */
  parseWebhook(raw: string, headers: Headers, nowMs: number): PaymentEvent | "forged" | "ignored";
  /** Whether a buyer's return carries the provider's word for this order; null where it carries none. */
  verifyReturn?(order: Order, query: URLSearchParams): "genuine" | "forged" | null;
  /** Asks how an order stands, where a provider can be asked. Never throws. */
  fetchStatus?(order: Order): Promise<PaymentStatus>;
}

/** Text of the provider's that people will read: short. */
export const shortened = (text: string) => text.slice(0, 200);
