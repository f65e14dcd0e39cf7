import { logProblem } from "../log.ts";

// How full the databases are. D1 says its size with each answer.

/** One database of D1, by the name of its binding. */
export interface DatabaseFill {
  name: string;
  /** Null where the database did not answer. */
  bytes: number | null;
  /** Bytes that it may have. */
  max: number;
}

/** The limit of a D1 database, in bytes. */
const DATABASE_BYTES_MAX = 10_000_000_000;

/** How full each database is. One query to each, of no row. */
export async function databaseFill(env: Env): Promise<DatabaseFill[]> {
  try {
    const { meta } = await env.DB.prepare("SELECT 1").run();
    return [{ name: "DB", bytes: meta.size_after, max: DATABASE_BYTES_MAX }];
  } catch (problem) {
    logProblem("size of DB", problem);
    return [{ name: "DB", bytes: null, max: DATABASE_BYTES_MAX }];
  }
}
