import { and, eq, gte, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Operation } from "../model/message.ts";
import type { AccountRef } from "../model/ref.ts";
import { message } from "./schema.ts";

// Counts of sent messages, for the chart. The projection may lag by seconds, and no decision is based on it.

export interface DayCount {
  /** Days since 1970 in the requested time zone. */
  day: number;
  operation: Operation;
  count: number;
}

/** Counts an account's messages by day and operation, from one job on; reads only those rows, along the primary key. */
export function countByDay(binding: D1Database, ref: AccountRef, from: { seq: number; atMs: number }, zoneMs: number) {
  const day = sql<number>`(${message.createdAt} + ${sql.raw(String(zoneMs))}) / 86400000`;
  return drizzle(binding)
    .select({ day, operation: message.operation, count: sql<number>`count(*)` })
    .from(message)
    .where(
      and(
        eq(message.accountId, ref.accountId),
        eq(message.mode, ref.mode),
        gte(message.seq, from.seq),
        gte(message.createdAt, from.atMs),
      ),
    )
    .groupBy(day, message.operation);
}
