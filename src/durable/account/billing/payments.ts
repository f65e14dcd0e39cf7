import type {
  Disputed,
  Payment,
  PaymentDispute,
  PaymentRefund,
  Refunded,
  Settled,
  TakenBack,
} from "../../../model/paying/payment.ts";
import { PLANS } from "../../../money/plans.ts";
import type { Plan } from "../../../money/plans.ts";
import { number, text } from "../../rows.ts";
import { owed } from "./debt.ts";
import { appendEntry, entryByReference, ledgerHead } from "./ledger.ts";
import { PAID, PAYMENT_REFUND, endOf, laterReferences } from "./references.ts";
import { readAccount } from "../profile.ts";
import { noteProfile } from "../turn.ts";
import type { Turn } from "../turn.ts";

// Payments of plans: a paid order adds its credit and raises the plan, a refund takes the credit back, and so does a lost
// dispute until it is won after all. A payment can be refunded in parts; each report names the total so far, and takes only
// what it adds. Each report that changes anything is one ledger entry under a unique reference, so reports that repeat or
// arrive out of order have the same result.

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
  /** The total that was paid back of this payment by then. */
  refundedPaise: number;
  amountPaise: number;
  /** Units that this entry should have taken and the balance did not have; below 0 where it gave a debt back. */
  shortfall: number;
  /** What a dispute took of this payment by then, where the entry is a dispute's. */
  dispute?: { id: string; deductedPaise: number; version: number };
}

const paidReference = (orderId: string) => `${PAID}${orderId}`;
/** Of the first refund of an order; the later ones add ":" and the total, as do those that come early. */
const refundReference = (orderId: string) => `${PAYMENT_REFUND}${orderId}`;
const earlyReference = (orderId: string, paymentRef: string) => `payment-refund-early:${orderId}:${paymentRef}`;

/** The rank of a plan is its price. */
const rank = (plan: Plan) => PLANS[plan].priceRupees;

/** The note of an order's payment; null where it is not paid. Only this file writes notes under these references. */
function paidNote(sql: SqlStorage, orderId: string): PaidNote | null {
  const row = sql.exec("SELECT note FROM ledger_entry WHERE reference = ?", paidReference(orderId)).toArray()[0];
  return row ? (JSON.parse(text(row, "note")) as PaidNote) : null;
}

/** A refund's entry: its note and what it took. */
interface RefundEntry extends RefundNote {
  /** Units. */
  taken: number;
}

/** The refunds under a reference, the first one and the later ones, in the order in which they were recorded. */
function refundsUnder(sql: SqlStorage, reference: string): RefundEntry[] {
  return sql
    .exec(
      `SELECT amount, note FROM ledger_entry WHERE reference = ? OR (reference >= ? AND reference < ?) ORDER BY seq`,
      reference,
      ...laterReferences(reference),
    )
    .toArray()
    .map((row) => ({ ...(JSON.parse(text(row, "note")) as RefundNote), taken: 0 - number(row, "amount") }));
}

const refundsOf = (sql: SqlStorage, orderId: string) => refundsUnder(sql, refundReference(orderId));
const earlyRefunds = (sql: SqlStorage, orderId: string, paymentRef: string) =>
  refundsUnder(sql, earlyReference(orderId, paymentRef));

/** Everything that was taken back for an order so far; null where nothing was refunded. */
function takenBack(refunds: RefundEntry[]): TakenBack | null {
  const newest = refunds.at(-1);
  if (!newest) return null;
  const sum = (of: (one: RefundEntry) => number) => refunds.reduce((total, one) => total + of(one), 0);
  return {
    refundedPaise: newest.refundedPaise,
    taken: sum(({ taken }) => taken),
    shortfall: sum(({ shortfall }) => shortfall),
  };
}

/** What each dispute of an order took, by its latest report. */
const disputesIn = (refunds: readonly RefundNote[]) =>
  new Map(refunds.flatMap(({ dispute }) => (dispute ? [[dispute.id, dispute] as const] : [])));

