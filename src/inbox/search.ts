import { matches } from "../search/match.ts";
import { parseSearch } from "../search/parse.ts";
import type { Operator, Search } from "../search/terms.ts";
import type { InboxFilter, InboxMessage } from "./types.ts";

// Evaluates a filter of the test inbox. `since` a message is a place in the list, which is not evaluated here.

/** Operators of a search of the inbox, which stores no states, keys or prices. */
export const INBOX_OPERATORS = ["to", "kind", "text", "request", "before", "after"] as const satisfies Operator[];

/** Parses a search of the inbox. */
export function inboxSearch(q: string, nowMs: number): Search {
  return parseSearch(q, { nowMs, operators: INBOX_OPERATORS });
}

/** Whether a message matches: of the account, to the number, from the time on, and by the search. */
export function matcherOf(
  { account, to, since, q = "" }: InboxFilter,
  nowMs: number,
): (message: InboxMessage) => boolean {
  const { terms } = inboxSearch(q, nowMs);
  const fromMs = since && "at" in since ? since.at : 0;
  return (message) => {
    if (account !== null && message.account !== account) return false;
    if (message.at < fromMs || (to !== undefined && message.to !== to)) return false;
    const { operation, requestId, at: createdAt, content } = message;
    // The search covers what a phone shows, which includes the sender.
    const text = [message.text ?? "", content.sender ?? ""].join("\n");
    return matches(terms, { to: message.to, operation, requestId, createdAt, text });
  };
}
