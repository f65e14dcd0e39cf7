// Made from the API's document by `npm run sdk:operations`; do not edit.

/** The codes of the service's refusals. */
export type ErrorCode =
  | "invalid_request"
  | "invalid_json"
  | "invalid_quote"
  | "unauthorized"
  | "insufficient_balance"
  | "account_suspended"
  | "permission_denied"
  | "not_found"
  | "method_not_allowed"
  | "idempotency_in_progress"
  | "too_many"
  | "too_late"
  | "events_expired"
  | "payload_too_large"
  | "unsupported_media_type"
  | "idempotency_mismatch"
  | "rate_limited"
  | "internal_error"
  | "unavailable";
