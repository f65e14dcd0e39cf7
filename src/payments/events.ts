import { closePaymentEvent, openPaymentEvents } from "../db/payment-events.ts";
import type { PaymentEventRow } from "../db/payment-events.ts";

// Events that were authentic and could not be followed: the operator looks at each and decides.

export type QuarantinedEvent = PaymentEventRow & { quarantined: string };

/** Up to `limit` events that wait for the operator, oldest first; `quarantined` says why, in a sentence. */
export async function quarantinedEvents(env: Env, limit: number): Promise<QuarantinedEvent[]> {
  const rows = await openPaymentEvents(env.DB, limit);
  return rows.flatMap((row) => (row.quarantined === null ? [] : [{ ...row, quarantined: row.quarantined }]));
}

/** The operator dealt with an event; false where none waits under that id. Moves no money. */
export async function resolveEvent(env: Env, provider: string, eventId: string): Promise<boolean> {
  return closePaymentEvent(env.DB, provider, eventId, Date.now());
}
