import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Refusal } from "../model/command.ts";
import { english } from "./faults.ts";
import type { Fault } from "./faults.ts";

// Failures: their codes, and the replies to an account's refusals (contract §3).

/** Every error code of contract §3, with its HTTP status. */
export const STATUS_OF_CODE = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_quote: 400,
  unauthorized: 401,
  insufficient_balance: 403,
  account_suspended: 403,
  permission_denied: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_in_progress: 409,
  too_many: 409,
  too_late: 409,
  events_expired: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const satisfies Record<string, ContentfulStatusCode>;

export type ErrorCode = keyof typeof STATUS_OF_CODE;

/** A failure as the caller sees it: one plain sentence and, where known, the field and how to fix it. */
export interface Failure {
  code: ErrorCode;
  error: string;
  param?: string;
  hint?: string;
  /** The number of the oldest event that is kept (contract §14). */
  first?: number;
  headers?: Record<string, string>;
  /** The same as code and values, with which a page says it in the reader's language. */
  fault?: Fault;
  /** Whether `error` is already in the reader's language: a page made it. */
  forReader?: true;
}

/** Ends a request from anywhere in a route; `app.ts` turns it into the reply. */
export class FailureError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.error);
    this.failure = failure;
  }
}

/** Ends the request with this failure. */
export function fail(code: ErrorCode, error: string, more: Omit<Failure, "code" | "error"> = {}): never {
  throw new FailureError({ code, error, ...more });
}

/** A failure of this code, with the sentences that the API has for a fault. */
export function failureBy(code: ErrorCode, fault: Fault, more: Pick<Failure, "param" | "headers"> = {}): Failure {
  return { code, ...english(fault), fault, ...more };
}

/** Ends the request with this fault. */
export function failBy(code: ErrorCode, fault: Fault, more: Pick<Failure, "param" | "headers"> = {}): never {
  throw new FailureError(failureBy(code, fault, more));
}

/** One text for a key that is missing, malformed, forged, revoked or unknown (contract §3). */
export const UNAUTHORIZED: Failure = failureBy(
  "unauthorized",
  { id: "unauthorized" },
  { headers: { "WWW-Authenticate": "Bearer" } },
);

/**
 * The reply for each reason of a refusal. There is no default case: a new reason does not compile until it is added.
 */
export function failureOf(refusal: Refusal): Failure {
  switch (refusal.reason) {
    case "unauthorized":
      return UNAUTHORIZED;
    case "idempotency_in_progress":
      return failureBy(refusal.reason, { id: refusal.reason }, { headers: { "Retry-After": "1" } });
    case "idempotency_mismatch":
    case "account_suspended":
      return failureBy(refusal.reason, { id: refusal.reason });
    case "rate_limited": {
      const { reason, limit, retryAfterSec } = refusal;
      return failureBy(
        reason,
        { id: reason, limit, retryAfterSec },
        { headers: { "Retry-After": String(retryAfterSec) } },
      );
    }
    case "daily_recipients": {
      const { reason, asked, max, left, retryAfterSec } = refusal;
      // No day is long enough for this list.
      if (asked > max) return failureBy("invalid_request", { id: "many_recipients", max }, { param: "recipients" });
      const headers = { "Retry-After": String(retryAfterSec) };
      return failureBy("rate_limited", { id: reason, max, left, retryAfterSec }, { headers });
    }
    case "account_closing":
      return failureBy("account_suspended", { id: refusal.reason, closesAt: refusal.closesAt });
    case "not_offered": {
      const { reason, callingCode, country } = refusal;
      return failureBy("permission_denied", { id: reason, callingCode, country });
    }
    case "send_at_past":
      return failureBy("invalid_request", { id: refusal.reason }, { param: "sendAt" });
    case "invalid_quote":
      return failureBy(refusal.reason, { id: refusal.reason }, { param: "Price-Quote" });
    case "unknown_file":
      return failureBy("invalid_request", { id: refusal.reason }, { param: "fileId" });
    case "insufficient_balance": {
      const { reason, needed, balance } = refusal;
      return failureBy(reason, { id: reason, needed, balance });
    }
    case "recordings_full": {
      const { recordings, bytes } = refusal.quota;
      return failureBy("too_many", { id: refusal.reason, recordings, megabytes: Math.floor(bytes / 1_000_000) });
    }
  }
}
