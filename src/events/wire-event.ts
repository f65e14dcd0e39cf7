import { eventId, messageId } from "../crypto/ids.ts";
import type { GivenSecrets } from "../crypto/secrets.ts";
import type { AccountEvent } from "../model/event.ts";
import type { AccountRef } from "../model/ref.ts";
import { coins } from "../money/money.ts";

/** What an event tells (contract §14): never a text, never a code. Amounts are in coins. */
function dataOf(secret: GivenSecrets, ref: AccountRef, event: AccountEvent): object {
  if (!("message" in event)) return event.data;
  const { place, requestId, operation, to, state, errorCode, charge, refunded, attempts } = event.message;
  return {
    message_id: messageId(secret, ref, operation, place),
    request_id: requestId,
    operation,
    to,
    state,
    error_code: errorCode,
    cost: coins(charge),
    refunded,
    attempts,
  };
}

/** An event as the feed, the socket and webhooks have it; `at` is ISO 8601, in UTC. */
export function wireEvent(secret: GivenSecrets, ref: AccountRef, event: AccountEvent) {
  const { seq, type, at } = event;
  return { seq, id: eventId(ref, seq), type, at: new Date(at).toISOString(), data: dataOf(secret, ref, event) };
}
