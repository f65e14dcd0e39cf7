import { MIGRATIONS } from "../../src/durable/account/schema.ts";
import { sqlOf } from "../../src/durable/migrate.ts";

/** Takes the steps of an account's storage back from this number on, as if a release before them had made it. */
export function undoStepsFrom(sql: SqlStorage, first: number): void {
  for (const step of MIGRATIONS.slice(first - 1).toReversed()) undo(sql, sqlOf(step));
  sql.exec("DELETE FROM schema_step WHERE number >= ?", first);
}

function undo(sql: SqlStorage, made: string): void {
  for (const [, index = ""] of made.matchAll(/CREATE (?:UNIQUE )?INDEX (\w+)/gu)) sql.exec(`DROP INDEX ${index}`);
  for (const [, table = ""] of made.matchAll(/CREATE TABLE (\w+)/gu)) sql.exec(`DROP TABLE ${table}`);
  for (const [, table = "", column = ""] of made.matchAll(/ALTER TABLE (\w+) ADD COLUMN (\w+)/gu)) {
    sql.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`);
  }
}
