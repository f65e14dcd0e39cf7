// Makes the documents of the API (OpenAPI 3.1) from the route files themselves: src/openapi/document.ts says how. They are
// built into the Worker; `node scripts/openapi.mjs --out FILE [--operator]` writes one to a file, `-` being stdout.
import { randomUUID } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { ROOT } from "./local.mjs";

/** Folders of src/routes that hold no API: pages, what others call back, files. */
const NOT_API = ["operator", "test-inbox", "v1", "callbacks", "console", "desk", "docs", "media", "webhooks"];
const OPERATOR = "operator";

/** Bundles the route files with what makes documents of them, and runs that. */
async function load(files) {
  const lines = [
    ...files.map((file, at) => `import * as file${at} from "./${file}";`),
    `export const files = [${files.map((name, at) => `{ name: ${JSON.stringify(name)}, exported: file${at} }`)}];`,
    'export * from "./src/openapi/documents.ts";',
  ];
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    stdin: { contents: lines.join("\n"), resolveDir: ROOT, sourcefile: "openapi.ts", loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "warning",
  });
  // Inside the repository, where Node finds its packages; with a name of its own, since builds may run at once.
  const folder = path.join(ROOT, "node_modules/.cache/openapi");
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${process.pid}-${randomUUID()}.mjs`);
  writeFileSync(file, outputFiles[0].contents);
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file);
  }
}

const folderOf = (file) => file.split("/")[2];

/** The documents of these route files, by name: `api` and `operator`. */
export async function documentsOf(files) {
  const made = await load(files);
  const { version } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
  const [own, others] = [true, false].map((is) =>
    made.files.filter(({ name }) => (folderOf(name) === OPERATOR) === is),
  );
  return { api: made.apiDocument(others, version), operator: made.operatorDocument(own, version) };
}

/** The files of src/routes that belong to an API. */
export function routeFiles() {
  const files = globSync("src/routes/*/**/*.ts", { cwd: ROOT }).map((file) => file.replaceAll(path.sep, "/"));
  return files.filter((file) => !NOT_API.includes(folderOf(file))).toSorted();
}

/** Writes src/openapi/built.json: both documents as texts, so that a Worker parses neither when it starts. */
export async function buildDocuments() {
  const documents = await documentsOf(routeFiles());
  const texts = Object.entries(documents).map(([name, document]) => [name, JSON.stringify(document)]);
  const text = JSON.stringify(Object.fromEntries(texts));
  const file = path.join(ROOT, "src/openapi/built.json");
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { out: { type: "string" }, operator: { type: "boolean" } } });
  const { api, operator } = await documentsOf(routeFiles());
  const text = `${JSON.stringify(values.operator ? operator : api, null, 2)}\n`;
  const out = values.out ?? "openapi.json";
  if (out === "-") process.stdout.write(text);
  else {
    mkdirSync(path.dirname(path.resolve(out)), { recursive: true });
    writeFileSync(out, text);
  }
}
