import { accountsPage } from "./accounts.ts";
import type { Difference } from "../model/account.ts";
import { objectName } from "../crypto/ids.ts";
import type { AccountRef, Mode } from "../crypto/ids.ts";

// Recounting from outside (contract §10): both objects of an account, or of a page of all of them.

const MODES: readonly Mode[] = ["live", "test"];

/** A difference, and in which object it is. */
export type Found = AccountRef & Difference;

/** Recounts both objects of an account; null where nobody opened one. */
export async function recountAccount(env: Env, accountId: string): Promise<Found[] | null> {
  const found = await Promise.all(
    MODES.map(async (mode) => {
      const stub = env.ACCOUNT.getByName(objectName({ accountId, mode }));
      const differences: Difference[] | null = await stub.reconcile();
      return differences?.map((difference) => ({ accountId, mode, ...difference })) ?? null;
    }),
  );
  return found.every((one) => one === null) ? null : found.flatMap((one) => one ?? []);
}

/** Recounts a page of all accounts, one after the other. */
export async function recountPage(
  env: Env,
  after: string,
  limit: number,
): Promise<{ differences: Found[]; accounts: number; next: string | null }> {
  const { ids, next } = await accountsPage(env, after, limit);
  const differences = [];
  for (const accountId of ids) differences.push(...((await recountAccount(env, accountId)) ?? []));
  return { differences, accounts: ids.length, next };
}
