import { readText } from "../http/streams.ts";
import type { Seen } from "./carrier.ts";

// One HTTP exchange with a gateway: what every kind that speaks HTTP shares. It tells apart what the gateway certainly
// has not got (contract §9, `not_accepted`) from what it may have got.

/**
 * What Cloudflare answers when it could not connect to the gateway: refused, unreachable, TLS failed, unknown host.
 * Nothing was delivered. (520, 522 and 524 can also occur after the gateway received the message.)
 */
const NOT_CONNECTED: ReadonlySet<number> = new Set([521, 523, 525, 526, 530]);

/** How much of a gateway's answer is read. */
const ANSWER_BYTES_MAX = 65_536;

/** A request to a gateway. A redirect is never followed: it would send the message to a host that was not configured. */
export interface Asking {
  url: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  /** Of a POST. */
  body?: string;
  /** For the whole exchange. */
  timeoutMs: number;
  /** Whether the answer's body is needed; otherwise its status says all. */
  reads: boolean;
}

/** What came of it. */
export type Exchange =
  | {
      kind: "answer";
      status: number;
      headers: Headers;
      /** Null where it was not asked for, or could not be read whole. */
      text: string | null;
      /** How long the gateway asks for silence, in ms. */
      retryAfterMs?: number;
    }
  /** The gateway has certainly got nothing. */
  | { kind: "not_connected"; code: "connect_timeout" | "connection_refused" | `http_${number}` }
  /** It may have got all of it. */
  | { kind: "lost"; code: "timeout" | "connection_broken" };

/**
 * A request body that records whether all of it was sent. Its first byte is written alone: until the second write has
 * been read, no connection has taken the first one, so the gateway has certainly received nothing to act on.
 */
function tracedBody(text: string): { stream: ReadableStream; left: () => boolean } {
  const bytes = new TextEncoder().encode(text);
  const { readable, writable } = new FixedLengthStream(bytes.length);
  let left = false;
  const pump = async () => {
    const writer = writable.getWriter();
    await writer.write(bytes.subarray(0, 1));
    await writer.write(bytes.subarray(1));
    left = true;
    await writer.close();
  };
  // A broken connection also rejects this promise; the fetch reports it.
  pump().catch(() => undefined);
  return { stream: readable, left: () => left };
}

/** How long an answer asks for silence; nothing without a Retry-After that can be read (RFC 9110 §10.2.3). */
export function retryAfter(headers: Headers, nowMs: number): { retryAfterMs?: number } {
  const value = headers.get("retry-after");
  if (value === null) return {};
  const ms = /^[0-9]{1,6}$/u.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) && ms > 0 ? { retryAfterMs: ms } : {};
}

/** The body of an answer, whose status counts even if the rest of it cannot be read. */
async function textOf(response: Response, reads: boolean): Promise<string | null> {
  if (reads) return readText(response, ANSWER_BYTES_MAX).catch(() => null);
  await response.body?.cancel().catch(() => undefined);
  return null;
}

/** Makes one exchange; never throws. */
export async function exchange({ url, method, headers, body, timeoutMs, reads }: Asking): Promise<Exchange> {
  const traced = body === undefined ? null : tracedBody(body);
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, {
      method,
      headers,
      ...(traced && { body: traced.stream }),
      signal,
      redirect: "manual",
    });
    const { status } = response;
    const text = await textOf(response, reads);
    if (NOT_CONNECTED.has(status)) return { kind: "not_connected", code: `http_${status}` };
    return { kind: "answer", status, headers: response.headers, text, ...retryAfter(response.headers, Date.now()) };
  } catch (problem) {
    const timeout = problem instanceof Error && problem.name === "TimeoutError";
    // Of a request without a body nothing tells whether it left: workerd's error for a refused connection is the one for a
    // connection that is cut after the request was read (test/process/unreachable.test.ts).
    if (traced && !traced.left()) {
      return { kind: "not_connected", code: timeout ? "connect_timeout" : "connection_refused" };
    }
    return { kind: "lost", code: timeout ? "timeout" : "connection_broken" };
  }
}

/** An exchange as the operator's test shows it. */
export function seenOf(made: Exchange, carrierId: string | null = null): Seen {
  if (made.kind !== "answer") return { answer: null, carrierId };
  const { status, headers, text } = made;
  return { answer: { status, headers: Object.fromEntries(headers), body: text }, carrierId };
}
