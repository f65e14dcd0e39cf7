import type { Refusal } from "../../../model/command.ts";
import { number } from "../../rows.ts";
import { firstJobSince } from "../jobs.ts";
import type { Job } from "../jobs.ts";
import type { Turn } from "../turn.ts";
import { DAY_MS, dayStartMs, secondsToNextDay } from "./day.ts";

// To schedule and to cancel costs an account nothing, and the service two rows for each refund. So an account that took
// back so many scheduled messages in a day schedules nothing more on that day. Cancelling itself is never refused: what
// is scheduled can always be stopped. The day is counted in memory, and after an eviction from the ledger: before a
// message's time it can only be refunded because it was taken back.

/** Scheduled messages that an account may take back in a day and schedule others on the same day. */
export const TAKEN_BACK_MAX = 50_000;

/** Refunds of a day that are looked at, the newest: so many take some tens of ms. */
const REFUNDS_MAX = 2 * TAKEN_BACK_MAX;

function countDay(sql: SqlStorage, startMs: number): number {
  // A job of the day may be preceded by refunds of the day.
  const query = `
    SELECT count(*) AS count FROM (
      SELECT job_seq, created_at FROM ledger_entry
       WHERE seq > (SELECT coalesce(max(seq), 0) FROM job WHERE seq < ?1)
         AND type = 'refund' AND created_at >= ?2 AND created_at < ?3
       ORDER BY seq DESC LIMIT ${REFUNDS_MAX}) AS refund
      JOIN job ON job.seq = refund.job_seq AND refund.created_at < job.send_at`;
  return number(sql.exec(query, firstJobSince(sql, startMs), startMs, startMs + DAY_MS).one(), "count");
}

/** Refuses to schedule on a day on which too much of what was scheduled was taken back; else null. Changes nothing. */
export function overCancels({ sql, window, nowMs }: Turn): Refusal | null {
  const startMs = dayStartMs(nowMs);
  if (window.takenBack?.startMs !== startMs) window.takenBack = { startMs, messages: countDay(sql, startMs) };
  if (window.takenBack.messages < TAKEN_BACK_MAX) return null;
  return { ok: false, reason: "many_cancelled", max: TAKEN_BACK_MAX, retryAfterSec: secondsToNextDay(nowMs) };
}

/** Counts messages of a job that were taken back, where the day is counted and the job was scheduled. */
export function countTakenBack({ window, nowMs }: Turn, { sendAt }: Pick<Job, "sendAt">, messages: number): void {
  const isScheduled = sendAt !== null && nowMs < sendAt;
  if (isScheduled && window.takenBack?.startMs === dayStartMs(nowMs)) window.takenBack.messages += messages;
}
