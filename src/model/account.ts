import type { Plan } from "../money/plans.ts";
import type { AskedOnce } from "./command.ts";
import type { LiveNews } from "./live.ts";
import type { MessageState, Operation } from "./message.ts";
import type { Mode } from "./ref.ts";

// Commands that an account takes and results that it gives: all of durable/ that routes and queues import.

/** A new key in place of an old one, which ends when the overlap ends. */
export type Rotation =
  | { ok: true; keyId: number; oldExpiresAt: number; repeated?: boolean }
  | { ok: false; reason: "unknown" | "not_active" | "too_many" | "idempotency_mismatch" };

/** A new key; `repeated` where an earlier request with the same Idempotency-Key made it. */
export type KeyMade =
  { ok: true; repeated: boolean } | { ok: false; reason: "unknown" | "too_many" | "idempotency_mismatch" };

export type AccountNews = LiveNews<MessageState, Operation>;

/** What a first page shows of an account, in one hop. */
export interface Outline {
  account: AccountView;
  keys: KeyView[];
  news: AccountNews & { from: number };
  /** The first job since the time that was asked for. */
  seqSince: number;
}

/** What an account is opened with. */
export interface Opening {
  name: string;
  plan: Plan;
  otpRate: number | null;
  /** Units; 0 leaves no entry. */
  balance: number;
  keyId: number;
  keyName: string;
  once?: AskedOnce;
}

/** Whether an opening opened the account, found it opened in the same way, or found another one there. */
export type Opened = "opened" | "repeated" | "other";

export interface Amendment {
  status?: "active" | "suspended";
  plan?: Plan;
  /** Units; null returns to the plan's rate. */
  otpRate?: number | null;
}

export type Credited =
  | {
      ok: true;
      entry: LedgerView;
      /** Whether the reference was known. */
      replayed: boolean;
      balance: number;
      /** Whether this is the outcome of an earlier request with the same Idempotency-Key. */
      repeated: boolean;
    }
  | { ok: false; reason: "reference_mismatch" | "idempotency_mismatch" | "below_zero" | "above_limit" };

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
