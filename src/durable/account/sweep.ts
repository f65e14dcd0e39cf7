import { logProblem } from "../../log.ts";
import type { Recorded } from "../../model/message.ts";
import { draftOf, readJob, stepDraft, storeDraft, writeTimes } from "./jobs.ts";
import type { Job } from "./jobs.ts";
import { PASS_SWEEPS, applyTime, pollAgain } from "./message/deadlines.ts";
import type { Moment } from "./message/retry.ts";
import { isFinal } from "./message/states.ts";
import { LATE, isDue, jobsAfter, jobsDue, lateJobsUnrecorded, postpone, setLate } from "./open-jobs.ts";
import { number } from "../rows.ts";
import { readAccount } from "./profile.ts";
import type { Turn } from "./turn.ts";

// The alarm's work on storage: applies the deadlines that have passed, and finds what is missing from history.

/** A job that is not done after this time, in ms, is marked late and no longer holds the settled mark back. */
const LATE_MS = 600_000;

/** The settled mark is written after it has moved this far; until then each alarm reads these few jobs again. */
const SETTLED_STEP = 32;

/** Jobs that one slice of a sweep looks at: with a hundred messages each, a few tens of milliseconds. */
const SLICE_JOBS_MAX = 20;

/** After this many refunds a slice ends; each is a ledger entry with its index. */
const SLICE_REFUNDS_MAX = 100;

/** A job that cannot be swept is looked at again after this, in ms; until then it is in no other job's way. */
const BROKEN_MS = 600_000;

/** What one slice of a sweep found. */
export interface Swept {
  /** Jobs with messages to look up at their carrier. */
  follow: number[];
  /** Whether more jobs may be due. */
  more: boolean;
}

/** Applies the passed deadlines of a job, and moves its next one ahead; returns the number of refunds. */
function sweepJob(turn: Turn, moment: Moment, job: Job, swept: Swept): number {
  const { nowMs } = moment;
  let asks = false;
  const draft = draftOf(job);
  stepDraft(draft, (message) => {
    const step = applyTime(moment, message, job.expiresAt);
    if ((step.message.pollMs ?? Infinity) > nowMs || isFinal(step.message)) return step;
    asks = true;
    return { message: pollAgain(moment, step.message), refund: step.refund };
  });
  if (!storeDraft(turn, draft)) writeTimes(turn, job);
  if (asks) swept.follow.push(job.seq);
  return draft.refunds.length;
}

/** Runs work as a transaction nested in the caller's: if it throws, only this work is rolled back. */
export type Atomically = (work: () => void) => void;

/**
 * Applies passed deadlines to open messages (contract §9), the earliest first, in one bounded slice. Each job looked at
 * is due later than now, or never, after it; one that fails is logged, and stops no other.
 */
export function sweep(turn: Turn, atomically: Atomically): Swept {
  const { sql, nowMs, random } = turn;
  // Read once: a broken configuration is no fault of a job.
  const moment: Moment = { nowMs, random, timers: turn.timers };
  const swept: Swept = { follow: [], more: false };
  const seqs = jobsDue(sql, nowMs, SLICE_JOBS_MAX);
  let refunds = 0;
  for (const seq of seqs) {
    try {
      atomically(() => {
        const job = readJob(sql, seq);
        if (job) refunds += sweepJob(turn, moment, job, swept);
        if (isDue(sql, seq, nowMs)) throw new Error("a deadline that nothing moves");
      });
    } catch (problem) {
      logProblem(`sweep of job ${seq}`, problem);
      postpone(sql, seq, nowMs + BROKEN_MS);
    }
    if (refunds >= SLICE_REFUNDS_MAX) return { ...swept, more: true };
  }
  return { ...swept, more: seqs.length === SLICE_JOBS_MAX };
}

/** Jobs that one slice of the housekeeping pass looks at. */
const PASS_SLICE = 100;

/** Messages after which a slice of the pass ends. */
const PASS_MESSAGES_MAX = 500;

/** How far the housekeeping pass came. */
export interface Passed {
  /** The last job that needs no other look. */
  seq: number;
  /** Whether there are more to look at now. */
  more: boolean;
  /** When the next open job is old enough to be looked at, in ms since the epoch; null when there is none. */
  againMs: number | null;
}

/**
 * One slice of the housekeeping pass, after job `after`: jobs that are still open so long after they were stored get their
 * deadline into the index. On the usual way a message ends before that, and costs no entry.
 */
export function indexOpenJobs(turn: Turn, after: number): Passed {
  const { sql, nowMs, timers } = turn;
  const query = `SELECT seq, created_at, due_at FROM job WHERE seq > ? ORDER BY seq LIMIT ${PASS_SLICE}`;
  const rows = sql.exec(query, after).toArray();
  let passed = after;
  let messages = 0;
  for (const row of rows) {
    const seq = number(row, "seq");
    const passMs = number(row, "created_at") + PASS_SWEEPS * timers.sweepMs;
    const looked = row["due_at"] === null ? indexJob(turn, seq, passMs <= nowMs) : 0;
    if (looked === null) return { seq: passed, more: false, againMs: passMs };
    passed = seq;
    messages += looked;
    if (messages >= PASS_MESSAGES_MAX) return { seq: passed, more: true, againMs: null };
  }
  return { seq: passed, more: rows.length === PASS_SLICE, againMs: null };
}

/**
 * Indexes a job that is open; returns its number of messages, or null where it is too young for that. One that cannot be
 * read stops no other, and is looked at again.
 */
function indexJob(turn: Turn, seq: number, isOld: boolean): number | null {
  try {
    const job = readJob(turn.sql, seq);
    if (!job || job.messages.every(isFinal)) return job?.messages.length ?? 0;
    if (isOld) writeTimes(turn, job, true);
    return isOld ? job.messages.length : null;
  } catch (problem) {
    logProblem(`job ${seq}`, problem);
    postpone(turn.sql, seq, turn.nowMs + BROKEN_MS);
    return 0;
  }
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
export function settle(turn: Turn, recorded: Recorded | null): Settled {
  const { sql, timers, nowMs } = turn;
  const { settledSeq } = readAccount(sql);
  const settled: Settled = { missing: recorded ? settleLate(sql, recorded) : [], againMs: null };
  let mark = settledSeq;
  let unbroken = true;
  let marked = false;
  for (const job of jobsAfter(sql, settledSeq)) {
    const complete = recorded !== null && isRecorded(job, recorded);
    const over = job.messages.every(isFinal);
    const recordMs = job.createdAt + PASS_SWEEPS * timers.sweepMs;
    if (!over && recordMs > nowMs) settled.againMs ??= recordMs;
    else if (recorded && !complete) settled.missing.push(job.seq);
    const done = complete && over;
    const late = !done && job.createdAt <= nowMs - LATE_MS;
    unbroken &&= done || late;
    if (!unbroken) continue;
    // Behind the mark, only an index entry finds an open job.
    if (late && !over) writeTimes(turn, job, true);
    if (late) setLate(sql, job.seq, complete ? LATE.recorded : LATE.unrecorded);
    marked ||= late;
    mark = job.seq;
  }
  if (marked || mark - settledSeq >= SETTLED_STEP) sql.exec("UPDATE account SET settled_seq = ?", mark);
  return settled;
}
