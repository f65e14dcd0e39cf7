import { number, text } from "../../rows.ts";
import { appendEntry } from "./ledger.ts";
import type { LedgerHead } from "./ledger.ts";
import type { Turn } from "../turn.ts";

// What an account owes: credit of refunded payments that was spent already. Refunds of its messages pay it first. It has
// no column of its own: the notes of the payments' refunds say what was owed, and the entries under `debt:` what was paid.

/** The references of the entries that take a refunded payment's credit back. */
export const PAYMENT_REFUND = "payment-refund:";
const DEBT = "debt:";

/** The exclusive upper bound of the references that begin with a prefix ending in ":". */
export const endOf = (prefix: string) => `${prefix.slice(0, -1)};`;

/** Padded, so that references sort as numbers do. */
const debtReference = (paid: number) => `${DEBT}${String(paid).padStart(16, "0")}`;

/** Units of refunded credit that could not be taken back when their payments were refunded. */
function shortfalls(sql: SqlStorage): number {
  return sql
    .exec("SELECT note FROM ledger_entry WHERE reference >= ? AND reference < ?", PAYMENT_REFUND, endOf(PAYMENT_REFUND))
    .toArray()
    .reduce((sum, row) => sum + (JSON.parse(text(row, "note")) as { shortfall: number }).shortfall, 0);
}

/** Units that refunds of messages have paid so far: the newest reference ends in this number. */
function paidSoFar(sql: SqlStorage): number {
  const newest = sql
    .exec(
      "SELECT reference FROM ledger_entry WHERE reference >= ? AND reference < ? ORDER BY reference DESC LIMIT 1",
      DEBT,
      endOf(DEBT),
    )
    .toArray()[0];
  return newest ? Number(text(newest, "reference").slice(DEBT.length)) : 0;
}

/** Units that the account owes. */
export function owed(sql: SqlStorage): number {
  const total = shortfalls(sql);
  return total === 0 ? 0 : total - paidSoFar(sql);
}

/** Pays what is owed from units that were just refunded for messages, by one entry. Returns the end of the chain. */
export function payDebt(turn: Turn, head: LedgerHead, refunded: number): LedgerHead {
  const amount = Math.min(owed(turn.sql), refunded);
  if (amount === 0) return head;
  const reference = debtReference(paidSoFar(turn.sql) + amount);
  return appendEntry(turn, head, { type: "adjustment", amount: 0 - amount, reference });
}

/** What the entries under `debt:` took in all, recounted from their amounts and not from their references. */
export function recountDebt(sql: SqlStorage): { paid: number; owed: number } {
  const row = sql
    .exec(
      "SELECT coalesce(sum(amount), 0) AS paid FROM ledger_entry WHERE reference >= ? AND reference < ?",
      DEBT,
      endOf(DEBT),
    )
    .one();
  const paid = 0 - number(row, "paid");
  return { paid, owed: shortfalls(sql) - paid };
}
