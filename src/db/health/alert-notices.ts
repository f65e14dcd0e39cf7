import { and, count, eq, lte, min, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { alertNotice } from "./schema.ts";

// Notices of alerts that wait for their delivery, in D1: the outbox of the channel.

/** A notice that is to be delivered. */
export type AlertNotice = typeof alertNotice.$inferSelect;

/** The gap after a first failure, and the longest; each is twice the one before. */
const GAP_MS = 240_000;
const GAP_MS_MAX = 3_600_000;
const GAP_DOUBLES_MAX = 4;

/**
 * Takes the oldest notice for one delivery; null where none waits, or where it is not due. Until its gap has passed no
 * other caller gets it or one after it, so that notices leave in their order.
 */
export async function takeNotice(binding: D1Database, nowMs: number): Promise<AlertNotice | null> {
  const head = sql`(SELECT min(seq) FROM alert_notice)`;
  const gap = sql`min(${GAP_MS_MAX}, ${GAP_MS} * (1 << min(${alertNotice.tries}, ${GAP_DOUBLES_MAX})))`;
  const taken = await drizzle(binding)
    .update(alertNotice)
    .set({ tries: sql`${alertNotice.tries} + 1`, nextAt: sql`${nowMs} + ${gap}` })
    .where(and(eq(alertNotice.seq, head), lte(alertNotice.nextAt, nowMs)))
    .returning();
  return taken[0] ?? null;
}

/** Deletes a notice: delivered, or too old. */
export async function deleteNotice(binding: D1Database, seq: number): Promise<void> {
  await drizzle(binding).delete(alertNotice).where(eq(alertNotice.seq, seq));
}

/** How many notices wait, and since when the oldest does, in ms; null where none does. */
export async function waitingNotices(binding: D1Database): Promise<{ waiting: number; oldestAt: number | null }> {
  const rows = await drizzle(binding)
    .select({ waiting: count(), oldestAt: min(alertNotice.at) })
    .from(alertNotice);
  return rows[0] ?? { waiting: 0, oldestAt: null };
}
