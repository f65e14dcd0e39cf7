import { and, asc, count, eq, isNotNull, isNull, min } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { paymentEvent } from "./schema.ts";

// Events from payment providers, in D1: one row per event id.

export type PaymentEventRow = typeof paymentEvent.$inferSelect;

/** Records an event; one that is already recorded stays unchanged. */
export async function insertPaymentEvent(binding: D1Database, row: PaymentEventRow): Promise<void> {
  await drizzle(binding).insert(paymentEvent).values(row).onConflictDoNothing();
}

/** Quarantined events that the operator has not resolved yet, oldest first. */
export async function openPaymentEvents(binding: D1Database, limit: number): Promise<PaymentEventRow[]> {
  return drizzle(binding)
    .select()
    .from(paymentEvent)
    .where(and(isNotNull(paymentEvent.quarantined), isNull(paymentEvent.resolvedAt)))
    .orderBy(asc(paymentEvent.receivedAt))
    .limit(limit);
}

/** How many events await the operator, and since when the oldest of them does, in ms. */
export async function stuckPaymentEvents(binding: D1Database): Promise<{ count: number; since: number | null }> {
  const rows = await drizzle(binding)
    .select({ count: count(), since: min(paymentEvent.receivedAt) })
    .from(paymentEvent)
    .where(and(isNotNull(paymentEvent.quarantined), isNull(paymentEvent.resolvedAt)));
  return rows[0] ?? { count: 0, since: null };
}

/** Marks an event as resolved; false when no open event has this id. */
export async function closePaymentEvent(
  binding: D1Database,
  provider: string,
  eventId: string,
  nowMs: number,
): Promise<boolean> {
  const open = and(isNotNull(paymentEvent.quarantined), isNull(paymentEvent.resolvedAt));
  const done = await drizzle(binding)
    .update(paymentEvent)
    .set({ resolvedAt: nowMs })
    .where(and(eq(paymentEvent.provider, provider), eq(paymentEvent.eventId, eventId), open));
  return done.meta.changes > 0;
}
