import type { Operation } from "./operations.ts";

// Counts of what an account sent, for the chart.

/** Every offset of a time zone from UTC is a multiple of this, in ms. */
export const QUARTER_MS = 900_000;

/** How many messages of an operation were created in one quarter of an hour since 1970. */
export interface QuarterCount {
  quarter: number;
  operation: Operation;
  messages: number;
}

/** Counts of what history may lack, beside those of history up to the settled mark. */
export interface Unrecorded {
  /** History has every job up to this one. */
  settledSeq: number;
  /** The number of the database that is the account's history; absent from an object of the version before. */
  historyDb?: number;
  counts: QuarterCount[];
}
