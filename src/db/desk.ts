import { and, asc, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { account } from "./schema.ts";

// The list of accounts for the operator's page.

export type ListedAccount = typeof account.$inferSelect;

/** Accounts after an id, ordered by id; with a search, only those whose name contains it or whose id begins with it. */
export async function accountRows(
  binding: D1Database,
  asked: { search: string; after: string; limit: number },
): Promise<ListedAccount[]> {
  // instr() and not LIKE: a search is not a pattern, and D1 limits patterns to 50 bytes.
  const named = sql`instr(lower(${account.name}), lower(${asked.search})) > 0`;
  const begins = sql`instr(${account.accountId}, ${asked.search}) = 1`;
  return drizzle(binding)
    .select()
    .from(account)
    .where(
      and(
        gt(account.accountId, asked.after),
        eq(account.mode, "live"),
        asked.search === "" ? undefined : sql`(${named} OR ${begins})`,
      ),
    )
    .orderBy(asc(account.accountId))
    .limit(asked.limit);
}
