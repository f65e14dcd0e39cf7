import type { Lane } from "../model/lane.ts";
import { batcherPerBinding } from "./batcher.ts";
import { MESSAGES_PER_CALL } from "./enqueue.ts";
import type { SendJob } from "./jobs.ts";
import { laneQueue } from "./lanes.ts";
import type { LaneQueues } from "./lanes.ts";

// From a request into the queue of its lane. The account's alarm finds what is lost here.

/** The tokens of single messages without repetitions: one leads to all that wait. A bulk's are as many as its consumers. */
function merged(tokens: readonly SendJob[]): SendJob[] {
  const seen = new Set<string>();
  return tokens.filter(({ account, lane }) => {
    const isNew = lane === "bulk" || !seen.has(account);
    seen.add(account);
    return isNew;
  });
}

const batcherOf = batcherPerBinding(
  "lane queue",
  (queue: Queue, tokens: SendJob[]) => queue.sendBatch(merged(tokens).map((body) => ({ body }))),
  { itemsMax: MESSAGES_PER_CALL },
);

/** Sends new tokens of a lane to its queue. Never throws, and the caller does not wait for it. */
export function handOver(
  ctx: Pick<ExecutionContext, "waitUntil">,
  env: LaneQueues,
  lane: Lane,
  tokens: readonly SendJob[],
): void {
  batcherOf(laneQueue(env, lane)).add(ctx, tokens);
}
