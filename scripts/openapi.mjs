// Makes the documents of the API (OpenAPI 3.1) from the route files themselves: src/openapi/document.ts says how. They are
// static files of the Worker (scripts/build.mjs). `node scripts/openapi.mjs --out FILE [--operator]` writes one to a file, `-` being stdout, and
// `--lint` checks both (redocly.yaml).
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { ROOT } from "./local.mjs";

/** Folders of src/routes that hold no API: pages, what others call back, files. */
const NOT_API = ["callbacks", "console", "desk", "docs", "media", "webhooks"];
const OPERATOR = "operator";

/** What a build makes stands for nothing while it is made: a route that serves the document may import it. */
const UNBUILT = {
  name: "unbuilt",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/built\.json$/ }, ({ path: asked }) => ({ path: asked, namespace: "unbuilt" }));
    onLoad({ filter: /./, namespace: "unbuilt" }, () => ({ contents: "{}", loader: "json" }));
  },
};

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
    plugins: [UNBUILT],
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

/** Runs redocly over both documents, by redocly.yaml and without any network; returns its exit status. */
async function lint() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "dastak-openapi-"));
  const files = Object.entries(await documentsOf(routeFiles())).map(([name, document]) => {
    const file = path.join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(document, null, 2));
    return file;
  });
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const command = path.join(ROOT, "node_modules/.bin/redocly");
  const { status } = spawnSync(command, ["lint", "--config", "redocly.yaml", ...files], {
    cwd: ROOT,
    env,
    stdio: "inherit",
  });
  rmSync(folder, { recursive: true });
  return status ?? 1;
}

const USAGE = "Usage: node scripts/openapi.mjs --out FILE [--operator] | --lint";

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = { out: { type: "string" }, operator: { type: "boolean" }, lint: { type: "boolean" } };
  const { values } = parseArgs({ options });
  if (values.lint) process.exitCode = await lint();
  else if (values.out === undefined) {
    console.error(USAGE);
    process.exitCode = 2;
  } else {
    const { api, operator } = await documentsOf(routeFiles());
    const text = `${JSON.stringify(values.operator ? operator : api, null, 2)}\n`;
    if (values.out === "-") process.stdout.write(text);
    else {
      mkdirSync(path.dirname(path.resolve(values.out)), { recursive: true });
      writeFileSync(values.out, text);
    }
  }
}
