import { buildSync } from "esbuild";
import { readConfig } from "../../scripts/local.mjs";

/** The bindings that are counted, as wrangler.toml names them. */
function bindings() {
  const { durable_objects: objects, queues, d1_databases: databases, r2_buckets: buckets } = readConfig();
  return {
    objects: objects.bindings.map(({ name, class_name: className }) => ({ name, className })),
    queues: queues.producers.map(({ binding, queue }) => ({ binding, queue })),
    databases: databases.map(({ binding }) => binding),
    buckets: buckets.map(({ binding }) => binding),
  };
}

/** The names of the queues without their prefix: `history`. */
export const queueNames = () => bindings().queues.map(({ queue }) => queue.split("-").at(-1));

/**
 * The text of one module around the bundle: a wrapper of its classes and its Worker, counted.js where no other is named.
 * With `speed`, the service's clock runs so many times as fast as the real one, from `baseMs` on.
 *
 * @param {{ speed?: number, baseMs?: number, wrapper?: string }} [options]
 */
export function aroundOf({ speed = 1, baseMs = 0, wrapper = "./counted.js" } = {}) {
  const classes = bindings().objects.map(({ className }) => className);
  const text = `
    import * as dastak from "./dastak.js";
    import { wrapClass, wrapWorker } from "${wrapper}";
    export * from "./dastak.js";
    ${classes.map((name) => `export const ${name} = wrapClass(dastak.${name}, "${name.toLowerCase()}");`).join("\n")}
    export default wrapWorker(dastak.default);`;
  return buildSync({
    stdin: { contents: text, resolveDir: import.meta.dirname },
    bundle: true,
    external: ["./dastak.js", "node:*"],
    format: "esm",
    write: false,
    define: { BINDINGS: JSON.stringify(bindings()), CLOCK: JSON.stringify({ speed, baseMs }) },
  }).outputFiles[0].text;
}
