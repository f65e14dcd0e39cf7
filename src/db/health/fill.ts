import { configOf } from "../../config/config.ts";
import { logProblem } from "../../log.ts";
import { historyDatabases } from "../history-databases.ts";

// How full the databases are. D1 says its size with each answer, so it is asked when it is needed, and stored nowhere.

/** One database of D1, by the name of its binding. */
export interface DatabaseFill {
  name: string;
  /** Null where the database did not answer. */
  bytes: number | null;
  /** Bytes that it may have. */
  max: number;
}

/** The size of a database in bytes, after an answer from it; throws when it does not answer. */
export async function sizeOf(database: D1Database): Promise<number> {
  return (await database.prepare("SELECT 1").run()).meta.size_after;
}

/** How full each database is: DB, then those of history by number. One query to each, of no row. */
export function databaseFill(env: Env): Promise<DatabaseFill[]> {
  const max = configOf(env).HISTORY_BYTES_MAX;
  const all = [{ name: "DB", database: env.DB }, ...historyDatabases(env)];
  return Promise.all(
    all.map(async ({ name, database }) => {
      try {
        return { name, bytes: await sizeOf(database), max };
      } catch (problem) {
        logProblem(`size of ${name}`, problem);
        return { name, bytes: null, max };
      }
    }),
  );
}
