import { endAlert, raiseAlert } from "../alerts/alerts.ts";
import { auditService } from "../audit/audit.ts";
import { configOf } from "../config/config.ts";
import { openAlerts } from "../db/health/alerts.ts";
import { disputesOf, latestDisputes, openDisputes, storeDispute } from "../db/money/disputes.ts";
import type { DisputeRow } from "../db/money/disputes.ts";
import { isDisputeOpen } from "../model/paying/dispute.ts";
import type { DisputeReport } from "../model/paying/dispute.ts";
import type { Disputed } from "../model/paying/payment.ts";
import { coins } from "../money/money.ts";
import { bothOf } from "../objects.ts";
import { issueNote } from "./notes.ts";
import type { Order, PaymentEvent } from "./provider.ts";

export type { DisputeRow } from "../db/money/disputes.ts";

// Disputes of payments (chargebacks). While one is open, nothing changes in the account. A lost one takes back the credit
// of what the provider deducted, as a refund does; one that is won after that gives it back.

/** How many disputes the operator's list shows. */
const LISTED_MAX = 50;

/** Disputes and alerts that are open at once, at most. */
const WATCHED_MAX = 500;

/** The dispute of an event, as its row. */
function rowOf(provider: string, order: Order | null, event: PaymentEvent, report: DisputeReport, nowMs: number) {
  const { deductedPaise, ...rest } = report;
  const isTaken = report.status === "lost" || report.status === "closed";
  return {
    ...rest,
    provider,
    orderId: order?.id ?? null,
    accountId: order?.accountId ?? null,
    paymentRef: event.paymentRef,
    deductedPaise: isTaken ? (deductedPaise ?? 0) : 0,
    currency: event.currency,
    firstAt: nowMs,
    updatedAt: nowMs,
  } satisfies DisputeRow;
}

/** Alerts the operator while the dispute is open. */
async function alertOf(env: Env, row: DisputeRow): Promise<void> {
  const { disputeId, status, phase, respondBy, amountPaise } = row;
  if (!isDisputeOpen(status)) return endAlert(env, "payment_dispute", disputeId);
  const values = {
    dispute: disputeId,
    order: row.orderId,
    account: row.accountId,
    rupees: amountPaise / 100,
    status,
    phase,
    respond_by: respondBy === null ? null : new Date(respondBy).toISOString(),
  };
  return raiseAlert(env, { kind: "payment_dispute", subject: disputeId, values });
}

/** Brings the account to what the dispute took. Returns why that needs the operator, or null. */
async function apply(env: Env, order: Order, row: DisputeRow, nowMs: number): Promise<string | null> {
  const { disputeId, paymentRef, version } = row;
  if (isDisputeOpen(row.status)) return null;
  if (paymentRef === null) return "The dispute names no payment.";
  if (row.currency !== order.currency) return `Wrong currency: ${row.currency ?? "none"} was disputed.`;
  const { amountPaise, id: orderId } = order;
  const deductedPaise = Math.min(row.deductedPaise, amountPaise);
  const disputed = { orderId, paymentRef, disputeId, deductedPaise, amountPaise, version };
  const { live, test } = bothOf(env, order.accountId);
  let outcome: Disputed | null = await live.disputePayment(disputed);
  if (!outcome) return "Disputed, and the account does not exist.";
  await test.disputePayment(disputed);
  let totalPaise: number | null = null;
  // Another report may be applied between the account and the note: the note follows what the account says after it.
  while (outcome?.refund && outcome.deductedPaise !== totalPaise) {
    totalPaise = outcome.deductedPaise;
    await issueNote(env, configOf(env), { order, source: `dispute:${disputeId}`, totalPaise }, nowMs);
    outcome = await live.disputePayment(disputed);
  }
  // A payment that gave no credit has none to take. One that comes later asks for its disputes (`applyDisputes`).
  if (!outcome?.refund) return null;
  const { shortfall, taken } = outcome.refund;
  if (outcome.deductedPaise === 0 || shortfall === 0) return null;
  return (
    `Refunds and the lost dispute took ${coins(taken)} coins back. ${coins(shortfall)} were spent already: the account ` +
    "is suspended and owes them; refunds of its messages pay them first."
  );
}

/** Stores what a provider reports of a dispute, and follows it. Returns why that needs the operator, or null. */
export async function settleDispute(
  env: Env,
  { provider, order, event }: { provider: string; order: Order | null; event: PaymentEvent },
  nowMs: number,
): Promise<string | null> {
  const { dispute } = event;
  if (!dispute) return "The event names no dispute.";
  const row = await storeDispute(env.DB, rowOf(provider, order, event, dispute, nowMs));
  await alertOf(env, row);
  if (!order) return "Unknown order: a payment of none of ours is disputed.";
  const { disputeId, status, amountPaise } = dispute;
  const details = { status, amount: amountPaise / 100, reference: disputeId };
  const act = { accountId: order.accountId, subject: order.id, action: "order.disputed" as const, details };
  await auditService(env, provider, { ...act, once: `${disputeId} ${dispute.version}` });
  if (status === "lost" && dispute.deductedPaise === null) return "The lost dispute does not say what was deducted.";
  return apply(env, order, row, nowMs);
}

/**
 * Raises the alerts of open disputes and ends those of the others: where two reports came at once, or one was cut off, the
 * alert may be that of the earlier report.
 */
export async function watchDisputes(env: Env): Promise<void> {
  const disputes = await openDisputes(env.DB, WATCHED_MAX);
  const ids = new Set(disputes.map(({ disputeId }) => disputeId));
  const alerts = (await openAlerts(env.DB, WATCHED_MAX)).filter(({ kind }) => kind === "payment_dispute");
  const raised = new Set(alerts.map(({ subject }) => subject));
  for (const row of disputes) if (!raised.has(row.disputeId)) await alertOf(env, row);
  for (const { subject } of alerts) if (!ids.has(subject)) await endAlert(env, "payment_dispute", subject);
}

/** Applies the disputes that were reported before the payment itself; the first reason for the operator, or null. */
export async function applyDisputes(env: Env, order: Order, nowMs: number): Promise<string | null> {
  const why: (string | null)[] = [];
  for (const row of await disputesOf(env.DB, [order.id])) why.push(await apply(env, order, row, nowMs));
  return why.find((one) => one !== null) ?? null;
}

/** The disputes of some orders, newest first. */
export const disputesOfOrders = (env: Env, orders: readonly Order[]): Promise<DisputeRow[]> =>
  disputesOf(
    env.DB,
    orders.map(({ id }) => id),
  );

/** The disputes that changed last, for the operator. */
export const newestDisputes = (env: Env): Promise<DisputeRow[]> => latestDisputes(env.DB, LISTED_MAX);
