// The exact sliding window of contract §7, as arithmetic over a list of times. No storage, no clock.

/** The window's length. */
export const WINDOW_MS = 60_000;

/** The times of admitted requests, oldest first; memory only, and rebuilt from storage when it is lost. */
export interface WindowTimes {
  times: number[] | null;
}

export interface Admission {
  admitted: boolean;
  remaining: number;
  /** Seconds until the oldest counted request leaves the window. */
  resetSec: number;
  /** Seconds after which a request is admitted, when this one was not. */
  retryAfterSec: number;
}

/** Times that still count, oldest first. A time from the future (the clock was set back) counts as now. */
export function stillCounting(times: readonly number[], nowMs: number): number[] {
  return times.filter((time) => time > nowMs - WINDOW_MS).map((time) => Math.min(time, nowMs));
}

const secondsUntil = (timeMs: number, nowMs: number) => Math.max(1, Math.ceil((timeMs - nowMs) / 1000));

/** Whether one more request is admitted, given the times (oldest first) of those that were. */
export function admit(counting: readonly number[], limit: number, nowMs: number): Admission {
  const admitted = counting.length < limit;
  const oldest = counting[0] ?? nowMs;
  // Where a plan was lowered, more than one must leave before the next is admitted.
  const mustLeave = counting[counting.length - limit] ?? nowMs;
  return {
    admitted,
    remaining: Math.max(0, limit - counting.length - (admitted ? 1 : 0)),
    resetSec: secondsUntil(oldest + WINDOW_MS, nowMs),
    retryAfterSec: admitted ? 0 : secondsUntil(mustLeave + WINDOW_MS, nowMs),
  };
}
