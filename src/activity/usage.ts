import { historyDatabase } from "../db/history-databases.ts";
import type { HistoryEnv } from "../db/history-databases.ts";
import { countHistory } from "../db/usage.ts";
import { logProblem } from "../log.ts";
import type { Outline } from "../model/account.ts";
import { QUARTER_MS } from "../model/usage.ts";
import type { QuarterCount } from "../model/usage.ts";
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
export function daysOf(counts: readonly QuarterCount[], nowMs: number): Day[] {
  const first = dayOf(usageStartMs(nowMs));
  const days = Array.from({ length: DAYS }, (_, at): Day => ({
    at: (first + at) * DAY_MS - INDIA_OFFSET_MS,
    otp: 0,
    sms: 0,
    calls: 0,
  }));
  for (const { quarter, operation, messages } of counts) {
    const found = days[dayOf(quarter * QUARTER_MS) - first];
    if (found) found[seriesOf(operation)] += messages;
  }
  return days;
}

/** What the account sent by day, counted by history and, after the settled mark, by the account itself; null when D1 is unavailable. */
export async function usageOf(
  env: HistoryEnv,
  ref: AccountRef,
  { seqSince, unrecorded }: Pick<Outline, "seqSince" | "unrecorded">,
  nowMs: number,
): Promise<Day[] | null> {
  const range = { fromSeq: seqSince, toSeq: unrecorded.settledSeq, atMs: usageStartMs(nowMs) };
  try {
    const recorded = await countHistory(historyDatabase(env, unrecorded.historyDb), ref, range);
    return daysOf([...recorded, ...unrecorded.counts], nowMs);
  } catch (problem) {
    logProblem("usage", problem);
    return null;
  }
}
