import type { Quote } from "../../../model/command.ts";
import type { Turn } from "../turn.ts";

// Quotes that were used (contract §13): a row is written in the transaction of the debit, and deleted by a later use.

/** A used quote is known for so long after it has expired, in ms: the clock may be set back. */
const KNOWN_MS = 3_600_000;

/** Whether a quote has not expired and was not used. */
export function isUsable({ sql, nowMs }: Pick<Turn, "sql" | "nowMs">, { id, untilMs }: Quote): boolean {
  const used = "SELECT 1 FROM quote_used WHERE expires_at = ? AND id = ?";
  return untilMs >= nowMs && sql.exec(used, untilMs, id).toArray().length === 0;
}

/** Notes that a quote is used; the caller has checked that it can be. */
export function noteUsed({ sql, nowMs }: Turn, { id, untilMs }: Quote): void {
  sql.exec("DELETE FROM quote_used WHERE expires_at < ?", nowMs - KNOWN_MS);
  sql.exec("INSERT INTO quote_used (expires_at, id) VALUES (?, ?)", untilMs, id);
}
