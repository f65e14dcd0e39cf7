import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Refusal } from "../model/command.ts";
import { coins } from "../money/money.ts";

// Failures: their codes, and the replies to an account's refusals (contract §3).

/** Every error code of contract §3, with its HTTP status. */
export const STATUS_OF_CODE = {
  invalid_request: 400,
  invalid_json: 400,
  unauthorized: 401,
  insufficient_balance: 403,
  account_suspended: 403,
  permission_denied: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_in_progress: 409,
  too_many: 409,
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
  headers?: Record<string, string>;
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

/** One text for a key that is missing, malformed, forged, revoked or unknown (contract §3). */
export const UNAUTHORIZED: Failure = {
  code: "unauthorized",
  error: "The API key is missing or not valid.",
  headers: { "WWW-Authenticate": "Bearer" },
};

const megabytes = (bytes: number) => Math.floor(bytes / 1_000_000);

/**
 * The reply for each reason of a refusal. There is no default case: a new reason does not compile until it is added.
 */
export function failureOf(refusal: Refusal): Failure {
  switch (refusal.reason) {
    case "unauthorized":
      return UNAUTHORIZED;
    case "idempotency_in_progress":
      return {
        code: "idempotency_in_progress",
        error: "Another request with this Idempotency-Key is still running; repeat it in a moment.",
        headers: { "Retry-After": "1" },
      };
    case "idempotency_mismatch":
      return {
        code: "idempotency_mismatch",
        error: "This Idempotency-Key was used for another request; use a new key for a new request.",
      };
    case "rate_limited":
      return {
        code: "rate_limited",
        error: `The limit of ${refusal.limit} requests per minute is reached; try again in ${refusal.retryAfterSec} s.`,
        headers: { "Retry-After": String(refusal.retryAfterSec) },
      };
    case "account_suspended":
      return { code: "account_suspended", error: "This account is suspended; ask the operator to activate it." };
    case "permission_denied":
      return { code: "permission_denied", error: refusal.sentence };
    case "unknown_file":
      return {
        code: "invalid_request",
        error: "fileId does not name a recording of this account.",
        param: "fileId",
        hint: "Upload the recording with upload-voice and use the fileId of its reply.",
      };
    case "insufficient_balance":
      return {
        code: "insufficient_balance",
        error: `This costs ${coins(refusal.needed)} coins and the balance is ${coins(refusal.balance)}; buy a plan or ask for credit.`,
      };
    case "recordings_full":
      return {
        code: "too_many",
        error: `This account can keep ${refusal.quota.recordings} recordings with ${megabytes(refusal.quota.bytes)} MB in total; delete one to make room.`,
        hint: "A deleted recording counts until the calls that play it have ended.",
      };
  }
}