/** The part of the price that the buyer has back, by refunds and by disputes. */
function backPaise(refunds: readonly RefundNote[], amountPaise: number): number {
  const disputed = [...disputesIn(refunds).values()].reduce((sum, { deductedPaise }) => sum + deductedPaise, 0);
  return Math.min(amountPaise, (refunds.at(-1)?.refundedPaise ?? 0) + disputed);
}

/** Whether the buyer has all of the price back. */
function isUndone(refunds: readonly RefundNote[]): boolean {
  const amountPaise = refunds.at(-1)?.amountPaise;
  return amountPaise !== undefined && backPaise(refunds, amountPaise) >= amountPaise;
}

/** An OTP rate that was agreed with the account, where it is lower than the plan's; else null. */
const lowerThan = (rate: number | null, plan: Plan) => (rate !== null && rate < PLANS[plan].otpUnits ? rate : null);

/** Raises the plan, never lowers it; an agreed OTP rate stays where it is lower than the plan's. */
function takePlan(sql: SqlStorage, plan: Plan): void {
  const account = readAccount(sql);
  if (rank(plan) < rank(account.plan)) return;
  sql.exec("UPDATE account SET plan = ?, otp_rate = ?", plan, lowerThan(account.otpRate, plan));
}

/** Every purchase of a plan, oldest first, and whether all of its price went back. */
function purchases(sql: SqlStorage): (PaidNote & { undone: boolean })[] {
  return sql
    .exec(
      "SELECT reference, note FROM ledger_entry WHERE reference >= ? AND reference < ? ORDER BY seq",
      PAID,
      endOf(PAID),
    )
    .toArray()
    .map((row) => {
      const orderId = text(row, "reference").slice(PAID.length);
      return { ...(JSON.parse(text(row, "note")) as PaidNote), undone: isUndone(refundsOf(sql, orderId)) };
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

/** What a report says that the buyer has back: its note, without what the entry will do. */
type Reported = Omit<RefundNote, "shortfall">;

/** The reference of the next entry of an order, of which these are the entries before. */
function nextReference(orderId: string, before: readonly RefundEntry[], { refundedPaise, dispute }: Reported): string {
  const first = refundReference(orderId);
  if (!dispute) return before.length === 0 ? first : `${first}:${refundedPaise}`;
  const nth = before.filter((one) => one.dispute?.id === dispute.id).length;
  return `${first}:dispute:${dispute.id}${nth === 0 ? "" : `:${nth}`}`;
}

/**
 * Takes back what a report adds to the share that the buyer had back before, at most the balance; a shortfall suspends the
 * account and is owed (debt.ts). Where the share became smaller, because a dispute was won, it gives the difference back,
 * of which what is owed comes first.
 */
function takeBack(turn: Turn, orderId: string, reported: Reported): TakenBack {
  const { sql } = turn;
  const { amountPaise, refundedPaise } = reported;
  const paid = paidNote(sql, orderId);
  const credit = entryByReference(sql, paidReference(orderId))?.amount ?? 0;
  if (!paid) throw new Error("only what was paid is taken back");
  const before = refundsOf(sql, orderId);
  const after = [...before, { ...reported, shortfall: 0 }];
  const known = takenBack(before) ?? { taken: 0, shortfall: 0 };
  const due = Math.floor((credit * backPaise(after, amountPaise)) / amountPaise) - known.taken - known.shortfall;
  const head = ledgerHead(sql);
  const taken = due < 0 ? due + Math.min(0 - due, owed(sql), known.shortfall) : Math.min(due, head.balance);
  const shortfall = due - taken;
  const note: RefundNote = { ...reported, shortfall };
  const reference = nextReference(orderId, before, reported);
  appendEntry(turn, head, { type: "adjustment", amount: 0 - taken, reference, note: JSON.stringify(note) });
  if (shortfall > 0) sql.exec("UPDATE account SET status = 'suspended'");
  if (isUndone(after)) leavePlan(sql, paid);
  else if (isUndone(before)) takePlan(sql, paid.plan);
  return { refundedPaise, taken: known.taken + taken, shortfall: known.shortfall + shortfall };
}

/** Credits an order once, under the order's reference, and raises the plan to the one bought. */
export function settlePayment(turn: Turn, payment: Payment): Settled {
  const { sql } = turn;
  const { orderId, paymentRef, creditUnits, plan } = payment;
  const reference = paidReference(orderId);
  const known = paidNote(sql, orderId);
  if (known) {
    return { ok: true, changed: false, paymentRef: known.paymentRef, refund: takenBack(refundsOf(sql, orderId)) };
  }
  const head = ledgerHead(sql);
  if (!Number.isSafeInteger(head.balance + creditUnits)) return { ok: false, reason: "above_limit" };
  const { plan: from, otpRate } = readAccount(sql);
  const note: PaidNote = { paymentRef, plan, from, otpRate };
  appendEntry(turn, head, { type: "credit", amount: creditUnits, reference, note: JSON.stringify(note) });
  takePlan(sql, plan);
  const early = earlyRefunds(sql, orderId, paymentRef).at(-1);
  const refund = early ? takeBack(turn, orderId, reportOf(early)) : null;
  noteProfile(turn);
  return { ok: true, changed: true, paymentRef, refund };
}

/**
 * Takes a refunded payment's credit back, once per total that was refunded; a report of a smaller total came late and
 * changes nothing. A refund that arrives before its payment is kept for it.
 */
export function refundPayment(turn: Turn, refund: PaymentRefund): Refunded {
  const { sql } = turn;
  const { orderId, paymentRef, refundedPaise } = refund;
  const paid = paidNote(sql, orderId);
  if (!paid) return recordEarlyRefund(turn, refund);
  if (paid.paymentRef !== paymentRef) return { changed: false, refund: null, why: "not_credited" };
  const known = takenBack(refundsOf(sql, orderId));
  if (known && known.refundedPaise >= refundedPaise) return { changed: false, refund: known };
  const taken = takeBack(turn, orderId, reportOf(refund));
  noteProfile(turn);
  return { changed: true, refund: taken };
}

/**
 * Takes back what a lost dispute took of a payment, and gives it back when the dispute is won after all; of two reports
 * of one dispute the later one counts, in whatever order they arrive.
 */
export function disputePayment(turn: Turn, disputed: PaymentDispute): Disputed {
  const { sql } = turn;
  const { orderId, paymentRef, disputeId: id, deductedPaise, amountPaise, version } = disputed;
  const paid = paidNote(sql, orderId);
  if (paid?.paymentRef !== paymentRef) {
    return { changed: false, refund: null, why: paid ? "not_credited" : "early" };
  }
  const before = refundsOf(sql, orderId);
  const known = disputesIn(before).get(id);
  const refund = takenBack(before) ?? { refundedPaise: 0, taken: 0, shortfall: 0 };
  if (known && known.version >= version) return { changed: false, refund, deductedPaise: known.deductedPaise };
  const reported: Reported = {
    paymentRef,
    refundedPaise: refund.refundedPaise,
    amountPaise,
    dispute: { id, deductedPaise, version },
  };
  const taken = takeBack(turn, orderId, reported);
  noteProfile(turn);
  return { changed: true, refund: taken, deductedPaise };
}

const reportOf = ({ paymentRef, refundedPaise, amountPaise }: Reported): Reported => ({
  paymentRef,
  refundedPaise,
  amountPaise,
});

/** A zero entry that records an early refund, so that the payment, when it arrives, credits only the rest. */
function recordEarlyRefund(turn: Turn, refund: PaymentRefund): Refunded {
  const { sql } = turn;
  const { orderId, paymentRef, refundedPaise, amountPaise } = refund;
  const known = earlyRefunds(sql, orderId, paymentRef).at(-1);
  const changed = !known || known.refundedPaise < refundedPaise;
  if (changed) {
    const note: RefundNote = { paymentRef, refundedPaise, amountPaise, shortfall: 0 };
    const reference = earlyReference(orderId, paymentRef) + (known ? `:${refundedPaise}` : "");
    appendEntry(turn, ledgerHead(sql), { type: "adjustment", amount: 0, reference, note: JSON.stringify(note) });
  }
  return { changed, refund: null, why: "early" };
}
