// What the local scripts share: the configuration, wrangler's quiet environment, the variables of a local service.
import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "smol-toml";
import { LOCAL_VARIABLES } from "../src/local/variables.ts";

export const ROOT = path.resolve(import.meta.dirname, "..");

/** Where `wrangler dev` keeps its state as well. */
export const STATE_DIR = path.join(ROOT, ".wrangler", "state");

/** An environment in which wrangler neither prompts, nor sends metrics, nor uses the network. */
export const QUIET = {
  ...process.env,
  CI: "1",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_LOG: process.env.WRANGLER_LOG ?? "warn",
  // By default wrangler also writes its log to the home directory; a local service writes only to its state.
  WRANGLER_WRITE_LOGS: "false",
  X_LOCAL_OBSERVABILITY: "false",
  X_LOCAL_EXPLORER: "false",
};

/** The content of wrangler.toml: local development at the top level, the deployment in `env.production`. */
export const readConfig = () => parse(readFileSync(path.join(ROOT, "wrangler.toml"), "utf8"));

/** The variables of a local service: those of wrangler.toml, on a port, and the demo secrets. */
export function localVariables(port) {
  const { vars, dev } = readConfig();
  const onPort = Object.entries(vars).map(([name, value]) => [name, value.replace(`:${dev.port}`, `:${port}`)]);
  return { ...LOCAL_VARIABLES, ...Object.fromEntries(onPort) };
}
