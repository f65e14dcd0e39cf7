import type { AccountEvent } from "../../../model/event.ts";
import type { Endpoint, Post, PostKind } from "../../../model/webhook.ts";
import { isWanted } from "../../../webhooks/types.ts";
import { keptEvents, readEvents } from "../events/pages.ts";
import { readParked } from "./rows.ts";

// What is posted to an endpoint next: what it is to get again, what is new, and what is parked and due.

/** Events that one claim has: so many posts are made before the next row. */
export const RUN_MAX = 100;

/** Parked events among them. */
const PARKED_PER_RUN = 10;

/** Events of one batch (contract §14). */
const BATCH_MAX = 50;

/** Events that one look reads at once, and at most: an endpoint that asks for few types is looked through in steps. */
const READ_AT_ONCE = 200;
const READ_MAX = 5_000;

/** The last numbers of batches that were posted already, by their first: an id always has the same events. */
export type Batches = ReadonlyMap<number, number>;

interface Range {
  kind: PostKind;
  after: number;
  to: number;
}

/** Posts of a range, in order; `seen` is the number up to which it was looked through. */
function postsIn(sql: SqlStorage, endpoint: Endpoint, range: Range, batches: Batches): { posts: Post[]; seen: number } {
  const wanted: AccountEvent[] = [];
  let seen = range.after;
  while (seen < range.to && wanted.length < RUN_MAX && seen - range.after < READ_MAX) {
    const events = readEvents(sql, seen, Math.min(READ_AT_ONCE, range.to - seen));
    if (events.length === 0) break;
    for (const event of events) {
      if (wanted.length === RUN_MAX) break;
      seen = event.seq;
      if (isWanted(endpoint.types, event.type)) wanted.push(event);
    }
  }
  const posts: Post[] = [];
  for (const event of wanted) {
    const open = posts.at(-1);
    const first = open?.events[0]?.seq ?? 0;
    const isOpen = open !== undefined && endpoint.batch && open.events.length < BATCH_MAX;
    if (isOpen && event.seq <= (batches.get(first) ?? Infinity)) open.events.push(event);
    else posts.push({ kind: range.kind, events: [event], through: 0 });
  }
  // What nobody asked for in between is settled with the post before it.
  for (const [at, one] of posts.entries()) {
    const next = posts[at + 1]?.events[0];
    one.through = next ? next.seq - 1 : seen;
  }
  return { posts, seen };
}

/** What there is to post, and the number up to which the events were looked through. */
export function postsFor(
  sql: SqlStorage,
  endpoint: Endpoint,
  nowMs: number,
  known: Batches,
): { posts: Post[]; seen: number } {
  const { first, last } = keptEvents(sql);
  const batches = new Map(known);
  if (endpoint.head) batches.set(endpoint.head.seq, endpoint.head.last);
  const after = Math.max(endpoint.acked, first - 1);
  const live = postsIn(sql, endpoint, { kind: "live", after, to: last }, batches);
  const { replay } = endpoint;
  const again = replay
    ? postsIn(sql, endpoint, { kind: "replay", after: Math.max(replay.next, first) - 1, to: replay.to }, batches).posts
    : [];
  const parked = readParked(sql, endpoint.id).filter(({ seq, nextAt }) => nextAt <= nowMs && seq >= first);
  const alone = parked.slice(0, PARKED_PER_RUN).map(({ seq }): Post => {
    return { kind: "parked", events: readEvents(sql, seq - 1, 1), through: seq };
  });
  return { posts: [...again, ...live.posts, ...alone], seen: live.seen };
}
