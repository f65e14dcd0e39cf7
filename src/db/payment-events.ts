import { and, asc, eq, isNotNull, isNull } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { paymentEvent } from "./schema.ts";

// What payment providers told us, in D1: once per event of theirs.

export type PaymentEventRow = typeof paymentEvent.$inferSelect;

/** Records an event; one that stands already stays as it is. */
export async function insertPaymentEvent(binding: D1Database, row: PaymentEventRow): Promise<void> {
  await drizzle(binding).insert(paymentEvent).values(row).onConflictDoNothing();
}

/** Events that were not followed and that nobody dealt with yet, oldest first. */
export async function openPaymentEvents(binding: D1Database, limit: number): Promise<PaymentEventRow[]> {
  return drizzle(binding)
    .select()
    .from(paymentEvent)
    .where(and(isNotNull(paymentEvent.quarantined), isNull(paymentEvent.resolvedAt)))
    .orderBy(asc(paymentEvent.receivedAt))
    .limit(limit);
}

/** Marks an event as dealt with; false where none is open under that id. */
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
