// What the local scripts share: wrangler's own program, its quiet environment, the local configuration.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { experimental_readRawConfig } from "wrangler";
import { DEMO_SECRET_PREFIX } from "../src/config.ts";

export const ROOT = path.resolve(import.meta.dirname, "..");

export const STATE_DIR = path.join(ROOT, ".wrangler", "state");

/** Environment in which wrangler asks nothing, reports nothing and looks nothing up. */
export const QUIET = {
  ...process.env,
  CI: "1",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_LOG: process.env.WRANGLER_LOG ?? "warn",
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
    DISPATCH_CONCURRENCY: "50",
    KEY_SECRET: `${DEMO_SECRET_PREFIX}key-secret-for-this-machine`,
    SEAL_SECRET: `${DEMO_SECRET_PREFIX}seal-secret-for-this-machine`,
    OPERATOR_TOKEN: `${DEMO_SECRET_PREFIX}operator-token-for-this-machine`,
  };
}

/**
 * Writes wrangler.toml without its custom domains and with these variables, as JSON beside the state: with custom
 * domains, `wrangler dev` would rewrite the host of every request to the first of them.
 */
export function writeLocalConfig(stateDir, variables) {
  const { rawConfig } = experimental_readRawConfig({ config: path.join(ROOT, "wrangler.toml") });
  const { routes: _routes, ...rest } = rawConfig;
  const config = { ...rest, main: path.join(ROOT, rawConfig.main), vars: variables };
  config.d1_databases = rawConfig.d1_databases.map((database) => ({
    ...database,
    migrations_dir: path.join(ROOT, database.migrations_dir),
  }));
  mkdirSync(stateDir, { recursive: true });
  const file = path.join(stateDir, "wrangler.json");
  writeFileSync(file, JSON.stringify(config, null, 2));
  return file;
}
