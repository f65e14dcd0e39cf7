import type { Lane } from "../../model/lane.ts";
import { number } from "../rows.ts";
import { readJob } from "./jobs.ts";
import type { Job } from "./jobs.ts";
import { isFinal } from "./message/states.ts";

// The open jobs, found by index: those whose messages can be claimed, those of which a deadline passes, and those missing
// from history. Nothing here reads what is over, or walks what waits.

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

type Row = Record<string, SqlStorageValue>;

/** The numbers of a query's jobs. */
export const numbersIn = (cursor: SqlStorageCursor<Row>): number[] => cursor.toArray().map((row) => number(row, "seq"));

function firstIn(cursor: SqlStorageCursor<Row>, column: string): number | null {
  const row = cursor.toArray()[0];
  return row ? number(row, column) : null;
}

/** Numbers of the jobs of which a deadline has passed, the earliest first, at most `limit`. */
export function jobsDue(sql: SqlStorage, nowMs: number, limit: number): number[] {
  return numbersIn(sql.exec("SELECT seq FROM job WHERE due_at <= ? ORDER BY due_at LIMIT ?", nowMs, limit));
}

/** Whether a deadline of this job has passed. */
export function isDue(sql: SqlStorage, seq: number, nowMs: number): boolean {
  return sql.exec("SELECT 1 FROM job WHERE seq = ? AND due_at <= ?", seq, nowMs).toArray().length > 0;
}

/** When the next deadline of a job passes, in ms since the epoch, or null. */
export function nextDueMs(sql: SqlStorage): number | null {
  const query = "SELECT due_at FROM job WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1";
  return firstIn(sql.exec(query), "due_at");
}

/** Moves a job's deadline, without reading the job. */
export function postpone(sql: SqlStorage, seq: number, untilMs: number): void {
  sql.exec("UPDATE job SET due_at = ? WHERE seq = ?", untilMs, seq);
}

/** Jobs of a lane with messages that can be claimed now, longest ready first, at most `limit`. */
export function jobsReady(
  sql: SqlStorage,
  lane: Lane,
  nowMs: number,
  limit: number,
): { seq: number; readyAt: number }[] {
  const query = "SELECT seq, ready_at FROM job WHERE lane = ? AND ready_at <= ? ORDER BY ready_at, seq LIMIT ?";
  return sql
    .exec(query, lane, nowMs, limit)
    .toArray()
    .map((row) => ({ seq: number(row, "seq"), readyAt: number(row, "ready_at") }));
}

/** When the next message of a lane can be claimed that cannot be at `afterMs`; in ms since the epoch, or null. */
export function nextReadyMs(sql: SqlStorage, lane: Lane, afterMs = -1): number | null {
  const query = "SELECT ready_at FROM job WHERE lane = ? AND ready_at > ? ORDER BY ready_at LIMIT 1";
  return firstIn(sql.exec(query, lane, afterMs), "ready_at");
}

/** Jobs that `hasOpenJobs` reads. */
const NEWEST = 32;

/** Whether one of the newest jobs after the settled mark is open and has no deadline, so that only a pass finds it. */
export function hasOpenJobs(sql: SqlStorage, settledSeq: number): boolean {
  const query = `SELECT seq FROM job WHERE seq > ? AND due_at IS NULL ORDER BY seq DESC LIMIT ${NEWEST}`;
  return numbersIn(sql.exec(query, settledSeq)).some((seq) => !readJob(sql, seq)?.messages.every(isFinal));
}
