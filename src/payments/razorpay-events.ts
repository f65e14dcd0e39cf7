import { createHash } from "node:crypto";
import * as z from "zod";
import { shortened } from "./provider.ts";
import type { EventKind, PaymentEvent } from "./provider.ts";

// Reads Razorpay's webhooks: https://razorpay.com/docs/webhooks/payloads/payment-links

/** Events about an order; all others are ignored. */
const KIND: Readonly<Record<string, EventKind>> = {
  "payment_link.paid": "paid",
  "payment_link.partially_paid": "paid",
  "payment_link.expired": "failed",
  "payment_link.cancelled": "failed",
  "payment.authorized": "pending",
  "payment.captured": "paid",
  "payment.failed": "failed",
  "refund.processed": "refunded",
};

// Every field may be missing: an incomplete event is quarantined for the operator, not lost.
const word = z.string().min(1).max(200).nullable().catch(null);
const paise = z.number().int().nullable().catch(null);
const entity = <T extends z.ZodRawShape>(shape: T) =>
  z
    .object({ entity: z.object(shape) })
    .nullable()
    .catch(null);

const webhook = z.object({
  event: z.string(),
  payload: z.object({
    payment_link: entity({ id: word, reference_id: word }),
    payment: entity({
      id: word,
      amount: paise,
      currency: word,
      amount_refunded: paise,
      description: word,
      error_description: word,
    }),
    refund: entity({ amount: paise, payment_id: word, currency: word }),
  }),
});

type Payload = z.infer<typeof webhook>["payload"];

/**
 * The link of a payment. A payment of a link has no reference to it; its description is # and the link's id. Its notes
 * prove nothing: the buyer's browser writes those of a payment that belongs to no link.
 */
function linkOf({ payment_link: link, payment }: Payload): string | null {
  const [, id] = /^#(\w+)$/u.exec(payment?.entity.description ?? "") ?? [];
  return link?.entity.id ?? (id === undefined ? null : `plink_${id}`);
}

function eventOf(id: string, event: string, kind: EventKind, payload: Payload): PaymentEvent {
  const payment = payload.payment?.entity;
  const refund = payload.refund?.entity;
  const reason =
    payment?.error_description ?? (event.startsWith("payment_link") ? `The link is over: ${event}.` : null);
  return {
    id,
    kind,
    orderId: payload.payment_link?.entity.reference_id ?? null,
    providerRef: linkOf(payload),
    paymentRef: payment?.id ?? refund?.payment_id ?? null,
    amountPaise: payment?.amount ?? null,
    currency: payment?.currency ?? refund?.currency ?? null,
    refundedPaise: kind === "refunded" ? (payment?.amount_refunded ?? refund?.amount ?? 0) : 0,
    ...(kind === "failed" && reason !== null && { reason: shortened(reason) }),
  };
}

/**
 * The event of a genuine webhook. Its id is the hash of the body, which alone is signed: under other ids in the header,
 * one captured webhook could be filed any number of times.
 */
export function razorpayEvent(raw: string): PaymentEvent | "ignored" {
  try {
    const parsed = webhook.safeParse(JSON.parse(raw));
    if (!parsed.success) return "ignored";
    const { event, payload } = parsed.data;
    const kind = Object.hasOwn(KIND, event) ? KIND[event] : undefined;
    if (kind === undefined) return "ignored";
    return eventOf(createHash("sha256").update(raw).digest("base64url"), event, kind, payload);
  } catch {
    return "ignored";
  }
}
