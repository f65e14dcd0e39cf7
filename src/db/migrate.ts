/** One file of `migrations/`: its name, and its statements in order. */
export interface Migration {
  name: string;
  statements: string[];
}

const TABLE =
  "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)";

async function appliedIn(db: D1Database): Promise<Set<string>> {
  await db.prepare(TABLE).run();
  const { results } = await db.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  return new Set(results.map(({ name }) => name));
}

/**
 * Applies the missing migrations to a database, with the table and the names of `wrangler d1 migrations apply`. Each
 * migration is one transaction: of two callers that apply it concurrently, one finds it done. Throws if one fails.
 */
export async function applyMigrations(db: D1Database, migrations: readonly Migration[]): Promise<void> {
  const applied = await appliedIn(db);
  for (const { name, statements } of migrations) {
    if (applied.has(name)) continue;
    const done = db.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name);
    try {
      await db.batch([...statements.map((statement) => db.prepare(statement)), done]);
    } catch (problem) {
      if (!(await appliedIn(db)).has(name)) throw problem;
    }
  }
}
