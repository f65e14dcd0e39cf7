import { attemptsIn, timelineOf } from "../../../model/message.ts";
import type { MessageState, MessageView } from "../../../model/message.ts";
import { jobOf, secretOf } from "../jobs.ts";
import type { Job } from "../jobs.ts";
import { attemptsMade, carrierOf } from "./states.ts";
import type { Message } from "./states.ts";

// The messages of jobs as everything outside the account sees them.

function enteredBy({ log = [], state: now, code }: Message, own: string | null) {
  const entered = log.map(([state, at, note]) => ({ state, at, ...note }));
  // While an attempt runs, the reason of the one before is only kept in case the claim is given back.
  return attemptsIn(entered, own, now === "sending" ? null : (code ?? null));
}

/** The state of a message as it is shown: before its time it is scheduled. */
export function stateOf({ state }: Message, { sendAt }: Pick<Job, "sendAt">, nowMs: number): MessageState {
  return state === "queued" && sendAt !== null && nowMs < sendAt ? "scheduled" : state;
}

/** The messages of a job as history and the operator see them at a time. */
export function messageViews(job: Job, nowMs: number): MessageView[] {
  const timelines = job.messages.map((message) => timelineOf(job, enteredBy(message, job.carrier), nowMs));
  return job.messages.map((message, index) => ({
    seq: job.seq,
    index,
    ...secretOf(job),
    rev: message.rev ?? 1,
    requestId: job.requestId,
    keyId: job.keyId,
    operation: job.operation,
    to: message.to,
    state: stateOf(message, job, nowMs),
    charge: job.charge,
    ...(job.segments !== null && { segments: job.segments }),
    refunded: message.refunded === true,
    carrier: carrierOf(message, job.carrier),
    attempts: attemptsMade(message),
    // While an attempt runs, the reason of the one before is only kept in case the claim is given back.
    errorCode: message.state === "sending" ? null : (message.code ?? null),
    createdAt: job.createdAt,
    updatedAt: timelines[index]?.at(-1)?.at ?? job.createdAt,
    ...(job.sendAt !== null && { sendAt: job.sendAt }),
    timeline: timelines[index] ?? [],
  }));
}

/** Messages after a place, oldest first (contract §10). */
export function messagePage(
  sql: SqlStorage,
  after: { seq: number; index: number },
  limit: number,
  nowMs = Date.now(),
): MessageView[] {
  const page: MessageView[] = [];
  for (let seq = after.seq; page.length < limit;) {
    const row = sql.exec("SELECT * FROM job WHERE seq >= ? ORDER BY seq LIMIT 1", seq).toArray()[0];
    if (!row) break;
    const job = jobOf(sql, row);
    page.push(...messageViews(job, nowMs).filter((view) => view.seq > after.seq || view.index > after.index));
    seq = job.seq + 1;
  }
  return page.slice(0, limit);
}
