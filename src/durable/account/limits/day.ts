import { INDIA_OFFSET_MS } from "../../../text/india.ts";

// The day of limits, which begins at midnight in India.

export const DAY_MS = 86_400_000;

/** When the day began, in ms since the epoch. */
export function dayStartMs(nowMs: number): number {
  return Math.floor((nowMs + INDIA_OFFSET_MS) / DAY_MS) * DAY_MS - INDIA_OFFSET_MS;
}

/** Whole seconds until the next day begins, at least one. */
export function secondsToNextDay(nowMs: number): number {
  return Math.max(1, Math.ceil((dayStartMs(nowMs) + DAY_MS - nowMs) / 1000));
}
