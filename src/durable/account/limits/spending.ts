import type { Refusal } from "../../../model/command.ts";
import { capOf } from "../../../model/rules/rules.ts";
import type { AccountRules } from "../../../model/rules/rules.ts";
import { number } from "../../rows.ts";
import { firstJobSince } from "../jobs.ts";
import type { Turn } from "../turn.ts";
import { DAY_MS, dayStartMs, secondsToNextDay } from "./day.ts";

// What a day may cost. A debit counts on the day of its request, which begins at midnight in India, whenever the messages
// go out; a refund gives back to that same day. The sum is kept in memory while the account has a cap, and is made again
// from the ledger after an eviction: it costs no row, and an account without a cap nothing at all.

/**
 * How far before a day its first job is looked for, in ms: where the clock was set back, jobs are not in order of time, and
 * a search that meets earlier ones would pass over those before them. A day and an hour: a clock may be wrong by a day.
 */
const DISORDER_MS = DAY_MS + 3_600_000;

/** What the debits of a day cost, less their refunds, in units. */
function spentOn(sql: SqlStorage, startMs: number): number {
  const query = `
    SELECT (SELECT coalesce(sum(debit), 0) FROM job WHERE seq >= ?1 AND created_at >= ?2 AND created_at < ?3)
         - (SELECT coalesce(sum(refund.amount), 0) FROM ledger_entry AS refund JOIN job ON job.seq = refund.job_seq
             WHERE refund.seq > ?1 AND refund.type = 'refund' AND job.created_at >= ?2 AND job.created_at < ?3)
        AS spent`;
  const from = firstJobSince(sql, startMs - DISORDER_MS);
  return number(sql.exec(query, from, startMs, startMs + DAY_MS).one(), "spent");
}

/** What today's debits cost so far, less their refunds, in units. */
export function spentToday({ sql, window, nowMs }: Turn): number {
  const startMs = dayStartMs(nowMs);
  if (window.spent?.startMs !== startMs) window.spent = { startMs, units: spentOn(sql, startMs) };
  return window.spent.units;
}

/** Refuses what would take the day beyond its cap; null where it fits, or costs nothing. Changes nothing. */
export function overCap(turn: Turn, rules: AccountRules, needed: number): Refusal | null {
  const limit = capOf(rules);
  if (!limit || needed === 0) return null;
  const left = Math.max(0, limit.cap - spentToday(turn));
  if (needed <= left) return null;
  return { ok: false, reason: "spend_cap", needed, left, ...limit, retryAfterSec: secondsToNextDay(turn.nowMs) };
}
