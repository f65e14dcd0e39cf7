import { and, desc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { account, person } from "./schema.ts";

// The list of accounts for the operator's page.

/** An account as D1 lists it, with its person. */
export type ListedAccount = typeof account.$inferSelect & {
  phone: string | null;
  email: string | null;
};

/** What to look for, in one of these ways; all empty lists every account. */
export interface AccountSearch {
  /** In a name or an e-mail, or at the beginning of an id. */
  text: string;
  /** In a phone, as digits. */
  digits: string;
}

/** The place of a row in the list. */
export interface AccountPlace {
  createdAt: number;
  accountId: string;
}

/** Live accounts that match, newest first, before a place; null begins with the newest. */
export async function accountRows(
  binding: D1Database,
  asked: { search: AccountSearch; before: AccountPlace | null; limit: number },
): Promise<ListedAccount[]> {
  const {
    search: { text, digits },
    before,
    limit,
  } = asked;
  // instr() and not LIKE: a search is not a pattern, and D1 limits patterns to 50 bytes.
  const named = sql`instr(lower(${account.name}), lower(${text})) > 0`;
  const begins = sql`instr(${account.accountId}, ${text}) = 1`;
  const mailed = sql`instr(${person.email}, lower(${text})) > 0`;
  const called = digits === "" ? sql`0` : sql`instr(${person.phone}, ${digits}) > 0`;
  const place =
    before && sql`(${account.createdAt}, ${account.accountId}) < (${before.createdAt}, ${before.accountId})`;
  const rows = await drizzle(binding)
    .select({ account, phone: person.phone, email: person.email })
    .from(account)
    .leftJoin(person, eq(person.accountId, account.accountId))
    .where(
      and(
        eq(account.mode, "live"),
        place ?? undefined,
        text === "" ? undefined : sql`(${named} OR ${begins} OR ${mailed} OR ${called})`,
      ),
    )
    .orderBy(desc(account.createdAt), desc(account.accountId))
    .limit(limit);
  return rows.map(({ account: row, ...more }) => ({ ...row, ...more }));
}
