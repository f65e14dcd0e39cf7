import { and, asc, eq, gt, lte, or, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { AccountView } from "../model/account.ts";
import { BUCKET_JOBS } from "../model/history.ts";
import type { JobGroup } from "../model/history.ts";
import type { AccountRef } from "../model/ref.ts";
import { GROUP_KINDS } from "./activity.ts";
import { packGroup } from "./message-groups.ts";
import { account, messageGroup } from "./schema.ts";

// History in D1, a projection: written in batches, in any order and repeatedly; the highest revision wins.

/** Characters in one statement's only parameter, far below D1's limit of 2 MB; one group more may follow. */
const CHARACTERS_PER_STATEMENT = 500_000;

/** What to record of one account: groups of jobs, and the profile unless it is null. */
export interface AccountChanges extends AccountRef {
  groups: JobGroup[];
  profile: AccountView | null;
}

type Database = ReturnType<typeof drizzle>;

/** The columns of a group after its key, with their places in the JSON of the upsert. */
const COLUMNS = {
  rev: sql`value -> 'rev'`,
  firstAt: sql`value -> 'firstAt'`,
  lastAt: sql`value -> 'lastAt'`,
  counts: sql`value -> 'counts'`,
  kinds: sql`value -> 'kinds'`,
  states: sql`value -> 'states'`,
  recipients: sql`value ->> 'recipients'`,
  requests: sql`value ->> 'requests'`,
  messages: sql`value -> 'messages'`,
} as const;

const NEWER = Object.fromEntries(
  (Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]).map((name) => [
    name,
    sql.raw(`excluded.${messageGroup[name].name}`),
  ]),
);

/** The groups as JSON lists, each short enough for one parameter. */
function* listsOf(groups: readonly JobGroup[]): Generator<string> {
  let rows: string[] = [];
  let characters = 0;
  for (const group of groups) {
    const row = JSON.stringify(packGroup(group));
    rows.push(row);
    characters += row.length;
    if (characters < CHARACTERS_PER_STATEMENT) continue;
    yield `[${rows.join(",")}]`;
    rows = [];
    characters = 0;
  }
  if (rows.length > 0) yield `[${rows.join(",")}]`;
}

function groupUpserts(db: Database, { accountId, mode, groups }: AccountChanges) {
  const target = [messageGroup.accountId, messageGroup.mode, messageGroup.kind, messageGroup.seq];
  // One parameter for all rows, since D1 allows 100. json_each is also several times faster than single inserts.
  return [...listsOf(groups.filter(({ messages }) => messages.length > 0))].map((rows) =>
    db
      .insert(messageGroup)
      .select(
        sql`SELECT ${accountId}, ${mode}, value ->> 'kind', value ->> 'seq', ${sql.join(Object.values(COLUMNS), sql`, `)}
              FROM json_each(${rows}) WHERE true`,
      )
      .onConflictDoUpdate({ target, set: NEWER, setWhere: sql`excluded.rev > ${messageGroup.rev}` }),
  );
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
  const [first, ...rest] = changes.flatMap((of) => [...groupUpserts(db, of), ...profileUpsert(db, of)]);
  if (first) await db.batch([first, ...rest]);
}

/**
 * Deletes what an account's history holds of jobs up to a number, also what came back late: a row of a bulk, and a bucket of
 * single messages that ends by then. Nothing of these is recorded any more.
 */
export async function clearHistory(
  binding: D1Database,
  { accountId, mode }: AccountRef,
  through: number,
): Promise<void> {
  const { kind, seq } = messageGroup;
  const end = (of: 0 | 1, last: number) =>
    and(eq(messageGroup.accountId, accountId), eq(messageGroup.mode, mode), eq(kind, of), lte(seq, last));
  await drizzle(binding)
    .delete(messageGroup)
    .where(or(end(GROUP_KINDS.singles, through - BUCKET_JOBS + 1), end(GROUP_KINDS.bulk, through)));
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
