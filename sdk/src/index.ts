import { followEvents } from "./events.ts";
import type { AccountEvent, EventsOptions } from "./events.ts";
import { Listing } from "./listing.ts";
import type { Page } from "./listing.ts";
import { OPERATIONS } from "./operations.ts";
import type { MessageDetail, Operations } from "./operations.ts";
import { TIMEOUT_MS } from "./options.ts";
import type { DastakOptions, Reply, SendOptions } from "./options.ts";
import { textOf } from "./text.ts";
import { Transport } from "./transport.ts";
import type { OperationRoute, Route, Values } from "./route.ts";
import type { Answered } from "./verdict.ts";
import { waitFor } from "./wait.ts";
import type { WaitOptions } from "./wait.ts";

export { DastakError } from "./errors.ts";
export type { OwnCode } from "./errors.ts";
export type { ErrorCode } from "./error-code.ts";
export type * from "./events.ts";
export { Listing } from "./listing.ts";
export type { Page, RowOf } from "./listing.ts";
export type * from "./operations.ts";
export type * from "./options.ts";
export { WebhookError, signWebhook, verifyWebhook } from "./webhooks.ts";
export type * from "./webhooks.ts";
export type { WaitOptions } from "./wait.ts";

/** A request that has no method of its own, such as one of a service that is newer than this package. */
export interface RawRequest {
  method?: Route["method"] | undefined;
  /** Which of the service's addresses; `console` unless it is said. */
  base?: Route["base"] | undefined;
  /** Such as `/v1/account`; parts of it that are not constant through `encodeURIComponent`. */
  path: string;
  query?: object | undefined;
  body?: object | undefined;
}

/** What a client has beside a method for each operation. */
export interface Conveniences {
  /**
   * The account's events, each once and in order, as they happen. Store `seq` of what you have handled, and pass it as
   * `after` when you start again: nothing is missed and nothing comes twice. It outlasts failures of the network and of
   * the service, and ends with `signal`.
   */
  events(options?: EventsOptions): AsyncGenerator<AccountEvent, void, undefined>;
  /** Waits until a message's state is settled, or the time is up, and returns the message as it then is. */
  waitFor(messageId: string, options?: WaitOptions): Promise<MessageDetail>;
  /** Makes any request with the client's key, retries and errors. */
  request<Body = Record<string, unknown>>(request: RawRequest, options?: SendOptions): Promise<Reply<Body>>;
}

/** A client of the service. */
export type Dastak = Operations & Conveniences;

/** A reply's fields with what its headers say. */
function replyOf<Body>({ body, reply }: Answered, keyed: boolean): Reply<Body> {
  const messageId = reply.headers.get("x-message-id");
  return {
    ...(body as Body),
    requestId: reply.headers.get("x-request-id") ?? "",
    ...(messageId !== null && { messageId }),
    ...(keyed && { replayed: reply.headers.get("idempotent-replayed") === "true" }),
  };
}

/** The values in the arguments of a method: those of the path, the body or query if it takes one, and the options. */
function valuesIn({ path, takes }: OperationRoute, given: readonly unknown[]): [Values, SendOptions | undefined] {
  const parts = [...path.matchAll(/\{/gu)].length;
  const options = given[takes === undefined ? parts : parts + 1] as SendOptions | undefined;
  const input = given[parts] ?? {};
  return [{ path: given.slice(0, parts), ...(takes !== undefined && { [takes]: input }) }, options];
}

/** How long the service may hold a request that waits for something, in ms. */
function heldMs({ held }: OperationRoute, query: object | undefined): number {
  if (held === undefined) return 0;
  const { [held.by]: seconds = held.usualSec } = (query ?? {}) as Record<string, unknown>;
  return Number(seconds) * 1000;
}

/** The method of an operation. */
function methodOf(transport: Transport, route: OperationRoute, timeoutMs: number) {
  return (...given: unknown[]) => {
    const [values, options] = valuesIn(route, given);
    if (route.gives === "text") return textOf(transport, route, values, options);
    const ask = async (query?: object) => {
      const { timeoutMs: attemptMs = timeoutMs } = options ?? {};
      const patient = { ...options, timeoutMs: attemptMs + heldMs(route, query) };
      return replyOf<Page>(await transport.call(route, { ...values, query }, patient), route.keyed === true);
    };
    if (route.gives !== "list") return ask(values.query);
    return new Listing((after) => ask(after === undefined ? values.query : { ...values.query, after }));
  };
}

/**
 * A client. Each call is repeated after failures that pass, with one Idempotency-Key for all of its attempts, so that it
 * is done once. Throws a TypeError for options that cannot work; a call rejects with a `DastakError`.
 */
export function dastak(options: DastakOptions): Dastak {
  const transport = new Transport(options);
  const { timeoutMs = TIMEOUT_MS } = options;
  const operations = Object.entries(OPERATIONS).map(([id, route]) => [id, methodOf(transport, route, timeoutMs)]);
  const request: Conveniences["request"] = async <Body>(asked: RawRequest, more?: SendOptions) => {
    const { method = "GET", base = "console", path, query, body } = asked;
    const keyed = method === "POST" && more?.idempotencyKey !== undefined;
    const route: Route = { method, base, path, keyed: keyed || undefined };
    return replyOf<Body>(await transport.call(route, { query, body }, more), keyed);
  };
  return Object.assign(Object.fromEntries(operations) as Operations, {
    request,
    events: (more?: EventsOptions) => followEvents(transport, more),
    waitFor: (id: string, more?: WaitOptions) => waitFor(transport, id, more),
  });
}
