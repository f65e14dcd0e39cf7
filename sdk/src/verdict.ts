import { DastakError } from "./errors.ts";
import type { OwnCode } from "./errors.ts";
import type { ErrorCode } from "./error-code.ts";
import type { FetchReply, Signal } from "./options.ts";

// What an attempt came to: the service's reply, or a failure and whether the request may have been done all the same.

export interface Failed {
  ok: false;
  code: ErrorCode | OwnCode;
  message: string;
  status: number;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  body?: Record<string, unknown> | undefined;
  cause?: unknown;
  /** Whether the request may have been done. */
  open: boolean;
}

export interface Answered {
  ok: true;
  body: Record<string, unknown>;
  reply: FetchReply;
  /** To be called when the rest of the reply is read, where it is not read yet. */
  end?: () => void;
}

/** Failures after which the same request may succeed a little later. */
const PASSING: ReadonlySet<string> = new Set<ErrorCode | OwnCode>([
  "connection",
  "rate_limited",
  "idempotency_in_progress",
  "internal_error",
  "unavailable",
]);

/** Whether a repetition of the same request may succeed. */
export const passes = ({ code }: Failed): boolean => PASSING.has(code);

/** Problems of Node, Deno and Bun before a connection stood: no byte of the request has left. */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused",
]);

/** The failure of an attempt that got no whole answer. */
export function unanswered(problem: unknown): Failed {
  const { code, cause } = (problem ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  const left = !NEVER_SENT.has(code) && !NEVER_SENT.has(cause?.code);
  const message = left ? "The service did not answer completely." : "The service could not be reached.";
  return { ok: false, code: "connection", message, status: 0, cause: problem, open: left };
}

/** The failure of an attempt that the caller aborted; `open` if it had begun. */
export function aborted(signal: Signal | undefined, open: boolean): Failed {
  return { ok: false, code: "connection", message: "The call was aborted.", status: 0, cause: signal?.reason, open };
}

/** `Retry-After` in ms: seconds, or a time (RFC 9110, 10.2.3). */
function retryAfterMs(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seconds = /^[0-9]{1,9}$/u.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : undefined;
}

/** The JSON object in a text, or undefined. */
function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The code for an answer that is not the service's: a proxy's page says by its status alone what happened. */
function codeOfStranger(status: number): "rate_limited" | "unavailable" | "unexpected" {
  if (status === 429) return "rate_limited";
  return status >= 500 ? "unavailable" : "unexpected";
}

/** What an answer says. */
export function verdictOf(reply: FetchReply, text: string): Answered | Failed {
  const { status, headers } = reply;
  const body = objectIn(text);
  if (status >= 200 && status < 300 && body?.["success"] === true) return { ok: true, body, reply };
  const facts = {
    ok: false as const,
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfterMs: retryAfterMs(headers.get("retry-after")),
  };
  if (body?.["success"] === false && typeof body["code"] === "string") {
    // A newer service may have other codes: callers branch on those that they know.
    const code = body["code"] as ErrorCode;
    const open = status >= 500 || code === "idempotency_in_progress";
    return { ...facts, code, message: String(body["error"]), body, open };
  }
  const code = codeOfStranger(status);
  const location = headers.get("location");
  const where = location === null ? "" : `, to ${location}`;
  const message = `The answer is not the service's (status ${status}${where}); is baseUrl right?`;
  return { ...facts, code, message, open: code !== "rate_limited" };
}

/** The error of a call that ended with this failure. */
export function errorOf(failed: Failed, call: { idempotencyKey: string | undefined; isUnknown: boolean }): DastakError {
  const { param, hint } = failed.body ?? {};
  return new DastakError({
    ...failed,
    ...call,
    param: typeof param === "string" ? param : undefined,
    hint: typeof hint === "string" ? hint : undefined,
  });
}
