import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { AccountView } from "../model/account.ts";
import type { MessageView, Recorded } from "../model/message.ts";
import type { AccountRef } from "../model/ref.ts";
import { account, message } from "./schema.ts";

// History in D1, a projection: written in batches, in any order and repeatedly; the highest revision wins.

/** Rows per statement; keeps its one parameter far below D1's limit of 2 MB. */
const ROWS_PER_STATEMENT = 500;

/** What to record of one account: messages, and the profile unless it is null. */
export interface AccountChanges extends AccountRef {
  messages: MessageView[];
  profile: AccountView | null;
}

type Database = ReturnType<typeof drizzle>;

/** The value of a column in the row that an upsert inserts. */
const newer = (column: { name: string }) => sql.raw(`excluded.${column.name}`);

function messageUpserts(db: Database, { accountId, mode, messages }: AccountChanges) {
  const statements = [];
  const { rev, state, refunded, carrier, attempts, errorCode, updatedAt, timeline } = message;
  const changing = { rev, state, refunded, carrier, attempts, errorCode, updatedAt, timeline };
  const set = Object.fromEntries(Object.entries(changing).map(([name, column]) => [name, newer(column)]));
  const target = [message.accountId, message.mode, message.seq, message.place];
  for (let at = 0; at < messages.length; at += ROWS_PER_STATEMENT) {
    // One parameter for all rows, since D1 allows 100. json_each is also several times faster than single inserts.
    const rows = JSON.stringify(messages.slice(at, at + ROWS_PER_STATEMENT));
    const select = sql`
      SELECT ${accountId}, ${mode}, value ->> 'seq', value ->> 'index', value ->> 'rev', value ->> 'requestId',
             value ->> 'operation', value ->> 'to', value ->> 'state', value ->> 'charge', value ->> 'refunded',
             value ->> 'carrier', value ->> 'attempts', value ->> 'errorCode', value ->> 'createdAt',
             value ->> 'updatedAt', value ->> 'timeline', value ->> 'keyId'
        FROM json_each(${rows}) WHERE true`;
    statements.push(
      db
        .insert(message)
        .select(select)
        .onConflictDoUpdate({ target, set, setWhere: sql`excluded.rev > ${message.rev}` }),
    );
  }
  return statements;
}

function profileUpsert(db: Database, { accountId, mode, profile }: AccountChanges) {
  if (!profile) return [];
  const { name, status, plan, rev, createdAt } = profile;
  const row = { accountId, mode, rev, name, status, plan, createdAt };
  const target = [account.accountId, account.mode];
  return [
    db
      .insert(account)
      .values(row)
      .onConflictDoUpdate({ target, set: { rev, name, status, plan }, setWhere: sql`excluded.rev > ${account.rev}` }),
  ];
}

/** Records changes of any number of accounts in one batch, which is one transaction. Idempotent. */
export async function recordHistory(binding: D1Database, changes: AccountChanges[]): Promise<void> {
  const db = drizzle(binding);
  const [first, ...rest] = changes.flatMap((of) => [...messageUpserts(db, of), ...profileUpsert(db, of)]);
  if (first) await db.batch([first, ...rest]);
}

/** What history holds of an account's jobs: all after `settledSeq`, and those of `late`. */
export async function recordedJobs(
  binding: D1Database,
  ref: AccountRef,
  settledSeq: number,
  late: number[],
): Promise<Recorded> {
  const db = drizzle(binding);
  // Two statements, each along the primary key: with OR in one, SQLite would read the account's whole history.
  const recorded = (which: SQL) =>
    db
      .select({ seq: message.seq, rev: sql<number>`max(${message.rev})`, messages: sql<number>`count(*)` })
      .from(message)
      .where(and(eq(message.accountId, ref.accountId), eq(message.mode, ref.mode), which))
      .groupBy(message.seq);
  const among = sql`${message.seq} IN (SELECT value FROM json_each(${JSON.stringify(late)}))`;
  const [after, before] = await db.batch([recorded(gt(message.seq, settledSeq)), recorded(among)]);
  return new Map([...after, ...before].map(({ seq, rev, messages }) => [seq, { rev, messages }]));
}

/** The revision of the account's profile in history, or 0. */
export async function recordedProfile(binding: D1Database, ref: AccountRef): Promise<number> {
  const rows = await drizzle(binding)
    .select({ rev: account.rev })
    .from(account)
    .where(and(eq(account.accountId, ref.accountId), eq(account.mode, ref.mode)));
  return rows[0]?.rev ?? 0;
}

/** Live accounts in the order of their ids, for iterating over all of them. */
export async function accountsAfter(binding: D1Database, after: string, limit: number): Promise<AccountRef[]> {
  return drizzle(binding)
    .select({ accountId: account.accountId, mode: account.mode })
    .from(account)
    .where(and(gt(account.accountId, after), eq(account.mode, "live")))
    .orderBy(asc(account.accountId))
    .limit(limit);
}

/** Checks that D1 answers; throws when it does not. */
export async function pingHistory(binding: D1Database): Promise<void> {
  await drizzle(binding).run(sql`SELECT 1`);
}
