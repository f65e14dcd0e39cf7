import { MIGRATIONS } from "../../src/durable/account/schema.ts";
import { sqlOf } from "../../src/durable/migrate.ts";

/** Takes the newest step of an account's storage back, as if the release before had made it. */
export function undoNewestStep(sql: SqlStorage): void {
  const made = sqlOf(MIGRATIONS.at(-1) ?? "");
  for (const [, index = ""] of made.matchAll(/CREATE (?:UNIQUE )?INDEX (\w+)/gu)) sql.exec(`DROP INDEX ${index}`);
  for (const [, table = ""] of made.matchAll(/CREATE TABLE (\w+)/gu)) sql.exec(`DROP TABLE ${table}`);
  for (const [, table = "", column = ""] of made.matchAll(/ALTER TABLE (\w+) ADD COLUMN (\w+)/gu)) {
    sql.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`);
  }
  sql.exec("DELETE FROM schema_step");
}
