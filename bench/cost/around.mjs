import path from "node:path";
import { buildSync } from "esbuild";

/** The text of one module around the bundle that counts (counted.js and what it imports). */
export const AROUND = buildSync({
  entryPoints: [path.join(import.meta.dirname, "counted.js")],
  bundle: true,
  external: ["./dastak.js"],
  format: "esm",
  write: false,
}).outputFiles[0].text;
