import type { DltRefusal } from "./carrier/dlt.ts";
import type { Plan } from "../money/plans.ts";
import type { Lane } from "./lane.ts";
import type { Destination, Screen } from "./rules/rules.ts";
import type { ClaimAsked, ClaimedJob, Content, Operation, RecordingQuota } from "./message.ts";

// What a request asks of an account object, and what the object answers.

/** The rate window after a request, for the RateLimit headers (contract §7). */
export interface WindowView {
  plan: Plan;
  limit: number;
  remaining: number;
  /** Seconds until the oldest admitted request leaves the window. */
  resetSec: number;
}

/** Why an account refuses a request; http/errors.ts has the reply for each reason. */
export type Refusal = { ok: false; window?: WindowView } & (
  | {
      reason:
        | "unauthorized"
        | "idempotency_in_progress"
        | "idempotency_mismatch"
        | "account_suspended"
        | "unknown_file"
        | "invalid_quote"
        | "send_at_past";
    }
  | { reason: "rate_limited"; limit: number; retryAfterSec: number }
  | { reason: "daily_recipients"; asked: number; max: number; left: number; retryAfterSec: number }
  /** Too many scheduled messages were cancelled today: more than `max`. */
  | { reason: "many_cancelled"; max: number; retryAfterSec: number }
  /** `closesAt` in ms. */
  | { reason: "account_closing"; closesAt: number }
  | ({ reason: "not_offered" } & Destination)
  | { reason: "insufficient_balance"; needed: number; balance: number }
  | { reason: "recordings_full"; quota: RecordingQuota }
  | DltRefusal
  /** The account's own text of one-time passwords needs more SMS than it may, with this brand. */
  | { reason: "otp_long"; segments: number; max: number }
  /** What the rules of the account (model/rules/rules.ts) do not allow; `param` is the field with the number. */
  | ({ reason: "country_not_allowed"; param: Screen["param"] } & Destination)
  /** `prefix`: the refused one that the number has; null: it is a premium-rate number. */
  | { reason: "number_blocked"; prefix: string | null; param: Screen["param"] }
  /** Too many codes to this number, or to numbers with its prefix. */
  | { reason: "otp_limited"; of: "number" | "prefix"; retryAfterSec: number }
  /** Units; `own`: the cap is the owner's, else the operator's. */
  | { reason: "spend_cap"; needed: number; left: number; cap: number; own: boolean; retryAfterSec: number }
);

/** An Idempotency-Key and the request that it was used for (contract §8). */
export interface AskedOnce {
  /** MAC of the key's text. */
  key: Uint8Array;
  /** MAC of path and parsed fields. */
  fingerprint: Uint8Array;
  /** The same under each other listed secret: by these an earlier request is known that came before a rotation. */
  others?: { key: Uint8Array; fingerprint: Uint8Array }[];
}

/** The same for a customer's request, with its reply. */
export interface Idempotency extends AskedOnce {
  /** The reply with placeholders for its numbers, sealed; a replay is answered with it. */
  template: Uint8Array;
}

/** What every command contains: the key that was used, and the id of the request. */
export interface Caller {
  keyId: number;
  /** The id of the secret that the key was made with; 1 where it is absent. */
  secretId?: number;
  requestId: string;
  idempotency?: Idempotency;
  /** Absent where the recipients of a day are not limited. */
  daily?: DailyLimit;
}

/** The recipients of a request, and those that its account may reach in one day. */
export interface DailyLimit {
  recipients: number;
  max: number;
}

/** How the price of each message is determined: given, by the account's OTP rate, or by the length of a recording. */
export type Price =
  { kind: "fixed"; units: number } | { kind: "otp" } | { kind: "recording"; fileId: string; unitsPerBlock: number };

/** The claim of a caller that submits a single message itself, in the transaction that stores the message. */
export interface Take extends Pick<ClaimAsked, "carrier" | "leaseMs"> {
  /** Whether the carrier recognises references, so that a lost attempt can be submitted again. */
  resubmits?: boolean;
  /** The carriers that get it where the first one does not take it. */
  fallbacks?: string[];
}

