import { BUCKET_JOBS, bucketOf } from "../../../model/history.ts";
import { logProblem } from "../../../log.ts";
import type { JobGroup, Recorded } from "../../../model/history.ts";
import type { Operation } from "../../../model/message.ts";
import { QUARTER_MS } from "../../../model/usage.ts";
import type { Unrecorded } from "../../../model/usage.ts";
import { number, text } from "../../rows.ts";
import { checkpointOf } from "../archive/checkpoint.ts";
import { readJob, writeTimes } from "../jobs.ts";
import { messageViews } from "../message/views.ts";
import type { Job } from "../jobs.ts";
import { PASS_SWEEPS } from "../message/deadlines.ts";
import { noteSettled } from "../events/seal.ts";
import { isFinal } from "../message/states.ts";
import { postpone } from "../open-jobs.ts";
import { readAccount } from "../profile.ts";
import { BROKEN_MS } from "../sweep.ts";
import type { Turn } from "../turn.ts";

// What history in D1 may be missing of this account, as functions over storage: the jobs after the settled mark, and those
// up to it that have changed since they were recorded (`late`). pass.ts decides when they are named.

/** Jobs of several messages that one queue message names, or one slice of a pass reads; and the same of single ones. */
const BULK_MAX = 20;
const SINGLES_MAX = 100;

/** Quarters of an hour are counted for this many jobs at most, the newest ones. */
const COUNTED_MAX = 5_000;

const isOver = (job: Job): boolean => job.messages.every(isFinal);

const seqsIn = (cursor: SqlStorageCursor<Record<string, SqlStorageValue>>) =>
  cursor.toArray().map((row) => number(row, "seq"));

/** A job; null where it cannot be read, which is logged, and stops no other. */
function tryJob(sql: SqlStorage, seq: number): Job | null {
  try {
    return readJob(sql, seq);
  } catch (problem) {
    logProblem(`job ${seq}`, problem);
    return null;
  }
}

/** Whether a job is to be recorded now: it is over, or it has been open for a whole pass. */
const isRipe = ({ nowMs, timers }: Turn, job: Job): boolean =>
  isOver(job) || job.createdAt <= nowMs - PASS_SWEEPS * timers.sweepMs;

/** Gives a job that is still open a deadline in the index: it is not on the usual way any more (message/deadlines.ts). */
function index(turn: Turn, job: Job): void {
  if (!isOver(job) && job.dueAt === null) writeTimes(turn, job, true);
}

/** What a slice of a pass has looked at. */
export interface Slice {
  /** Every job up to this one is over, or has a deadline in the index, and may be recorded. */
  through: number;
  /** Why the pass ends here: no job follows (null), or a young open one does, created at this time; absent: it goes on. */
  until?: number | null;
}

/** Looks at the jobs after a number, in bounded work. */
export function lookAtJobs(turn: Turn, after: number): Slice {
  const { sql, nowMs } = turn;
  const rows = sql.exec(`SELECT seq FROM job WHERE seq > ? ORDER BY seq LIMIT ${2 * SINGLES_MAX}`, after);
  let through = after;
  let work = 0;
  for (const seq of seqsIn(rows)) {
    const job = tryJob(sql, seq);
    if (job && !isRipe(turn, job)) return { through, until: job.createdAt };
    if (job) index(turn, job);
    else postpone(sql, seq, nowMs + BROKEN_MS);
    through = seq;
    work += job && job.messages.length > 1 ? 1 / BULK_MAX : 1 / (2 * SINGLES_MAX);
    if (work >= 1) return { through };
  }
  return work === 0 || firstJobAfter(sql, through) === null ? { through, until: null } : { through };
}

/** Splits jobs into queue messages of bounded work. */
function inMessages(rows: readonly { seq: number; isSingle: boolean }[]): number[][] {
  const messages: number[][] = [];
  let room = 0;
  for (const { seq, isSingle } of rows) {
    const share = isSingle ? 1 / SINGLES_MAX : 1 / BULK_MAX;
    if (room < share - 1e-9) {
      messages.push([]);
      room = 1;
    }
    messages.at(-1)?.push(seq);
    room -= share;
  }
  return messages;
}

/** How many messages a row has; a row that cannot be read counts as one, and has no view. */
export const COUNT = "CASE json_valid(messages) WHEN 1 THEN json_array_length(messages) ELSE 1 END";
const NAMED = `SELECT seq, ${COUNT} = 1 AS single FROM job`;

const namedIn = (cursor: SqlStorageCursor<Record<string, SqlStorageValue>>) =>
  cursor.toArray().map((row) => ({ seq: number(row, "seq"), isSingle: number(row, "single") === 1 }));

/** Jobs to record, in queue messages. */
export interface Named {
  messages: number[][];
  /** The last job after the mark that is named where more of them follow; else null. */
  cutAt: number | null;
  /** Whether more late jobs follow. */
  hasMoreLate: boolean;
}

/** What a pass names: the jobs after the settled mark up to a number, and the late ones, at most `limit` of each. */
export function jobsToName(sql: SqlStorage, through: number, limit: number): Named {
  const { settledSeq } = readAccount(sql);
  const next = namedIn(
    sql.exec(`${NAMED} WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`, settledSeq, through, limit),
  );
  const late = namedIn(sql.exec(`${NAMED} WHERE late = 1 AND seq <= ? LIMIT ?`, settledSeq, limit));
  return {
    messages: [...inMessages(next), ...inMessages(late)],
    cutAt: next.length === limit ? (next.at(-1)?.seq ?? null) : null,
    hasMoreLate: late.length === limit,
  };
}

/** When the first job after a number was created, in ms since the epoch; null where there is none. */
export function firstJobAfter(sql: SqlStorage, seq: number): number | null {
  const row = sql.exec("SELECT created_at FROM job WHERE seq > ? ORDER BY seq LIMIT 1", seq).toArray()[0];
  return row ? number(row, "created_at") : null;
}

