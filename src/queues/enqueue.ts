import { logProblem } from "../log.ts";
import type { Lane } from "../model/lane.ts";
import { JOBS_PER_MESSAGE_MAX } from "./jobs.ts";
import type { DispatchJob, HistoryJob } from "./jobs.ts";

// Sends an account's jobs to the queues. The account's alarm finds what is lost here, so a failure is only logged.

/** Queue messages that one call takes (Cloudflare Queues). */
export const MESSAGES_PER_CALL = 100;

/** Jobs in one message of the dispatch queue: as many as one consumer submits in a round or two. */
const JOBS_PER_DISPATCH = 20;

/** Sends jobs to look up to the dispatch queue, which delivers them after the delay; never throws. */
export async function enqueueFollow(
  { DISPATCH }: Pick<Env, "DISPATCH">,
  account: string,
  seqs: number[],
  delaySeconds = 0,
): Promise<void> {
  const bodies: { body: DispatchJob }[] = [];
  for (let at = 0; at < seqs.length; at += JOBS_PER_DISPATCH) {
    bodies.push({ body: { kind: "follow", account, seqs: seqs.slice(at, at + JOBS_PER_DISPATCH) } });
  }
  try {
    for (let at = 0; at < bodies.length; at += MESSAGES_PER_CALL) {
      await DISPATCH.sendBatch(bodies.slice(at, at + MESSAGES_PER_CALL), { delaySeconds });
    }
  } catch (problem) {
    logProblem("dispatch queue", problem);
  }
}

/** Sends a token to the queue of a lane: messages of the account wait in it. Never throws. */
export async function enqueueToken({ DISPATCH }: Pick<Env, "DISPATCH">, account: string, lane: Lane): Promise<void> {
  try {
    await DISPATCH.send({ kind: "send", account, lane } satisfies DispatchJob);
  } catch (problem) {
    logProblem("dispatch queue", problem);
  }
}

/** Sends changed jobs to the history queue; never throws. Without jobs it still sends one message, for the account. */
export async function enqueueHistory(queue: Queue, job: HistoryJob): Promise<void> {
  try {
    for (let at = 0; at === 0 || at < job.seqs.length; at += JOBS_PER_MESSAGE_MAX) {
      await queue.send({ ...job, seqs: job.seqs.slice(at, at + JOBS_PER_MESSAGE_MAX) });
    }
  } catch (problem) {
    logProblem("history queue", problem);
  }
}
