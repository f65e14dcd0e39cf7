import { number, numberOrNull } from "../rows.ts";
import { readJob } from "./jobs.ts";
import type { Job } from "./jobs.ts";

// The open jobs: those that time may still change, and those missing from history. Up to the settled mark, only jobs
// that are marked late are open, so that the alarm never reads all that an account has ever sent.

/** A late job is either missing from history, or recorded there and not final yet. */
export const LATE = { unrecorded: 1, recorded: 2 } as const;

/** Late jobs that one alarm handles; the next alarm handles more. */
const LATE_PAGE = 1_000;

/** Jobs after a number, read one by one: the caller may change them, and a bulk is never in memory as a whole. */
export function* jobsAfter(sql: SqlStorage, seq: number): Generator<Job> {
  for (let after = seq; ;) {
    const row = sql.exec("SELECT seq FROM job WHERE seq > ? ORDER BY seq LIMIT 1", after).toArray()[0];
    const job = row && readJob(sql, number(row, "seq"));
    if (!job) return;
    after = job.seq;
    yield job;
  }
}

const numbersIn = (cursor: SqlStorageCursor<Record<string, SqlStorageValue>>): number[] =>
  cursor.toArray().map((row) => number(row, "seq"));

/** Numbers of the jobs that are due: late ones up to the settled mark, and all after it. */
export function jobsDue(sql: SqlStorage, settledSeq: number, nowMs: number): number[] {
  const late = `SELECT seq FROM job WHERE late IN (1, 2) AND due_at <= ? AND seq <= ? LIMIT ${LATE_PAGE}`;
  const after = "SELECT seq FROM job WHERE seq > ? AND due_at <= ?";
  return [...numbersIn(sql.exec(late, nowMs, settledSeq)), ...numbersIn(sql.exec(after, settledSeq, nowMs))];
}

/** Numbers of the late jobs that are missing from history. */
export function lateJobsUnrecorded(sql: SqlStorage): number[] {
  return numbersIn(sql.exec(`SELECT seq FROM job WHERE late = ${LATE.unrecorded} LIMIT ${LATE_PAGE}`));
}

/** Sets a job's late mark, or removes it (null). */
export function setLate(sql: SqlStorage, seq: number, late: 1 | 2 | null): void {
  sql.exec("UPDATE job SET late = ? WHERE seq = ?", late, seq);
}

/** The earliest time at which an open job is due, or null. */
export function nextDueMs(sql: SqlStorage, settledSeq: number): number | null {
  const query = `
    SELECT min(due) AS due FROM (
      SELECT min(due_at) AS due FROM job WHERE seq > ?
      UNION ALL SELECT min(due_at) FROM job WHERE late = ${LATE.unrecorded}
      UNION ALL SELECT min(due_at) FROM job WHERE late = ${LATE.recorded})`;
  return numberOrNull(sql.exec(query, settledSeq).one(), "due");
}
