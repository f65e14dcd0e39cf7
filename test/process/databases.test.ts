import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { databasesOf, faultOfDatabases, migrationsOf } from "../../scripts/databases.mjs";
import { ROOT, readConfig } from "../../scripts/local.mjs";

// The databases of wrangler.toml, as `npm run deploy` checks and migrates them.

interface Bound {
  binding: string;
  database_name: string;
  database_id: string;
  migrations_dir: string;
}

const config = readConfig() as unknown as { d1_databases: Bound[]; env: { production: { d1_databases: Bound[] } } };
const [db, history] = config.env.production.d1_databases as [Bound, Bound];

/** The deployment's databases, made; each may be changed. */
const made = (...changes: Partial<Bound>[]): Bound[] => [
  { ...db, database_id: "a1", ...changes[0] },
  { ...history, database_id: "b2", ...changes[1] },
  ...changes.slice(2).map((change) => ({ ...history, ...change })),
];

it("are the same ones locally and deployed, with folders that hold their migrations", () => {
  for (const databases of [config.d1_databases, config.env.production.d1_databases]) {
    expect(databases.map(({ binding, migrations_dir: folder }) => [binding, folder])).toEqual([
      ["DB", "migrations"],
      ["HISTORY_1", "migrations/history"],
    ]);
    for (const { migrations_dir: folder } of databases) {
      expect(readdirSync(path.join(ROOT, folder)).some((name) => name.endsWith(".sql"))).toBe(true);
    }
  }
});

it("are all migrated before a deployment, those of history too", () => {
  const three = made({}, {}, { binding: "HISTORY_2", database_id: "c3" });
  expect(faultOfDatabases(three)).toBeNull();
  expect(migrationsOf(three)).toEqual(
    ["DB", "HISTORY_1", "HISTORY_2"].map((binding) => ["d1", "migrations", "apply", binding, "--remote"]),
  );
});

it.each([
  ["a placeholder", [db, history], "database_id of DB in wrangler.toml is a placeholder"],
  [
    "a placeholder of history",
    made({}, { database_id: history.database_id }),
    "npx wrangler d1 create dastak-history-1",
  ],
  ["no history", made().slice(0, 1), "HISTORY_1 is not in wrangler.toml"],
  ["one twice", made({}, {}, { binding: "HISTORY_2", database_id: "b2" }), "HISTORY_2 and HISTORY_1"],
  ["another's tables", made({}, { migrations_dir: "migrations" }), 'must be "migrations/history"'],
  ["a name in use by no code", made({}, {}, { binding: "HISTORY_two", database_id: "c3" }), "HISTORY_two"],
])("are refused with %s", (_, databases, said) => {
  expect(faultOfDatabases(databases)).toContain(said);
});

it("have ids of their own in a local service, however many there are", () => {
  const ids = databasesOf(config, 3).map(({ database_id: id }) => id);
  expect(ids).toHaveLength(4);
  expect(new Set(ids).size).toBe(4);
});
