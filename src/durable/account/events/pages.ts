import type { AccountEvent, EventMessage, MessageEvent, MessageEventType, Note } from "../../../model/event.ts";
import { number, text } from "../../rows.ts";

// The pages of the feed: an event has its number, and is one, once it is in a page. A page has a line for each event, and
// the newest page is filled up for a day before another begins, so that a flush writes one row, whatever it holds.

/** Events in one page: some tens of kilobytes. */
export const PAGE_EVENTS = 200;

/** How long a page is filled up, in ms: it is forgotten as a whole. */
export const PAGE_MS = 86_400_000;

/** An event of a message as a line has it; the last three are the secret of its id, the state and the reason. */
type MessageLine = [
  type: MessageEventType,
  at: number,
  seq: number,
  index: number,
  requestId: string,
  operation: EventMessage["operation"],
  to: string,
  charge: number,
  refunded: 0 | 1,
  attempts: number,
  secretId: number,
  state: EventMessage["state"],
  errorCode: string | null,
];
type NoteLine = [type: Note["type"], at: number, data: Note["data"]];

function lineOf(event: MessageEvent | Note): string {
  if (!("message" in event)) return JSON.stringify([event.type, event.at, event.data]);
  const { place, requestId, operation, to, charge, refunded, attempts, state, errorCode } = event.message;
  const fate = [charge, refunded ? 1 : 0, attempts, place.secretId, state, errorCode];
  return JSON.stringify([event.type, event.at, place.seq, place.index, requestId, operation, to, ...fate]);
}

function eventIn(line: string, seq: number): AccountEvent {
  const read = JSON.parse(line) as MessageLine | NoteLine;
  // A note's data is that of its type, since `lineOf` wrote both.
  if (read.length === 3) return { seq, type: read[0], at: read[1], data: read[2] } as AccountEvent;
  const [type, at, job, index, requestId, operation, to, charge, refunded, attempts, secretId, state, errorCode] = read;
  const place = { seq: job, index, secretId };
  const fate = { state, errorCode, charge, refunded: refunded === 1, attempts };
  return { seq, type, at, message: { place, requestId, operation, to, ...fate } };
}

/** The numbers of the events that are kept: `first` is `last` + 1 where there are none. */
export interface Kept {
  first: number;
  last: number;
}

const rowsOf = (sql: SqlStorage, query: string, ...bindings: number[]) => sql.exec(query, ...bindings).toArray();

/** The numbers of the events that are kept. */
export function keptEvents(sql: SqlStorage): Kept {
  const [oldest] = rowsOf(sql, "SELECT first FROM feed ORDER BY first LIMIT 1");
  const [newest] = rowsOf(sql, "SELECT last FROM feed ORDER BY first DESC LIMIT 1");
  if (!oldest || !newest) throw new Error("the feed of events has no page");
  return { first: number(oldest, "first"), last: number(newest, "last") };
}

/** Begins the feed: the next event gets the number 1. */
export function beginPages(sql: SqlStorage, nowMs: number): void {
  sql.exec("INSERT INTO feed (first, last, since, until, events) VALUES (1, 0, ?1, ?1, '')", nowMs);
}

/** Gives events the next numbers, in their order. Returns the number of the last. */
export function appendEvents(sql: SqlStorage, events: readonly (MessageEvent | Note)[], nowMs: number): number {
  const newest = sql.exec("SELECT first, last, since FROM feed ORDER BY first DESC LIMIT 1").one();
  const [first, before, since] = [number(newest, "first"), number(newest, "last"), number(newest, "since")];
  const lines = events.map((event) => `${lineOf(event)}\n`);
  const held = before - first + 1;
  const isOld = held > 0 && (nowMs - since >= PAGE_MS || nowMs < since);
  const room = isOld ? 0 : Math.max(0, PAGE_EVENTS - held);
  let last = before + Math.min(room, lines.length);
  if (last > before) {
    const fill = "UPDATE feed SET last = ?, since = ?, until = ?, events = events || ? WHERE first = ?";
    sql.exec(fill, last, held > 0 ? since : nowMs, nowMs, lines.slice(0, room).join(""), first);
  }
  for (let at = room; at < lines.length; at += PAGE_EVENTS) {
    const page = lines.slice(at, at + PAGE_EVENTS);
    const insert = "INSERT INTO feed (first, last, since, until, events) VALUES (?, ?, ?, ?, ?)";
    sql.exec(insert, last + 1, last + page.length, nowMs, nowMs, page.join(""));
    last += page.length;
  }
  return last;
}

/** Pages that one read takes from storage at once. */
const PAGES_READ = 3;

/**
 * The events after a number that is kept or the one before, oldest first, at most `limit`. Throws where one is missing: the
 * sequence has no gap.
 */
export function readEvents(sql: SqlStorage, after: number, limit: number): AccountEvent[] {
  const found: AccountEvent[] = [];
  const query = `
    SELECT first, last, events FROM feed
     WHERE first >= (SELECT coalesce(max(first), 0) FROM feed WHERE first <= ?1) ORDER BY first LIMIT ${PAGES_READ}`;
  for (let next = after + 1; found.length < limit;) {
    const before = next;
    for (const row of rowsOf(sql, query, next)) {
      const [first, last] = [number(row, "first"), number(row, "last")];
      if (last < next || found.length >= limit) continue;
      const lines = text(row, "events").split("\n");
      if (first > next || lines.length - 1 !== last - first + 1) {
        throw new Error(`the feed of events has a gap at ${Math.min(first, next)}`);
      }
      const until = Math.min(last, next + limit - found.length - 1);
      for (; next <= until; next += 1) found.push(eventIn(lines[next - first] ?? "", next));
    }
    if (next === before) break;
  }
  return found;
}

/** Pages are pruned when the oldest is older than is kept by this part of that, and a day at most. */
const PRUNE_SHARE = 1 / 30;
const PRUNE_MS_MAX = 86_400_000;

/** When the next pages are to be pruned, in ms since the epoch; null while there are none. */
export function nextPruneMs(sql: SqlStorage, keptMs: number): number | null {
  const [oldest] = rowsOf(sql, "SELECT until FROM feed WHERE last >= first ORDER BY first LIMIT 1");
  return oldest ? number(oldest, "until") + keptMs + Math.min(PRUNE_MS_MAX, keptMs * PRUNE_SHARE) : null;
}

/** Deletes the pages whose newest event is older than this. The newest page stays, emptied: it has the next number. */
export function prunePages(sql: SqlStorage, beforeMs: number): void {
  sql.exec(
    `DELETE FROM feed WHERE first < coalesce(
       (SELECT first FROM feed WHERE until >= ? ORDER BY first LIMIT 1), (SELECT max(first) FROM feed))`,
    beforeMs,
  );
  const empty = "UPDATE feed SET first = last + 1, events = '' WHERE last >= first AND until < ?";
  if (rowsOf(sql, "SELECT 1 FROM feed LIMIT 2").length === 1) sql.exec(empty, beforeMs);
}
