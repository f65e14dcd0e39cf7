import type { Config } from "../config/settings.ts";
import type { AccountEvent } from "../model/event.ts";
import type { AccountRef } from "../model/ref.ts";
import type { Attempt, Endpoint } from "../model/webhook.ts";
import type { AccountObject } from "../objects.ts";
import { messageOf } from "./body.ts";
import { isWanted } from "./types.ts";

/** Events that one page of attempts is made again from. */
const EVENTS_MAX = 500;

/**
 * The newest attempts, newest first, each with the body that was posted: it is made again from the events, as for each
 * attempt. Null where they are not kept any more.
 */
export async function shownAttempts(
  config: Config,
  ref: AccountRef,
  stub: AccountObject,
  { endpoint, attempts }: { endpoint: Endpoint; attempts: Attempt[] },
) {
  const seqs = attempts.flatMap(({ seq, last }) => (seq === null ? [] : [seq, last ?? seq]));
  const from = Math.max(Math.min(...seqs), Math.max(...seqs) - EVENTS_MAX + 1);
  const page = seqs.length > 0 ? await stub.events(from - 1, EVENTS_MAX) : null;
  const events = new Map(page?.ok === true ? page.events.map((event) => [event.seq, event] as const) : []);
  return attempts.toReversed().map((attempt) => ({ ...attempt, request: requestOf(attempt) }));

  function requestOf({ seq, last }: Attempt): string | null {
    if (seq === null) return null;
    const posted: AccountEvent[] = [];
    for (let at = seq; at <= (last ?? seq); at += 1) {
      const event = events.get(at);
      if (!event) return null;
      if (at === seq || at === last || isWanted(endpoint.types, event.type)) posted.push(event);
    }
    return messageOf(config.KEY_SECRET, ref, posted, endpoint.batch).body;
  }
}
