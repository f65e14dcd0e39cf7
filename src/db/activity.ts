import { sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { MessageView } from "../model/message.ts";
import type { AccountRef, MessagePlace } from "../model/ref.ts";
import { digitsOf } from "../search/match.ts";
import type { Term, Test } from "../search/terms.ts";
import type { Direction } from "../search/look.ts";
import { message } from "./schema.ts";

// Searches an account's history in D1. Every query walks the primary key from where it starts, and stops at its limit.

export interface HistoryLook {
  terms: Term[];
  direction: Direction;
  /** Starts beyond this message; null starts at the newest one when reading older ones, else at the oldest. */
  from: MessagePlace | null;
  limit: number;
  /** The range of jobs: from `low` (inclusive) to `high` (exclusive). */
  low: number;
  high: number;
  /** Jobs to leave out, because they are read from the account. */
  except: number[];
}

/**
 * The SQL condition of a term, equivalent to `holds` in search/match.ts. It uses instr, because LIKE would treat
 * characters of a text as wildcards.
 */
function holds(test: Test): SQL {
  switch (test.on) {
    case "word": {
      const digits = digitsOf(test.value);
      const inId = sql`instr(lower(${message.requestId}), lower(${test.value})) > 0`;
      return digits === "" ? inId : sql`(instr(${message.recipient}, ${digits}) > 0 OR ${inId})`;
    }
    case "to":
      return sql`instr(${message.recipient}, ${test.digits}) > 0`;
    case "kind":
      return sql`${message.operation} IN (SELECT value FROM json_each(${JSON.stringify(test.operations)}))`;
    case "state": {
      const among = sql`${message.state} IN (SELECT value FROM json_each(${JSON.stringify(test.states)}))`;
      return test.refunded ? sql`(${among} OR ${message.refunded} = 1)` : among;
    }
    case "keys":
      return sql`coalesce(${message.keyId} IN (SELECT value FROM json_each(${JSON.stringify(test.ids)})), 0)`;
    case "request":
      return sql`${message.requestId} = ${test.id}`;
    case "cost":
      return sql`${message.charge} BETWEEN ${test.least} AND ${test.most}`;
    case "after":
      return sql`${message.createdAt} >= ${test.atMs}`;
    case "before":
      return sql`${message.createdAt} < ${test.atMs}`;
    case "key":
    case "text":
      // `key` was replaced by `keys` before, and history holds no texts.
      return sql`0`;
  }
}

const numbers = ({ seq, index }: MessagePlace) => sql`(${seq}, ${index})`;

/** The query of a search: one range of the primary key, in its order. */
export function historyQuery(ref: AccountRef, look: HistoryLook): SQL {
  const { direction, from, low, high, except } = look;
  const key = sql`(${message.seq}, ${message.place})`;
  const older = direction === "older";
  // The bound where reading starts compares the whole key, the other only the job: SQLite takes one of each kind.
  const bottom = { seq: low, index: -1 };
  const top = { seq: high, index: -1 };
  const begins = from ?? (older ? top : bottom);
  const range = older
    ? sql`${key} < ${numbers(begins.seq < high ? begins : top)} AND ${message.seq} >= ${low}`
    : sql`${key} > ${numbers(begins.seq >= low ? begins : bottom)} AND ${message.seq} < ${high}`;
  const terms = look.terms.map((term) => (term.not ? sql` AND NOT ${holds(term)}` : sql` AND ${holds(term)}`));
  const elsewhere =
    except.length === 0
      ? sql``
      : sql` AND ${message.seq} NOT IN (SELECT value FROM json_each(${JSON.stringify(except)}))`;
  const order = older ? sql`${message.seq} DESC, ${message.place} DESC` : sql`${message.seq} ASC, ${message.place} ASC`;
  return sql`
    SELECT * FROM ${message}
     WHERE ${message.accountId} = ${ref.accountId} AND ${message.mode} = ${ref.mode} AND ${range}${elsewhere}${sql.join(terms)}
     ORDER BY ${order} LIMIT ${look.limit}`;
}

/** The query as text and values, for EXPLAIN. */
interface Row {
  seq: number;
  place: number;
  rev: number;
  request_id: string;
  operation: MessageView["operation"];
  recipient: string;
  state: MessageView["state"];
  charge: number;
  refunded: number;
  carrier: string | null;
  attempts: number;
  error_code: string | null;
  created_at: number;
  updated_at: number;
  timeline: string;
  key_id: number | null;
}

/** The messages of history that match a search, in the direction of reading. */
export async function searchHistory(binding: D1Database, ref: AccountRef, look: HistoryLook): Promise<MessageView[]> {
  const rows = await drizzle(binding).all<Row>(historyQuery(ref, look));
  return rows.map((row) => ({
    seq: row.seq,
    index: row.place,
    rev: row.rev,
    requestId: row.request_id,
    keyId: row.key_id,
    operation: row.operation,
    to: row.recipient,
    state: row.state,
    charge: row.charge,
    refunded: row.refunded === 1,
    carrier: row.carrier,
    attempts: row.attempts,
    errorCode: row.error_code,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    timeline: JSON.parse(row.timeline) as MessageView["timeline"],
  }));
}
