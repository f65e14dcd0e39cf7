import { accountsAfter } from "../db/history.ts";

/** A page of all account ids, in their order. It comes from D1 and may lag; it only says whom to ask. */
export async function accountsPage(
  env: Env,
  after: string,
  limit: number,
): Promise<{ ids: string[]; next: string | null }> {
  const refs = await accountsAfter(env.DB, after, limit + 1);
  const ids = refs.slice(0, limit).map((ref) => ref.accountId);
  return { ids, next: refs.length > limit ? (ids.at(-1) ?? null) : null };
}
