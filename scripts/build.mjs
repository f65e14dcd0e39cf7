// Builds the static files: the API's documents (openapi.mjs), the texts of the documentation (guides.mjs), and the browser's
// files: the script of every page, the scripts of forms that send and of the bot check, one style sheet, the fonts. Their
// names contain their content's hash, so that browsers and isolates can keep them for ever.
// For a local Worker it also builds the list of migrations.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { nameOf, writeAssets } from "./assets.mjs";
import { cutFonts } from "./fonts.mjs";
import { gatherTexts } from "./guides.mjs";
import { ROOT, STATE_DIR } from "./local.mjs";
import { en } from "../src/ui/words/desk-carriers.ts";
import { hi } from "../src/ui/words/desk-carriers-hi.ts";
import { deskAccess } from "../src/ui/words/desk-access.ts";
import { deskHealth } from "../src/ui/words/desk-health.ts";
import { deskWords } from "../src/ui/words/desk.ts";
import { PRESETS } from "../src/carriers/presets.ts";
import { documentsOf, routeFiles } from "./openapi.mjs";
import { holderOf, lockStateFor } from "./state-lock.mjs";

const TYPES = { ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".woff2": "font/woff2" };

/** The browser's files, by name: the scripts, the style sheet and the fonts that it refers to. */
async function browserFiles() {
  await cutFonts();
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
  return new Map(outputFiles.map(({ path: file, contents }) => [path.basename(file), contents]));
}

/** Words for a static file: a function, which only puts its values into a sentence, becomes that sentence with their places. */
function storedWords(value) {
  if (typeof value === "function") {
    return { sentence: value(...Array.from({ length: value.length }, (_, nth) => `{${nth}}`)) };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, storedWords(one)]));
}

/** The passwords that guessers try first, packed (common-passwords.mjs). */
const COMMON_PASSWORDS = JSON.parse(readFileSync(path.join(ROOT, "src/sign-in/common-passwords.json"), "utf8"));

/**
 * Writes the static files of the Worker into the folder `assets`, and what the Worker has to know of them: the browser's
 * files with their types, and the names that pages refer to (src/ui/built.json); the API's documents
 * (src/openapi/built.json); the texts of the documentation (src/ui/docs/texts.json); the words of
 * the operator's pages, with the descriptions of carriers to start from (src/ui/desk/texts.json); the common passwords
 * (src/http/built.json).
 */
export async function buildAssets() {
  const [files, documents] = await Promise.all([browserFiles(), documentsOf(routeFiles())]);
  const types = Object.fromEntries([...files.keys()].map((name) => [name, TYPES[path.extname(name)]]));
  const scripts = [...files.keys()].filter((name) => !name.endsWith(".woff2"));
  const entries = Object.fromEntries(scripts.map((name) => [name.replace(/-[^-]+(?=\.)/u, ""), name]));
  const keep = (name, value) => {
    const text = JSON.stringify(value);
    const named = nameOf(name, ".json", text);
    files.set(named, text);
    return named;
  };
  const built = {
    "src/ui/built.json": { entries, types },
    "src/openapi/built.json": {
      api: keep("api", documents.api),
      operator: keep("operator", documents.operator),
    },
    "src/ui/docs/texts.json": { texts: keep("texts", gatherTexts()) },
    "src/http/built.json": { passwords: keep("passwords", COMMON_PASSWORDS) },
    "src/ui/desk/texts.json": {
      carriers: keep("carriers", { en, hi, presets: PRESETS }),
      words: keep("desk", storedWords({ desk: deskWords, access: deskAccess, health: deskHealth })),
    },
  };
  writeAssets(files);
  for (const [name, value] of Object.entries(built)) writeJson(name, value);
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
