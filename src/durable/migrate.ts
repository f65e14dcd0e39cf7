import { number } from "./rows.ts";

// The schema of an object's storage grows in steps, and each step says the oldest code that can live with it. Code that is
// older than its storage, as after a rollback, works as long as no step asks for more than it knows.

/**
 * A step of a schema; its position in its list, from 1, is its number. SQL alone is additive: code that knows the step
 * before reads and writes on as it did. Any other step says the oldest code that can live with it, as the number of the
 * newest step that this code knows.
 */
export type Step = string | { readonly sql: string; readonly oldest: number };

/** The storage needs newer code. The property survives RPC, and gives the caller a 503 (`src/http/app.ts`). */
export class StorageTooNew extends Error {
  readonly unavailable = true;
}

/** Whether the object has tables. One that was never opened has none, and costs no storage. */
export function isOpened(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'").toArray().length > 0;
}

const numberIn = (sql: SqlStorage, query: string): number => number(sql.exec(query).one(), "number");

/** The SQL of a step. */
export const sqlOf = (step: Step): string => (typeof step === "string" ? step : step.sql);

/**
 * Migrates the storage to the newest schema, inside the caller's transaction; storage that is newer stays as it is.
 * Throws StorageTooNew where this code is older than the oldest that can live with it. The table `migration` counts the
 * steps up to `counted` and no others: releases that know no `schema_step` refuse all storage where it counts further.
 * Returns how many steps were made.
 */
export function migrate(sql: SqlStorage, steps: readonly Step[], counted = steps.length): number {
  sql.exec("CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY)");
  sql.exec("CREATE TABLE IF NOT EXISTS schema_step (number INTEGER PRIMARY KEY, oldest INTEGER NOT NULL)");
  const oldest = numberIn(sql, "SELECT coalesce(max(oldest), 0) AS number FROM schema_step");
  if (oldest > steps.length) {
    throw new StorageTooNew(
      `the storage needs a release that knows its schema ${oldest}, and this one knows ${steps.length}: deploy such a ` +
        "release. Until then the object answers 503 and changes nothing",
    );
  }
  const done = Math.max(
    ...["migration", "schema_step"].map((table) =>
      numberIn(sql, `SELECT coalesce(max(number), 0) AS number FROM ${table}`),
    ),
  );
  const missing = steps.slice(done);
  missing.forEach((step, at) => {
    const next = done + at + 1;
    sql.exec(sqlOf(step));
    if (next <= counted) sql.exec("INSERT INTO migration (number) VALUES (?)", next);
    else sql.exec("INSERT INTO schema_step (number, oldest) VALUES (?, 0)", next);
    if (typeof step !== "string") needCode(sql, step.oldest);
  });
  return missing.length;
}

/**
 * Notes that from now on only code that knows this step can live with the storage: for a change of its content that older
 * code would misread, such as rows that left it.
 */
export function needCode(sql: SqlStorage, oldest: number): void {
  const row = "SELECT 1 FROM schema_step WHERE oldest >= ?";
  if (sql.exec(row, oldest).toArray().length > 0) return;
  sql.exec(
    "INSERT INTO schema_step (number, oldest) VALUES (?1, ?1) ON CONFLICT (number) DO UPDATE SET oldest = ?1",
    oldest,
  );
  // For releases that know no `schema_step`.
  sql.exec("INSERT OR IGNORE INTO migration (number) VALUES (?)", oldest);
}
