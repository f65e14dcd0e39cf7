import type { Plan } from "../money/plans.ts";
import type { AskedOnce } from "./command.ts";
import type { LiveNews } from "./live.ts";
import type { MessageState, Operation } from "./message.ts";
import type { Mode } from "./ref.ts";
import type { Unrecorded } from "./usage.ts";

// Types of what callers pass to an account object and of what it returns.

/** The result of a rotation: the new key, and when the old one expires, in ms. */
export type Rotation =
  | { ok: true; keyId: number; secretId?: number; oldExpiresAt: number; repeated?: boolean }
  | { ok: false; reason: "unknown" | "not_active" | "too_many" | "idempotency_mismatch" };

/** A new key; `repeated` where an earlier request with the same Idempotency-Key made it, which `keyId` then names. */
export type KeyMade =
  { ok: true; repeated: boolean; keyId?: number } | { ok: false; reason: "too_many" | "idempotency_mismatch" };

export type AccountNews = LiveNews<MessageState, Operation>;

/** What an overview page shows of an account, read in one call. */
export interface Outline {
  account: AccountView;
  keys: KeyView[];
  news: AccountNews & { from: number };
  /** The first job since the requested time. */
  seqSince: number;
  /** What it sent since then and history may lack. */
  unrecorded: Unrecorded;
}

/** The terms on which an account is opened. */
export interface Opening {
  name: string;
  plan: Plan;
  otpRate: number | null;
  /** Units; 0 makes no ledger entry. */
  balance: number;
  keyId: number;
  /** The id of the secret that the first key is made with; 1 where it is absent. */
  secretId?: number;
  keyName: string;
  /** The number of the database that will have its history; absent in a call of the version before, which has one. */
  historyDb?: number;
  once?: AskedOnce;
}

/** Whether the call opened the account, or found it open already, on the same terms or on other ones, or erased. */
export type Opened = "opened" | "repeated" | "other" | "erased";

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
      /** Whether the reference was used before. */
      replayed: boolean;
      balance: number;
      /** Whether this is the outcome of an earlier request with the same Idempotency-Key. */
      repeated: boolean;
    }
  | { ok: false; reason: "reference_mismatch" | "idempotency_mismatch" | "below_zero" | "above_limit" };

export interface LedgerView {
  seq: number;
  /** A checkpoint stands for every entry up to its number, which were archived: its amount is their sum. */
  type: "debit" | "refund" | "credit" | "adjustment" | "checkpoint";
  /** Units, signed. */
  amount: number;
  balanceAfter: number;
  requestId: string | null;
  reference: string | null;
  at: number;
  /** The message that a refund or a single debit is for. */
  message: { seq: number; index: number; operation: Operation; secretId?: number } | null;
}

export interface AccountView {
  name: string;
  /** `closing`, whatever it was before, from the request to close it on. */
  status: "active" | "suspended" | "closing";
  /** When a closing account is erased, in ms. */
  closesAt?: number | null;
  plan: Plan;
  balance: number;
  /** The rate that applies now, in units per OTP. */
  otpRate: number;
  /** The rate that was agreed with this account, in units per OTP; null where the plan's rate applies. */
  ownOtpRate: number | null;
  requestsPerMinute: number;
  createdAt: number;
  /** Units of refunded payments that were spent before; refunds of messages pay them first. */
  owed: number;
  rev: number;
  /** Number of the newest job or ledger entry. */
  seq: number;
  /** When it last sent, in ms; null if never. */
  lastMessageAt: number | null;
  /** The number of the database that has its history; absent from an object of the version before. */
  historyDb?: number;
  /** The balance below which `balance.low` is reported, in units; null: never; absent as above. */
  balanceLowAt?: number | null;
}

export interface KeyView {
  keyId: number;
  mode: Mode;
  name: string;
  /** The id of the secret that it was made with; 1 where it is absent. */
  secretId?: number;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number | null;
  revokedAt: number | null;
}

/**
 * Which keys of an account stop working: those made with one of these secrets, or before a time, in ms; by default all that
 * the present secret did not make.
 */
export interface KeysToExpire {
  secretIds?: number[];
  madeBefore?: number;
  /** The id of the present secret. */
  current: number;
}

/** A discrepancy that reconciliation found. */
export interface Difference {
  kind: string;
  detail: string;
}

/** Which page of a recount is asked for. */
export interface RecountAsked {
  /** `next` of the page before; null for the first page. */
  cursor: string | null;
  /** Whether the first page begins at the beginning, and not where an earlier recount found all of it right. */
  full: boolean;
}

/** One page of a recount. */
export interface Recounted {
  differences: Difference[];
  /** Number of the last entry that was checked. */
  seq: number;
  /** The cursor of the next page, which only this account can read; null when there is none. */
  next: string | null;
  /** Differences found so far, on this page and those before it. */
  found: number;
  /** Whether a part of the account is in files. */
  isArchived: boolean;
}
