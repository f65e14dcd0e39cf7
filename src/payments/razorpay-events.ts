import { createHash } from "node:crypto";
import * as z from "zod";
import { DISPUTE_PHASES, disputeVersion } from "../model/paying/dispute.ts";
import type { DisputeReport, DisputeStatus } from "../model/paying/dispute.ts";
import { shortened } from "./provider.ts";
import type { EventKind, PaymentEvent } from "./provider.ts";

// Reads Razorpay's webhooks: https://razorpay.com/docs/webhooks/payloads/payment-links, …/payloads/disputes

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

/** Events about a dispute, by the status that they report. */
const DISPUTE: Readonly<Record<string, DisputeStatus>> = {
  "payment.dispute.created": "open",
  "payment.dispute.under_review": "under_review",
  "payment.dispute.action_required": "action_required",
  "payment.dispute.won": "won",
  "payment.dispute.lost": "lost",
  "payment.dispute.closed": "closed",
};

// Every field may be missing: an incomplete event is quarantined for the operator, not lost.
const word = z.string().min(1).max(200).nullable().catch(null);
const paise = z.number().int().nullable().catch(null);
const entity = <T extends z.ZodRawShape>(shape: T) =>
  z
    .object({ entity: z.object(shape) })
    .nullable()
    .catch(null);

const seconds = z.number().int().positive().nullable().catch(null);

// Lazy: made when it is first needed, not at each start of the Worker.
const webhook = z.lazy(() =>
  z.object({
    event: z.string(),
    /** When it happened. */
    created_at: seconds,
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
      dispute: entity({
        id: word,
        payment_id: word,
        amount: paise,
        amount_deducted: paise,
        currency: word,
        phase: z.enum(DISPUTE_PHASES).or(z.literal("unknown")).catch("unknown"),
        reason_code: word,
        respond_by: seconds,
        created_at: seconds,
      }),
    }),
  }),
);

type Webhook = z.infer<typeof webhook>;
type Payload = Webhook["payload"];

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

/** The dispute of an event; null where the event names none. */
function disputeOf({ payload, created_at: at }: Webhook, status: DisputeStatus): DisputeReport | null {
  const dispute = payload.dispute?.entity;
  if (!dispute || dispute.id === null) return null;
  const atSec = at ?? dispute.created_at ?? 0;
  return {
    disputeId: dispute.id,
    status,
    phase: dispute.phase,
    reason: dispute.reason_code,
    amountPaise: dispute.amount ?? 0,
    deductedPaise: dispute.amount_deducted,
    respondBy: dispute.respond_by === null ? null : dispute.respond_by * 1_000,
    version: disputeVersion(atSec * 1_000, status),
  };
}

function disputeEventOf(id: string, read: Webhook, status: DisputeStatus): PaymentEvent | "ignored" {
  const dispute = disputeOf(read, status);
  if (!dispute) return "ignored";
  const { dispute: about } = read.payload;
  return {
    ...eventOf(id, read.event, "disputed", read.payload),
    paymentRef: about?.entity.payment_id ?? read.payload.payment?.entity.id ?? null,
    amountPaise: dispute.amountPaise,
    currency: about?.entity.currency ?? read.payload.payment?.entity.currency ?? null,
    dispute,
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
    const id = createHash("sha256").update(raw).digest("base64url");
    const status = Object.hasOwn(DISPUTE, event) ? DISPUTE[event] : undefined;
    if (status !== undefined) return disputeEventOf(id, parsed.data, status);
    const kind = Object.hasOwn(KIND, event) ? KIND[event] : undefined;
    return kind === undefined ? "ignored" : eventOf(id, event, kind, payload);
  } catch {
    return "ignored";
  }
}
