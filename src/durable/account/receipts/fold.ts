import { logProblem } from "../../../log.ts";
import type { News } from "../../../model/message.ts";
import { feedOf } from "../events/memory.ts";
import { foldJob, markChanged, noteTold } from "../jobs.ts";
import type { Draft } from "../jobs.ts";
import { isFinal } from "../message/states.ts";
import { noteJob } from "../turn.ts";
import type { Turn } from "../turn.ts";
import { journalOf, journalReceipt } from "./journal.ts";

// Which receipts go into the journal, and when they leave it for their jobs' rows.

/** Jobs that one turn folds: some tens of milliseconds. */
const FOLD_JOBS_MAX = 40;

/** The receipts of one job as the journal takes them; null where the job's row must be written instead. */
function journaled({ job, messages, refunds }: Draft, news: readonly News[]) {
  if (job.lane !== "bulk" || refunds.length > 0) return null;
  // A job that has ended gets no more receipts: its row is written for the last time.
  if (messages.every(isFinal)) return null;
  const receipts = [];
  for (const item of news) {
    if (messages[item.index] === job.messages[item.index]) continue;
    // What is kept for an outcome stands with its message.
    const isKept = messages[item.index]?.early !== job.messages[item.index]?.early;
    if (item.kind !== "receipt" || isKept) return null;
    const carrier = item.carrier === job.carrier ? undefined : item.carrier;
    const receipt = journalReceipt(item.index, item.state, item.code, carrier);
    if (!receipt) return null;
    receipts.push(receipt);
  }
  return receipts.length > 0 ? receipts : null;
}

/**
 * Stores what receipts changed in jobs of bulks by one row of the journal, where that is fewer rows than the jobs' own.
 * Returns the numbers of these jobs; the caller stores every other draft. Receipts that move money are never journaled.
 */
export function journalReceipts(turn: Turn, drafts: ReadonlyMap<number, Draft>, news: readonly News[]): Set<number> {
  const journal = journalOf(turn.sql);
  const newsOf = Map.groupBy(news, ({ seq }) => seq);
  const jobs = [...drafts].flatMap(([seq, draft]) => {
    const receipts = journaled(draft, newsOf.get(seq) ?? []);
    return receipts ? [[seq, receipts] as [number, typeof receipts]] : [];
  });
  if (jobs.length < 2 || journal.isFull) return new Set();
  const { isOn, last } = feedOf(turn.sql);
  const { receiptWindowMs } = turn.timers;
  journal.append(isOn ? [turn.nowMs, receiptWindowMs, jobs, last] : [turn.nowMs, receiptWindowMs, jobs]);
  for (const [seq] of jobs) {
    const draft = drafts.get(seq);
    if (!draft) continue;
    noteTold(turn, draft.job, draft.messages);
    markChanged(turn, seq);
    // What is stored of its times may be too early now, never too late.
    noteJob(turn, { seq, lane: draft.job.lane, readyAt: null, dueAt: null });
  }
  return new Set(jobs.map(([seq]) => seq));
}

/** Folds some receipts if the journal is full; before a turn reads the jobs that it changes. */
export function makeRoom(turn: Turn): void {
  if (journalOf(turn.sql).isFull) foldReceipts(turn);
}

/** Writes some of the jobs with the oldest receipts in the journal. A job that cannot be written stops no other. */
export function foldReceipts(turn: Turn): void {
  const journal = journalOf(turn.sql);
  for (const seq of journal.oldest(FOLD_JOBS_MAX)) {
    try {
      foldJob(turn, seq);
    } catch (problem) {
      logProblem(`receipts of job ${seq}`, problem);
      journal.postpone(seq, turn.nowMs);
    }
  }
  journal.trim();
}
