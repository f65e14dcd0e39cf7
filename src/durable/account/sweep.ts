import { logProblem } from "../../log.ts";
import { markNoted } from "./events/note.ts";
import { draftOf, readJob, stepDraft, storeDraft, writeTimes } from "./jobs.ts";
import type { Job } from "./jobs.ts";
import { applyTime, pollAgain } from "./message/deadlines.ts";
import type { Moment } from "./message/retry.ts";
import { carrierOf, isFinal } from "./message/states.ts";
import { isDue, jobsDue, postpone } from "./open-jobs.ts";
import { forgetJournal } from "./receipts/journal.ts";
import type { Turn } from "./turn.ts";

// The alarm's work on storage: applies the deadlines that have passed.

/** Jobs that one slice of a sweep looks at: with a hundred messages each, a few tens of milliseconds. */
const SLICE_JOBS_MAX = 20;

/** After this many refunds a slice ends; each is a ledger entry with its index. */
const SLICE_REFUNDS_MAX = 100;

/** A job that cannot be swept is looked at again after this, in ms; until then it is in no other job's way. */
export const BROKEN_MS = 600_000;

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
    const carrier = carrierOf(message, job.carrier);
    const canLookUp = carrier !== null && turn.canLookUp(carrier);
    const step = applyTime(moment, message, { expiresAt: job.expiresAt, carrier: job.carrier, canLookUp });
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
    const forgetNoted = markNoted(turn);
    try {
      atomically(() => {
        const job = readJob(sql, seq);
        if (job) refunds += sweepJob(turn, moment, job, swept);
        if (isDue(sql, seq, nowMs)) throw new Error("a deadline that nothing moves");
      });
    } catch (problem) {
      forgetNoted();
      forgetJournal(sql);
      logProblem(`sweep of job ${seq}`, problem);
      postpone(sql, seq, nowMs + BROKEN_MS);
    }
    if (refunds >= SLICE_REFUNDS_MAX) return { ...swept, more: true };
  }
  return { ...swept, more: seqs.length === SLICE_JOBS_MAX };
}
