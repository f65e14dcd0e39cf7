import { and, asc, desc, eq, gte, lte, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { BUCKET_JOBS, bucketOf } from "../model/history.ts";
import type { MessageState, MessageView } from "../model/message.ts";
import type { AccountRef, MessagePlace } from "../model/ref.ts";
import { join } from "../search/join.ts";
import type { Stretch } from "../search/join.ts";
import { isBeyond } from "../search/look.ts";
import type { Direction } from "../search/look.ts";
import { digitsOf, matches } from "../search/match.ts";
import type { Term } from "../search/terms.ts";
import { GROUP_COLUMNS, unpackGroup } from "./message-groups.ts";
import type { GroupRow } from "./message-groups.ts";
import { messageGroup } from "./history-schema.ts";

// Searches an account's history in D1. D1 passes over the groups that cannot contain a match, along the primary key from
// where reading starts; the messages of the others are matched here, by search/match.ts.

export interface HistoryLook {
  terms: Term[];
  direction: Direction;
  /** Starts beyond this message; null starts at the newest one when reading older ones, else at the oldest. */
  from: MessagePlace | null;
  /** Messages at most. */
  limit: number;
  /** Groups of each kind at most: few of them when little is needed, since each has up to 100 messages. */
  groups: number;
  /** The range of jobs: from `low` (inclusive) to `high` (exclusive). */
  low: number;
  high: number;
  /** Jobs to leave out, because they are read from the account. */
  except: number[];
}

export const GROUP_KINDS = { singles: 0, bulk: 1 } as const;
export type GroupKind = keyof typeof GROUP_KINDS;

/** Whether one of the words in a column is such that the condition on `value` holds. */
const someWord = (column: SQL, condition: SQL) =>
  sql`EXISTS (SELECT 1 FROM json_each('["' || replace(${column}, ' ', '","') || '"]') WHERE ${condition})`;

/** Whether one entry of a JSON column is such that all conditions on `value` hold. */
const someEntry = (column: SQL, conditions: SQL[]) =>
  sql`EXISTS (SELECT 1 FROM json_each(${column}) WHERE ${sql.join(conditions, sql` AND `)})`;

const among = (value: SQL, list: readonly (string | number)[]) =>
  sql`${value} IN (SELECT value FROM json_each(${JSON.stringify(list)}))`;

const recipients = sql`${messageGroup.recipients}`;
const requests = sql`${messageGroup.requests}`;

/** A condition on a group's words or times, true wherever one of its messages may satisfy the term. */
function mayHold(term: Term): SQL | null {
  const { not } = term;
  switch (term.on) {
    case "word": {
      const digits = digitsOf(term.value);
      if (not) {
        const inNoId = someWord(requests, sql`instr(lower(value), lower(${term.value})) = 0`);
        return digits === "" ? inNoId : sql`${inNoId} AND ${someWord(recipients, sql`instr(value, ${digits}) = 0`)}`;
      }
      // instr, because LIKE would treat characters of a text as wildcards.
      const inId = sql`instr(lower(${requests}), lower(${term.value})) > 0`;
      return digits === "" ? inId : sql`(instr(${recipients}, ${digits}) > 0 OR ${inId})`;
    }
    case "to":
      if (not) return someWord(recipients, sql`instr(value, ${term.digits}) = 0`);
      return sql`instr(${recipients}, ${term.digits}) > 0`;
    case "request":
      return not ? someWord(requests, sql`value <> ${term.id}`) : sql`instr(${requests}, ${term.id}) > 0`;
    case "after":
      return not ? sql`${messageGroup.firstAt} < ${term.atMs}` : sql`${messageGroup.lastAt} >= ${term.atMs}`;
    case "before":
      return not ? sql`${messageGroup.lastAt} >= ${term.atMs}` : sql`${messageGroup.firstAt} < ${term.atMs}`;
    case "key":
    case "text":
      // `key` was replaced by `keys` before, and history holds no texts.
      return not ? null : sql`0`;
    case "kind":
    case "keys":
    case "cost":
    case "state":
      return null;
  }
}

/** A condition on one of a group's kinds, equivalent to the term; null for a term that is not about them. */
function onKind(term: Term): SQL | null {
  switch (term.on) {
    case "kind":
      return among(sql`value ->> 0`, term.operations);
    case "keys":
      return sql`coalesce(${among(sql`value ->> 2`, term.ids)}, 0)`;
    case "cost":
      return sql`value ->> 1 BETWEEN ${term.least} AND ${term.most}`;
    default:
      return null;
  }
}

/** States that a group may have where a message is in one of a term's: `scheduled` is as of when it was recorded. */
function statesOf({ states, not }: Term & { on: "state" }): MessageState[] {
  if (states.includes("scheduled") === states.includes("queued")) return states;
  return not ? states.filter((state) => state !== "scheduled") : [...states, "scheduled"];
}

/** The same for one of a group's states. */
function onState(term: Term): SQL | null {
  if (term.on !== "state") return null;
  const inState = among(sql`value ->> 0`, statesOf(term));
  return term.refunded ? sql`(${inState} OR value ->> 1 = 1)` : inState;
}

/** The conditions of a search on a group: each is true wherever the group may contain a match. */
function conditionsOf(terms: readonly Term[]): SQL[] {
  const all = (condition: (term: Term) => SQL | null) =>
    terms.flatMap((term) => {
      const own = condition(term);
      return own ? [term.not ? sql`NOT ${own}` : own] : [];
    });
  const conditions = terms.map(mayHold).filter((condition) => condition !== null);
  const [kinds, states] = [all(onKind), all(onState)];
  if (kinds.length > 0) conditions.push(someEntry(sql`${messageGroup.kinds}`, kinds));
  if (states.length > 0) conditions.push(someEntry(sql`${messageGroup.states}`, states));
  return conditions;
}

/** The numbers of the first and of the last job that a search reads. */
function jobsOf({ direction, from, low, high }: HistoryLook): { first: number; last: number } {
  if (direction === "older") {
    const last = from ? from.seq - (from.index > 0 ? 0 : 1) : Infinity;
    return { first: low, last: Math.min(high - 1, last) };
  }
  return { first: Math.max(low, from?.seq ?? 0), last: high - 1 };
}

/** The query of a search in one kind of groups: one range of the primary key, in its order. */
export function historyQuery(binding: D1Database, ref: AccountRef, kind: GroupKind, look: HistoryLook) {
  const { accountId, mode, seq } = messageGroup;
  const { first, last } = jobsOf(look);
  const low = kind === "singles" ? bucketOf(first) : first;
  return drizzle(binding)
    .select(GROUP_COLUMNS)
    .from(messageGroup)
    .where(
      and(
        eq(accountId, ref.accountId),
        eq(mode, ref.mode),
        eq(messageGroup.kind, GROUP_KINDS[kind]),
        gte(seq, low),
        lte(seq, last),
        ...conditionsOf(look.terms),
      ),
    )
    .orderBy(look.direction === "older" ? desc(seq) : asc(seq))
    .limit(look.groups);
}

/** What the rows of one kind of groups contribute, and up to where they are complete. */
function stretchOf(kind: GroupKind, rows: readonly GroupRow[], look: HistoryLook): Stretch {
  const { direction, from, low, high, terms } = look;
  const except = new Set(look.except);
  const isAsked = (row: MessageView) =>
    row.seq >= low && row.seq < high && !except.has(row.seq) && isBeyond(row, from, direction) && matches(terms, row);
  const nowMs = Date.now();
  const found = rows.flatMap((row) => unpackGroup(row, nowMs).filter(isAsked));
  const last = rows.at(-1);
  if (!last || rows.length < look.groups) return { rows: found, end: null };
  // A bucket may reach beyond the range, which is complete then.
  if (direction === "older") return { rows: found, end: last.seq > low ? { seq: last.seq, index: 0 } : null };
  const next = last.seq + (kind === "singles" ? BUCKET_JOBS : 1);
  return { rows: found, end: next < high ? { seq: next, index: -1 } : null };
}

/**
 * The messages of history that match a search, in the direction of reading, and the place up to which they are complete:
 * null when that is all of the range.
 */
export async function searchHistory(binding: D1Database, ref: AccountRef, look: HistoryLook): Promise<Stretch> {
  const of = (kind: GroupKind) => historyQuery(binding, ref, kind, look);
  const [singles, bulk] = await drizzle(binding).batch([of("singles"), of("bulk")]);
  return join(stretchOf("singles", singles, look), stretchOf("bulk", bulk, look), look.direction, look.limit);
}
