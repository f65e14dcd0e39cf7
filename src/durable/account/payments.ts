import type { Payment, PaymentRefund, Refunded, Settled, TakenBack } from "../../model/payment.ts";
import { PLANS } from "../../money/plans.ts";
import type { Plan } from "../../money/plans.ts";
import { text } from "../rows.ts";
import { appendEntry, entryByReference, ledgerHead } from "./ledger.ts";
import { readAccount } from "./profile.ts";
import { noteProfile } from "./turn.ts";
import type { Turn } from "./turn.ts";

// Payments of plans: a paid order adds its credit and raises the plan, a refund takes the credit back. Each has one
// ledger entry under a unique reference, so reports that repeat or arrive out of order have the same result.

/** The note of a payment's entry: the plan that was bought, and the account's plan and OTP rate before it. */
interface PaidNote {
  paymentRef: string;
  plan: Plan;
  from: Plan;
  otpRate: number | null;
}

/** The note of a refund's entry. */
interface RefundNote {
  paymentRef: string;
  refundedPaise: number;
  amountPaise: number;
  shortfall: number;
}

const PAID = "payment:";
/** The exclusive upper bound of the references that begin with `PAID`. */
const PAID_END = "payment;";
const paidReference = (orderId: string) => `${PAID}${orderId}`;
const refundReference = (orderId: string) => `payment-refund:${orderId}`;
const earlyReference = (orderId: string, paymentRef: string) => `payment-refund-early:${orderId}:${paymentRef}`;

/** The rank of a plan is its price. */
const rank = (plan: Plan) => PLANS[plan].priceRupees;

/** The note of an entry. Only this file writes notes under these references: JSON, of one type per kind. */
function noteOf(sql: SqlStorage, reference: string): unknown {
  const row = sql.exec("SELECT note FROM ledger_entry WHERE reference = ?", reference).toArray()[0];
  return row ? (JSON.parse(text(row, "note")) as unknown) : null;
}

const paidNote = (sql: SqlStorage, orderId: string) => noteOf(sql, paidReference(orderId)) as PaidNote | null;
const refundNote = (sql: SqlStorage, orderId: string) => noteOf(sql, refundReference(orderId)) as RefundNote | null;
const earlyNote = (sql: SqlStorage, orderId: string, paymentRef: string) =>
  noteOf(sql, earlyReference(orderId, paymentRef)) as RefundNote | null;

function takenBack(sql: SqlStorage, orderId: string, note: RefundNote): TakenBack {
  const amount = entryByReference(sql, refundReference(orderId))?.amount ?? 0;
  return { refundedPaise: note.refundedPaise, taken: Math.abs(amount), shortfall: note.shortfall };
}

/** An OTP rate that was agreed with the account, where it is lower than the plan's; else null. */
const lowerThan = (rate: number | null, plan: Plan) => (rate !== null && rate < PLANS[plan].otpUnits ? rate : null);

/** Raises the plan, never lowers it; an agreed OTP rate stays where it is lower than the plan's. */
function takePlan(sql: SqlStorage, plan: Plan): void {
  const account = readAccount(sql);
  if (rank(plan) < rank(account.plan)) return;
  sql.exec("UPDATE account SET plan = ?, otp_rate = ?", plan, lowerThan(account.otpRate, plan));
}

/** Every purchase of a plan, oldest first, and whether it was refunded in full. */
function purchases(sql: SqlStorage): (PaidNote & { undone: boolean })[] {
  return sql
    .exec(
      "SELECT reference, note FROM ledger_entry WHERE reference >= ? AND reference < ? ORDER BY seq",
      PAID,
      PAID_END,
    )
    .toArray()
    .map((row) => {
      const orderId = text(row, "reference").slice(PAID.length);
      const refund = refundNote(sql, orderId);
      const note = JSON.parse(text(row, "note")) as PaidNote;
      return { ...note, undone: refund !== null && refund.refundedPaise >= refund.amountPaise };
    });
}

/** After a full refund, returns to the plan before the purchase, or to a higher one that is still paid for. */
function leavePlan(sql: SqlStorage, undone: PaidNote): void {
  const account = readAccount(sql);
  if (account.plan !== undone.plan) return;
  const bought = purchases(sql);
  const kept = bought.filter((one) => !one.undone).map((one) => one.plan);
  let plan = undone.from;
  let rate = undone.otpRate;
  // The plan before it may come from a purchase that was refunded since.
  for (const one of bought.toReversed()) {
    if (!one.undone || one.plan !== plan || one.from === plan) continue;
    plan = one.from;
    rate = one.otpRate;
  }
  for (const one of kept) {
    if (rank(one) < rank(plan)) continue;
    plan = one;
    rate = lowerThan(rate, plan);
  }
  if (plan === account.plan) return;
  sql.exec("UPDATE account SET plan = ?, otp_rate = ?", plan, account.otpRate ?? rate);
}

