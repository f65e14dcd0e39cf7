import type { Debt, Debts } from "../../../model/paying/payment.ts";
import { number, text, textOrNull } from "../../rows.ts";
import { appendEntry } from "./ledger.ts";
import type { LedgerHead } from "./ledger.ts";
import { PAYMENT_REFUND, endOf } from "./references.ts";
import type { Turn } from "../turn.ts";

// What an account owes: credit of refunded payments that was spent already. Refunds of its messages pay it first. It has
// no column of its own: the notes of the payments' refunds say what was owed, and the entries under `debt:` what was paid.

const DEBT = "debt:";

/** Padded, so that references sort as numbers do. */
const debtReference = (paid: number) => `${DEBT}${String(paid).padStart(16, "0")}`;

/** What the entry of a payment's refund left open, in units, by its note. */
export const shortfallIn = (note: string | null): number =>
  note === null ? 0 : ((JSON.parse(note) as { shortfall?: number }).shortfall ?? 0);

/** Whether the entry with this reference paid what is owed. */
export const isDebtPaid = (reference: string): boolean => reference.startsWith(DEBT);

/** Units of refunded credit that could not be taken back when their payments were refunded. */
function shortfalls(sql: SqlStorage): number {
  return sql
    .exec("SELECT note FROM ledger_entry WHERE reference >= ? AND reference < ?", PAYMENT_REFUND, endOf(PAYMENT_REFUND))
    .toArray()
    .reduce((sum, row) => sum + shortfallIn(textOrNull(row, "note")), 0);
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

/** Pays what is owed from units that a request's messages were just refunded, by one entry. Returns the end of the chain. */
export function payDebt(turn: Turn, head: LedgerHead, refunded: number, requestId: string): LedgerHead {
  const amount = Math.min(owed(turn.sql), refunded);
  if (amount === 0) return head;
  const reference = debtReference(paidSoFar(turn.sql) + amount);
  return appendEntry(turn, head, { type: "adjustment", amount: 0 - amount, reference, requestId });
}

/** What refunds of payments had left open by an entry, and what had been paid of it. */
export function debtAt(sql: SqlStorage, seq: number): { shortfall: number; paid: number } {
  const under = "FROM ledger_entry WHERE reference >= ? AND reference < ? AND seq <= ?";
  const shortfall = sql
    .exec(`SELECT note ${under}`, PAYMENT_REFUND, endOf(PAYMENT_REFUND), seq)
    .toArray()
    .reduce((sum, row) => sum + shortfallIn(textOrNull(row, "note")), 0);
  const newest = `SELECT reference ${under} ORDER BY reference DESC LIMIT 1`;
  const last = sql.exec(newest, DEBT, endOf(DEBT), seq).toArray()[0];
  return { shortfall, paid: last ? Number(text(last, "reference").slice(DEBT.length)) : 0 };
}

/** How many of the entries that paid a debt are listed. */
const PAID_LISTED = 20;

/** What the account owed or owes, by the order whose refund left it open; what was paid is for the oldest first. */
export function debtsOf(sql: SqlStorage): Debts {
  const debts = new Map<string, Debt>();
  const query =
    "SELECT reference, note, created_at FROM ledger_entry WHERE reference >= ? AND reference < ? ORDER BY seq";
  for (const row of sql.exec(query, PAYMENT_REFUND, endOf(PAYMENT_REFUND))) {
    const [orderId = ""] = text(row, "reference").slice(PAYMENT_REFUND.length).split(":");
    const shortfall = shortfallIn(textOrNull(row, "note"));
    const known = debts.get(orderId) ?? { orderId, shortfall: 0, paid: 0, since: number(row, "created_at") };
    if (shortfall !== 0) debts.set(orderId, { ...known, shortfall: known.shortfall + shortfall });
  }
  let left = paidSoFar(sql);
  for (const debt of debts.values()) {
    debt.paid = Math.min(left, debt.shortfall);
    left -= debt.paid;
  }
  const payments = sql
    .exec(
      `SELECT amount, request_id, created_at FROM ledger_entry WHERE reference >= ? AND reference < ?
        ORDER BY reference DESC LIMIT ?`,
      DEBT,
      endOf(DEBT),
      PAID_LISTED,
    )
    .toArray()
    .map((row) => ({
      amount: 0 - number(row, "amount"),
      requestId: textOrNull(row, "request_id"),
      at: number(row, "created_at"),
    }));
  return { owed: owed(sql), debts: [...debts.values()], payments };
}
