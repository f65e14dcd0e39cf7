import { readKeyId, showKeyId } from "../crypto/api-key.ts";
import { searchHistory } from "../db/activity.ts";
import { historyDatabase } from "../db/history-databases.ts";
import type { HistoryEnv } from "../db/history-databases.ts";
import { logProblem } from "../log.ts";
import type { KeyView } from "../model/account.ts";
import { BUCKET_JOBS } from "../model/history.ts";
import type { MessageView } from "../model/message.ts";
import type { AccountRef, MessagePlace } from "../model/ref.ts";
import type { AccountObject } from "../objects.ts";
import { OPERATORS } from "../search/terms.ts";
import type { Fault, Search, Term } from "../search/terms.ts";
import { join } from "../search/join.ts";
import type { Stretch } from "../search/join.ts";
import { isBeyond } from "../search/look.ts";
import type { Direction, Fresh } from "../search/look.ts";

// An account's messages, newest first: the account's recent messages and those of history, read as one list.

/** Operators of the message list; texts are sealed, so they cannot be searched. */
export const ACTIVITY_OPERATORS = OPERATORS.filter((name) => name !== "text");

/** Messages on one page. */
export const PAGE_SIZE = 50;

/** How many jobs one query of history covers; doubled while too few messages are found. */
const REACH = 5_000;
const REACH_MAX = 320_000;

/**
 * Groups of history that one query returns, besides those that a full page needs; doubled while too few messages are
 * found. With 100 messages each, the most are two megabytes.
 */
const GROUPS_SPARE = 1;
const GROUPS_MAX = 256;

/** How many stretches one page reads before it stops and offers to search further: about a million jobs. */
const STRETCHES_MAX = 8;

/** Where the list comes from. */
export interface Source {
  env: HistoryEnv;
  ref: AccountRef;
  stub: Pick<AccountObject, "look">;
}

/** Replaces the names of keys by their ids; a name that no key has becomes a fault. */
export function withKeys(search: Search, keys: readonly KeyView[]): Search {
  const faults: Fault[] = [...search.faults];
  const terms = search.terms.flatMap((term): Term[] => {
    if (term.on !== "key") return [term];
    const name = term.value.toLowerCase();
    const own = keys.filter((key) => showKeyId(key.keyId) === name || key.name.toLowerCase() === name);
    // The id of a key of the other mode, or of an old one, matches no message: a valid search, not a fault.
    const ids = own.length > 0 ? own.map((key) => key.keyId) : [readKeyId(name)].filter((id) => id !== null);
    if (ids.length > 0) return [{ on: "keys", ids, not: term.not }];
    faults.push({ kind: "key", operator: "key", value: term.value });
    return [];
  });
  return { terms, faults };
}

interface Asked {
  terms: Term[];
  direction: Direction;
  from: MessagePlace | null;
  /** Messages per stretch. */
  limit: number;
}

/** How much of history one query covers at most: job numbers, and groups of each kind. */
interface Reach {
  jobs: number;
  groups: number;
}

/** One stretch of history. */
async function recorded(source: Source, asked: Asked, fresh: Fresh, reach: Reach): Promise<Stretch> {
  const { terms, direction, from, limit } = asked;
  const older = direction === "older";
  const bottom = Math.max(fresh.low, older ? 0 : (from?.seq ?? 0));
  const top = Math.min(fresh.high, fresh.settledSeq + 1, older && from ? from.seq + 1 : Infinity);
  if (bottom >= top) return { rows: [], end: null };
  const low = older ? Math.max(bottom, top - reach.jobs) : bottom;
  const high = older ? top : Math.min(top, bottom + reach.jobs);
  const look = { terms, direction, from, limit, groups: reach.groups, low, high, except: fresh.late };
  const found = await searchHistory(historyDatabase(source.env, fresh.historyDb), source.ref, look);
  if (found.end) return found;
  if (older) return { ...found, end: low > bottom ? { seq: low, index: 0 } : null };
  return { ...found, end: high < top ? { seq: high, index: -1 } : null };
}

/**
 * The account's recent messages beyond `from`. A complete answer is only filtered the next time, not requested again.
 */
async function recentOf(source: Source, asked: Asked, before: Fresh | null): Promise<Fresh | null> {
  const { terms, direction, from, limit } = asked;
  if (before?.end === null) return { ...before, rows: before.rows.filter((row) => isBeyond(row, from, direction)) };
  return source.stub.look({ terms, direction, from, limit });
}

