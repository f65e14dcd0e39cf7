import { and, eq, inArray, lt, lte, or, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { BUCKET_JOBS } from "../model/history.ts";
import type { JobGroup } from "../model/history.ts";
import type { AccountRef } from "../model/ref.ts";
import { GROUP_KINDS } from "./activity.ts";
import { messageGroup } from "./history-schema.ts";
import { packGroup } from "./message-groups.ts";

// History in D1, a projection: written in batches, in any order and repeatedly; the highest revision wins. Each function
// gets one of the databases of history-databases.ts.

/** Characters in one statement's only parameter, far below D1's limit of 2 MB; one group more may follow. */
const CHARACTERS_PER_STATEMENT = 500_000;

/** Rows of one account, mode and kind that one batch deletes at most: more than it adds, so that none are left over. */
const DELETED_PER_BATCH = 500;

/** What to record of one account: groups of jobs; `keptFrom`: groups with lower numbers are not kept, and are deleted. */
export interface AccountGroups extends AccountRef {
  groups: JobGroup[];
  keptFrom?: number | undefined;
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

function groupUpserts(db: Database, { accountId, mode, groups }: AccountGroups) {
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

/** Deletions of an account's groups below a job number: the oldest ones of each kind, `limit` of them at most. */
const groupDeletes = (db: Database, { accountId, mode }: AccountRef, below: number, limit: number) =>
  Object.values(GROUP_KINDS).map((kind) => {
    const own = and(eq(messageGroup.accountId, accountId), eq(messageGroup.mode, mode), eq(messageGroup.kind, kind));
    const oldest = db
      .select({ seq: messageGroup.seq })
      .from(messageGroup)
      .where(and(own, lt(messageGroup.seq, below)))
      .orderBy(messageGroup.seq)
      .limit(limit);
    return db.delete(messageGroup).where(and(own, inArray(messageGroup.seq, oldest)));
  });

/** Records groups of any number of accounts in one batch, which is one transaction. Idempotent. */
export async function recordGroups(binding: D1Database, accounts: readonly AccountGroups[]): Promise<void> {
  const db = drizzle(binding);
  const [first, ...rest] = accounts.flatMap((of) => [
    // First, so that even a full database has room for what is newer.
    ...(of.keptFrom ? groupDeletes(db, of, of.keptFrom, DELETED_PER_BATCH) : []),
    ...groupUpserts(db, of),
  ]);
  if (first) await db.batch([first, ...rest]);
}

/**
 * Deletes the groups of an account whose job numbers are below one, the oldest first and `limit` of each kind at most.
 * Returns how many rows it deleted: with none left to delete, 0.
 */
export async function deleteGroups(
  binding: D1Database,
  ref: AccountRef,
  { below, limit }: { below: number; limit: number },
): Promise<number> {
  const [singles, bulk] = groupDeletes(drizzle(binding), ref, below, limit);
  if (!singles || !bulk) return 0;
  const done = await drizzle(binding).batch([singles, bulk]);
  return done.reduce((sum, { meta }) => sum + meta.changes, 0);
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
