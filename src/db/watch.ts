import { and, asc, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { AccountRef } from "../model/ref.ts";
import { account } from "./schema.ts";

// Which accounts may have open work: a time for each in the list of accounts, until which periodic work looks after it.

/** What is noted stands for so long before it is written again: a busy account costs a row a day. */
const STEP_MS = 86_400_000;

/** Notes that these accounts may have open work until a time, in ms since the epoch. */
export async function watchAccounts(binding: D1Database, refs: readonly AccountRef[], untilMs: number): Promise<void> {
  if (refs.length === 0) return;
  const named = JSON.stringify(refs.map(({ accountId, mode }) => [accountId, mode]));
  await drizzle(binding).run(sql`
    UPDATE account SET watch_until = ${untilMs}
      FROM (SELECT value ->> 0 AS id, value ->> 1 AS mode FROM json_each(${named})) AS named
     WHERE account.account_id = named.id AND account.mode = named.mode AND account.watch_until < ${untilMs - STEP_MS}`);
}

/** A page of the list of accounts after a place, both modes; only those that may have open work after a time, if given. */
export async function listAfter(
  binding: D1Database,
  after: AccountRef | null,
  limit: number,
  watchedAfterMs: number | null = null,
): Promise<AccountRef[]> {
  const { accountId, mode } = after ?? { accountId: "", mode: "" };
  const isBeyond = sql`(${account.accountId}, ${account.mode}) > (${accountId}, ${mode})`;
  return drizzle(binding)
    .select({ accountId: account.accountId, mode: account.mode })
    .from(account)
    .where(watchedAfterMs === null ? isBeyond : and(isBeyond, gt(account.watchUntil, watchedAfterMs)))
    .orderBy(asc(account.accountId), asc(account.mode))
    .limit(limit);
}
