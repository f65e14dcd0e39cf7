import { sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { bucketOf } from "../model/history.ts";
import { QUARTER_MS } from "../model/usage.ts";
import type { QuarterCount } from "../model/usage.ts";
import type { AccountRef } from "../model/ref.ts";
import { GROUP_KINDS } from "./activity.ts";
import { messageGroup } from "./history-schema.ts";

// Counts of sent messages, for the chart. No decision is based on them.

/** The groups that are counted: bulk jobs from `fromSeq` to `toSeq`, and buckets of single messages that end by then. */
export interface CountedRange {
  fromSeq: number;
  toSeq: number;
  /** Messages since this time, in ms: the beginning of a quarter of an hour. */
  atMs: number;
}

/** The query of the count: two ranges of the primary key, without the messages themselves. */
export function countQuery(ref: AccountRef, { fromSeq, toSeq, atMs }: CountedRange): SQL {
  const { accountId, mode, kind, seq, lastAt, counts } = messageGroup;
  const part = (of: number, from: number, end: number) => sql`
    SELECT count.value AS count FROM ${messageGroup}, json_each(${counts}) AS count
     WHERE ${accountId} = ${ref.accountId} AND ${mode} = ${ref.mode} AND ${kind} = ${of}
       AND ${seq} >= ${from} AND ${seq} < ${end} AND ${lastAt} >= ${atMs}`;
  return sql`
    SELECT count ->> 0 AS quarter, count ->> 1 AS operation, sum(count ->> 2) AS messages
      FROM (${part(GROUP_KINDS.singles, bucketOf(fromSeq), bucketOf(toSeq + 1))}
            UNION ALL ${part(GROUP_KINDS.bulk, fromSeq, toSeq + 1)})
     WHERE count ->> 0 >= ${Math.floor(atMs / QUARTER_MS)}
     GROUP BY 1, 2`;
}

/** Counts an account's messages of a range by quarter of an hour and operation. */
export function countHistory(binding: D1Database, ref: AccountRef, range: CountedRange): Promise<QuarterCount[]> {
  return drizzle(binding).all<QuarterCount>(countQuery(ref, range));
}
