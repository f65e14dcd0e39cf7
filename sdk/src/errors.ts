import type { ErrorCode } from "./error-code.ts";

/**
 * What went wrong where the service did not say it: `connection` (no answer, or not a whole one, or the call was
 * aborted) and `unexpected` (an answer that is not the service's, such as a redirect or a proxy's page).
 */
export type OwnCode = "connection" | "unexpected";

/** The parts of a `DastakError`. */
export interface FailureParts {
  code: ErrorCode | OwnCode;
  message: string;
  status: number;
  param?: string | undefined;
  hint?: string | undefined;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  idempotencyKey?: string | undefined;
  isUnknown: boolean;
  body?: Readonly<Record<string, unknown>> | undefined;
  cause?: unknown;
}

/** Every failure of a call: a refusal by the service, an answer that is not the service's, or none at all. */
export class DastakError extends Error {
  override readonly name = "DastakError";
  /** What to branch on. A newer service may have codes that this version does not list. */
  readonly code: ErrorCode | OwnCode;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  /** The field at fault, such as `phone` or `recipients[7]`. */
  readonly param: string | undefined;
  /** How to mend it, where that is known. */
  readonly hint: string | undefined;
  /** Names the request in the service's logs. */
  readonly requestId: string | undefined;
  /** How long the service asks to wait, in ms. */
  readonly retryAfterMs: number | undefined;
  /** The Idempotency-Key of all attempts of the call. */
  readonly idempotencyKey: string | undefined;
  /**
   * Whether an attempt may have been done all the same, because it got no certain answer. Call again with the same
   * fields and `idempotencyKey`: that does it once, whichever it was. Always false for what only reads.
   */
  readonly isUnknown: boolean;
  /** The service's whole answer, for what some codes add: `first` of `events_expired`. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(parts: FailureParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = parts.code;
    this.status = parts.status;
    this.param = parts.param;
    this.hint = parts.hint;
    this.requestId = parts.requestId;
    this.retryAfterMs = parts.retryAfterMs;
    this.idempotencyKey = parts.idempotencyKey;
    this.isUnknown = parts.isUnknown;
    this.body = parts.body ?? {};
  }
}
