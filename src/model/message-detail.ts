import type { LedgerView } from "./account.ts";
import type { Content, MessageState, MessageView, Operation } from "./message.ts";

/** What an account stores about one message. */
export interface MessageDetail {
  message: MessageView;
  /** Sealed; null for a recording, and after the text was deleted. */
  text: Uint8Array | null;
  content: Content;
  /** When the message expires, in ms, unless a carrier accepts it before. */
  expiresAt: number;
  /** The request that the message was part of. */
  request: {
    /** Its first job, which is its debit. */
    seq: number;
    /** The first of its numbers. */
    recipients: string[];
    count: number;
    /** Units. */
    spent: number;
    balance: number;
  };
  recording: { fileId: string; name: string; durationMs: number } | null;
  refund: LedgerView | null;
  keyName: string | null;
}

/** A request that sent messages, and a page of these. */
export interface RequestPage {
  request: {
    requestId: string;
    operation: Operation;
    createdAt: number;
    recipients: number;
    /** How many of its messages are in each state; a state that none is in is absent. */
    byState: Partial<Record<MessageState, number>>;
    /** Units: what it cost, and what of that was refunded. */
    cost: number;
    refunded: number;
  };
  /** In the order of the request. */
  messages: MessageView[];
}

/** Where an account finds a request: by one of its jobs, or by the time at which it arrived, in ms. */
export type NearRequest = { seq: number } | { atMs: number };

/** What is taken back: a message, or a request. */
export type TakeBackAsked = { seq: number; index: number } | { requestId: string; near: NearRequest };

/** What of it is taken back now, by this call or an earlier one. */
export interface TakenBack {
  /** Messages. */
  cancelled: number;
  /** Units. */
  refunded: number;
}

/** A place in the list of what is scheduled. */
export interface ScheduledPlace {
  sendAt: number;
  seq: number;
}

/** A request of which messages are scheduled. */
export interface ScheduledRequest extends ScheduledPlace {
  requestId: string;
  /** The last of its jobs; `seq` is the first that has scheduled messages. */
  lastSeq: number;
  /** The first such message in it. */
  index: number;
  secretId?: number;
  operation: Operation;
  /** The number of that message. */
  to: string;
  /** Messages that are scheduled. */
  count: number;
  /** Units per message. */
  charge: number;
  createdAt: number;
}
