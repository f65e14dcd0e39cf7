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

// What the alarm does with storage: time passes for every open message, and what the queue lost is found again.

/** A job that is open for longer is marked late, so that it no longer holds the settled mark back. */
const LATE_MS = 600_000;

/** A job that is open for so many sweeps is recorded as it stands: ten minutes, unless the sweep is set otherwise. */
const OPEN_SWEEPS_MAX = 20;

/** The settled mark is written only when it moved this far: until then a few rows are read again. */
const SETTLED_STEP = 32;

const PRUNE_MS = 24 * 3_600_000;

export interface Swept {
  /** Jobs with messages that wait for an attempt. */
  dispatch: number[];
  /** Jobs with messages whose carrier is to be asked. */
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

/** Runs a piece of work as a transaction within the caller's: if it throws, it alone is undone. */
export type Atomically = (work: () => void) => void;

/** Lets time pass for every open message (contract §9). A job that cannot be read or changed stops no other. */
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

/** Compares late jobs with history; returns those that it lacks. */
function settleLate(sql: SqlStorage, recorded: Recorded): number[] {
  return lateJobsUnrecorded(sql).filter((seq) => {
    const job = readJob(sql, seq);
    if (!job || !isRecorded(job, recorded)) return true;
    setLate(sql, seq, job.messages.every(isFinal) ? null : LATE.recorded);
    return false;
  });
}

/** What history lacks, and when it will lack the next job that is open and still too young to be missed there. */
export interface Settled {
  missing: number[];
  againMs: number | null;
}

/**
 * Compares the open jobs with history (null while D1 is away): moves the settled mark past what is final and recorded,
 * marks what is open for long as late, and tells the jobs that history lacks. One that is open and young is not missed:
 * it is recorded once, when it ends, and whoever looks meanwhile sees it in the account itself.
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
