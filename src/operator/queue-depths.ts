import { logProblem } from "../log.ts";

// How deep the queues are, where the runtime tells it.

export interface Depth {
  queue: "dispatch" | "history";
  /** Messages that wait; null where the runtime does not say. */
  waiting: number | null;
  /** Since when the oldest waits. */
  oldestAt: number | null;
}

async function depthOf(queue: Depth["queue"], binding: Queue): Promise<Depth> {
  try {
    const { backlogCount, oldestMessageTimestamp: oldest } = await binding.metrics();
    return { queue, waiting: backlogCount, oldestAt: oldest && backlogCount > 0 ? new Date(oldest).getTime() : null };
  } catch (problem) {
    logProblem("depth of a queue", problem);
    return { queue, waiting: null, oldestAt: null };
  }
}

/** The depth of every queue that this service sends to. */
export function queueDepths(env: Env): Promise<Depth[]> {
  return Promise.all([depthOf("dispatch", env.DISPATCH), depthOf("history", env.HISTORY)]);
}