/** Takes the refunded share of the credit back, at most the balance; a shortfall suspends the account. */
function takeBack(turn: Turn, refund: PaymentRefund): TakenBack {
  const { sql } = turn;
  const { orderId, paymentRef, refundedPaise, amountPaise } = refund;
  const paid = paidNote(sql, orderId);
  const credit = entryByReference(sql, paidReference(orderId))?.amount ?? 0;
  if (!paid) throw new Error("only what was paid is taken back");
  const due = Math.floor((credit * refundedPaise) / amountPaise);
  const head = ledgerHead(sql);
  const taken = Math.min(due, head.balance);
  const shortfall = due - taken;
  const note: RefundNote = { paymentRef, refundedPaise, amountPaise, shortfall };
  const entry = { type: "adjustment" as const, amount: 0 - taken, reference: refundReference(orderId) };
  appendEntry(turn, head, { ...entry, note: JSON.stringify(note) });
  if (shortfall > 0) sql.exec("UPDATE account SET status = 'suspended'");
  if (refundedPaise >= amountPaise) leavePlan(sql, paid);
  return { refundedPaise, taken, shortfall };
}

/** Credits an order once, under the order's reference, and raises the plan to the one bought. */
export function settlePayment(turn: Turn, payment: Payment): Settled {
  const { sql } = turn;
  const { orderId, paymentRef, creditUnits, plan } = payment;
  const reference = paidReference(orderId);
  const known = paidNote(sql, orderId);
  if (known) {
    const refund = refundNote(sql, orderId);
    return {
      ok: true,
      changed: false,
      paymentRef: known.paymentRef,
      refund: refund && takenBack(sql, orderId, refund),
    };
  }
  const head = ledgerHead(sql);
  if (!Number.isSafeInteger(head.balance + creditUnits)) return { ok: false, reason: "above_limit" };
  const { plan: from, otpRate } = readAccount(sql);
  const note: PaidNote = { paymentRef, plan, from, otpRate };
  appendEntry(turn, head, { type: "credit", amount: creditUnits, reference, note: JSON.stringify(note) });
  takePlan(sql, plan);
  const early = earlyNote(sql, orderId, paymentRef);
  const refund = early && takeBack(turn, { orderId, ...early });
  noteProfile(turn);
  return { ok: true, changed: true, paymentRef, refund };
}

/** Takes a refunded payment's credit back, once per order; a refund that arrives before its payment is kept for it. */
export function refundPayment(turn: Turn, refund: PaymentRefund): Refunded {
  const { sql } = turn;
  const { orderId, paymentRef, refundedPaise } = refund;
  const paid = paidNote(sql, orderId);
  if (!paid) return recordEarlyRefund(turn, refund);
  if (paid.paymentRef !== paymentRef) return { ok: true, changed: false, refund: null, why: "not_credited" };
  const known = refundNote(sql, orderId);
  if (known) {
    return known.refundedPaise === refundedPaise
      ? { ok: true, changed: false, refund: takenBack(sql, orderId, known) }
      : { ok: false, reason: "other_refund" };
  }
  const taken = takeBack(turn, refund);
  noteProfile(turn);
  return { ok: true, changed: true, refund: taken };
}

/** A zero entry that records an early refund, so that the payment, when it arrives, credits only the rest. */
function recordEarlyRefund(turn: Turn, refund: PaymentRefund): Refunded {
  const { sql } = turn;
  const { orderId, paymentRef, refundedPaise, amountPaise } = refund;
  const reference = earlyReference(orderId, paymentRef);
  const known = earlyNote(sql, orderId, paymentRef);
  if (known && known.refundedPaise !== refundedPaise) return { ok: false, reason: "other_refund" };
  if (!known) {
    const note: RefundNote = { paymentRef, refundedPaise, amountPaise, shortfall: 0 };
    const entry = { type: "adjustment" as const, amount: 0, reference, note: JSON.stringify(note) };
    appendEntry(turn, ledgerHead(sql), entry);
  }
  return { ok: true, changed: !known, refund: null, why: "early" };
}
