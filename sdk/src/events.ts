import type { Signal } from "./options.ts";
import type { Transport } from "./transport.ts";

// The account's sequence of events (contract §14), followed by long polls.

/** What happened to a message or a call. */
export interface MessageFacts {
  readonly message_id: string;
  readonly request_id: string;
  readonly operation: string;
  /** E.164. */
  readonly to: string;
  readonly state: string;
  readonly error_code: string | null;
  /** Coins. */
  readonly cost: number;
  readonly refunded: boolean;
  readonly attempts: number;
}

/** What an event is about. */
export type MessageEventType =
  `message.${"submitted" | "delivered" | "undelivered" | "unconfirmed" | "failed" | "unknown" | "cancelled"}`;
export type OtherEventType = "balance.low" | "credit.added" | "key.created" | "key.revoked" | "webhook.disabled";

interface Numbered {
  /** Its number in the account's sequence, which begins at 1 and has no gap. Store it, and resume after it. */
  readonly seq: number;
  /** `evt_…`, also the `webhook-id` of its deliveries. */
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
}

/** An event of the account. */
export type AccountEvent = Numbered &
  (
    | { readonly type: MessageEventType; readonly data: MessageFacts }
    | { readonly type: OtherEventType; readonly data: Readonly<Record<string, unknown>> }
  );

/** How events are followed. */
export interface EventsOptions {
  /** The `seq` of the last event that the caller has; without it, events from now on. 0 is the beginning. */
  after?: number | undefined;
  /** Events per request, 1 to 500. */
  limit?: number | undefined;
  /** Ends the iteration, without an error. */
  signal?: Signal | undefined;
  /** Ends it at the first moment without a new event, instead of waiting for one. */
  untilNow?: boolean | undefined;
}

/** How long one request waits for an event, in seconds: the service's longest (contract §14). */
const WAIT_SEC = 25;

/** What a request may take beyond its wait, in ms. */
const ANSWER_MS = 30_000;

const ROUTE = { method: "GET", base: "console", path: "/v1/events" } as const;

interface EventPage {
  data: AccountEvent[];
  next: number;
}

/**
 * The events after a place, each once and in order, without an end. The first request fails as any call does; later
 * ones are repeated until the service is back, and go on after the last event.
 */
export async function* followEvents(
  transport: Transport,
  { after, limit, signal, untilNow = false }: EventsOptions = {},
): AsyncGenerator<AccountEvent, void, undefined> {
  let next = after;
  for (let first = true; ; first = false) {
    if (signal?.aborted) return;
    const wait = untilNow || next === undefined ? 0 : WAIT_SEC;
    const patience = first ? {} : { retries: Infinity };
    let page: EventPage;
    try {
      const options = { signal, timeoutMs: wait * 1000 + ANSWER_MS, ...patience };
      const { body } = await transport.call(ROUTE, { query: { after: next, limit, wait } }, options);
      page = body as unknown as EventPage;
    } catch (problem) {
      if (signal?.aborted) return;
      throw problem;
    }
    for (const event of page.data) {
      yield event;
      if (signal?.aborted) return;
    }
    next = page.next;
    if (untilNow && page.data.length === 0) return;
  }
}
