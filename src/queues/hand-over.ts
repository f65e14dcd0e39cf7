import { logProblem } from "../log.ts";
import { Outbox } from "../outbox.ts";
import type { DispatchJob } from "./jobs.ts";

// From a request into the dispatch queue. What is lost on this way, the account's alarm finds.

/** Queue messages that one call takes (Cloudflare Queues). */
const MESSAGES_PER_CALL = 100;

const outboxes = new WeakMap<Queue, Outbox<DispatchJob>>();

function outboxOf(queue: Queue): Outbox<DispatchJob> {
  let outbox = outboxes.get(queue);
  if (!outbox) {
    const take = async (jobs: DispatchJob[]) => {
      try {
        await queue.sendBatch(jobs.map((body) => ({ body })));
      } catch (problem) {
        logProblem("dispatch queue", problem);
      }
    };
    outbox = new Outbox(take, MESSAGES_PER_CALL);
    outboxes.set(queue, outbox);
  }
  return outbox;
}

/** Hands new jobs to the dispatch queue, each in a message of its own. Never throws, and nobody waits for it. */
export function handOver(
  ctx: Pick<ExecutionContext, "waitUntil">,
  { DISPATCH }: Pick<Env, "DISPATCH">,
  account: string,
  seqs: number[],
): void {
  const jobs = seqs.map((seq): DispatchJob => ({ kind: "send", account, seqs: [seq] }));
  outboxOf(DISPATCH).leave(ctx, jobs);
}
