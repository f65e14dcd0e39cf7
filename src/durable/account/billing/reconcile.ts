import type { Difference, LedgerView } from "../../../model/account.ts";
import { number, text } from "../../rows.ts";
import { checkpointOf } from "../archive/checkpoint.ts";
import { owed, recountDebt } from "./debt.ts";
import { messageViews } from "../jobs.ts";
import { ledgerHead, ledgerPage, refundReference } from "./ledger.ts";
import { jobsAfter } from "../open-jobs.ts";

// Reconciliation (contract §10): recomputes from the rows, by other queries, the totals that the service relies on.

/** Ledger entries read at a time. */
const PAGE = 500;

/** Checks that a payment's refunds come after the payment and together take back no more than it gave. */
function recountPayment(
  left: Map<string, number>,
  { reference, amount }: Pick<LedgerView, "reference" | "amount">,
  note: (kind: string, detail: string) => void,
): void {
  const [, kind, orderId = ""] = /^(payment|payment-refund):([^:]+)/u.exec(reference ?? "") ?? [];
  if (kind === "payment") left.set(orderId, amount);
  if (kind !== "payment-refund") return;
  const rest = left.get(orderId);
  left.set(orderId, (rest ?? 0) + amount);
  if (rest === undefined || rest + amount < 0) {
    note("payment", `order ${orderId} had ${rest ?? 0} of its credit left, a refund took ${0 - amount}`);
  }
}

/** Checks that refunds of messages paid no more than what refunds of payments left open. */
function recountOwed(sql: SqlStorage, note: (kind: string, detail: string) => void): void {
  const recounted = recountDebt(sql);
  if (recounted.owed < 0) note("debt", `${recounted.paid} were paid, which is ${0 - recounted.owed} too much`);
  if (recounted.owed !== owed(sql)) note("debt", `the account owes ${owed(sql)}, recounted ${recounted.owed}`);
}

function recountLedger(sql: SqlStorage, note: (kind: string, detail: string) => void): Map<string, LedgerView> {
  const refunds = new Map<string, LedgerView>();
  const payments = new Map<string, number>();
  let sum = 0;
  // Those that stayed when their neighbours were archived.
  const stayed = sql
    .exec("SELECT amount, reference FROM ledger_entry WHERE seq <= ? ORDER BY seq", checkpointOf(sql).seq)
    .toArray();
  for (const row of stayed) {
    recountPayment(payments, { amount: number(row, "amount"), reference: text(row, "reference") }, note);
  }
  for (let page = ledgerPage(sql, 0, PAGE); page.length > 0; page = ledgerPage(sql, page.at(-1)?.seq ?? 0, PAGE)) {
    for (const entry of page) {
      sum += entry.amount;
      if (sum !== entry.balanceAfter) {
        note("ledger", `entry ${entry.seq} says balance ${entry.balanceAfter}, recounted ${sum}`);
      }
      if (sum < 0) note("ledger", `entry ${entry.seq} takes the balance below zero`);
      if (entry.type === "refund") refunds.set(entry.reference ?? "", entry);
      recountPayment(payments, entry, note);
    }
  }
  const { balance } = ledgerHead(sql);
  if (balance !== sum) note("balance", `the balance is ${balance}, the sum of the entries is ${sum}`);
  return refunds;
}

/** Recomputes ledger, balance, messages and refunds and returns the differences; an empty list means that all agree. */
export function reconcile(sql: SqlStorage): Difference[] {
  const differences: Difference[] = [];
  const note = (kind: string, detail: string) => void differences.push({ kind, detail });
  const refunds = recountLedger(sql, note);
  recountOwed(sql, note);
  const debits = new Map<string, { debit: number; charged: number }>();
  for (const job of jobsAfter(sql, 0)) {
    const sums = debits.get(job.requestId) ?? { debit: 0, charged: 0 };
    sums.debit += job.debit ?? 0;
    sums.charged += job.charge * job.messages.length;
    debits.set(job.requestId, sums);
    for (const message of messageViews(job)) {
      const place = `message ${message.seq}.${message.index}`;
      const refund = refunds.get(refundReference(message.seq, message.index));
      refunds.delete(refundReference(message.seq, message.index));
      if (message.refunded !== (refund !== undefined)) {
        note(
          "refund",
          `${place} is ${message.state}, refunded ${message.refunded}, entry ${refund ? "there" : "missing"}`,
        );
      }
      if (refund && refund.amount !== message.charge) {
        note("refund", `${place} was charged ${message.charge}, refunded ${refund.amount}`);
      }
      if (message.state === "failed" && !message.refunded) note("refund", `${place} failed and was not refunded`);
    }
  }
  for (const [requestId, sums] of debits) {
    if (sums.debit === sums.charged) continue;
    note("debit", `request ${requestId} took ${sums.debit}, its messages were charged ${sums.charged}`);
  }
  const archived = checkpointOf(sql).seq;
  for (const [reference, entry] of refunds) {
    if ((entry.message?.seq ?? 0) > archived) note("refund", `entry ${reference} belongs to no message`);
  }
  return differences;
}
