import * as z from "zod";
import { EVENT_OF_STATE } from "../../model/event.ts";
import { amount, messageId, messageState, operation, requestId, success, time } from "./fields.ts";

// The account's events (contract §14), as the feed, its socket and webhooks have them.

const seq = z
  .int()
  .min(1)
  .meta({ description: "Its number in the account's sequence, which has no gap.", examples: [42] });

const shared = {
  seq,
  id: z.string().meta({ description: "Names the event; the same on every delivery.", pattern: "^evt_[0-9A-Za-z]+$" }),
  at: time,
};

const messageTypes = Object.values(EVENT_OF_STATE).filter((type) => type !== null);

const ofMessage = z
  .object({
    ...shared,
    type: z.enum(messageTypes as [string, ...string[]]),
    data: z.object({
      message_id: messageId,
      request_id: requestId,
      operation,
      to: z.string().meta({ description: "E.164.", examples: ["+919876543210"] }),
      state: messageState,
      error_code: z.string().nullable(),
      cost: amount,
      refunded: z.boolean(),
      attempts: z.int().min(0),
    }),
  })
  .meta({ id: "MessageEvent" });

const keyData = z.object({ key_id: z.string(), name: z.string() });

const other = <Type extends string>(type: Type, data: z.ZodType) =>
  z.object({ ...shared, type: z.literal(type), data });

/** One event. */
export const event = z
  .discriminatedUnion("type", [
    ofMessage,
    other("balance.low", z.object({ balance: amount, balance_low_at: amount })),
    other("credit.added", z.object({ amount, balance: amount })),
    other("key.created", keyData),
    other("key.revoked", keyData),
    other("webhook.disabled", z.object({ webhook_id: z.string(), reason: z.string() })),
  ])
  .meta({ id: "Event" });

export const EVENTS = {
  Event: event,
  EventList: z
    .object({
      success,
      data: z.array(event),
      has_more: z.boolean().meta({ description: "Whether more events are there already." }),
      next: z.int().min(0).meta({ description: "The `after` of the next request." }),
    })
    .meta({ id: "EventList" }),
};
