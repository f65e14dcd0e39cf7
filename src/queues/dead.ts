import {
  countDeadLetters,
  deadLetterById,
  deleteDeadLetter,
  insertDeadLetters,
  newestDeadLetters,
} from "../db/dead-letters.ts";
import { logLine, logProblem } from "../log.ts";
import type { Lane } from "../model/lane.ts";
import { historyJob, readLaneJobs } from "./jobs.ts";
import type { HistoryJob, LaneJob } from "./jobs.ts";
import { laneQueue } from "./lanes.ts";

// Dead letters: queue messages of which every attempt failed. Their rows are safe and the accounts' alarms go on, so
// they are only logged, and kept for the operator, who may queue them again. Only reports hold what no account knows.

/** A queue message that can be queued again. */
type Letter = { queue: Lane; job: LaneJob } | { queue: "history"; job: HistoryJob };

/** A dead letter as the operator sees it; `letter` is null for a body that is not a job. */
export interface DeadLetter {
  id: string;
  at: number;
  letter: Letter | null;
}

/** The job in a body; null for anything else. Only the job is kept, which has row numbers and codes, and no text. */
function letterOf(body: unknown): Letter | null {
  // A letter from before there were lanes stands for a token of each; the account's alarm sends the others.
  const [lane] = readLaneJobs(body) ?? [];
  if (lane) return { queue: lane.lane, job: lane };
  const history = historyJob.safeParse(body);
  return history.success ? { queue: "history", job: history.data } : null;
}

/** Consumes dead letters: logs each, and keeps it for the operator. Never throws: no work depends on it. */
export async function consumeDead(batch: MessageBatch, env: Env): Promise<void> {
  for (const message of batch.messages) logLine("dead_letter", { queue: batch.queue, id: message.id });
  const rows = batch.messages.map((message) => ({
    id: message.id,
    body: JSON.stringify(letterOf(message.body)?.job ?? null),
    at: message.timestamp.getTime(),
  }));
  await insertDeadLetters(env.DB, rows).catch((problem: unknown) => logProblem("dead letters", problem));
  batch.ackAll();
}

/** The newest dead letters, and how many there are in all. */
export async function deadLetters(env: Env, limit: number): Promise<{ letters: DeadLetter[]; total: number }> {
  const [rows, total] = await Promise.all([newestDeadLetters(env.DB, limit), countDeadLetters(env.DB)]);
  return { letters: rows.map(({ id, at, body }) => ({ id, at, letter: letterOf(JSON.parse(body)) })), total };
}

/** Sends a dead letter to its queue again and deletes it; false when it is unknown or holds no job. */
export async function retryDeadLetter(env: Env, id: string): Promise<boolean> {
  const row = await deadLetterById(env.DB, id);
  const letter = row && letterOf(JSON.parse(row.body));
  if (!letter) return false;
  // Sent first, then deleted: a job that arrives twice changes nothing.
  await (letter.queue === "history" ? env.HISTORY : laneQueue(env, letter.queue)).send(letter.job);
  await deleteDeadLetter(env.DB, id);
  return true;
}

/** Deletes a dead letter; false when it is unknown. */
export function forgetDeadLetter(env: Env, id: string): Promise<boolean> {
  return deleteDeadLetter(env.DB, id);
}
