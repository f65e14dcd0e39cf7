import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { DltRefusal, DltRefused } from "../model/carrier/dlt.ts";
import type { Refusal } from "../model/command.ts";
import { english } from "./faults.ts";
import type { Fault } from "./faults.ts";

// Failures: their codes, and the replies to an account's refusals (contract §3).

/** Every error code of contract §3, with its HTTP status. */
export const STATUS_OF_CODE = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_quote: 400,
  dlt_mismatch: 400,
  dlt_header: 400,
  dlt_hours: 400,
  unauthorized: 401,
  insufficient_balance: 403,
  account_suspended: 403,
  permission_denied: 403,
  country_not_allowed: 403,
  number_blocked: 403,
  spend_cap_reached: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_in_progress: 409,
  too_many: 409,
  too_late: 409,
  in_use: 409,
  events_expired: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  rate_limited: 429,
  otp_limited: 429,
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
  /** What an operator of India would say of the message (contract §17.2). */
  dlt?: DltRefused;
  /** When it may be sent, in ISO 8601. */
  next_at?: string;
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

/** The reply to a message that India's rules would not pass (contract §17.2). */
function failureOfDlt(refusal: DltRefusal): Failure {
  if (refusal.reason === "dlt_hours") {
    const { reason, param, nextAt } = refusal;
    const next_at = new Date(nextAt).toISOString().replace(".000Z", "Z");
    return { ...failureBy(reason, { id: reason, nextAt }, { param }), next_at };
  }
  const { reason, param, dlt } = refusal;
  const { expected: _expected, found: _found, ...figures } = dlt;
  return { ...failureBy(reason, { id: reason, ...figures }, { param }), dlt };
}

/** The reply to a one-time password whose brand makes the account's own text too long. */
const failureOfLongOtp = ({ reason, segments, max }: Extract<Refusal, { reason: "otp_long" }>): Failure =>
  failureBy("invalid_request", { id: reason, segments, max }, { param: "brandName" });

const retryAfter = (sec: number) => ({ "Retry-After": String(sec) });

/**
 * The reply for each reason of a refusal. There is no default case: a new reason does not compile until it is added.
 */
export function failureOf(refusal: Refusal): Failure {
  switch (refusal.reason) {
    case "unauthorized":
      return UNAUTHORIZED;
    case "idempotency_in_progress":
      return failureBy(refusal.reason, { id: refusal.reason }, { headers: retryAfter(1) });
    case "idempotency_mismatch":
    case "account_suspended":
      return failureBy(refusal.reason, { id: refusal.reason });
    case "rate_limited": {
      const { reason, limit, retryAfterSec } = refusal;
      return failureBy(reason, { id: reason, limit, retryAfterSec }, { headers: retryAfter(retryAfterSec) });
    }
    case "daily_recipients": {
      const { reason, asked, max, left, retryAfterSec } = refusal;
      // No day is long enough for this list.
      if (asked > max) return failureBy("invalid_request", { id: "many_recipients", max }, { param: "recipients" });
      const headers = retryAfter(retryAfterSec);
      return failureBy("rate_limited", { id: reason, max, left, retryAfterSec }, { headers });
    }
    case "many_cancelled": {
      const { reason, max, retryAfterSec } = refusal;
      const headers = retryAfter(retryAfterSec);
      return failureBy("rate_limited", { id: reason, max, retryAfterSec }, { param: "sendAt", headers });
    }
    case "account_closing":
      return failureBy("account_suspended", { id: refusal.reason, closesAt: refusal.closesAt });
    case "not_offered": {
      const { reason, callingCode, country } = refusal;
      return failureBy("permission_denied", { id: reason, callingCode, country });
    }
    case "country_not_allowed": {
      const { reason, callingCode, country, param } = refusal;
      return failureBy(reason, { id: reason, callingCode, country }, { param });
    }
    case "number_blocked": {
      const { reason, prefix, param } = refusal;
      return failureBy(reason, { id: reason, prefix }, { param });
    }
    case "otp_limited": {
      const { reason, of, retryAfterSec } = refusal;
      const headers = retryAfter(retryAfterSec);
      return failureBy(reason, { id: reason, of, retryAfterSec }, { param: "phone", headers });
    }
    case "spend_cap": {
      const { ok: _, window: _window, reason, ...more } = refusal;
      const headers = retryAfter(more.retryAfterSec);
      return failureBy("spend_cap_reached", { id: reason, ...more }, { headers });
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
    case "dlt_mismatch":
    case "dlt_header":
    case "dlt_hours":
      return failureOfDlt(refusal);
    case "otp_long":
      return failureOfLongOtp(refusal);
    case "recordings_full": {
      const { recordings, bytes } = refusal.quota;
      return failureBy("too_many", { id: refusal.reason, recordings, megabytes: Math.floor(bytes / 1_000_000) });
    }
  }
}
