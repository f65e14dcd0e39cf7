// The exact sliding window of contract §7, as arithmetic over a list of times. No storage, no clock.

/** The window's length, in ms. */
export const WINDOW_MS = 60_000;

/** A one-time password of the last hour. */
export interface SentOtp {
  seq: number;
  atMs: number;
  to: string;
}

/** Numbers to which a code was sent, in order, each as many times as it got one; when they were read, in ms. */
export interface KnownNumbers {
  atMs: number;
  numbers: Float64Array;
}

/** The times of admitted requests, oldest first, in memory only; null until they are rebuilt from storage. */
export interface WindowTimes {
  times: number[] | null;
  /** The recipients of a day, where they are limited (limits/daily-recipients.ts); absent until they are counted. */
  day?: { startMs: number; recipients: number } | undefined;
  /** The scheduled messages of a day that were taken back (limits/daily-cancels.ts); absent until they are counted. */
  takenBack?: { startMs: number; messages: number } | undefined;
  /** What a day cost, in units, where the account has a cap (limits/spending.ts); absent until it is counted. */
  spent?: { startMs: number; units: number } | undefined;
  /** The codes of the last hour, where they are limited (limits/otp-gaps.ts); absent until they are read. */
  otps?: SentOtp[] | undefined;
  /** The numbers that got a code before, while a prefix is limited (limits/known-numbers.ts); absent until they are read. */
  known?: KnownNumbers | undefined;
}

export interface Admission {
  admitted: boolean;
  remaining: number;
  /** Seconds until the oldest counted request leaves the window. */
  resetSec: number;
  /** Seconds until a request is admitted again; 0 when this one was admitted. */
  retryAfterSec: number;
}

/** The times that still count, oldest first. A future time (the clock was set back) counts as now. */
export function stillCounting(times: readonly number[], nowMs: number): number[] {
  return times.filter((time) => time > nowMs - WINDOW_MS).map((time) => Math.min(time, nowMs));
}

const secondsUntil = (timeMs: number, nowMs: number) => Math.max(1, Math.ceil((timeMs - nowMs) / 1000));

/** Whether one more request is admitted, given the times (oldest first) of those that were. */
export function admit(counting: readonly number[], limit: number, nowMs: number): Admission {
  const admitted = counting.length < limit;
  const oldest = counting[0] ?? nowMs;
  // After a change to a lower plan, several requests must leave the window before the next is admitted.
  const mustLeave = counting[counting.length - limit] ?? nowMs;
  return {
    admitted,
    remaining: Math.max(0, limit - counting.length - (admitted ? 1 : 0)),
    resetSec: secondsUntil(oldest + WINDOW_MS, nowMs),
    retryAfterSec: admitted ? 0 : secondsUntil(mustLeave + WINDOW_MS, nowMs),
  };
}
