import type { TakeBackAsked, TakenBack } from "../../../model/command.ts";
import { LANES } from "../../../model/lane.ts";
import { number } from "../../rows.ts";
import { draftOf, readJob, stepDraft, storeDraft } from "../jobs.ts";
import type { Job } from "../jobs.ts";
import { takeBack, unchanged } from "../message/states.ts";
import { noteRecording } from "../turn.ts";
import type { Turn } from "../turn.ts";

// Takes back what waits and is not claimed (contract §13): one message, or all of a request, in the caller's transaction.
// A claim and this exclude each other, since both are turns of one object: what was claimed first is sent, and what was
// taken back first is never claimed. Messages that were taken back before count again, so that a request that is repeated
// because its reply was lost gets the same numbers.

/** Jobs of a request, which have consecutive numbers, at most: `RECIPIENTS_MAX` in hundreds. */
const JOBS_MAX = 100;

/** The number of one of a request's jobs, if it is scheduled, was, or waits; else null. Reads no more than what waits. */
function jobOfRequest(sql: SqlStorage, requestId: string): number | null {
  const later = "SELECT seq FROM job WHERE request_id = ? AND send_at IS NOT NULL LIMIT 1";
  const waits = "SELECT seq FROM job WHERE lane = ?2 AND ready_at IS NOT NULL AND request_id = ?1 LIMIT 1";
  for (const rows of [sql.exec(later, requestId), ...LANES.map((lane) => sql.exec(waits, requestId, lane))]) {
    for (const row of rows) return number(row, "seq");
  }
  return null;
}

/** The numbers of a request's jobs, of which one is known. */
function jobsOf(sql: SqlStorage, { requestId, seq }: { requestId: string; seq?: number }): number[] {
  const known = seq ?? jobOfRequest(sql, requestId);
  if (known === null) return [];
  const query = "SELECT seq FROM job WHERE seq BETWEEN ?1 - ?2 AND ?1 + ?2 AND request_id = ?3 ORDER BY seq";
  return sql
    .exec(query, known, JOBS_MAX, requestId)
    .toArray()
    .map((row) => number(row, "seq"));
}

/** Lets the alarm look soon at the recording of calls that are taken back: its bytes may have been kept for them alone. */
function noteRecordingOf(turn: Turn, { content: { recording } }: Job): void {
  if (!recording) return;
  const due = "UPDATE recording SET due_at = ?1 WHERE object_key = ?2 AND state = 'removed' AND due_at > ?1";
  if (turn.sql.exec(due, turn.nowMs, recording.objectKey).rowsWritten > 0) noteRecording(turn, turn.nowMs);
}

/** Takes a job's messages back, or one of them. Returns how many of them are taken back now, and their cost in units. */
function takeBackIn(turn: Turn, job: Job, index?: number): { cancelled: number; refunded: number } {
  const draft = draftOf(job);
  stepDraft(draft, (message, at) =>
    index === undefined || at === index ? takeBack(message, turn.nowMs) : unchanged(message),
  );
  if (storeDraft(turn, draft)) noteRecordingOf(turn, job);
  const asked = index === undefined ? draft.messages : draft.messages.slice(index, index + 1);
  const cancelled = asked.filter(({ state }) => state === "cancelled").length;
  return { cancelled, refunded: cancelled * job.charge };
}

/**
 * Takes back what is left to take back of a message or a request; `too_late` where nothing is, and was not before. Null
 * where the account has no such message, or finds no such request: one that neither waits nor was scheduled is found by
 * the number of one of its jobs alone.
 */
export function takeBackAsked(turn: Turn, asked: TakeBackAsked): TakenBack | "too_late" | null {
  const { sql } = turn;
  const seqs = "index" in asked ? [asked.seq] : jobsOf(sql, asked);
  const index = "index" in asked ? asked.index : undefined;
  const sum: TakenBack = { cancelled: 0, refunded: 0 };
  let isKnown = false;
  for (const seq of seqs) {
    const job = readJob(sql, seq);
    if (!job || (index !== undefined && !job.messages[index])) continue;
    isKnown = true;
    const { cancelled, refunded } = takeBackIn(turn, job, index);
    sum.cancelled += cancelled;
    sum.refunded += refunded;
  }
  if (!isKnown) return null;
  return sum.cancelled > 0 ? sum : "too_late";
}

/** Jobs that one slice takes back at the closing of an account: some thousand messages. */
const SLICE_JOBS = 20;

const SCHEDULED = "FROM job WHERE lane = ?1 AND ready_at > ?2 AND send_at > ?2";

/** Units that scheduled messages cost, or a little more: some of a job's may have been taken back. */
export function scheduledUnits(sql: SqlStorage, nowMs: number): number {
  const query = `SELECT coalesce(sum(charge * json_array_length(messages)), 0) AS units ${SCHEDULED}`;
  return LANES.reduce((sum, lane) => sum + number(sql.exec(query, lane, nowMs).one(), "units"), 0);
}

/** Takes back some of what is scheduled, in bounded work; false once nothing is. */
export function takeBackScheduled(turn: Turn): boolean {
  const { sql, nowMs } = turn;
  const query = `SELECT seq ${SCHEDULED} ORDER BY ready_at LIMIT ${SLICE_JOBS}`;
  const seqs = LANES.flatMap((lane) => sql.exec(query, lane, nowMs).toArray()).map((row) => number(row, "seq"));
  for (const seq of seqs) {
    const job = readJob(sql, seq);
    if (job) takeBackIn(turn, job);
  }
  return seqs.length > 0;
}
