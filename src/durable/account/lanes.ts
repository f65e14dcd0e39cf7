import type { Lane } from "../../model/lane.ts";
import { nextReadyMs } from "./open-jobs.ts";

// Who looks after the messages that wait. Each lane has a queue whose tokens bring consumers; a token that waits for its
// turn is no reason to send another. So the alarm sends one only for messages that became claimable after the last token
// or visit, and for a lane that no consumer visits any more. All of it is in memory: after an eviction a token too many
// is sent, which costs one call.

/** A consumer that took messages of the lane is back for more within this, in ms; one that hangs longer is not waited for. */
const BACK_MS: Record<Lane, number> = { otp: 2_000, single: 2_000, bulk: 30_000 };

/** The gap between tokens of a lane that nobody visits doubles up to this, in ms; a one-time password lives five minutes. */
const GAP_MS_MAX: Record<Lane, number> = { otp: 60_000, single: 600_000, bulk: 600_000 };

/** What is known of one lane, in ms since the epoch. */
interface Attention {
  /** Messages that were claimable by then have a token or a consumer. */
  coveredMs: number;
  /** The last token or visit. */
  seenMs: number;
  /** When the consumer of the last visit is back; 0 where it went. */
  backMs: number;
  /** The last visit that took messages. */
  takenMs: number;
}

const NONE: Attention = { coveredMs: -1, seenMs: 0, backMs: 0, takenMs: 0 };

/** The gap before the next token: doubles with the time in which nothing was taken. */
function gapMs(sweepMs: number, waitedMs: number, maxMs: number): number {
  let gap = sweepMs;
  while (gap * 2 <= waitedMs && gap * 2 <= maxMs) gap *= 2;
  return gap;
}

/** The lanes of one account. */
export class LaneWatch {
  readonly #lanes = new Map<Lane, Attention>();

  /** Times in the future, of a clock that was set back, count as now. */
  #of(lane: Lane, nowMs: number): Attention {
    const { coveredMs, seenMs, backMs, takenMs } = this.#lanes.get(lane) ?? NONE;
    return {
      coveredMs: Math.min(coveredMs, nowMs),
      seenMs: Math.min(seenMs, nowMs),
      backMs: Math.min(backMs, nowMs + BACK_MS[lane]),
      takenMs: Math.min(takenMs, nowMs),
    };
  }

  /** Notes that a token is on its way for everything that can be claimed now. */
  sent(lane: Lane, nowMs: number): void {
    this.#lanes.set(lane, { ...this.#of(lane, nowMs), coveredMs: nowMs, seenMs: nowMs });
  }

  /**
   * Notes that a consumer asked for messages. One that got some comes back for more; one that got none goes: whatever
   * becomes claimable later has the alarm.
   */
  visited(lane: Lane, took: boolean, nowMs: number): void {
    const { takenMs } = this.#of(lane, nowMs);
    const seen = { coveredMs: nowMs, seenMs: nowMs };
    this.#lanes.set(
      lane,
      took ? { ...seen, backMs: nowMs + BACK_MS[lane], takenMs: nowMs } : { ...seen, backMs: 0, takenMs },
    );
  }

  /** Notes that the consumer of the last visit went: what was busy in its rounds is not claimed by its next one. */
  gone(lane: Lane, nowMs: number): void {
    this.#lanes.set(lane, { ...this.#of(lane, nowMs), backMs: 0 });
  }

  /**
   * Notes that messages wait from `readyMs` on, and that no consumer claimed at the same time. A caller that stores new
   * ones enqueues a token itself. Older ones were given back, or are busy, by a consumer that may be gone.
   */
  waits(lane: Lane, readyMs: number, nowMs: number): void {
    const known = this.#of(lane, nowMs);
    if (readyMs < known.coveredMs) this.#lanes.set(lane, { ...known, coveredMs: readyMs - 1, backMs: 0 });
    else if (readyMs <= nowMs) this.sent(lane, nowMs);
    else this.#lanes.set(lane, { ...known, backMs: 0 });
  }

  /** When the alarm must send a token, in ms since the epoch; null while nothing waits. */
  nextMs(sql: SqlStorage, lane: Lane, nowMs: number, sweepMs: number): number | null {
    const { coveredMs, seenMs, backMs, takenMs } = this.#of(lane, nowMs);
    const times: number[] = [];
    const fresh = nextReadyMs(sql, lane, coveredMs);
    if (fresh !== null) times.push(Math.max(fresh, backMs));
    const oldest = nextReadyMs(sql, lane);
    if (oldest !== null && oldest <= coveredMs) {
      times.push(seenMs + gapMs(sweepMs, seenMs - Math.max(oldest, takenMs), GAP_MS_MAX[lane]));
    }
    return times.length > 0 ? Math.min(...times) : null;
  }
}
