import { accountsAfter } from "../db/account-list.ts";
import type { Difference } from "../model/account.ts";
import type { AccountRef, Mode } from "../model/ref.ts";
import { objectOf } from "../objects.ts";

// Reconciles the objects of accounts (contract §10): both of one account, or those of a page of all accounts.

/** A page of all account ids, in order. It comes from D1 and may lag; it only decides which objects are asked. */
async function accountsPage(env: Env, after: string, limit: number): Promise<{ ids: string[]; next: string | null }> {
  const refs = await accountsAfter(env.DB, after, limit + 1);
  const ids = refs.slice(0, limit).map((ref) => ref.accountId);
  return { ids, next: refs.length > limit ? (ids.at(-1) ?? null) : null };
}

const MODES: readonly Mode[] = ["live", "test"];

/** A discrepancy, and the object in which it is. */
export type FoundDifference = AccountRef & Difference;

/** Recounts both objects of an account; null if the account was never opened. */
export async function recountAccount(env: Env, accountId: string): Promise<FoundDifference[] | null> {
  const found = await Promise.all(
    MODES.map(async (mode) => {
      const differences: Difference[] | null = await objectOf(env, { accountId, mode }).reconcile();
      return differences?.map((difference) => ({ accountId, mode, ...difference })) ?? null;
    }),
  );
  return found.every((one) => one === null) ? null : found.flatMap((one) => one ?? []);
}

/** Reconciles a page of all accounts, one after the other. */
export async function recountPage(
  env: Env,
  after: string,
  limit: number,
): Promise<{ differences: FoundDifference[]; accounts: number; next: string | null }> {
  const { ids, next } = await accountsPage(env, after, limit);
  const differences = [];
  for (const accountId of ids) differences.push(...((await recountAccount(env, accountId)) ?? []));
  return { differences, accounts: ids.length, next };
}
