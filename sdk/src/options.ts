import type { DastakError } from "./errors.ts";

// What a caller may set. No type here needs the DOM's declarations or those of Node: both satisfy these.

/** How long one attempt may take, in ms, unless it is said. */
export const TIMEOUT_MS = 30_000;

/** The five addresses of a service. */
export type Base = "sms" | "tts" | "voice" | "otp" | "console";

/** What this package needs of an `AbortSignal`. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** What this package needs of a reply of `fetch`. */
export interface FetchReply {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** A `ReadableStream` of bytes. */
  readonly body: unknown;
  text(): Promise<string>;
}

/** `fetch`, of any runtime. As a method's type it accepts every declaration of `fetch` that a runtime has. */
export type Fetch = { fetch(url: string, init: object): Promise<FetchReply> }["fetch"];

/** A failed attempt that is about to be repeated. */
export interface Retry {
  readonly error: DastakError;
  /** 1 for the first attempt of the request. */
  readonly attempt: number;
  /** How long the client waits before the next attempt. */
  readonly waitMs: number;
}

/** The settings of a client. */
export interface DastakOptions {
  /**
   * `dsk_live_…` or `dsk_test_…`. Keep it on a server: the API answers no browser. Without it the client throws: it may
   * be undefined so that a variable of the environment can be passed as it is.
   */
  apiKey: string | undefined;
  /**
   * Where the service is: one address (`http://localhost:8787`), a template in which `{base}` stands for `sms`, `tts`,
   * `voice`, `otp` and `console` (`https://{base}.example.com`), or the five addresses.
   */
  baseUrl: string | Readonly<Record<Base, string>>;
  /** Attempts after the first one; default 4, and 0 turns retries off. */
  retries?: number | undefined;
  /** How long one attempt may take, in ms, beside what the request itself waits for; default 30,000. */
  timeoutMs?: number | undefined;
  /** The longest `Retry-After` that is waited for, in ms; default 65,000. A longer one is an error at once. */
  waitMsMax?: number | undefined;
  /** Called before each retry, for a log. */
  onRetry?: ((retry: Retry) => void) | undefined;
  /** Another `fetch` than the runtime's. */
  fetch?: Fetch | undefined;
}

/** The settings of one call. */
export interface CallOptions {
  /** Ends the call; what was sent may have been done (`DastakError.isUnknown`). */
  signal?: Signal | undefined;
  /** As in `DastakOptions`, for this call. */
  retries?: number | undefined;
  /** As in `DastakOptions`, for this call. */
  timeoutMs?: number | undefined;
}

/** The settings of a call that changes something. */
export interface SendOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters that name this order, such as `order-4711`: another call with the same key and
   * the same fields, from any process within 7 days, gets the first one's reply. Without it each call has its own.
   */
  idempotencyKey?: string | undefined;
  /** The `quote` of a preflight, whose price the service then honours. */
  quote?: string | undefined;
}

/** What every reply has beside its fields. */
export interface Facts {
  /** Names this request in the service's logs: `X-Request-Id`. */
  readonly requestId: string;
}

/** What the reply of an operation with an Idempotency-Key has beside its fields. */
export interface KeyedFacts extends Facts {
  /** Whether this is the reply to an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
}

/** What the reply to a send has beside its fields. */
export interface SentFacts extends KeyedFacts {
  /** The message or call that was sent, the first one of a bulk; for `getMessage` and `waitFor`: `X-Message-Id`. */
  readonly messageId: string;
}

export type Reply<Body> = Body & Facts;
export type Keyed<Body> = Body & KeyedFacts;
export type Sent<Body> = Body & SentFacts;
