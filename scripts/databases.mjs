// The databases of wrangler.toml: DB, and those of history (src/db/history-databases.ts).

/** The folder with the migrations of each database, by the name of its binding. */
const FOLDERS = [
  { binding: /^DB$/u, folder: "migrations" },
  { binding: /^HISTORY_[1-9]\d{0,4}$/u, folder: "migrations/history" },
];

/** The ids that wrangler.toml has before the databases are made. */
export const PLACEHOLDER = /^0{8}-0{4}-0{4}-0{4}-/u;

/** What is wrong with the databases of a deployment, as a sentence; null where nothing is. */
export function faultOfDatabases(databases) {
  for (const needed of ["DB", "HISTORY_1"]) {
    if (!databases.some(({ binding }) => binding === needed)) return `the database ${needed} is not in wrangler.toml.`;
  }
  const known = new Map();
  for (const { binding, database_id: id, database_name: name, migrations_dir: folder } of databases) {
    if (PLACEHOLDER.test(id)) {
      return `database_id of ${binding} in wrangler.toml is a placeholder; create one with: npx wrangler d1 create ${name}`;
    }
    // With one database under two names, accounts of both would write into one, and one would be measured twice.
    if (known.has(id)) return `${binding} and ${known.get(id)} in wrangler.toml are the same database.`;
    known.set(id, binding);
    const wanted = FOLDERS.find((one) => one.binding.test(binding))?.folder;
    if (wanted === undefined) return `${binding} in wrangler.toml is neither DB nor HISTORY_1, HISTORY_2 and so on.`;
    if (folder !== wanted) return `migrations_dir of ${binding} in wrangler.toml must be "${wanted}".`;
  }
  return null;
}

/** The arguments with which wrangler migrates each database. */
export const migrationsOf = (databases) =>
  databases.map(({ binding }) => ["d1", "migrations", "apply", binding, "--remote"]);

/** The databases at the top level of wrangler.toml, with as many of history as asked for. */
export function databasesOf({ d1_databases: databases }, histories = 1) {
  const first = databases.find(({ binding }) => binding === "HISTORY_1");
  const more = Array.from({ length: histories - 1 }, (_, at) => ({
    ...first,
    binding: `HISTORY_${at + 2}`,
    database_id: `history-${at + 2}`,
  }));
  return [...databases, ...more];
}
