import type { OrderRow } from "../db/orders.ts";
import type { DisputeReport } from "../model/paying/dispute.ts";

// The port to payment providers. A provider reports what happened; src/payments/settle.ts decides what that means for
// the account, from the order's row.

export type Order = OrderRow;

export type EventKind = "paid" | "failed" | "pending" | "refunded" | "disputed";

/** A report by a provider. It identifies the order by its id here, or by one of the provider's ids. */
export interface PaymentEvent {
  /** Unique at the provider; a repeated event has the same id. */
  id: string;
  kind: EventKind;
  orderId: string | null;
  providerRef: string | null;
  paymentRef: string | null;
  amountPaise: number | null;
  currency: string | null;
  /** The total that was refunded of this payment so far. */
  refundedPaise: number;
  /** Why it failed, in the provider's words. */
  reason?: string;
  /** The dispute of the payment, where the event is about one. */
  dispute?: DisputeReport;
}

/**
 * Where the buyer pays: a URL, or a path of this console. `closed`: that checkout has ended, and a new order is needed.
 */
export type Checkout =
  { ok: true; url: string; providerRef: string | null } | { ok: false; reason: "unavailable" | "closed" };

/** The status of an order at its provider; `null` when the provider did not answer. */
export type PaymentStatus = { providerRef: string | null; events: PaymentEvent[] } | null;

export interface PaymentProvider {
  /** The name in orders and in the URL of the webhook. */
  name: string;
  /** Opens the page where the buyer pays, or finds it again; an order never has two that can be paid. Never throws. */
  createCheckout(order: Order, again: boolean): Promise<Checkout>;
  /** Reads a webhook from its raw body; only the signature proves it. `ignored`: genuine, but not about an order. */
  parseWebhook(raw: string, headers: Headers, nowMs: number): PaymentEvent | "forged" | "ignored";
  /** Whether the provider signed this order's return URL; null when the URL has no signature. */
  verifyReturn?(order: Order, query: URLSearchParams): "genuine" | "forged" | null;
  /** Asks for the status of an order; absent for providers without such a request. Never throws. */
  fetchStatus?(order: Order): Promise<PaymentStatus>;
}

/** A text by the provider, shortened for display. */
export const shortened = (text: string) => text.slice(0, 200);
