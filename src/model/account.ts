import type { Mode } from "../crypto/ids.ts";
import type { Plan } from "../money/plans.ts";

// Commands that an account takes and results that it gives: all of durable/ that routes and queues import.

export type Operation = "sms" | "sms_international" | "otp" | "tts" | "voice";
export type Language = "EN" | "HI" | "TE" | "TA" | "KN" | "ML" | "BN" | "GU" | "MR" | "PA";

/** The rate window after a request, for the RateLimit headers (contract §7). */
export interface WindowView {
  plan: Plan;
  limit: number;
  remaining: number;
  /** Seconds until the oldest admitted request leaves the window. */
  resetSec: number;
}

/** Why an account refuses. Each has its reply in errors.ts. */
export type Refusal = { ok: false; window?: WindowView } & (
  | {
      reason:
        "unauthorized" | "idempotency_in_progress" | "idempotency_mismatch" | "account_suspended" | "unknown_file";
    }
  | { reason: "rate_limited"; limit: number; retryAfterSec: number }
  | { reason: "permission_denied"; sentence: string }
  | { reason: "insufficient_balance"; needed: number; balance: number }
);

/** An Idempotency-Key and what it was used for (contract §8). */
export interface Idempotency {
  /** MAC of the key's text. */
  key: Uint8Array;
  /** MAC of path and parsed fields. */
  fingerprint: Uint8Array;
  /** The reply with its numbers left open, sealed: it comes back on a replay. */
  template: Uint8Array;
}

/** What every request brings: which key it used, and its own id. */
export interface Caller {
  keyId: number;
  requestId: string;
  idempotency?: Idempotency;
}

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

/** How the charge of each message is found: given, by the account's OTP rate, or by the length of a recording. */
export type Price =
  { kind: "fixed"; units: number } | { kind: "otp" } | { kind: "recording"; fileId: string; unitsPerBlock: number };

/** One billable request: its messages go out together or not at all. */
export interface SendCommand extends Caller {
  operation: Operation;
  /** E.164 numbers, each once. */
  recipients: string[];
  price: Price;
  content: Content;
  /** The text, sealed; null for a recording. */
  text: Uint8Array | null;
  validityMs: number;
  /** Why this is not offered to this account, where it is not. */
  notOffered?: string;
}

/** The numbers of a reply, as they were when the request was done. */
export interface Done {
  ok: true;
  /** Whether this is the outcome of an earlier request with the same Idempotency-Key. */
  replayed: boolean;
  /** Sealed reply of the first request, on a replay. */
  template: Uint8Array | null;
  /** Units that the request took. */
  spent: number;
  /** Units left after it. */
  balance: number;
  /** The first message's job, or 0. */
  seq: number;
  /** New jobs from `seq` on, which wait for a carrier; none on a replay. */
  jobs: number;
  window?: WindowView;
}

/** The outcome of an earlier request with the same Idempotency-Key. */
export type Replay = Done & { replayed: true };

export type DoneOrRefusal = Done | Refusal;

/** An upload that may go on to R2, the reply of the first one, or a refusal. */
export type UploadDoor = { ok: true; replayed: false; window?: WindowView } | Replay | Refusal;

export interface BalanceView {
  ok: true;
  balance: number;
  window: WindowView;
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
  | { kind: "submitted"; carrierId?: string }
  | { kind: "rejected"; code: string; reason: string }
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

export interface LedgerView {
  seq: number;
  type: "debit" | "refund" | "credit" | "adjustment";
  /** Units, signed. */
  amount: number;
  balanceAfter: number;
  requestId: string | null;
  reference: string | null;
  at: number;
  /** The message that a refund or a single debit is for. */
  message: { seq: number; index: number; operation: Operation } | null;
}

export interface AccountView {
  name: string;
  status: "active" | "suspended";
  plan: Plan;
  balance: number;
  /** Units per OTP that apply now. */
  otpRate: number;
  /** Units per OTP that were agreed on, where the plan's do not apply. */
  ownOtpRate: number | null;
  requestsPerMinute: number;
  createdAt: number;
  rev: number;
  /** Number of the newest job or ledger entry. */
  seq: number;
}

export interface KeyView {
  keyId: number;
  mode: Mode;
  name: string;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number | null;
  revokedAt: number | null;
}

/** A difference that recounting found; none is the only good answer. */
export interface Difference {
  kind: string;
  detail: string;
}
