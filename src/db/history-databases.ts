// The databases of history: the bindings HISTORY_1, HISTORY_2 and so on. An account's history is in one of them, whose
// number the account stores when it is opened (account.history_db); new accounts get the newest.

/** The bindings that history needs; those after the first are optional, and found by their names. */
export type HistoryEnv = Pick<Env, "HISTORY_1">;

/** One database of history. */
export interface HistoryDatabase {
  number: number;
  /** The name of its binding. */
  name: string;
  database: D1Database;
}

const NAME = /^HISTORY_(?<number>[1-9]\d{0,4})$/u;

/** The databases of history that are bound, by number. */
export function historyDatabases(env: HistoryEnv): HistoryDatabase[] {
  return Object.entries(env)
    .flatMap(([name, database]) => {
      const number = NAME.exec(name)?.groups?.["number"];
      return number === undefined ? [] : [{ number: Number(number), name, database }];
    })
    .toSorted((one, other) => one.number - other.number);
}

/** An account's history is in a database that is not bound: its binding was removed from wrangler.toml. */
export class HistoryNotBound extends Error {
  /** The name of the binding. */
  readonly binding: string;

  constructor(binding: string) {
    super(`${binding} is not bound, and accounts have their history there: bind it again in wrangler.toml`);
    this.binding = binding;
  }
}

/**
 * The database of history with this number. Throws HistoryNotBound where it is not bound, as a query throws where it is
 * away. The number is missing where the account's object still runs the version before.
 */
export function historyDatabase(env: HistoryEnv, number: number | undefined): D1Database {
  if (number === undefined) throw new Error("the account's object runs the version before, and names no database");
  const bindings: Readonly<Record<string, D1Database | undefined>> = env;
  const name = `HISTORY_${number}`;
  const database = bindings[name];
  if (!database) throw new HistoryNotBound(name);
  return database;
}

/** The number of the newest database, to which new accounts go. */
export const newestHistory = (env: HistoryEnv): number => historyDatabases(env).at(-1)?.number ?? 1;
