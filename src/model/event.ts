import type { MessageState, Operation } from "./message.ts";
import type { MessagePlace } from "./ref.ts";

// The account's sequence of events (contract §14), as its object keeps it. The wire's form is made in src/events.

/** Which state of a message is an event; null: none is. A new state does not compile until it is decided here. */
export const EVENT_OF_STATE = {
  scheduled: null,
  queued: null,
  sending: null,
  submitted: "message.submitted",
  delivered: "message.delivered",
  undelivered: "message.undelivered",
  unconfirmed: "message.unconfirmed",
  failed: "message.failed",
  unknown: "message.unknown",
  cancelled: "message.cancelled",
} as const satisfies Record<MessageState, `message.${string}` | null>;

/** The types of events that tell of messages. */
export type MessageEventType = NonNullable<(typeof EVENT_OF_STATE)[MessageState]>;

/** The other events, with their data as the wire has it; amounts are in coins. */
export interface NoteData {
  /** The balance fell below the bound that the account has set. */
  "balance.low": { balance: number; balance_low_at: number };
  "credit.added": { amount: number; balance: number };
  "key.created": { key_id: string; name: string };
  "key.revoked": { key_id: string; name: string };
  "webhook.disabled": { webhook_id: string; reason: string };
}

export type NoteType = keyof NoteData;

/** An event that is not of a message. */
export type Note = { [Type in NoteType]: { type: Type; at: number; data: NoteData[Type] } }[NoteType];

/** The types of events. */
export type EventType = MessageEventType | NoteType;

/** A message as an event tells of it: as it was then. */
export interface EventMessage {
  place: MessagePlace;
  requestId: string;
  operation: Operation;
  to: string;
  state: MessageState;
  errorCode: string | null;
  /** Units. */
  charge: number;
  refunded: boolean;
  attempts: number;
}

/** A change of a message that is an event. */
export interface MessageEvent {
  type: MessageEventType;
  /** When it happened, in ms since the epoch. */
  at: number;
  message: EventMessage;
}

/** An event with its number in the account's sequence. */
export type AccountEvent = (MessageEvent | Note) & { seq: number };

/** Events after a number, oldest first; or why there are none. */
export type EventPage =
  | {
      ok: true;
      events: AccountEvent[];
      /** The number of the newest event of the account. */
      last: number;
    }
  /** What follows the number is not kept any more; the oldest event that is has the number `first`. */
  | { ok: false; reason: "events_expired"; first: number }
  /** No event has this number yet. */
  | { ok: false; reason: "no_such_event"; last: number };