/** Since when history has been missing something, in ms; `late`: of jobs up to the mark or of the profile. */
export function missingSince(sql: SqlStorage): { jobs: number | null; late: boolean } {
  const { settledSeq, rev, recordedRev } = readAccount(sql);
  const late = rev > recordedRev || sql.exec("SELECT seq FROM job WHERE late = 1 LIMIT 1").toArray().length > 0;
  return { jobs: firstJobAfter(sql, settledSeq), late };
}

/** These jobs as one group; one that cannot be read has no messages in it, and holds up no other. */
function groupOf(sql: SqlStorage, kind: JobGroup["kind"], seq: number, seqs: readonly number[]): JobGroup {
  const group: JobGroup = { kind, seq, jobs: [], messages: [] };
  const checkpoint = checkpointOf(sql);
  // The revision of a bucket is the sum of its jobs', and only rises, so what was archived out of it counts on.
  if (kind === "singles" && checkpoint.seq > 0 && bucketOf(checkpoint.seq) === seq) {
    group.jobs.push({ seq: checkpoint.seq, rev: checkpoint.revs });
  }
  for (const one of seqs) {
    const job = tryJob(sql, one);
    group.jobs.push({ seq: one, rev: job?.rev ?? 0 });
    if (job) group.messages.push(...messageViews(job, Date.now()));
  }
  return group;
}

/** What history must hold of these jobs: each bucket of single messages whole, since it is one row there. */
export function groupsOf(sql: SqlStorage, seqs: readonly number[]): JobGroup[] {
  const asked = namedIn(sql.exec(`${NAMED} WHERE seq IN (SELECT value FROM json_each(?))`, JSON.stringify(seqs)));
  const buckets = new Set(asked.filter(({ isSingle }) => isSingle).map(({ seq }) => bucketOf(seq)));
  const inBucket = `SELECT seq FROM job WHERE seq BETWEEN ? AND ? AND ${COUNT} = 1`;
  return [
    ...[...buckets].map((seq) => groupOf(sql, "singles", seq, seqsIn(sql.exec(inBucket, seq, seq + BUCKET_JOBS - 1)))),
    ...asked.filter(({ isSingle }) => !isSingle).map(({ seq }) => groupOf(sql, "bulk", seq, [seq])),
  ];
}

/** Sets a job's late mark, or removes it (null): it is missing from history in its newest state. */
function setLate(sql: SqlStorage, seq: number, late: 1 | null): void {
  sql.exec("UPDATE job SET late = ? WHERE seq = ? AND late IS NOT ?", late, seq, late);
}

/**
 * Notes what history has recorded. A job up to the mark that has not changed since is no longer late. Jobs after it are put
 * into `ahead`, with whether they are recorded as they are now; the mark moves over those that follow it without a gap,
 * and what has changed since is late from then on. What was written to another database counts for nothing. True where
 * history is missing more than before.
 */
export function noteRecorded(turn: Turn, recorded: Recorded, ahead: Map<number, boolean>): boolean {
  const { sql } = turn;
  const { profileRev } = recorded;
  const { settledSeq, recordedRev, historyDb } = readAccount(sql);
  const jobs = recorded.historyDb === historyDb ? recorded.jobs : [];
  if (profileRev !== null && profileRev > recordedRev) sql.exec("UPDATE account SET recorded_rev = ?", profileRev);
  for (const { seq, rev } of jobs) {
    const job = tryJob(sql, seq);
    // It may have been over when the pass looked at it, and be open again.
    if (job && isRipe(turn, job)) index(turn, job);
    const isCurrent = !job || job.rev === rev;
    if (seq <= settledSeq) {
      if (isCurrent) setLate(sql, seq, null);
    } else if (!job || isRipe(turn, job)) {
      // Not a neighbour in the bucket that is young and open: each of its next changes would make it late.
      ahead.set(seq, isCurrent);
    }
  }
  let mark = settledSeq;
  let isLate = false;
  // Cheap in any number: what changed after it was recorded is noted in `ahead` by the commit that changed it.
  for (const seq of seqsIn(sql.exec("SELECT seq FROM job WHERE seq > ? ORDER BY seq LIMIT ?", mark, ahead.size))) {
    const isCurrent = ahead.get(seq);
    if (isCurrent === undefined) break;
    if (!isCurrent) setLate(sql, seq, 1);
    isLate ||= !isCurrent;
    ahead.delete(seq);
    mark = seq;
  }
  if (mark > settledSeq) sql.exec("UPDATE account SET settled_seq = ?", mark);
  noteSettled(turn, settledSeq, mark);
  return isLate;
}

/**
 * What was sent since a job that history may lack, by quarter of an hour: bulk jobs after the settled mark, and single
 * messages from the beginning of its bucket on.
 */
export function countUnrecorded(sql: SqlStorage, since: number): Unrecorded {
  const { settledSeq, historyDb } = readAccount(sql);
  const query = `
    SELECT created_at / ${QUARTER_MS} AS quarter, operation, sum(count) AS messages FROM (
      SELECT seq, created_at, operation, ${COUNT} AS count FROM job
       WHERE seq >= ? ORDER BY seq DESC LIMIT ${COUNTED_MAX})
     WHERE count = 1 OR seq > ? GROUP BY 1, 2`;
  const rows = sql.exec(query, Math.max(since, bucketOf(settledSeq + 1)), settledSeq).toArray();
  const counts = rows.map((row) => ({
    quarter: number(row, "quarter"),
    operation: text(row, "operation") as Operation,
    messages: number(row, "messages"),
  }));
  return { settledSeq, historyDb, counts };
}
