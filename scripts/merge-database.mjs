// npm run merge -- --file now.sql: puts rows into a database that was restored to an earlier time, which the export of its
// last state has and it does not; then says which documents were given the same number meanwhile (docs/backup.md).
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { ROOT } from "./local.mjs";

/** What is put back. Sessions, codes, counters and alerts are not: they are made anew, and some of them were ended. */
const TABLES = [
  "account",
  "person",
  "payment_order",
  "payment_event",
  "dispute",
  "invoice",
  "tax_note",
  "audit",
  // So that those who left meanwhile leave again.
  "erasure",
];

/** The rows that must be in both: with these columns equal, which name what they belong to. */
const CHECKS = {
  person: ["id", "account_id"],
  invoice: ["year", "number", "order_id"],
  tax_note: ["kind", "year", "number", "order_id"],
};

/** The export as a database in memory. */
export function readExport(sql) {
  const database = new DatabaseSync(":memory:");
  database.exec(sql);
  return database;
}

const tablesIn = (database) =>
  database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => name);

const literal = (value) => {
  if (value === null) return "NULL";
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString("hex")}'`;
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
};

/** Statements that add the rows of an export where their keys are free. */
export function missingRows(database) {
  return TABLES.filter((table) => tablesIn(database).includes(table)).flatMap((table) =>
    database
      .prepare(`SELECT * FROM "${table}"`)
      .all()
      .map((row) => {
        const columns = Object.keys(row).map((name) => `"${name}"`);
        return `INSERT OR IGNORE INTO "${table}" (${columns.join(", ")}) VALUES (${Object.values(row).map(literal).join(", ")});`;
      }),
  );
}

/** The query of what a database holds of a checked table. */
export const checkQuery = (table) => `SELECT ${CHECKS[table].join(", ")} FROM "${table}"`;

/** What the export has and the database, by the rows of each check, does not: each as one line. */
export function conflicts(database, rowsOf) {
  return Object.keys(CHECKS)
    .filter((table) => tablesIn(database).includes(table))
    .flatMap((table) => {
      const there = new Set(rowsOf(table).map((row) => JSON.stringify(Object.values(row))));
      const rows = database.prepare(checkQuery(table)).all();
      return rows
        .map((row) => Object.values(row))
        .filter((row) => !there.has(JSON.stringify(row)))
        .map((row) => `${table} ${row.join(" ")}`);
    });
}

function main() {
  const { values, positionals } = parseArgs({
    options: { file: { type: "string" }, env: { type: "string", default: "production" }, local: { type: "boolean" } },
    allowPositionals: true,
  });
  if (values.file === undefined) throw new Error("Usage: npm run merge -- --file EXPORT.sql [--env staging]");
  const place = values.local ? ["--local", ...positionals] : ["--remote", "--env", values.env];
  const wrangler = (args) => {
    const done = spawnSync(
      path.join(ROOT, "node_modules/.bin/wrangler"),
      ["d1", "execute", "DB", ...place, "--yes", "--json", ...args],
      { cwd: ROOT, encoding: "utf8", env: { ...process.env, WRANGLER_SEND_METRICS: "false" }, maxBuffer: 2 ** 30 },
    );
    if (done.status !== 0) throw new Error(`wrangler d1 execute failed.\n${done.stdout}${done.stderr}`);
    return done.stdout;
  };
  const database = readExport(readFileSync(values.file, "utf8"));
  const statements = missingRows(database);
  const directory = mkdtempSync(path.join(tmpdir(), "dastak-merge-"));
  try {
    const file = path.join(directory, "rows.sql");
    writeFileSync(file, statements.join("\n"), { mode: 0o600 });
    wrangler(["--file", file]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  const lines = conflicts(database, (table) => JSON.parse(wrangler(["--command", checkQuery(table)]))[0].results);
  console.log(`${statements.length} rows of the export are in the database, or others with their keys.`);
  for (const line of lines) console.error(`In conflict: ${line} of the export is not in the database.`);
  process.exitCode = lines.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main();
