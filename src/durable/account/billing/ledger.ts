import { unlessFirst } from "../../../crypto/secrets.ts";
import type { LedgerView } from "../../../model/account.ts";
import type { Operation } from "../../../model/message.ts";
import { number, numberOrNull, text, textOrNull } from "../../rows.ts";
import type { Turn } from "../turn.ts";

// The ledger: an append-only chain of entries, each with the balance after it. A debit is the first job of its
// request (jobs.ts writes it); refunds, credits and adjustments are rows of ledger_entry. Both tables share seq.

/** The end of the chain, to which the next entry is appended. */
export interface LedgerHead {
  seq: number;
  /** Units. */
  balance: number;
}

/** The newest entry's number and the balance after it. */
export function ledgerHead(sql: SqlStorage): LedgerHead {
  const head: LedgerHead = { seq: 0, balance: 0 };
  for (const table of ["job", "ledger_entry"]) {
    const row = sql.exec(`SELECT seq, balance_after FROM ${table} ORDER BY seq DESC LIMIT 1`).toArray()[0];
    if (row && number(row, "seq") > head.seq) {
      head.seq = number(row, "seq");
      head.balance = number(row, "balance_after");
    }
  }
  return head;
}

export interface Entry {
  type: "refund" | "credit" | "adjustment";
  /** Units, signed. */
  amount: number;
  /** Unique per account: a second entry with the same reference violates a constraint. */
  reference: string;
  requestId?: string;
  note?: string;
  message?: { seq: number; index: number };
}

/** Appends an entry; throws, which rolls back, where the balance would be negative or the reference exists. */
export function appendEntry({ sql, nowMs, changes }: Turn, head: LedgerHead, entry: Entry): LedgerHead {
  const next = { seq: head.seq + 1, balance: head.balance + entry.amount };
  sql.exec(
    `INSERT INTO ledger_entry (seq, type, amount, balance_after, reference, request_id, note, job_seq, job_index, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    next.seq,
    entry.type,
    entry.amount,
    next.balance,
    entry.reference,
    entry.requestId ?? null,
    entry.note ?? null,
    entry.message?.seq ?? null,
    entry.message?.index ?? null,
    nowMs,
  );
  changes.account = true;
  return next;
}

/** The reference of a message's refund, of which there is at most one. */
export function refundReference(seq: number, index: number): string {
  return `refund:${seq}.${index}`;
}

/** The entry with this reference, or null. */
export function entryByReference(sql: SqlStorage, reference: string): LedgerView | null {
  const row = sql.exec("SELECT seq FROM ledger_entry WHERE reference = ?", reference).toArray()[0];
  return row ? (ledgerPage(sql, number(row, "seq") - 1, 1)[0] ?? null) : null;
}

const PAGE = `
  SELECT * FROM (
    SELECT seq, 'debit' AS type, -debit AS amount, balance_after, request_id, NULL AS reference, created_at,
           CASE WHEN debit = charge THEN seq END AS job_seq, 0 AS job_index, operation, secret_id,
           json_array_length(messages) AS messages
      FROM job WHERE seq > ?1 AND debit IS NOT NULL ORDER BY seq LIMIT ?2)
  UNION ALL
  SELECT * FROM (
    SELECT e.seq, e.type, e.amount, e.balance_after, e.request_id, e.reference, e.created_at,
           e.job_seq, e.job_index, j.operation, j.secret_id, 1
      FROM ledger_entry e LEFT JOIN job j ON j.seq = e.job_seq WHERE e.seq > ?1 ORDER BY e.seq LIMIT ?2)
  ORDER BY seq LIMIT ?2`;

/** Ledger entries after a number, oldest first (contract §10). */
export function ledgerPage(sql: SqlStorage, after: number, limit: number): LedgerView[] {
  return sql
    .exec(PAGE, after, limit)
    .toArray()
    .map((row) => ({
      seq: number(row, "seq"),
      type: text(row, "type") as LedgerView["type"],
      amount: number(row, "amount"),
      balanceAfter: number(row, "balance_after"),
      requestId: textOrNull(row, "request_id"),
      reference: textOrNull(row, "reference"),
      at: number(row, "created_at"),
      message:
        row["job_seq"] === null || number(row, "messages") !== 1
          ? null
          : {
              seq: number(row, "job_seq"),
              index: number(row, "job_index"),
              operation: text(row, "operation") as Operation,
              ...unlessFirst(numberOrNull(row, "secret_id")),
            },
    }));
}
