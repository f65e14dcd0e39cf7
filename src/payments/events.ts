import { closePaymentEvent, openPaymentEvents } from "../db/payment-events.ts";
import type { PaymentEventRow } from "../db/payment-events.ts";

// Quarantined events: authentic ones that could not be applied. The operator decides about each.

export type QuarantinedEvent = PaymentEventRow & { quarantined: string };

/** Up to `limit` events that await the operator, oldest first; `quarantined` is the reason, as a sentence. */
export async function quarantinedEvents(env: Env, limit: number): Promise<QuarantinedEvent[]> {
  const rows = await openPaymentEvents(env.DB, limit);
  return rows.flatMap((row) => (row.quarantined === null ? [] : [{ ...row, quarantined: row.quarantined }]));
}

/** Marks an event as resolved by the operator; false when no open event has this id. Moves no money. */
export async function resolveEvent(env: Env, provider: string, eventId: string): Promise<boolean> {
  return closePaymentEvent(env.DB, provider, eventId, Date.now());
}
