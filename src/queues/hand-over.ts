import type { Lane } from "../model/lane.ts";
import { batcherPerBinding } from "./batcher.ts";
import { MESSAGES_PER_CALL } from "./enqueue.ts";
import type { DispatchJob } from "./jobs.ts";

// From a request into the dispatch queue. The account's alarm finds what is lost here.

const batcherOf = batcherPerBinding(
  "dispatch queue",
  (queue: Queue, jobs: DispatchJob[]) => queue.sendBatch(jobs.map((body) => ({ body }))),
  { itemsMax: MESSAGES_PER_CALL },
);

/** Sends a token of a lane to the dispatch queue. Never throws, and the caller does not wait for it. */
export function handOver(
  ctx: Pick<ExecutionContext, "waitUntil">,
  { DISPATCH }: Pick<Env, "DISPATCH">,
  account: string,
  lane: Lane,
): void {
  batcherOf(DISPATCH).add(ctx, [{ kind: "send", account, lane }]);
}
