import {
  countDeadLetters,
  deadLetterById,
  deleteDeadLetter,
  insertDeadLetters,
  newestDeadLetters,
} from "../db/dead-letters.ts";
import { logLine, logProblem } from "../log.ts";
import { dispatchJobs, historyJobs } from "./jobs.ts";
import type { DispatchJob, HistoryJob } from "./jobs.ts";

// Dead letters: queue messages that every attempt failed at. Their rows are safe and the accounts' alarms go on, so
// they are only told, and kept for the operator, who may hand them over again.

/** A queue message that can be handed over again. */
export type Letter = { queue: "dispatch"; job: DispatchJob } | { queue: "history"; job: HistoryJob };

/** A dead letter as the operator sees it; `letter` is null for a body that is no job of ours. */
export interface DeadLetter {
  id: string;
  at: number;
  letter: Letter | null;
}

/** What a body asks for, job by job. Anything else in it is dropped: only numbers are kept. */
function lettersOf(body: unknown): Letter[] {
  const dispatch = dispatchJobs.safeParse(body);
  if (dispatch.success) return dispatch.data.map((job) => ({ queue: "dispatch", job }));
  const { data: history = [] } = historyJobs.safeParse(body);
  return history.map((job) => ({ queue: "history", job }));
}

/** Consumes dead letters: tells each, and keeps it for the operator. Never throws: nothing depends on it. */
export async function consumeDead(batch: MessageBatch, env: Env): Promise<void> {
  for (const message of batch.messages) logLine("dead_letter", { queue: batch.queue, id: message.id });
  const rows = batch.messages.flatMap(({ id, body, timestamp }) => {
    const jobs = lettersOf(body).map(({ job }) => job);
    const at = timestamp.getTime();
    if (jobs.length === 0) return [{ id, body: "null", at }];
    // One row per job: each is handed over again, or forgotten, on its own.
    return jobs.map((job, nth) => ({ id: nth === 0 ? id : `${id}.${nth}`, body: JSON.stringify(job), at }));
  });
  await insertDeadLetters(env.DB, rows).catch((problem: unknown) => logProblem("dead letters", problem));
  batch.ackAll();
}

/** The newest dead letters, and how many there are in all. */
export async function deadLetters(env: Env, limit: number): Promise<{ letters: DeadLetter[]; total: number }> {
  const [rows, total] = await Promise.all([newestDeadLetters(env.DB, limit), countDeadLetters(env.DB)]);
  return {
    letters: rows.map(({ id, at, body }) => ({ id, at, letter: lettersOf(JSON.parse(body))[0] ?? null })),
    total,
  };
}

/** Hands a dead letter to its queue again and forgets it; false when there is none, or nothing to hand over. */
export async function retryDeadLetter(env: Env, id: string): Promise<boolean> {
  const row = await deadLetterById(env.DB, id);
  const [letter] = row ? lettersOf(JSON.parse(row.body)) : [];
  if (!letter) return false;
  // Sent before it is forgotten: a job that comes twice changes nothing.
  await (letter.queue === "dispatch" ? env.DISPATCH : env.HISTORY).send(letter.job);
  await deleteDeadLetter(env.DB, id);
  return true;
}

/** Forgets a dead letter; false when there is none. */
export function forgetDeadLetter(env: Env, id: string): Promise<boolean> {
  return deleteDeadLetter(env.DB, id);
}
