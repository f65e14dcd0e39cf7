// Applies D1 migrations to the local state, in-process: `wrangler d1 migrations apply` takes as long as the service.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { QUIET, ROOT } from "./local.mjs";

const MIGRATIONS = path.join(ROOT, "migrations");

/** Brings the local D1 to the newest migration; the same table and names as wrangler's own command. */
export async function migrateLocal(stateDir, configFile) {
  // Wrangler runs within this process here, and is to be as quiet as elsewhere.
  Object.assign(process.env, QUIET);
  const { getPlatformProxy, unstable_splitSqlQuery } = await import("wrangler");
  const { d1_databases } = JSON.parse(readFileSync(configFile, "utf8"));
  // Only D1: a proxy for Durable Objects would need the Worker and say so on the terminal.
  const bare = path.join(stateDir, "migrate.json");
  writeFileSync(bare, JSON.stringify({ name: "dastak", compatibility_date: "2026-08-01", d1_databases }));
  const { env, dispose } = await getPlatformProxy({
    configPath: bare,
    persist: { path: path.join(stateDir, "v3") },
    envFiles: [],
  });
  try {
    await env.DB.prepare(
      "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
    ).run();
    const { results } = await env.DB.prepare("SELECT name FROM d1_migrations").all();
    const applied = new Set(results.map(({ name }) => name));
    const files = readdirSync(MIGRATIONS).filter((file) => file.endsWith(".sql"));
    for (const file of files.toSorted()) {
      if (applied.has(file)) continue;
      const statements = unstable_splitSqlQuery(readFileSync(path.join(MIGRATIONS, file), "utf8"));
      const done = env.DB.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(file);
      await env.DB.batch([...statements.map((statement) => env.DB.prepare(statement)), done]);
    }
  } finally {
    await dispose();
  }
}
