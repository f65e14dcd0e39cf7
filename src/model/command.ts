import type { Plan } from "../money/plans.ts";
import type { Content, Operation } from "./message.ts";

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
export interface AskedOnce {
  /** MAC of the key's text. */
  key: Uint8Array;
  /** MAC of path and parsed fields. */
  fingerprint: Uint8Array;
}

/** The same of a customer's request, with the reply that a replay gets. */
export interface Idempotency extends AskedOnce {
  /** The reply with its numbers left open, sealed: it comes back on a replay. */
  template: Uint8Array;
}

/** What every request brings: which key it used, and its own id. */
export interface Caller {
  keyId: number;
  requestId: string;
  idempotency?: Idempotency;
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
  /** Jobs from `seq` on that wait for a carrier: new ones, or on a replay all of them, where none was ever claimed. */
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
