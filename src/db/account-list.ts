import { and, asc, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { AccountView } from "../model/account.ts";
import type { AccountRef } from "../model/ref.ts";
import { account } from "./schema.ts";

// The list of accounts in DB, a projection of their objects: written in any order and repeatedly; the highest revision wins.

/** An account as its object describes it. */
export interface AccountProfile extends AccountRef {
  profile: AccountView;
}

/** Lists accounts as they are, in one batch, which is one transaction. Idempotent. */
export async function listAccounts(binding: D1Database, accounts: readonly AccountProfile[]): Promise<void> {
  const db = drizzle(binding);
  const target = [account.accountId, account.mode];
  const [first, ...rest] = accounts.map(({ accountId, mode, profile: { name, status, plan, rev, createdAt } }) =>
    db
      .insert(account)
      .values({ accountId, mode, rev, name, status, plan, createdAt })
      .onConflictDoUpdate({ target, set: { rev, name, status, plan }, setWhere: sql`excluded.rev > ${account.rev}` }),
  );
  if (first) await db.batch([first, ...rest]);
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
