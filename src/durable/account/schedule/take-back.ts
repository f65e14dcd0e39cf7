import type { TakeBackAsked, TakenBack } from "../../../model/message-detail.ts";
import { LANES } from "../../../model/lane.ts";
import type { MessagePlace } from "../../../model/ref.ts";
import { number } from "../../rows.ts";
import { countTakenBack } from "../limits/daily-cancels.ts";
import { numbersIn } from "../open-jobs.ts";
import { firstSeq } from "../questions/request-page.ts";
import { draftOf, readJob, stepDraft, storeDraft } from "../jobs.ts";
import type { Job } from "../jobs.ts";
import { takeBack, unchanged } from "../message/states.ts";
import { noteRecording } from "../turn.ts";
import type { Turn } from "../turn.ts";

// Takes back what waits and is not claimed (contract §13): one message, or all of a request, in the caller's transaction.
// A claim and this exclude each other, since both are turns of one object: what was claimed first is sent, and what was
// taken back first is never claimed. Messages that were taken back before count again, so that a request that is repeated
// because its reply was lost gets the same numbers.

/** The numbers of a request's jobs. */
function jobsOf(sql: SqlStorage, { requestId, near }: Exclude<TakeBackAsked, MessagePlace>): number[] {
  const first = firstSeq(sql, requestId, near);
  const query = "SELECT seq FROM job WHERE seq BETWEEN ?1 AND ?1 + 99 AND request_id = ?2 ORDER BY seq";
  return first === null ? [] : numbersIn(sql.exec(query, first, requestId));
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
  countTakenBack(turn, job, draft.refunds.length);
  if (storeDraft(turn, draft)) noteRecordingOf(turn, job);
  const asked = index === undefined ? draft.messages : draft.messages.slice(index, index + 1);
  const cancelled = asked.filter(({ state }) => state === "cancelled").length;
  return { cancelled, refunded: cancelled * job.charge };
}

/**
 * Takes back what is left to take back of a message or a request; `too_late` where nothing is, and was not before. Null
 * where the account has no such message or request.
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
  const seqs = LANES.flatMap((lane) => numbersIn(sql.exec(query, lane, nowMs)));
  for (const seq of seqs) {
    const job = readJob(sql, seq);
    if (job) takeBackIn(turn, job);
  }
  return seqs.length > 0;
}