/** Reads the list in stretches, each limited by `limit` messages or by the reach of a query. */
export async function* stretches(source: Source, asked: Asked): AsyncGenerator<Stretch> {
  const { direction, limit } = asked;
  let { from } = asked;
  let fresh: Fresh | null = null;
  let reach: Reach = { jobs: REACH, groups: Math.ceil(limit / BUCKET_JOBS) + GROUPS_SPARE };
  for (;;) {
    fresh = await recentOf(source, { ...asked, from }, fresh);
    if (!fresh) return;
    const enough = direction === "older" && fresh.end !== null && fresh.end.seq > fresh.settledSeq;
    const old = enough ? { rows: [], end: null } : await recorded(source, { ...asked, from }, fresh, reach);
    const stretch = join({ rows: fresh.rows, end: fresh.end }, old, direction, limit);
    if (stretch.rows.length < limit) {
      reach = { jobs: Math.min(REACH_MAX, reach.jobs * 2), groups: Math.min(GROUPS_MAX, reach.groups * 2) };
    }
    yield stretch;
    if (!stretch.end) return;
    from = stretch.end;
  }
}

/** One page of the list, newest first. */
export interface ActivityPage {
  rows: MessageView[];
  /** Where the adjacent pages begin; null where there are none. */
  newer: MessagePlace | null;
  older: MessagePlace | null;
  /** Whether the page ends because the search took too many reads, and not because it is full. */
  cut: boolean;
  /** Whether history was unavailable, so that only the account's recent messages are listed. */
  away: boolean;
}

const placeOf = (row: MessageView | undefined): MessagePlace | null =>
  row ? { seq: row.seq, index: row.index } : null;

/** Reads until the page is full, the list ends, or the search took too many reads. Throws where history is away. */
async function gather(source: Source, asked: Asked): Promise<Stretch> {
  const found: Stretch = { rows: [], end: asked.from };
  let read = 0;
  for await (const { rows, end } of stretches(source, asked)) {
    found.rows.push(...rows);
    found.end = end;
    read += 1;
    if (found.rows.length >= asked.limit || read === STRETCHES_MAX) break;
  }
  return found;
}

/**
 * A page of the list for programs, newest first. Where `next` is null, the list ends there; a page may end before it is
 * full, because the search took too many reads. Throws where history is away: a program must not take a part for the whole.
 */
export async function pageBeyond(
  source: Source,
  terms: Term[],
  from: MessagePlace | null,
  limit: number,
): Promise<{ rows: MessageView[]; next: MessagePlace | null }> {
  const { rows, end } = await gather(source, { terms, direction: "older", from, limit: limit + 1 });
  if (rows.length <= limit) return { rows, next: end };
  rows.length = limit;
  return { rows, next: placeOf(rows.at(-1)) };
}

async function gatherWhatIsThere(source: Source, asked: Asked): Promise<Stretch & { away: boolean }> {
  try {
    return { ...(await gather(source, asked)), away: false };
  } catch (problem) {
    logProblem("activity", problem);
    // Without history, the account still returns its recent messages.
    const { terms, direction, from, limit } = asked;
    const fresh = await source.stub.look({ terms, direction, from, limit });
    return { rows: fresh?.rows ?? [], end: fresh?.end ?? null, away: true };
  }
}

/** The page of messages that are older than a place, or the newest ones. */
export async function olderPage(source: Source, terms: Term[], from: MessagePlace | null): Promise<ActivityPage> {
  const { rows, end, away } = await gatherWhatIsThere(source, {
    terms,
    direction: "older",
    from,
    limit: PAGE_SIZE + 1,
  });
  const full = rows.length > PAGE_SIZE;
  if (full) rows.length = PAGE_SIZE;
  const newer = from ? (placeOf(rows[0]) ?? from) : null;
  return { rows, newer, older: full ? placeOf(rows.at(-1)) : end, cut: !full && end !== null, away };
}

/** The page of messages that are newer than a place; the first page when fewer than a page are newer. */
export async function newerPage(source: Source, terms: Term[], from: MessagePlace): Promise<ActivityPage> {
  const { rows, end, away } = await gatherWhatIsThere(source, {
    terms,
    direction: "newer",
    from,
    limit: PAGE_SIZE + 1,
  });
  if (rows.length <= PAGE_SIZE && !end) return olderPage(source, terms, null);
  const full = rows.length > PAGE_SIZE;
  if (full) rows.length = PAGE_SIZE;
  rows.reverse();
  return { rows, newer: full ? placeOf(rows[0]) : end, older: placeOf(rows.at(-1)) ?? from, cut: !full, away };
}

/** A place as it is written in a URL: `12.3`. */
export const showPlace = ({ seq, index }: MessagePlace): string => `${seq}.${index}`;

/** The inverse of `showPlace`, or null. */
export function readPlace(value: string | undefined): MessagePlace | null {
  const [, seq, index] = /^(\d{1,15})\.(-1|\d{1,5})$/u.exec(value ?? "") ?? [];
  return seq === undefined || index === undefined ? null : { seq: Number(seq), index: Number(index) };
}
