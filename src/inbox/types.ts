import type { Content, Operation } from "../model/message.ts";

// What goes into a test inbox, and what comes out of it.

/** The messages of one job that the simulator took; they share their text, which is sealed for their account. */
export interface Caught {
  /** Name of the account's object. */
  account: string;
  requestId: string;
  operation: Operation;
  content: Content;
  text: Uint8Array | null;
  messages: { ref: string; to: string }[];
}

/** A message in the inbox, with its text opened. */
export interface InboxMessage {
  /** Rises with every message of this inbox; a place in the list. */
  seq: number;
  /** The message's public id. */
  ref: string;
  account: string;
  requestId: string;
  operation: Operation;
  /** E.164. */
  to: string;
  content: Content;
  /** Null for a recording. */
  text: string | null;
  at: number;
}

/** Which messages somebody may see and wants to see. */
export interface InboxFilter {
  /** Only this account's; null for everybody's, on one's own machine. */
  account: string | null;
  /** A search, as it was written. */
  q?: string | undefined;
  /** E.164. */
  to?: string | undefined;
  since?: Since | undefined;
}

/** From a time on, or after a message. */
export type Since = { at: number } | { after: string };

/** The newest of what came in the last moments, where a wait says nothing about `since`. */
export interface Awaited extends InboxFilter {
  /** Of those that are there already, the newest is meant and not the first. */
  newest: boolean;
}

/** What a wait comes to: a message, or null when none came in time. */
export type Waited =
  { ok: true; message: InboxMessage | null } | { ok: false; reason: "unknown_message" | "too_many_waits" };

/** The longest wait. */
export const WAIT_MS_MAX = 60_000;
