// Builds what the browser gets: one script, one style sheet, the fonts. The Worker carries them itself, so that no
// router of static files stands before the API; their names hold their content's hash, so that they are kept for ever.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = path.resolve(import.meta.dirname, "..");

const TYPES = { ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".woff2": "font/woff2" };

/** Writes src/ui/built.json: for each file its type and its bytes, and the names that the pages refer to. */
export async function buildAssets() {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["src/client/app.ts", "src/ui/css/app.css"],
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
    if (!binary) entries[`app${extension}`] = name;
  }
  const built = JSON.stringify({ entries, files });
  const file = path.join(ROOT, "src/ui/built.json");
  // It lies in the folder that wrangler watches: written for nothing, it would have itself built for ever.
  if (!existsSync(file) || readFileSync(file, "utf8") !== built) writeFileSync(file, built);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAssets();
