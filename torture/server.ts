// The service under torture as a process of its own: node server.ts PORT STATE BUNDLE OPTIONS. It ends when it is told
// or killed, and evicts an account's object when it is asked.
import { readFileSync } from "node:fs";
import path from "node:path";
import { startService } from "../harness/service.mjs";

/** What the harness starts it with. */
export interface ServerOptions {
  variables: Record<string, string>;
  /** What holds from the first moment on, as the control address of `around.mjs` takes it. */
  harm: object;
  /** Environment of the runtime alone. */
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

process.on("message", ({ evict }: { evict: string }) => {
  // An object that nobody has called yet cannot be evicted.
  miniflare.unsafeEvictDurableObject("dastak", "Account", { name: evict }).catch(() => undefined);
});
process.once("SIGTERM", () => {
  void stop().then(() => process.exit(0));
});
process.send?.("ready");
