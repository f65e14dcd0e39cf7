// Bundles the Worker as `wrangler deploy` does, without loading wrangler, which would take most of the start-up time.
// test/process/bundle.test.ts checks that both bundles are equal, byte for byte.
import { builtinModules } from "node:module";
import { build } from "esbuild";
import { ROOT, readConfig } from "./local.mjs";

/** Node's built-in modules, which the runtime provides under both names. */
const BUILT_IN = builtinModules.flatMap((name) => [name, `node:${name}`]);

/**
 * Bundles a module of this repository, minified as wrangler.toml says; returns the program's text. `plugins` are of esbuild,
 * for a bundle that differs from the deployed one.
 */
export async function bundleWorker(main, plugins = []) {
  const { minify = false, keep_names: keepNames = true } = readConfig();
  const result = await build({
    absWorkingDir: ROOT,
    entryPoints: [main],
    bundle: true,
    minify,
    keepNames,
    write: false,
    format: "esm",
    target: "es2024",
    supported: { "import-source": true },
    conditions: ["workerd", "worker", "browser"],
    loader: { ".js": "jsx", ".mjs": "jsx", ".cjs": "jsx" },
    define: {
      "navigator.userAgent": '"Cloudflare-Workers"',
      "process.env.NODE_ENV": '"production"',
      "global.process.env.NODE_ENV": '"production"',
      "globalThis.process.env.NODE_ENV": '"production"',
    },
    external: ["cloudflare:*", ...BUILT_IN],
    plugins,
    logLevel: "silent",
  });
  return result.outputFiles[0].text;
}
