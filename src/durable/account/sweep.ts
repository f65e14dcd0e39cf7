import { logProblem } from "../../log.ts";
import type { Recorded } from "../../model/message.ts";
import { forgetOld } from "./idempotency.ts";
import { readJob, stepJob } from "./jobs.ts";
import type { Job } from "./jobs.ts";
import { applyTime, dueOf, isFinal, pollAgain } from "./message-life.ts";
import type { Step } from "./message-life.ts";
import { LATE, jobsAfter, jobsDue, lateJobsUnrecorded, setLate } from "./open-jobs.ts";
import { readAccount } from "./profile.ts";
import type { Turn } from "./turn.ts";

// The alarm's work on storage: applies the deadlines that have passed, and finds the jobs that the queues lost.

/** A job that is not done after this time, in ms, is marked late and no longer holds the settled mark back. */
const LATE_MS = 600_000;

/** A job that is open for this many sweeps is recorded unfinished: after ten minutes with the default SWEEP_MS. */
const OPEN_SWEEPS_MAX = 20;

/** The settled mark is written after it has moved this far; until then each alarm reads these few jobs again. */
const SETTLED_STEP = 32;

/** Interval at which expired idempotency keys are deleted. */
const PRUNE_MS = 24 * 3_600_000;

export interface Swept {
  /** Jobs with messages that wait for an attempt. */
  dispatch: number[];
  /** Jobs with messages to look up at their carrier. */
  follow: number[];
}

function sweepJob(turn: Turn, job: Job, swept: Swept): void {
  const { nowMs } = turn;
  let waits = false;
  let asks = false;
  const step = (message: Job["messages"][number]): Step => {
    const { message: after, refund } = applyTime(turn, message, job.expiresAt);
    if (after.state === "queued" && (dueOf(turn, after, job) ?? Infinity) <= nowMs) waits = true;
    if ((after.pollMs ?? Infinity) > nowMs || isFinal(after)) return { message: after, refund };
    asks = true;
    return { message: pollAgain(turn, after), refund };
  };
  stepJob(turn, job, step);
  if (waits) swept.dispatch.push(job.seq);
  if (asks) swept.follow.push(job.seq);
}

/** Runs work as a transaction nested in the caller's: if it throws, only this work is rolled back. */
export type Atomically = (work: () => void) => void;

/** Applies passed deadlines to every open message (contract §9). A job that fails is logged and stops no other. */
export function sweep(turn: Turn, atomically: Atomically): Swept {
  const { sql, nowMs } = turn;
  const account = readAccount(sql);
  const swept: Swept = { dispatch: [], follow: [] };
  for (const seq of jobsDue(sql, account.settledSeq, nowMs)) {
    try {
      atomically(() => {
        const job = readJob(sql, seq);
        if (job) sweepJob(turn, job, swept);
      });
    } catch (problem) {
      logProblem(`sweep of job ${seq}`, problem);
    }
  }
  if (nowMs - account.prunedAt >= PRUNE_MS) {
    forgetOld(turn);
    sql.exec("UPDATE account SET pruned_at = ?", nowMs);
  }
  return swept;
}

function isRecorded(job: Job, recorded: Recorded): boolean {
  const there = recorded.get(job.seq);
  return there !== undefined && there.rev >= job.rev && there.messages === job.messages.length;
}

/** Compares late jobs with history; returns those that are missing from it. */
function settleLate(sql: SqlStorage, recorded: Recorded): number[] {
  return lateJobsUnrecorded(sql).filter((seq) => {
    const job = readJob(sql, seq);
    if (!job || !isRecorded(job, recorded)) return true;
    setLate(sql, seq, job.messages.every(isFinal) ? null : LATE.recorded);
    return false;
  });
}

/** Jobs to record now, and when the next open job becomes old enough to be recorded unfinished. */
export interface Settled {
  missing: number[];
  againMs: number | null;
}

/**
 * Compares the open jobs with history (null if D1 cannot be read): moves the settled mark past jobs that are final and
 * recorded, marks old ones as late, and returns those missing from history. A young open job is not missing: it is
 * recorded once, when it ends, and until then readers get it from the account itself.
 */
export function settle({ sql, timers: { sweepMs }, nowMs }: Turn, recorded: Recorded | null): Settled {
  const { settledSeq } = readAccount(sql);
  const settled: Settled = { missing: recorded ? settleLate(sql, recorded) : [], againMs: null };
  let mark = settledSeq;
  let unbroken = true;
  let marked = false;
  for (const job of jobsAfter(sql, settledSeq)) {
    const complete = recorded !== null && isRecorded(job, recorded);
    const over = job.messages.every(isFinal);
    const recordMs = job.createdAt + OPEN_SWEEPS_MAX * sweepMs;
    if (!over && recordMs > nowMs) settled.againMs ??= recordMs;
    else if (recorded && !complete) settled.missing.push(job.seq);
    const done = complete && over;
    const late = !done && job.createdAt <= nowMs - LATE_MS;
    unbroken &&= done || late;
    if (!unbroken) continue;
    if (late) setLate(sql, job.seq, complete ? LATE.recorded : LATE.unrecorded);
    marked ||= late;
    mark = job.seq;
  }
  if (marked || mark - settledSeq >= SETTLED_STEP) sql.exec("UPDATE account SET settled_seq = ?", mark);
  return settled;
}
