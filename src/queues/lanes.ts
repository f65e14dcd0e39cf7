import type { Lane } from "../model/lane.ts";

// The queue of each lane.

/** The bindings of the queues of the lanes. */
export type LaneQueues = Pick<Env, "OTP_LANE" | "SINGLE_LANE" | "BULK_LANE">;

/** The queue of a lane. */
export function laneQueue(env: LaneQueues, lane: Lane): Queue {
  switch (lane) {
    case "otp":
      return env.OTP_LANE;
    case "single":
      return env.SINGLE_LANE;
    case "bulk":
      return env.BULK_LANE;
  }
}
