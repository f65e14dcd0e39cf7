import { outboxPerBinding } from "./batcher.ts";
import { MESSAGES_PER_CALL } from "./enqueue.ts";
import type { DispatchJob } from "./jobs.ts";

// From a request into the dispatch queue. What is lost on this way, the account's alarm finds.

const outboxOf = outboxPerBinding(
  "dispatch queue",
  (queue: Queue, jobs: DispatchJob[]) => queue.sendBatch(jobs.map((body) => ({ body }))),
  { itemsMax: MESSAGES_PER_CALL },
);

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
