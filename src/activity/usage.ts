import { countByDay } from "../db/usage.ts";
import type { DayCount } from "../db/usage.ts";
import { logProblem } from "../log.ts";
import { INDIA_OFFSET_MS } from "../text/india.ts";
import { contentOf, isCall } from "../model/operations.ts";
import type { Operation } from "../model/operations.ts";
import type { AccountRef } from "../model/ref.ts";

// What an account sent in the last days, by day in Indian time.

const DAY_MS = 86_400_000;

/** Days that the chart shows, today included. */
export const DAYS = 14;

/** The kinds of messages that the chart distinguishes. */
export const SERIES = ["otp", "sms", "calls"] as const;
type Series = (typeof SERIES)[number];

function seriesOf(operation: Operation): Series {
  if (contentOf(operation) === "code") return "otp";
  return isCall(operation) ? "calls" : "sms";
}

export type Day = Record<Series, number> & {
  /** A time within the day. */
  at: number;
};

const dayOf = (ms: number) => Math.floor((ms + INDIA_OFFSET_MS) / DAY_MS);

/** When the first day of the chart begins, in ms. */
export function usageStartMs(nowMs: number): number {
  return (dayOf(nowMs) - DAYS + 1) * DAY_MS - INDIA_OFFSET_MS;
}

/** Counts by day, oldest first; days without messages have zeros. */
export function daysOf(counts: readonly DayCount[], nowMs: number): Day[] {
  const first = dayOf(usageStartMs(nowMs));
  const days = Array.from({ length: DAYS }, (_, at): Day => ({
    at: (first + at) * DAY_MS - INDIA_OFFSET_MS,
    otp: 0,
    sms: 0,
    calls: 0,
  }));
  for (const { day, operation, count } of counts) {
    const found = days[day - first];
    if (found) found[seriesOf(operation)] += count;
  }
  return days;
}

/** What the account sent by day, from job `seq` on; null when D1 is unavailable. */
export async function usageOf(env: Env, ref: AccountRef, seq: number, nowMs: number): Promise<Day[] | null> {
  try {
    return daysOf(await countByDay(env.DB, ref, { seq, atMs: usageStartMs(nowMs) }, INDIA_OFFSET_MS), nowMs);
  } catch (problem) {
    logProblem("usage", problem);
    return null;
  }
}
