import type { Operation } from "./operations.ts";

/** Where a page of recordings goes on: after the one that was added then. */
export type RecordingPlace = Pick<RecordingView, "createdAt" | "fileId">;

/**
 * How far history has a job: the highest revision among its rows there, and how many rows. A job is recorded whole, from
 * one moment, so its newest revision never stands there without the changes before it.
 */
export type Recorded = ReadonlyMap<number, { rev: number; messages: number }>;

export type { Operation } from "./operations.ts";

/** Languages in which a call can speak, in the order in which they are offered (contract §5.5). */
export const LANGUAGES = ["EN", "HI", "TE", "TA", "KN", "ML", "BN", "GU", "MR", "PA"] as const;
export type Language = (typeof LANGUAGES)[number];

/** What a carrier needs beside the number and the text. */
export interface Content {
  sender?: string;
  flash?: boolean;
  language?: Language;
  accent?: string;
  gender?: 1 | 2;
  rate?: number;
  /** Where the recording lies in R2, and what it is. */
  recording?: { objectKey: string; mime: string };
}

/** A recording that was checked at the edge. */
export interface Recording {
  fileId: string;
  name: string;
  objectKey: string;
  mime: string;
  sizeBytes: number;
  durationMs: number;
}

/** A recording in the account's list. */
export interface RecordingView extends Recording {
  createdAt: number;
}

export type MessageState =
  "queued" | "sending" | "submitted" | "delivered" | "undelivered" | "unconfirmed" | "failed" | "unknown";

/** A claimed message: only its claimer may submit it, once, until its lease ends. */
export interface Claimed {
  index: number;
  to: string;
  attempt: number;
}

/** The claimed messages of one job, with what they share. */
export interface ClaimedJob {
  seq: number;
  /** The carrier that this job belongs to: the first that it was claimed for. */
  carrier: string;
  requestId: string;
  operation: Operation;
  content: Content;
  text: Uint8Array | null;
  messages: Claimed[];
}

/** What became of one attempt (design §5). */
export type Outcome =
  | { kind: "submitted" }
  | { kind: "rejected"; code: string }
  | { kind: "not_accepted"; code: string; retryAfterMs?: number }
  | { kind: "unknown"; code: string };

export type ReceiptState = "submitted" | "delivered" | "undelivered" | "failed";

/** News of one message: the outcome of an attempt, or a carrier's receipt. */
export type News = { seq: number; index: number } & (
  { kind: "outcome"; attempt: number; outcome: Outcome } | { kind: "receipt"; state: ReceiptState; code?: string }
);

/** A message that is looked up at its carrier. */
export interface Followed {
  seq: number;
  index: number;
  attempt: number;
  /** Whether its last attempt broke off, so that nobody knows what became of it. */
  unknown: boolean;
  operation: Operation;
  to: string;
  carrier: string;
}

/** One message as history and the operator see it. */
export interface MessageView {
  seq: number;
  index: number;
  /** Rises with every change of the message; history keeps the highest. */
  rev: number;
  requestId: string;
  /** Null for what was sent before keys were recorded. */
  keyId: number | null;
  operation: Operation;
  to: string;
  state: MessageState;
  charge: number;
  refunded: boolean;
  carrier: string | null;
  attempts: number;
  errorCode: string | null;
  createdAt: number;
  updatedAt: number;
  /** Every state that it took, with the time in ms. */
  timeline: { state: MessageState; at: number }[];
}
