import { addressesOf, pathOf, queryOf } from "./addresses.ts";
import { TIMEOUT_MS } from "./options.ts";
import type { Base, CallOptions, DastakOptions, FetchReply, SendOptions, Signal } from "./options.ts";
import { pause } from "./pause.ts";
import type { Route, Values } from "./route.ts";
import { aborted, errorOf, passes, unanswered, verdictOf } from "./verdict.ts";
import type { Answered, Failed } from "./verdict.ts";

// One call: its attempts, the waits between them, and one Idempotency-Key for all of them.

interface Attempt {
  url: string;
  init: { method: string; headers: Record<string, string>; body: string | null };
  timeoutMs: number;
  signal: Signal | undefined;
}

/** An attempt's own signal: aborted when its time is up, or with the caller's. */
interface Limit {
  signal: AbortSignal;
  /** Takes the time back, and leaves the caller's signal. */
  untime: () => void;
  end: () => void;
}

/** The last wait between two attempts is at most this long, and the first at most the other. */
const BACKOFF_MS = { first: 250, max: 8_000 };

function limitOf({ timeoutMs, signal }: Pick<Attempt, "timeoutMs" | "signal">): Limit {
  const controller = new AbortController();
  const late = () => controller.abort(new Error(`There was no whole answer within ${timeoutMs} ms.`));
  const timer = setTimeout(late, timeoutMs);
  const stop = () => controller.abort(signal?.reason);
  if (signal?.aborted) stop();
  else signal?.addEventListener("abort", stop, { once: true });
  const untime = () => clearTimeout(timer);
  const end = () => {
    untime();
    signal?.removeEventListener("abort", stop);
  };
  return { signal: controller.signal, untime, end };
}

/** A text that can be a header's value; the message says nothing of the value, which may be a key. */
function headerText(name: string, value: unknown): string {
  const text = typeof value === "string" ? value.trim() : "";
  if (text === "") throw new TypeError(`${name} is missing.`);
  if (!/^[!-~]+$/u.test(text)) throw new TypeError(`${name} must consist of visible ASCII characters.`);
  return text;
}

/** What carries calls to the service. */
export class Transport {
  readonly #apiKey: string;
  readonly #addresses: Record<Base, string>;
  readonly #options: DastakOptions;

  /** Throws a TypeError for options that cannot work. */
  constructor(options: DastakOptions) {
    this.#apiKey = headerText("apiKey", options.apiKey);
    this.#addresses = addressesOf(options.baseUrl);
    this.#options = options;
  }

  /** The service's reply; throws a `DastakError` for everything else. */
  call(route: Route, values: Values, options: SendOptions = {}): Promise<Answered> {
    return this.#repeat(route, values, options, async (attempt) => {
      const limit = limitOf(attempt);
      try {
        const reply = await this.#fetch(attempt, limit);
        return verdictOf(reply, await reply.text());
      } finally {
        limit.end();
      }
    });
  }

  /** A reply whose text the caller reads as it comes, and then `end`s. What breaks while it is read is not repeated. */
  stream(route: Route, values: Values, options: CallOptions = {}): Promise<Answered> {
    return this.#repeat(route, values, options, async (attempt) => {
      const limit = limitOf(attempt);
      try {
        attempt.init.headers["accept"] = "*/*";
        const reply = await this.#fetch(attempt, limit);
        if (reply.status !== 200) return verdictOf(reply, await reply.text().finally(limit.end));
        // The time of an attempt ends with its headers: an export may take as long as it likes.
        limit.untime();
        return { ok: true, body: {}, reply, end: limit.end };
      } catch (problem) {
        limit.end();
        throw problem;
      }
    });
  }

  #fetch({ url, init }: Attempt, { signal }: Limit): Promise<FetchReply> {
    const ask = this.#options.fetch ?? fetch;
    // Workers know no redirect "error". A redirect would repeat the request, with its key, at an address not chosen here.
    return ask(url, { ...init, signal, redirect: "manual" });
  }

  #attemptOf(route: Route, values: Values, options: SendOptions, idempotencyKey: string | undefined): Attempt {
    const { timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS, signal, quote } = options;
    const url = this.#addresses[route.base] + pathOf(route.path, values.path ?? []) + queryOf(values.query);
    const headers: Record<string, string> = { accept: "application/json" };
    if (route.key === "x-api-key") headers["x-api-key"] = this.#apiKey;
    else headers["authorization"] = `Bearer ${this.#apiKey}`;
    if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
    if (quote !== undefined) headers["price-quote"] = headerText("quote", quote);
    if (values.body !== undefined) headers["content-type"] = "application/json";
    if (values.csv !== undefined) headers["content-type"] = "text/csv";
    const body = values.csv ?? (values.body === undefined ? null : JSON.stringify(values.body));
    return { url, init: { method: route.method, headers, body }, timeoutMs, signal };
  }

  /** Makes attempts until one is answered, or failed for good. */
  async #repeat(
    route: Route,
    values: Values,
    options: SendOptions,
    make: (attempt: Attempt) => Promise<Answered | Failed>,
  ): Promise<Answered> {
    const key = route.keyed && (options.idempotencyKey ?? crypto.randomUUID());
    const idempotencyKey = key && headerText("idempotencyKey", key);
    const attempt = this.#attemptOf(route, values, options, idempotencyKey);
    const { signal } = attempt;
    const { retries = this.#options.retries ?? 4 } = options;
    // Whether an attempt of this call may have been done, although none was answered.
    let isUnknown = false;
    for (let number = 1; ; number += 1) {
      const begun = !signal?.aborted;
      const came = begun
        ? await make(attempt).catch((problem: unknown) =>
            signal?.aborted ? aborted(signal, true) : unanswered(problem),
          )
        : aborted(signal, false);
      if (came.ok) return came;
      isUnknown ||= came.open && route.method !== "GET";
      const error = errorOf(came, { idempotencyKey, isUnknown });
      const waitMs =
        came.retryAfterMs || Math.random() * Math.min(BACKOFF_MS.max, BACKOFF_MS.first * 2 ** (number - 1));
      // Without an Idempotency-Key a POST that may have been done would be done twice.
      const repeatable = route.method !== "POST" || idempotencyKey !== undefined || !came.open;
      const isLast =
        number > retries || signal?.aborted || (waitMs > (this.#options.waitMsMax ?? 65_000) && retries !== Infinity);
      if (isLast || !repeatable || !passes(came)) throw error;
      this.#options.onRetry?.({ error, attempt: number, waitMs });
      await pause(waitMs, signal);
    }
  }
}
