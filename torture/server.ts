// The service under torture as its own process: node server.ts PORT STATE BUNDLE OPTIONS. It ends on a signal, and
// evicts an object on request.
import { readFileSync } from "node:fs";
import path from "node:path";
import { startService } from "../harness/service.mjs";

/** The OPTIONS argument. */
export interface ServerOptions {
  variables: Record<string, string>;
  /** Faults to inject from the start, as the control address of `around.mjs` takes them. */
  harm: object;
  /** Extra environment variables for the runtime only. */
  runtime: Record<string, string>;
}

const [port = "", stateDir = "", bundleFile = "", options = "{}"] = process.argv.slice(2);
const { variables, harm, runtime } = JSON.parse(options) as ServerOptions;
const around = readFileSync(path.join(import.meta.dirname, "around.mjs"), "utf8");

const { miniflare, stop } = await startService({
  port: Number(port),
  stateDir,
  bundle: readFileSync(bundleFile, "utf8"),
  variables,
  around: `const START = ${JSON.stringify(harm)};\n${around}`,
  miniflare: { unsafeRuntimeEnv: runtime },
});

process.on("message", ({ evict: { className, name } }: { evict: { className: string; name: string } }) => {
  // An object that has not been called yet cannot be evicted.
  miniflare.unsafeEvictDurableObject("dastak", className, { name }).catch(() => undefined);
});
process.once("SIGTERM", () => {
  void stop().then(() => process.exit(0));
});
process.send?.("ready");
