import { number, numberOrNull, text, textOrNull } from "../../../rows.ts";
import { isDebtPaid, shortfallIn } from "../debt.ts";
import { refundReference } from "../ledger.ts";
import { PAID, PAYMENT_REFUND, laterReferences } from "../references.ts";
import type { Page } from "./page.ts";

// Checks of the entries of the ledger that are no debits.

type Row = Record<string, SqlStorageValue>;

/** Checks that the message of a refund was refunded, by what it was charged. */
function recountRefund(page: Page, row: Row): void {
  const [seq, index] = [numberOrNull(row, "job_seq") ?? 0, numberOrNull(row, "job_index") ?? 0];
  const reference = text(row, "reference");
  // A message that is archived was checked before, and its archive is.
  if (seq > 0 && seq <= page.checkpointSeq) return;
  const job = reference === refundReference(seq, index) ? page.job(seq) : null;
  const message = job?.messages[index];
  if (!job || !message) return page.note("refund", `entry ${reference} belongs to no message`);
  const place = `message ${seq}.${index}`;
  if (message.refunded !== true) page.note("refund", `${place} is ${message.state}, refunded false, entry there`);
  const amount = number(row, "amount");
  if (amount !== job.charge) page.note("refund", `${place} was charged ${job.charge}, refunded ${amount}`);
}

/**
 * Checks that a payment's refunds and disputes come after the payment, and together take back no more than it gave; and
 * that what they took or left owed never falls below nothing.
 */
function recountPayment(page: Page, row: Row): void {
  const [orderId = ""] = text(row, "reference").slice(PAYMENT_REFUND.length).split(":");
  const first = `${PAYMENT_REFUND}${orderId}`;
  const seq = number(row, "seq");
  const paid = page.look("SELECT seq, amount FROM ledger_entry WHERE reference = ?", `${PAID}${orderId}`);
  const back = page.look(
    `SELECT coalesce(-sum(amount), 0) AS taken, coalesce(sum(note ->> 'shortfall'), 0) AS open FROM ledger_entry
      WHERE (reference = ? OR (reference >= ? AND reference < ?)) AND seq <= ?`,
    first,
    ...laterReferences(first),
    seq,
  );
  const gave = paid && number(paid, "seq") < seq ? number(paid, "amount") : 0;
  const [taken, open] = back ? [number(back, "taken"), number(back, "open")] : [0, 0];
  if (taken <= gave && taken + open >= 0) return;
  page.note(
    "payment",
    `order ${orderId} gave ${gave}; by entry ${seq} its refunds took ${taken} and left ${open} open`,
  );
}

/** Checks an entry of the ledger that is no debit; the caller adds it to the sum. */
export function recountEntry(page: Page, row: Row): void {
  const { walk } = page;
  const reference = text(row, "reference");
  if (text(row, "type") === "refund") recountRefund(page, row);
  else if (reference.startsWith(PAYMENT_REFUND)) {
    recountPayment(page, row);
    walk.shortfall += shortfallIn(textOrNull(row, "note"));
  } else if (isDebtPaid(reference)) walk.paid -= number(row, "amount");
}
