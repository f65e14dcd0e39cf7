// Builds the API's documents (openapi.mjs) and the browser's files: the script of every page, the scripts of forms that send and of the bot check, one style
// sheet, the fonts. The Worker serves them itself, so that no router of static files runs before the API; their names
// contain their content's hash, so that browsers can cache them for ever.
// For a local Worker it also builds the list of migrations.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { cutFonts } from "./fonts.mjs";
import { packTexts } from "./guides.mjs";
import { ROOT, STATE_DIR } from "./local.mjs";
import { buildDocuments } from "./openapi.mjs";
import { holderOf, lockStateFor } from "./state-lock.mjs";

const TYPES = { ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".woff2": "font/woff2" };

/**
 * Writes src/ui/built.json: for each file its type and its bytes, and the names that the pages refer to; and with it the
 * other files that every Worker carries, src/openapi/built.json and src/ui/docs/texts.json.
 */
export async function buildAssets() {
  writeJson("src/ui/docs/texts.json", packTexts());
  await Promise.all([cutFonts(), buildDocuments()]);
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["src/client/app.ts", "src/client/compose.ts", "src/client/proof-of-work.ts", "src/ui/css/app.css"],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    outdir: "assets",
    entryNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    loader: { ".woff2": "file" },
    target: ["es2022", "chrome123", "firefox120", "safari17.5"],
    logLevel: "warning",
  });
  const files = {};
  const entries = {};
  for (const { path: file, contents } of outputFiles) {
    const name = path.basename(file);
    const extension = path.extname(name);
    const binary = extension === ".woff2";
    const body = Buffer.from(contents).toString(binary ? "base64" : "utf8");
    files[name] = { type: TYPES[extension], binary, body };
    if (!binary) entries[name.replace(/-[^-]+$/u, extension)] = name;
  }
  writeJson("src/ui/built.json", { entries, files });
}

/** The folders of migrations: of the database DB, and of each database of history. wrangler.toml names them, too. */
const FOLDERS = { service: "migrations", history: "migrations/history" };

/** The migrations of a folder in order, as drizzle-kit wrote them. */
export function readMigrations(name) {
  const folder = path.join(ROOT, name);
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.toSorted().map((name) => ({
    name,
    statements: readFileSync(path.join(folder, name), "utf8").split("--> statement-breakpoint"),
  }));
}

/** Writes src/local/migrations.json. */
export function buildMigrations() {
  const all = Object.entries(FOLDERS).map(([name, folder]) => [name, readMigrations(folder)]);
  writeJson("src/local/migrations.json", Object.fromEntries(all));
}

/** Writes a file only when it changes: wrangler watches this folder, and an unchanged file would start another build. */
function writeJson(name, value) {
  const file = path.join(ROOT, name);
  const text = JSON.stringify(value);
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}

/** The wrangler commands allowed for the top level of wrangler.toml, which must never be deployed. */
const LOCAL_COMMANDS = new Set(["dev", "types"]);

const refuse = (sentence) => {
  console.error(sentence);
  process.exit(1);
};

/** The process id of wrangler, which runs a build step in a shell; null on a machine without ps. */
function wranglerPid() {
  const { stdout } = spawnSync("ps", ["-o", "ppid=,comm=", "-p", String(process.ppid)], { encoding: "utf8" });
  const [, parent, program = ""] = /^\s*(\d+)\s+(.+)$/mu.exec(stdout ?? "") ?? [];
  if (parent === undefined) return null;
  return program.trim().endsWith("sh") ? Number(parent) : process.ppid;
}

/** Ends this build step with an error when wrangler must not continue. */
async function checkLocalBuild(command) {
  if (command === undefined) return;
  if (!LOCAL_COMMANDS.has(command)) {
    refuse(`wrangler ${command} without an environment means the local configuration. Deploy with: npm run deploy`);
  }
  if (command !== "dev") return;
  // Two services would write into the same files.
  const wrangler = wranglerPid();
  if (wrangler !== null && !(await lockStateFor(wrangler, STATE_DIR))) {
    refuse(`Dastak is already running on this state (process ${holderOf(STATE_DIR)?.pid}); stop it first.`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === "local") await checkLocalBuild(process.env.WRANGLER_COMMAND);
  buildMigrations();
  await buildAssets();
}
