import { logProblem } from "../log.ts";
import { LANES } from "../model/lane.ts";
import type { Lane } from "../model/lane.ts";
import { laneQueue } from "../queues/lanes.ts";

// The depth of the queues, where the runtime reports it.

export interface Depth {
  queue: Lane | "history";
  /** Messages in the queue; null when the runtime does not report it. */
  waiting: number | null;
  /** When the oldest of them was enqueued. */
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
  return Promise.all([...LANES.map((lane) => depthOf(lane, laneQueue(env, lane))), depthOf("history", env.HISTORY)]);
}
