// The ways in which gateways limit the rate of submissions.

/** A limit decides about one submission at a time; the times that it is given never fall. */
export interface RateLimit {
  /** Takes the submission and returns 0, or returns how long until it would take one, in ms. */
  take(nowMs: number): number;
}

/** At most `perSec` in each second of the clock. */
export function fixedWindow(perSec: number): RateLimit {
  let second = -1;
  let taken = 0;
  return {
    take(nowMs) {
      const now = Math.floor(nowMs / 1_000);
      if (now !== second) [second, taken] = [now, 0];
      if (taken >= perSec) return (now + 1) * 1_000 - nowMs;
      taken += 1;
      return 0;
    },
  };
}

/** At most `perSec` in any 1,000 ms. */
export function slidingWindow(perSec: number): RateLimit {
  /** The times of the last `perSec` that were taken, as a ring. */
  const times = new Float64Array(perSec).fill(-Infinity);
  let next = 0;
  return {
    take(nowMs) {
      const oldest = times[next] ?? -Infinity;
      if (nowMs - oldest < 1_000) return oldest + 1_000 - nowMs;
      times[next] = nowMs;
      next = (next + 1) % perSec;
      return 0;
    },
  };
}

/** `perSec` on average, and up to `burst` at once. */
export function tokenBucket(perSec: number, burst: number): RateLimit {
  let tokens = burst;
  let filledMs = -Infinity;
  return {
    take(nowMs) {
      tokens = Math.min(burst, tokens + ((nowMs - filledMs) * perSec) / 1_000);
      filledMs = nowMs;
      if (tokens < 1) return ((1 - tokens) / perSec) * 1_000;
      tokens -= 1;
      return 0;
    },
  };
}
