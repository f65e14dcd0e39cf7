import { readAccount } from "./account-office.ts";
import { openJobs, stepJob } from "./account-jobs.ts";
import type { Job } from "./account-jobs.ts";
import { applyTime, dueOf, isFinal, pollAgain } from "./account-messages.ts";
import type { Step, Timers } from "./account-messages.ts";
import { forgetOld } from "./account-idempotency.ts";

// What the alarm does with storage: time passes for every open message, and what the queue lost is found again.

/** A job that is open for longer is marked late, so that it no longer holds the settled mark back. */
const LATE_MS = 600_000;

/** The settled mark is written only when it moved this far: until then a few rows are read again. */
const SETTLED_STEP = 32;

const PRUNE_MS = 24 * 3_600_000;

export interface Swept {
  /** Jobs with messages that wait for an attempt. */
  dispatch: number[];
  /** Jobs with messages whose carrier is to be asked. */
  follow: number[];
}

function sweepJob(sql: SqlStorage, job: Job, timers: Timers, nowMs: number, swept: Swept): void {
  let waits = false;
  let asks = false;
  const step = (message: Job["messages"][number]): Step => {
    const { message: after, refund } = applyTime(message, job.expiresAt, timers, nowMs);
    if (after.state === "queued" && (dueOf(after, job, timers) ?? Infinity) <= nowMs) waits = true;
    if ((after.pollMs ?? Infinity) > nowMs || isFinal(after)) return { message: after, refund };
    asks = true;
    return { message: pollAgain(after, timers, nowMs), refund };
  };
  stepJob(sql, job, step, timers, nowMs);
  if (waits) swept.dispatch.push(job.seq);
  if (asks) swept.follow.push(job.seq);
  const late = job.createdAt <= nowMs - LATE_MS && !job.messages.every(isFinal);
  if (late && !job.late) sql.exec("UPDATE job SET late = 1 WHERE seq = ?", job.seq);
}

/** Lets time pass for every open message (contract §9); runs inside the caller's transaction. */
export function sweep(sql: SqlStorage, timers: Timers, nowMs: number): Swept {
  const account = readAccount(sql);
  const swept: Swept = { dispatch: [], follow: [] };
  for (const job of openJobs(sql, account.settledSeq)) sweepJob(sql, job, timers, nowMs, swept);
  if (nowMs - account.prunedAt >= PRUNE_MS) {
    forgetOld(sql, nowMs);
    sql.exec("UPDATE account SET pruned_at = ?", nowMs);
  }
  return swept;
}

/**
 * How far history has a job: the highest revision among its rows there, and how many rows. A job is recorded whole, from
 * one moment, so its newest revision never stands there without the changes before it.
 */
export type Recorded = ReadonlyMap<number, { rev: number; messages: number }>;

/** Compares the open jobs with history: moves the settled mark, and tells which jobs history lacks. */
export function settle(sql: SqlStorage, recorded: Recorded): number[] {
  const { settledSeq } = readAccount(sql);
  const missing: number[] = [];
  let mark = settledSeq;
  let unbroken = true;
  for (const job of openJobs(sql, settledSeq)) {
    const there = recorded.get(job.seq);
    const complete = there?.rev === job.rev && there.messages === job.messages.length;
    if (!complete) missing.push(job.seq);
    const done = complete && job.messages.every(isFinal);
    if (done && job.late) sql.exec("UPDATE job SET late = NULL WHERE seq = ?", job.seq);
    if (job.seq <= settledSeq) continue;
    unbroken &&= done || job.late;
    if (unbroken) mark = job.seq;
  }
  if (mark - settledSeq >= SETTLED_STEP) sql.exec("UPDATE account SET settled_seq = ?", mark);
  return missing;
}
