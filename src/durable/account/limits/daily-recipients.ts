import type { DailyLimit, Refusal } from "../../../model/command.ts";
import { number } from "../../rows.ts";
import { firstJobSince } from "../jobs.ts";
import type { Turn } from "../turn.ts";
import { DAY_MS, dayStartMs, secondsToNextDay } from "./day.ts";

// The recipients of test mode in one day, which begins at midnight in India. They are counted in memory; after an eviction
// the day's jobs are counted once, so that the limit costs no row.

function countDay(sql: SqlStorage, startMs: number): number {
  const query = `
    SELECT coalesce(sum(json_array_length(messages)), 0) AS count FROM job
     WHERE seq >= ? AND created_at >= ? AND created_at < ?`;
  return number(sql.exec(query, firstJobSince(sql, startMs), startMs, startMs + DAY_MS).one(), "count");
}

/** Refuses what would exceed the day's recipients; null where it fits. Changes nothing. */
export function overDay({ sql, window, nowMs }: Turn, { recipients, max }: DailyLimit): Refusal | null {
  const startMs = dayStartMs(nowMs);
  if (window.day?.startMs !== startMs) window.day = { startMs, recipients: countDay(sql, startMs) };
  const left = Math.max(0, max - window.day.recipients);
  if (recipients <= left) return null;
  const retryAfterSec = secondsToNextDay(nowMs);
  return { ok: false, reason: "daily_recipients", asked: recipients, max, left, retryAfterSec };
}

/** Counts the recipients of a request that was carried out, where they are counted. */
export function countRecipients({ window, nowMs }: Turn, recipients: number): void {
  if (window.day?.startMs === dayStartMs(nowMs)) window.day.recipients += recipients;
}
