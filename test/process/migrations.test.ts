import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

// D1 is migrated before the code is deployed, and a rollback leaves it migrated: the version before reads and writes on, so
// that a migration only adds. What it once read goes a release after the one that stopped reading it.

/** Tables and columns that a migration may drop, and the migration of the release that stopped reading them. */
const LEFT: Readonly<Record<string, string>> = { message: "0004_messages_in_groups" };

interface Statement {
  migration: string;
  sql: string;
}

function statements(): Statement[] {
  return globSync("migrations/**/*.sql")
    .toSorted()
    .flatMap((file) =>
      readFileSync(file, "utf8")
        .replaceAll(/^--(?!> statement-breakpoint).*$/gmu, "")
        .split(/--> statement-breakpoint|;/u)
        .map((sql) => ({ migration: path.basename(file, ".sql"), sql: sql.replaceAll(/\s+/gu, " ").trim() }))
        .filter(({ sql }) => sql !== ""),
    );
}

const nameIn = (sql: string, pattern: RegExp): string => pattern.exec(sql)?.groups?.["name"] ?? "";

/** Why the version before could not live with a statement; null where it can. */
function fault({ migration, sql }: Statement, all: readonly Statement[]): string | null {
  const dropped = nameIn(sql, /^DROP TABLE `?(?<name>\w+)/iu) || nameIn(sql, /DROP COLUMN `?(?<name>\w+)/iu);
  if (dropped !== "") {
    const since = LEFT[dropped];
    if (since !== undefined && since < migration) return null;
    return `drops ${dropped}, of which LEFT does not say which release before stopped reading it`;
  }
  if (/^(?:CREATE TABLE|CREATE INDEX|DROP INDEX)/iu.test(sql)) return null;
  if (/^CREATE UNIQUE INDEX/iu.test(sql)) {
    const table = nameIn(sql, /\bON `?(?<name>\w+)/iu);
    const isNew = all.some((one) => one.migration === migration && one.sql.startsWith(`CREATE TABLE \`${table}\``));
    return isNew ? null : `refuses rows of ${table} that the version before inserts`;
  }
  if (/^ALTER TABLE `?\w+`? ADD/iu.test(sql)) {
    return /NOT NULL/iu.test(sql) && !/\bDEFAULT\b/iu.test(sql) ? "adds a column that an insert must name" : null;
  }
  return "does more than to add";
}

it("migrations of D1 only add: the version before can work with each", () => {
  const all = statements();
  expect(all.length).toBeGreaterThan(20);
  const faults = all.flatMap((one) => {
    const why = fault(one, all);
    return why === null ? [] : [`${one.migration}: ${why}: ${one.sql.slice(0, 80)}`];
  });
  expect(faults).toEqual([]);
});

it.each([
  ["DROP TABLE `person`", "drops person"],
  ["ALTER TABLE `person` DROP COLUMN `phone`", "drops phone"],
  ["ALTER TABLE `person` RENAME COLUMN `phone` TO `mobile`", "more than to add"],
  ["ALTER TABLE `person` RENAME TO `people`", "more than to add"],
  ["ALTER TABLE `person` ADD `age` integer NOT NULL", "an insert must name"],
  ["CREATE UNIQUE INDEX `one_name` ON `person` (`name`)", "refuses rows of person"],
  ["DELETE FROM person", "more than to add"],
])("such a migration is found: %s", (sql, why) => {
  expect(fault({ migration: "9999_bad", sql }, statements())).toContain(why);
});
