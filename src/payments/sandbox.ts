import * as z from "zod";
import type { Config } from "../config/settings.ts";
import { mac } from "../crypto/bytes.ts";
import { randomId } from "../crypto/ids.ts";
import type { Secret } from "../crypto/secrets.ts";
import { isSigned, signedHeaders } from "../crypto/webhook-signature.ts";
import { DISPUTE_STATUSES, disputeVersion } from "../model/paying/dispute.ts";
import type { DisputeReport, DisputeStatus } from "../model/paying/dispute.ts";
import type { EventKind, Order, PaymentEvent, PaymentProvider } from "./provider.ts";

// The local payment provider: its page moves no money, and its events are signed like those of a real provider.

const SANDBOX = "sandbox";

/** The outcomes of a payment that its page offers. */
export const OUTCOMES = [
  "success",
  "failure",
  "pending",
  "refund",
  "partial_refund",
  "dispute",
  "dispute_review",
  "dispute_lost",
  "dispute_won",
] as const;
export type SandboxOutcome = (typeof OUTCOMES)[number];

/** The outcomes that are reports of a dispute, of which an order has one here. */
const DISPUTES: Partial<Record<SandboxOutcome, DisputeStatus>> = {
  dispute: "open",
  dispute_review: "under_review",
  dispute_lost: "lost",
  dispute_won: "won",
};

/** How long the operator has for an answer, in ms. */
const RESPOND_MS = 7 * 86_400_000;

/** Faults of delivery that its page can simulate. */
export interface Trouble {
  twice: boolean;
  /** A `pending` event arrives after the final one. */
  disorder: boolean;
  wrongAmount: boolean;
}

const KIND: Record<SandboxOutcome, EventKind> = {
  success: "paid",
  failure: "failed",
  pending: "pending",
  refund: "refunded",
  partial_refund: "refunded",
  dispute: "disputed",
  dispute_review: "disputed",
  dispute_lost: "disputed",
  dispute_won: "disputed",
};

/** How much the amount differs where it is to be wrong. */
const WRONG_BY_PAISE = 100;

// Lazy: made when it is first needed, not at each start of the Worker.
const body = z.lazy(() =>
  z.object({
    id: z.string().min(1).max(100),
    kind: z.enum(["paid", "failed", "pending", "refunded", "disputed"]),
    order_id: z.string().max(100),
    payment_id: z.string().max(100),
    amount: z.number().int(),
    refunded: z.number().int(),
    currency: z.string().max(10),
    dispute: z
      .object({
        id: z.string().min(1).max(100),
        status: z.enum(DISPUTE_STATUSES),
        amount: z.number().int(),
        deducted: z.number().int(),
        respond_by: z.number().int(),
        at: z.number().int(),
      })
      .optional(),
  }),
);

type SandboxDispute = NonNullable<z.infer<typeof body>["dispute"]>;

/** Derived, so that it need not be configured, and for this purpose only. */
function secretOf({ value }: Secret): string {
  return `whsec_${Buffer.from(mac(value, "payments/sandbox", "")).toString("base64")}`;
}

/** A webhook as it is sent: the exact bytes of its body, and the headers that sign them. */
export interface SignedWebhook {
  body: string;
  headers: Record<string, string>;
}

/** A report of the order's dispute: of what was not refunded. */
function disputed(order: Order, status: DisputeStatus): z.input<typeof body>["dispute"] {
  const amount = order.amountPaise - order.refundedPaise;
  const at = Date.now();
  const deducted = status === "lost" ? amount : 0;
  return { id: `disp_${order.id}`, status, amount, deducted, respond_by: order.createdAt + RESPOND_MS, at };
}

function signed(
  config: Config,
  order: Order,
  kind: EventKind,
  amounts: { amount: number; refunded: number; dispute?: z.input<typeof body>["dispute"] },
  ref: string,
) {
  const id = randomId("evt");
  const text = JSON.stringify({
    id,
    kind,
    order_id: order.id,
    payment_id: ref,
    ...amounts,
    currency: order.currency,
  } satisfies z.input<typeof body>);
  return { body: text, headers: signedHeaders(secretOf(config.KEY_SECRET.current), id, text, Date.now()) };
}

/** The webhooks of an outcome, in the order in which they arrive. */
export function sandboxWebhooks(
  config: Config,
  order: Order,
  outcome: SandboxOutcome,
  trouble: Trouble,
): SignedWebhook[] {
  const kind = KIND[outcome];
  const status = DISPUTES[outcome];
  // A refund or dispute is of the existing payment; any other outcome is a new payment.
  const ref = kind === "refunded" || kind === "disputed" ? (order.paymentRef ?? randomId("spay")) : randomId("spay");
  const amount = order.amountPaise - (trouble.wrongAmount ? WRONG_BY_PAISE : 0);
  // The total so far, as real providers report it.
  const refunded =
    outcome === "refund" ? order.amountPaise : outcome === "partial_refund" ? Math.floor(order.amountPaise / 2) : 0;
  const dispute = status && disputed(order, status);
  const webhooks = [signed(config, order, kind, { amount, refunded, ...(dispute && { dispute }) }, ref)];
  if (trouble.twice) webhooks.push(...webhooks);
  if (trouble.disorder) webhooks.push(signed(config, order, "pending", { amount, refunded: 0 }, ref));
  return webhooks;
}

const reportOf = ({ id, status, amount, deducted, respond_by: respondBy, at }: SandboxDispute): DisputeReport => ({
  disputeId: id,
  status,
  phase: "chargeback",
  reason: null,
  amountPaise: amount,
  deductedPaise: deducted,
  respondBy,
  version: disputeVersion(at, status),
});

function eventOf(raw: string): PaymentEvent | "ignored" {
  try {
    const parsed = body.safeParse(JSON.parse(raw));
    if (!parsed.success) return "ignored";
    const { id, kind, order_id: orderId, payment_id: paymentRef, amount, refunded, currency, dispute } = parsed.data;
    return {
      id,
      kind,
      orderId,
      providerRef: null,
      paymentRef,
      amountPaise: amount,
      currency,
      refundedPaise: refunded,
      ...(dispute && { dispute: reportOf(dispute) }),
    };
  } catch {
    return "ignored";
  }
}

/** The default provider for local use. */
export function sandboxProvider(config: Config): PaymentProvider {
  return {
    name: SANDBOX,
    async createCheckout(order) {
      return { ok: true, url: `/pay/${order.id}`, providerRef: null };
    },
    parseWebhook(raw, headers, nowMs) {
      const isGenuine = config.KEY_SECRET.all.some((one) => isSigned(secretOf(one), headers, raw, nowMs));
      return isGenuine ? eventOf(raw) : "forged";
    },
  };
}
