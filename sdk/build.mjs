// Builds the package into dist/: the library as one ES module, its types, and the command line, if it is there.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = import.meta.dirname ?? path.dirname(fileURLToPath(import.meta.url));
const CLI = path.join(HERE, "src/cli/main.ts");

/** The compiler's program, which runs under every Node. */
function compiler() {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("typescript/package.json");
  return path.join(path.dirname(manifest), require(manifest).bin.tsc);
}

/** Writes dist/. */
export async function buildPackage() {
  const dist = path.join(HERE, "dist");
  rmSync(dist, { recursive: true, force: true });
  const shared = { absWorkingDir: HERE, bundle: true, format: "esm", target: "es2022", logLevel: "warning" };
  await build({ ...shared, entryPoints: ["src/index.ts"], outfile: "dist/index.js", platform: "neutral" });
  if (existsSync(CLI)) {
    // A program of its own, so that the library stays small and without Node's modules.
    const banner = { js: "#!/usr/bin/env node" };
    await build({ ...shared, entryPoints: [CLI], outfile: "dist/cli.js", platform: "node", target: "node20", banner });
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler(), "-p", "tsconfig.types.json"], {
    cwd: HERE,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The types do not compile:\n${stdout}${stderr}`);
  // The compiler leaves the names of the sources in the types.
  for (const name of readdirSync(dist).filter((file) => file.endsWith(".d.ts"))) {
    const file = path.join(dist, name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/(from "\.\/[\w-]+)\.ts"/gu, '$1.js"'));
  }
}

await buildPackage();
