import { and, count, isNotNull, isNull, min } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { deadLetter, paymentEvent } from "./schema.ts";

// What waits for the operator, counted in D1.

/** How many there are, and since when the oldest is there, in ms; null where there is none. */
export interface Waiting {
  count: number;
  oldestAt: number | null;
}

const NONE: Waiting = { count: 0, oldestAt: null };

/** Dead letters that are kept. */
export async function keptDeadLetters(binding: D1Database): Promise<Waiting> {
  const rows = await drizzle(binding)
    .select({ count: count(), oldestAt: min(deadLetter.at) })
    .from(deadLetter);
  return rows[0] ?? NONE;
}

/** Payment events that were put aside, and that no operator has resolved. */
export async function quarantinedEvents(binding: D1Database): Promise<Waiting> {
  const rows = await drizzle(binding)
    .select({ count: count(), oldestAt: min(paymentEvent.receivedAt) })
    .from(paymentEvent)
    .where(and(isNotNull(paymentEvent.quarantined), isNull(paymentEvent.resolvedAt)));
  return rows[0] ?? NONE;
}
