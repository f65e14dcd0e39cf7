import { number, numberOrNull } from "../rows.ts";
import { readJob } from "./jobs.ts";
import type { Job } from "./jobs.ts";

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

const numbersIn = (cursor: SqlStorageCursor<Record<string, SqlStorageValue>>): number[] =>
  cursor.toArray().map((row) => number(row, "seq"));

/** Numbers of the jobs that time may change: all after the settled mark that are due, and the late ones that are. */
export function jobsDue(sql: SqlStorage, settledSeq: number, nowMs: number): number[] {
  const late = `SELECT seq FROM job WHERE late IN (1, 2) AND due_at <= ? AND seq <= ? LIMIT ${LATE_PAGE}`;
  const after = "SELECT seq FROM job WHERE seq > ? AND due_at <= ?";
  return [...numbersIn(sql.exec(late, nowMs, settledSeq)), ...numbersIn(sql.exec(after, settledSeq, nowMs))];
}

/** Numbers of late jobs that history lacks. */
export function lateJobsUnrecorded(sql: SqlStorage): number[] {
  return numbersIn(sql.exec(`SELECT seq FROM job WHERE late = ${LATE.unrecorded} LIMIT ${LATE_PAGE}`));
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
