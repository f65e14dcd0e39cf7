import type { ClosingSettled, ClosingView } from "../../../model/leaving.ts";
import { number } from "../../rows.ts";
import { owed } from "../billing/debt.ts";
import { appendEntry, ledgerHead } from "../billing/ledger.ts";
import { endOf } from "../billing/references.ts";
import { readJob } from "../jobs.ts";
import { scheduledUnits, takeBackScheduled } from "../schedule/take-back.ts";
import { isFinal } from "../message/states.ts";
import { readAccount } from "../profile.ts";
import { noteProfile } from "../turn.ts";
import type { Turn } from "../turn.ts";

// The account's side of closing: from the request on, nothing new is sent; what was accepted is carried to its end.

/** The references of the entries that give a balance up at closing. */
const CLOSING = "closing:";

/** Jobs that one look reads at most; an account with more that history does not have yet is not ready to go. */
const JOBS_READ_MAX = 500;

/** Begins to close the account: it is erased at this time. A repeated call sets the time anew. */
export function closeAccount(turn: Turn, closesAt: number): void {
  if (readAccount(turn.sql).closesAt === closesAt) return;
  turn.sql.exec("UPDATE account SET closes_at = ?", closesAt);
  noteProfile(turn);
}

/** Takes the closing back that ends at this time; one that was asked for since then stands. */
export function keepAccount(turn: Turn, closesAt: number): void {
  if (readAccount(turn.sql).closesAt !== closesAt) return;
  turn.sql.exec("UPDATE account SET closes_at = NULL");
  noteProfile(turn);
}

/**
 * Whether a message may still change, and what such messages cost: every job up to the settled mark is final, or waits for
 * a deadline. What is scheduled holds up no erasure, since it is taken back then.
 */
function openMessages(sql: SqlStorage, nowMs: number): Pick<ClosingView, "hasOpen" | "openUnits"> {
  const { settledSeq } = readAccount(sql);
  const isNow = "(send_at IS NULL OR send_at <= ?3)";
  const query = `SELECT seq FROM job WHERE seq > ?1 AND ${isNow}
    UNION SELECT seq FROM job WHERE due_at IS NOT NULL AND ${isNow} LIMIT ?2`;
  const rows = sql.exec(query, settledSeq, JOBS_READ_MAX, nowMs).toArray();
  const open = rows.flatMap((row) => {
    const job = readJob(sql, number(row, "seq"));
    return (job?.messages ?? []).filter((message) => !isFinal(message)).map(() => job?.charge ?? 0);
  });
  return {
    hasOpen: rows.length === JOBS_READ_MAX || open.length > 0,
    openUnits: open.reduce((sum, charge) => sum + charge, scheduledUnits(sql, nowMs)),
  };
}

/** What the erasure of the account depends on. */
export function closingView(sql: SqlStorage, nowMs: number): ClosingView {
  const { closesAt } = readAccount(sql);
  return { closesAt, balance: ledgerHead(sql).balance, owed: owed(sql), ...openMessages(sql, nowMs) };
}

/** Units that were given up so far. */
function givenUp(sql: SqlStorage): number {
  const query = "SELECT coalesce(sum(amount), 0) AS sum FROM ledger_entry WHERE reference >= ? AND reference < ?";
  return 0 - number(sql.exec(query, CLOSING, endOf(CLOSING)).one(), "sum");
}

/** Takes back some of what a closing account has scheduled, once nothing else is open; false once nothing is left. */
export function takeBackAtClosing(turn: Turn): boolean {
  const { closesAt, hasOpen } = closingView(turn.sql, turn.nowMs);
  return closesAt !== null && !hasOpen && takeBackScheduled(turn);
}

/**
 * Settles a closing account before it is erased: its balance, of which up to `givenUpMax` units were given up, becomes 0 by
 * one entry. Refused while a message is open, while it owes something, and for a higher balance; then nothing changes.
 */
export function settleClosing(turn: Turn, givenUpMax: number): ClosingSettled {
  const { sql } = turn;
  const view = closingView(sql, turn.nowMs);
  // A closing that was taken back leaves an account that sends: its next message may be on the way.
  if (view.closesAt === null || view.hasOpen) return { ok: false, hindrance: "open_messages" };
  if (view.owed > 0) return { ok: false, hindrance: "debt" };
  if (view.balance > givenUpMax) return { ok: false, hindrance: "balance" };
  if (view.balance > 0) {
    const head = ledgerHead(sql);
    const reference = `${CLOSING}${head.seq + 1}`;
    appendEntry(turn, head, { type: "adjustment", amount: 0 - head.balance, reference, note: "given up at closing" });
  }
  return { ok: true, given: givenUp(sql) };
}
