import type { Content, Operation } from "../model/message.ts";

// What is put into a test inbox, and what is read from it.

/** The messages of one job that the simulator took; they share one text, which is sealed for their account. */
export interface Caught {
  /** Name of the account's object. */
  account: string;
  requestId: string;
  operation: Operation;
  content: Content;
  text: Uint8Array | null;
  messages: { ref: string; to: string }[];
}

/** A message in the inbox, with its text unsealed. */
export interface InboxMessage {
  /** Rises with every message of this inbox; its place in the list. */
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

/** The messages that a reader may see and asks for. */
export interface InboxFilter {
  /** Only this account's messages; null for those of all accounts, locally. */
  account: string | null;
  /** A search, as it was typed. */
  q?: string | undefined;
  /** E.164. */
  to?: string | undefined;
  since?: Since | undefined;
}

/** From a time on, or after a message. */
export type Since = { at: number } | { after: string };

/** A wait for a message. */
export interface Awaited extends InboxFilter {
  /** Whether to return the newest of the messages that are there already, instead of the first. */
  newest: boolean;
}

/** The result of a wait: a message, or null when none arrived in time. */
export type Waited =
  { ok: true; message: InboxMessage | null } | { ok: false; reason: "unknown_message" | "too_many_waits" };

/** The longest wait. */
export const WAIT_MS_MAX = 60_000;
