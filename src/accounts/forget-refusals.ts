import { historyDatabases } from "../db/history-databases.ts";
import { forgetRefused } from "../db/requests/refused.ts";
import { logProblem } from "../log.ts";

/** Rows that one run deletes at most in each database: over a million a day. */
const FORGOTTEN_PER_RUN = 5_000;

/** Deletes refused requests that are kept no more; a database that is away does not stop the others. */
export async function forgetRefusals(env: Env, nowMs: number): Promise<void> {
  for (const { database } of historyDatabases(env)) {
    await forgetRefused(database, nowMs, FORGOTTEN_PER_RUN).catch((problem: unknown) =>
      logProblem("forget refusals", problem),
    );
  }
}