/** A price that was promised before (contract §13), once and until a time. */
export interface Quote {
  /** By which it is known once it was used. */
  id: Uint8Array;
  /** Units per recipient. */
  units: number;
  /** Until when it is valid, in ms since the epoch. */
  untilMs: number;
}

/** One billable request: either all of its messages are accepted, or none. */
export interface SendCommand extends Caller {
  operation: Operation;
  /** E.164 numbers, each once. */
  recipients: string[];
  price: Price;
  content: Content;
  /** The text, sealed; null for a recording. */
  text: Uint8Array | null;
  /** Segments of each SMS; absent for calls. */
  segments?: number;
  validityMs: number;
  /** When it is to be sent, in ms since the epoch; absent: at once. Its validity counts from then. */
  sendAtMs?: number | undefined;
  /** Where the message would go, if the operation is not offered there. */
  notOffered?: Destination;
  /** With it, a message to one recipient is stored already claimed. */
  take?: Take;
  /** The id of the secret that makes the public ids of its messages; 1 where it is absent. */
  idSecret?: number;
  /** What its numbers are, for the rules of the account; absent from a Worker of the version before. */
  screen?: Screen;
  /** With it, each recipient costs what was quoted, whatever `price` and `notOffered` say. */
  quote?: Quote;
}

/** What is asked of a send without doing it (contract §13). */
export interface PreflightAsked extends Pick<SendCommand, "price" | "notOffered" | "sendAtMs" | "daily" | "screen"> {
  /** Absent from a Worker of the version before. */
  operation?: SendCommand["operation"];
  /** Their numbers, each once; absent where none is valid. */
  to?: string[];
  /** The key of a request; absent where a signed-in person asks. */
  key?: { keyId: number; secretId?: number };
  /** How many, each once. */
  recipients: number;
  /** What is matched with India's rules; absent where nothing is, or the text cannot be told. */
  dlt?: DltAsked;
}

/** An Indian message as India's rules see it, with its text in the clear: it is stored nowhere. */
export interface DltAsked {
  operation: "sms" | "otp";
  sender?: string;
  text: string;
}

/** Why the account would refuse a send, all reasons at once, and what it would cost. */
export interface Preflighted {
  ok: true;
  refusals: Refusal[];
  /** Units per recipient; null where the account has no such recording. */
  charge: number | null;
  /** Units that the account has now. */
  balance: number;
  /** What the send would be warned of (contract §17.2). */
  dltWarning?: string;
}

/** The result of a request, with the numbers of the moment when it was carried out. */
export interface Done {
  ok: true;
  /** Whether this is the result of an earlier request with the same Idempotency-Key. */
  replayed: boolean;
  /** The sealed reply of the first request, on a replay; otherwise null. */
  template: Uint8Array | null;
  /** Units that the request cost. */
  spent: number;
  /** Units left after it. */
  balance: number;
  /** The job of the first message, or 0. */
  seq: number;
  /** The id of the secret that made the public ids of its messages; 1 where it is absent. */
  idSecret?: number;
  /** What the caller now holds the claim of, and submits; empty on a replay, and without `take`. */
  claimed: ClaimedJob[];
  /** The lane to enqueue a token for, or null. On a replay only where nothing of the request was ever claimed. */
  waiting: Lane | null;
  /** What a message was warned of that India's rules would not pass (contract §17.2). */
  dltWarning?: string;
  window?: WindowView;
}

/** The result of an earlier request with the same Idempotency-Key. */
export type Replay = Done & { replayed: true };

export type DoneOrRefusal = Done | Refusal;

/** The admission of an upload: it may be stored in R2, or it is a replay, or it is refused. */
export type UploadDoor =
  | {
      ok: true;
      replayed: false;
      /** Where the bytes go in R2: the recording's own key, or that of one with the same content. */
      objectKey: string;
      window?: WindowView;
    }
  | Replay
  | Refusal;

/**
 * The admission of a request to the account's own API, with the number of the database that has the account's history
 * (absent from an object of the version before).
 */
export type OwnDoor = { ok: true; historyDb?: number } | Refusal;

export interface BalanceView {
  ok: true;
  balance: number;
  window: WindowView;
}
