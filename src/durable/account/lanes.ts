import type { Lane } from "../../model/lane.ts";
import { nextReadyMs } from "./open-jobs.ts";

// Who looks after the messages that wait. Each lane has a queue whose tokens bring consumers; a token that waits for its
// turn is no reason to send another. So the alarm sends one only for messages that became claimable after the last token
// or visit, and for a lane that no consumer visits any more. All of it is in memory: after an eviction a token too many
// is sent, which costs one call.

/** A consumer that is told to come back within this, in ms, does; for what is later, the alarm sends a token. */
export const RETURN_MS_MAX = 5_000;

/** A consumer that took messages of the lane is back for more within this, in ms; one that hangs longer is not waited for. */
const BACK_MS: Record<Lane, number> = { otp: 2_000, single: 2_000, bulk: 30_000 };

/** The gap between tokens of a lane that nobody visits doubles up to this, in ms. */
const GAP_MS_MAX = 600_000;

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
function gapMs(sweepMs: number, waitedMs: number): number {
  let gap = sweepMs;
  while (gap * 2 <= waitedMs && gap * 2 <= GAP_MS_MAX) gap *= 2;
  return gap;
}

/** The lanes of one account. */
export class LaneWatch {
  readonly #lanes = new Map<Lane, Attention>();

  #of(lane: Lane): Attention {
    return this.#lanes.get(lane) ?? NONE;
  }

  /** Notes that a token is on its way for everything that can be claimed now. */
  sent(lane: Lane, nowMs: number): void {
    this.#lanes.set(lane, { ...this.#of(lane), coveredMs: nowMs, seenMs: nowMs });
  }

  /** Notes that a consumer asked for messages: whether it got any, and when the next can be claimed (ms from now). */
  visited(lane: Lane, nowMs: number, { took, againMs }: { took: boolean; againMs: number | null }): void {
    const { takenMs } = this.#of(lane);
    if (took) {
      this.#lanes.set(lane, { coveredMs: nowMs, seenMs: nowMs, backMs: nowMs + BACK_MS[lane], takenMs: nowMs });
    } else {
      const backMs = againMs !== null && againMs <= RETURN_MS_MAX ? nowMs + againMs : 0;
      this.#lanes.set(lane, { coveredMs: Math.max(nowMs, backMs), seenMs: Math.max(nowMs, backMs), backMs, takenMs });
    }
  }

  /** Notes that messages wait from `readyMs` on. The caller that stored them enqueues a token itself. */
  stored(lane: Lane, readyMs: number, nowMs: number): void {
    if (readyMs <= nowMs && readyMs > this.#of(lane).coveredMs) this.sent(lane, nowMs);
  }

  /** When the alarm must send a token, in ms since the epoch; null while nothing waits. */
  nextMs(sql: SqlStorage, lane: Lane, sweepMs: number): number | null {
    const { coveredMs, seenMs, backMs, takenMs } = this.#of(lane);
    const times: number[] = [];
    const fresh = nextReadyMs(sql, lane, coveredMs);
    if (fresh !== null) times.push(Math.max(fresh, backMs));
    const oldest = nextReadyMs(sql, lane);
    if (oldest !== null && oldest <= coveredMs) {
      times.push(seenMs + gapMs(sweepMs, seenMs - Math.max(oldest, takenMs)));
    }
    return times.length > 0 ? Math.min(...times) : null;
  }
}
