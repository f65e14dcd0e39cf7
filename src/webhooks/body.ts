import { signedHeaders } from "../crypto/webhook-signature.ts";
import type { AccountEvent } from "../model/event.ts";
import type { AccountRef } from "../model/ref.ts";
import type { GivenSecrets } from "../crypto/secrets.ts";
import { wireEvent } from "../events/wire-event.ts";

// What is posted (contract §14; Standard Webhooks 1.0.0).

/** A body with the id that every attempt at it has. */
export interface Message {
  id: string;
  body: string;
}

/** One event, or a batch of them, whose id is that of its first. */
export function messageOf(
  secret: GivenSecrets,
  ref: AccountRef,
  events: readonly AccountEvent[],
  batch: boolean,
): Message {
  const items = events.map((event) => {
    const { id, type, at, seq, data } = wireEvent(secret, ref, event);
    return { id, item: { type, timestamp: at, seq, data } };
  });
  const [first] = items;
  if (!first) throw new Error("a webhook without an event");
  const body = batch ? { type: "batch", data: items.map(({ item }) => item) } : first.item;
  return { id: first.id, body: JSON.stringify(body) };
}

/** The headers that sign a message with each secret: two of them while a rotation overlaps. */
export function headersFor(secrets: readonly string[], { id, body }: Message, nowMs: number): Record<string, string> {
  const each = secrets.map((secret) => signedHeaders(secret, id, body, nowMs));
  const signature = each.map((headers) => headers["webhook-signature"]).join(" ");
  return { ...each[0], "webhook-signature": signature };
}
