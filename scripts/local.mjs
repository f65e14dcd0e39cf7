// What the local scripts share: wrangler's own program, its quiet environment, the local configuration.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { DEMO_SECRET_PREFIX } from "../src/config.ts";

export const ROOT = path.resolve(import.meta.dirname, "..");

export const STATE_DIR = path.join(ROOT, ".wrangler", "state");

/** The configuration that `npm start` writes into a state directory. */
export const LOCAL_CONFIG = "wrangler.json";

/** Environment in which wrangler asks nothing, reports nothing and looks nothing up. */
export const QUIET = {
  ...process.env,
  CI: "1",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_LOG: process.env.WRANGLER_LOG ?? "warn",
  // Wrangler keeps what it says in the home directory as well; a service on this machine writes only into its state.
  WRANGLER_WRITE_LOGS: "false",
  X_LOCAL_OBSERVABILITY: "false",
  X_LOCAL_EXPLORER: "false",
};

const wrangler = path.join(
  path.dirname(createRequire(import.meta.url).resolve("wrangler/package.json")),
  "bin/wrangler.js",
);

/** Starts wrangler in a process group of its own, so that it can be ended whole. */
export function startWrangler(args, options = {}) {
  return spawn(process.execPath, [wrangler, ...args], { cwd: ROOT, env: QUIET, detached: true, ...options });
}

/** The variables of a service on this machine: demo secrets, the simulator, addresses on a port. */
export function localVariables(port) {
  return {
    ENVIRONMENT: "local",
    SMS_URL: `http://sms.localhost:${port}`,
    TTS_URL: `http://tts.localhost:${port}`,
    VOICE_URL: `http://voice.localhost:${port}`,
    OTP_URL: `http://otp.localhost:${port}`,
    CONSOLE_URL: `http://localhost:${port}`,
    CARRIER: "sim",
    KEY_SECRET: `${DEMO_SECRET_PREFIX}key-secret-for-this-machine`,
    SEAL_SECRET: `${DEMO_SECRET_PREFIX}seal-secret-for-this-machine`,
    OPERATOR_TOKEN: `${DEMO_SECRET_PREFIX}operator-token-for-this-machine`,
    // Nobody's GSTIN, in the right form: a plan bought here shows the invoice of a registered seller.
    SELLER_NAME: "Dastak Demo",
    SELLER_ADDRESS: "1 Example Road, Bengaluru 560001",
    SELLER_GSTIN: "29AAAAA0000A1ZY",
  };
}

/**
 * Writes wrangler.toml without its custom domains and with these variables, as JSON beside the state: with custom
 * domains, `wrangler dev` would rewrite the host of every request to the first of them.
 */
export async function writeLocalConfig(stateDir, variables) {
  // Wrangler takes a second to load: whoever mistyped an argument does not wait for it.
  const { experimental_readRawConfig } = await import("wrangler");
  const { rawConfig } = experimental_readRawConfig({ config: path.join(ROOT, "wrangler.toml") });
  // Nothing on this machine calls a scheduled handler, and wrangler would say so at every start.
  const { routes: _routes, triggers: _triggers, ...rest } = rawConfig;
  const config = { ...rest, main: path.join(ROOT, rawConfig.main), vars: variables };
  // Wrangler reads watch_dir from the folder of its configuration on, also where it is absolute.
  const watched = path.relative(stateDir, path.join(ROOT, rawConfig.build.watch_dir));
  config.build = { ...rawConfig.build, cwd: ROOT, watch_dir: watched };
  config.d1_databases = rawConfig.d1_databases.map((database) => ({
    ...database,
    migrations_dir: path.join(ROOT, database.migrations_dir),
  }));
  // One process consumes one batch at a time, and holds as many connections as it likes: it gets larger batches.
  config.queues.consumers = rawConfig.queues.consumers.map((consumer) => ({ ...consumer, max_batch_size: 100 }));
  mkdirSync(stateDir, { recursive: true });
  const file = path.join(stateDir, LOCAL_CONFIG);
  // It holds the secrets: nobody else on this machine reads them.
  writeFileSync(file, JSON.stringify(config, null, 2), { mode: 0o600 });
  return file;
}
