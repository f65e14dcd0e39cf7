import { logProblem } from "../log.ts";
import { JOBS_PER_MESSAGE_MAX } from "./jobs.ts";
import type { DispatchJob, HistoryJob } from "./jobs.ts";

// An account's way into the queues. What is lost here the account's alarm finds, so a failure is only told.

/** Queue messages that one call takes (Cloudflare Queues). */
export const MESSAGES_PER_CALL = 100;

/** Jobs that one message names to the dispatch queue: one consumer submits as many in a round or two. */
const JOBS_PER_DISPATCH = 20;

/** Names jobs to the dispatch queue, which delivers them after the delay; never throws. */
export async function enqueueDispatch(
  queue: Queue,
  kind: DispatchJob["kind"],
  account: string,
  seqs: number[],
  delaySeconds = 0,
): Promise<void> {
  const bodies: { body: DispatchJob }[] = [];
  for (let at = 0; at < seqs.length; at += JOBS_PER_DISPATCH) {
    bodies.push({ body: { kind, account, seqs: seqs.slice(at, at + JOBS_PER_DISPATCH) } });
  }
  try {
    for (let at = 0; at < bodies.length; at += MESSAGES_PER_CALL) {
      await queue.sendBatch(bodies.slice(at, at + MESSAGES_PER_CALL), { delaySeconds });
    }
  } catch (problem) {
    logProblem("dispatch queue", problem);
  }
}

/** Names changed jobs to the history queue; never throws. Without jobs it still speaks of the account itself. */
export async function enqueueHistory(queue: Queue, job: HistoryJob): Promise<void> {
  try {
    for (let at = 0; at === 0 || at < job.seqs.length; at += JOBS_PER_MESSAGE_MAX) {
      await queue.send({ ...job, seqs: job.seqs.slice(at, at + JOBS_PER_MESSAGE_MAX) });
    }
  } catch (problem) {
    logProblem("history queue", problem);
  }
}
