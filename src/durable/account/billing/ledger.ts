import { unlessFirst } from "../../../crypto/secrets.ts";
import type { LedgerView } from "../../../model/account.ts";
import type { Operation } from "../../../model/message.ts";
import { coins } from "../../../money/money.ts";
import { number, numberOrNull, text, textOrNull } from "../../rows.ts";
import { checkpointOf } from "../archive/checkpoint.ts";
import { noteBalance, noteEvent } from "../events/note.ts";
import type { Turn } from "../turn.ts";

// The ledger: an append-only chain of entries, each with the balance after it. A debit is the first job of its
// request (jobs.ts writes it); refunds, credits and adjustments are rows of ledger_entry. Both tables share seq. What is
// old was archived: in its place the ledger begins with a checkpoint (archive/checkpoint.ts).

/** The end of the chain, to which the next entry is appended. */
export interface LedgerHead {
  seq: number;
  /** Units. */
  balance: number;
}

/** The newest entry's number and the balance after it. */
export function ledgerHead(sql: SqlStorage): LedgerHead {
  const [job, entry] = ["job", "ledger_entry"].map((table): LedgerHead | null => {
    const row = sql.exec(`SELECT seq, balance_after FROM ${table} ORDER BY seq DESC LIMIT 1`).toArray()[0];
    return row ? { seq: number(row, "seq"), balance: number(row, "balance_after") } : null;
  });
  // A job is always beyond the checkpoint; an entry may be one that stayed.
  const head = job ?? checkpointOf(sql);
  return entry && entry.seq > head.seq ? entry : { seq: head.seq, balance: head.balance };
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
export function appendEntry(turn: Turn, head: LedgerHead, entry: Entry): LedgerHead {
  const { sql, nowMs, changes } = turn;
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
  noteBalance(turn, head.balance, next.balance);
  if (entry.type === "credit" && entry.amount > 0) {
    noteEvent(turn, "credit.added", { amount: coins(entry.amount), balance: coins(next.balance) });
  }
  return next;
}

/** The reference of a message's refund, of which there is at most one. */
export function refundReference(seq: number, index: number): string {
  return `refund:${seq}.${index}`;
}

/** The same in a query over rows of `job`, as a condition: the charge of its only message was not refunded. */
export const JOB_NOT_REFUNDED =
  "NOT EXISTS (SELECT 1 FROM ledger_entry WHERE reference = 'refund:' || job.seq || '.0')";

/** The entry with this reference, or null. */
export function entryByReference(sql: SqlStorage, reference: string): LedgerView | null {
  const row = sql.exec(`${ENTRY} WHERE e.reference = ?`, reference).toArray()[0];
  return row ? viewOf(row) : null;
}

// The operation of a refund is that of its message; the entry has it itself where the message was archived before.
const ENTRY = `
  SELECT e.seq, e.type, e.amount, e.balance_after, e.request_id, e.reference, e.created_at,
         e.job_seq, e.job_index, coalesce(e.operation, j.operation) AS operation,
         coalesce(e.secret_id, j.secret_id) AS secret_id, 1 AS messages
    FROM ledger_entry e LEFT JOIN job j ON j.seq = e.job_seq`;

const PAGE = `
  SELECT * FROM (
    SELECT seq, 'debit' AS type, -debit AS amount, balance_after, request_id, NULL AS reference, created_at,
           CASE WHEN debit = charge THEN seq END AS job_seq, 0 AS job_index, operation, secret_id,
           json_array_length(messages) AS messages
      FROM job WHERE seq > ?1 AND debit IS NOT NULL ORDER BY seq LIMIT ?2)
  UNION ALL
  SELECT * FROM (${ENTRY} WHERE e.seq > ?1 ORDER BY e.seq LIMIT ?2)
  ORDER BY seq LIMIT ?2`;

const viewOf = (row: Record<string, SqlStorageValue>): LedgerView => ({
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
});

/** The entry that stands for all that was archived; null where nothing was. */
function checkpointEntry(sql: SqlStorage): LedgerView | null {
  const { seq, balance, atMs } = checkpointOf(sql);
  if (seq === 0) return null;
  const sums = { amount: balance, balanceAfter: balance };
  return { seq, type: "checkpoint", ...sums, requestId: null, reference: "archive", at: atMs, message: null };
}

/** Ledger entries after a number, oldest first, from the checkpoint on (contract §10). */
export function ledgerPage(sql: SqlStorage, after: number, limit: number): LedgerView[] {
  const checkpoint = checkpointEntry(sql);
  const first = checkpoint && after < checkpoint.seq ? [checkpoint] : [];
  const from = Math.max(after, checkpoint?.seq ?? 0);
  const rows = sql.exec(PAGE, from, limit - first.length).toArray();
  return [...first, ...rows.map(viewOf)];
}
