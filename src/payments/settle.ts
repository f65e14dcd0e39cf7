import { auditService } from "../audit/audit.ts";
import { configOf } from "../config/config.ts";
import { orderById, orderByRef, raiseOrder, refundOrder } from "../db/orders.ts";
import { insertPaymentEvent } from "../db/payment-events.ts";
import type { Refunded, Settled, TakenBack } from "../model/paying/payment.ts";
import { coins } from "../money/money.ts";
import { bothOf } from "../objects.ts";
import { applyDisputes, settleDispute } from "./disputes.ts";
import { issueInvoice } from "./invoices.ts";
import { issueNote } from "./notes.ts";
import type { Order, PaymentEvent } from "./provider.ts";

// Applies payment events. Amount, plan and credit come from the order's row; the event only says that it was paid. The
// account changes before the rows of the order and the event: after an interruption the event is delivered again, and
// then changes only what is still missing.

/** Why an event was quarantined, for the operator; null when it was applied. */
type Verdict = string | null;

const rupees = (paise: number | null) => (paise === null ? "no amount" : `₹${(paise / 100).toFixed(2)}`);

async function findOrder(env: Env, provider: string, event: PaymentEvent): Promise<Order | null> {
  const { orderId } = event;
  const found = await (orderId === null ? orderByRef(env.DB, provider, event) : orderById(env.DB, orderId));
  return found?.provider === provider ? found : null;
}

async function showRefund(env: Env, order: Order, refund: TakenBack, nowMs: number): Promise<Verdict> {
  const { refundedPaise, shortfall, taken } = refund;
  await refundOrder(env.DB, order.id, refundedPaise, nowMs);
  await issueNote(env, configOf(env), { order, source: "refund", totalPaise: refundedPaise }, nowMs);
  if (shortfall === 0) return null;
  return (
    `The refund took ${coins(taken)} coins back. ${coins(shortfall)} were spent already: the account is suspended ` +
    "and owes them; refunds of its messages pay them first."
  );
}

function wrongCurrency(order: Order, currency: string | null): Verdict {
  return currency === order.currency
    ? null
    : `Wrong currency: ${currency ?? "none"} for an order in ${order.currency}.`;
}

/** Why a payment does not match its order; null when it does. */
function mismatch(order: Order, { amountPaise, currency, paymentRef, providerRef }: PaymentEvent): Verdict {
  if (order.providerRef !== null && providerRef !== null && providerRef !== order.providerRef) {
    return `Wrong link: ${providerRef} was paid, and the order's is ${order.providerRef}.`;
  }
  if (amountPaise !== order.amountPaise) {
    return `Wrong amount: ${rupees(amountPaise)} came for an order of ${rupees(order.amountPaise)}.`;
  }
  if (paymentRef === null) return "The event names no payment.";
  return wrongCurrency(order, currency);
}

/** The account and order of an act in the audit trail. */
const orderAct = ({ accountId, id }: Order) => ({ accountId, subject: id });

async function paid(env: Env, order: Order, event: PaymentEvent, nowMs: number): Promise<Verdict> {
  const wrong = mismatch(order, event);
  if (wrong !== null || event.paymentRef === null) return wrong;
  const { id: orderId, plan, creditUnits } = order;
  const { live, test } = bothOf(env, order.accountId);
  const payment = { orderId, paymentRef: event.paymentRef, plan };
  const settled: Settled | null = await live.settlePayment({ ...payment, creditUnits });
  if (!settled?.ok) {
    await raiseOrder(env.DB, orderId, "paid", { paymentRef: event.paymentRef, updatedAt: nowMs });
    return settled ? "Paid, and the balance is too large for more credit." : "Paid, and the account does not exist.";
  }
  const { paymentRef } = settled;
  // The test twin gets the plan as well, and no credit.
  await test.settlePayment({ ...payment, paymentRef, creditUnits: 0 });
  await raiseOrder(env.DB, orderId, "credited", { paymentRef, reason: null, checkAt: null, updatedAt: nowMs });
  await issueInvoice(env, configOf(env), orderId, nowMs);
  const details = { plan, amount: order.amountPaise / 100, reference: paymentRef };
  await auditService(env, order.provider, { ...orderAct(order), action: "order.paid", details, once: orderId });
  const shown = settled.refund && (await showRefund(env, order, settled.refund, nowMs));
  if (paymentRef !== event.paymentRef) {
    return `Paid twice: this order was credited for ${paymentRef}; refund ${event.paymentRef}.`;
  }
  return (await applyDisputes(env, order, nowMs)) ?? shown;
}

async function refunded(env: Env, order: Order, event: PaymentEvent, nowMs: number): Promise<Verdict> {
  const { paymentRef, refundedPaise, currency } = event;
  const { amountPaise, id: orderId } = order;
  if (paymentRef === null) return "The refund names no payment.";
  const wrong = wrongCurrency(order, currency);
  if (wrong !== null) return wrong;
  if (refundedPaise <= 0) return `Wrong amount: ${rupees(refundedPaise)} went back.`;
  const { live, test } = bothOf(env, order.accountId);
  // A refund above the order's price means that more was paid, and the excess gave no credit.
  const refund = { orderId, paymentRef, refundedPaise: Math.min(refundedPaise, amountPaise), amountPaise };
  const outcome: Refunded | null = await live.refundPayment(refund);
  if (!outcome) return "Refunded, and the account does not exist.";
  // Of a refund in parts each report has the total so far, and a report that comes late changes nothing.
  const total = outcome.refund?.refundedPaise ?? refund.refundedPaise;
  const details = { total: total / 100, reference: paymentRef };
  const once = `${orderId} ${paymentRef} ${total}`;
  await auditService(env, order.provider, { ...orderAct(order), action: "order.refunded", details, once });
  await test.refundPayment(refund);
  return outcome.refund && (await showRefund(env, order, outcome.refund, nowMs));
}

async function follow(
  env: Env,
  provider: string,
  order: Order | null,
  event: PaymentEvent,
  nowMs: number,
): Promise<Verdict> {
  switch (event.kind) {
    case "disputed":
      return settleDispute(env, { provider, order, event }, nowMs);
    case "paid":
      return order
        ? paid(env, order, event, nowMs)
        : `Unknown order: ${rupees(event.amountPaise)} came for none of ours.`;
    case "refunded":
      return order ? refunded(env, order, event, nowMs) : "Unknown order: money of none of ours went back.";
    case "pending":
      if (order) await raiseOrder(env.DB, order.id, "pending", { updatedAt: nowMs });
      return null;
    case "failed":
      if (order) await raiseOrder(env.DB, order.id, "failed", { reason: event.reason ?? null, updatedAt: nowMs });
      return null;
  }
}

/** Applies a genuine event and records it. Idempotent, for repeated events. Throws when it could not be stored. */
export async function settleEvent(env: Env, provider: string, event: PaymentEvent, nowMs: number): Promise<void> {
  const order = await findOrder(env, provider, event);
  const quarantined = await follow(env, provider, order, event, nowMs);
  const { id: eventId, kind, paymentRef, amountPaise, refundedPaise, currency } = event;
  const about = { orderId: order?.id ?? event.orderId, kind, paymentRef, amountPaise, refundedPaise, currency };
  await insertPaymentEvent(env.DB, {
    provider,
    eventId,
    ...about,
    quarantined,
    receivedAt: nowMs,
    resolvedAt: null,
  });
}
