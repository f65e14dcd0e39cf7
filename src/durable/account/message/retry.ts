// When a message is tried again, as arithmetic over times.

/** The timers and limits of contract §12 that determine when a message changes state. */
export interface Timers {
  retryBaseMs: number;
  attemptsMax: number;
  unknownWindowMs: number;
  receiptWindowMs: number;
  sweepMs: number;
}

/** The time of a step, and the settings that apply to it. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly timers: Timers;
  /** A random number, 0 ≤ random() < 1. */
  readonly random: () => number;
}

/** A time that never comes, in ms since the epoch. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** The doubling gap between attempts rises to this at most, in ms, before jitter. */
const RETRY_GAP_MS_MAX = 600_000;

/** The last try of a message comes this long before its validity ends, in ms: time for a queue and a permit. */
const LAST_TRY_MS = 10_000;

/** The gap in ms before the next attempt: doubles with each try, plus up to half of it as jitter. */
export function retryGapMs(tries: number, { timers, random }: Pick<Moment, "timers" | "random">): number {
  const gap = Math.min(RETRY_GAP_MS_MAX, timers.retryBaseMs * 2 ** (tries - 1));
  return Math.floor(gap * (1 + random() / 2));
}

/**
 * When to try again after this many answers of "not now" in a row, in ms since the epoch. Where the gap would outlast the
 * validity, there is one last try shortly before its end; after that, the end itself, when nothing is tried any more.
 */
export function retryAtMs(moment: Moment, tries: number, expiresAt: number, retryAfterMs = 0): number {
  const { nowMs, timers } = moment;
  const atMs = nowMs + Math.ceil(Math.max(retryAfterMs, retryGapMs(tries, moment)));
  if (atMs < expiresAt) return atMs;
  const lastMs = expiresAt - LAST_TRY_MS;
  return lastMs >= nowMs + timers.retryBaseMs ? lastMs : expiresAt;
}
