import { accountOfName } from "../crypto/ids.ts";
import { historyDatabase } from "../db/history-databases.ts";
import { clearHistory } from "../db/history.ts";
import { enqueueClear } from "./enqueue.ts";

// What left an account for the archive leaves history, too.

/** Statements that one queue message may take; what is left then is done by another one. */
const CLEARS_MAX = 20;

/** Deletes from history what left an account for the archive, and reports it to the account. */
export async function clearFromHistory(env: Env, account: string): Promise<void> {
  const stub = env.ACCOUNT.getByName(account);
  let through: number | null = await stub.clearNext(null);
  if (through === null) return;
  const records = await stub.records([], false);
  const database = historyDatabase(env, records?.historyDb);
  for (let left = CLEARS_MAX; through !== null && left > 0; left -= 1) {
    await clearHistory(database, accountOfName(account), through);
    through = await stub.clearNext(through);
  }
  if (through !== null) await enqueueClear(env.HISTORY, account);
}
