import { readJob } from "./account-jobs.ts";
import type { Job } from "./account-jobs.ts";
import { number, numberOrNull } from "./account-rows.ts";

// Which jobs are still open: may change by themselves, or lack in history. Up to the settled mark none is, but for
// those marked late; so nothing here walks over what an account has done in all its life.

/** A late job either lacks in history, or only waits for its end. */
export const LATE = { unrecorded: 1, recorded: 2 } as const;

/** Late jobs that one alarm looks at; the next one looks at more. */
const LATE_PAGE = 1_000;

/** Jobs after a number. One row at a time: they change while they are walked, and a bulk is never in memory whole. */
export function* jobsAfter(sql: SqlStorage, seq: number): Generator<Job> {
  for (let after = seq; ;) {
    const row = sql.exec("SELECT seq FROM job WHERE seq > ? ORDER BY seq LIMIT 1", after).toArray()[0];
    const job = row && readJob(sql, number(row, "seq"));
    if (!job) return;
    after = job.seq;
    yield job;
  }
}

function* jobsOf(sql: SqlStorage, rows: Record<string, SqlStorageValue>[]): Generator<Job> {
  for (const row of rows) {
    const job = readJob(sql, number(row, "seq"));
    if (job) yield job;
  }
}

/** Late jobs that are due. */
export function lateJobsDue(sql: SqlStorage, nowMs: number): Generator<Job> {
  const query = `SELECT seq FROM job WHERE late IN (1, 2) AND due_at <= ? LIMIT ${LATE_PAGE}`;
  return jobsOf(sql, sql.exec(query, nowMs).toArray());
}

/** Numbers of late jobs that history lacks. */
export function lateJobsUnrecorded(sql: SqlStorage): number[] {
  const query = `SELECT seq FROM job WHERE late = ${LATE.unrecorded} LIMIT ${LATE_PAGE}`;
  return sql
    .exec(query)
    .toArray()
    .map((row) => number(row, "seq"));
}

/** Marks a job as late, or no longer. */
export function setLate(sql: SqlStorage, seq: number, late: 1 | 2 | null): void {
  sql.exec("UPDATE job SET late = ? WHERE seq = ?", late, seq);
}

/** The earliest time that an open job needs attention, or null. */
export function nextDueMs(sql: SqlStorage, settledSeq: number): number | null {
  const query = `
    SELECT min(due) AS due FROM (
      SELECT min(due_at) AS due FROM job WHERE seq > ?
      UNION ALL SELECT min(due_at) FROM job WHERE late = ${LATE.unrecorded}
      UNION ALL SELECT min(due_at) FROM job WHERE late = ${LATE.recorded})`;
  return numberOrNull(sql.exec(query, settledSeq).one(), "due");
}
