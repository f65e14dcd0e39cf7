import { batcherPerBinding } from "./batcher.ts";
import { MESSAGES_PER_CALL } from "./enqueue.ts";
import type { DispatchJob } from "./jobs.ts";

// From a request into the dispatch queue. The account's alarm finds what is lost here.

const batcherOf = batcherPerBinding(
  "dispatch queue",
  (queue: Queue, jobs: DispatchJob[]) => queue.sendBatch(jobs.map((body) => ({ body }))),
  { itemsMax: MESSAGES_PER_CALL },
);

/** Sends new jobs to the dispatch queue, each in its own message. Never throws, and the caller does not wait for it. */
export function handOver(
  ctx: Pick<ExecutionContext, "waitUntil">,
  { DISPATCH }: Pick<Env, "DISPATCH">,
  account: string,
  seqs: number[],
): void {
  const jobs = seqs.map((seq): DispatchJob => ({ kind: "send", account, seqs: [seq] }));
  batcherOf(DISPATCH).add(ctx, jobs);
}
