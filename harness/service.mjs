// Runs the deployable bundle under workerd, without wrangler's development proxy, for the benchmarks and the fault
// harness. It is configured as a deployed service with the simulator as its carrier, on one port, for plain http: the
// runtime stands for the edge, which ends TLS (scripts/runtime.mjs). The Host header selects the base.
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { buildAssets, readMigrations } from "../scripts/build.mjs";
import { bundleWorker } from "../scripts/bundle.mjs";
import { databasesOf } from "../scripts/databases.mjs";
import { readConfig } from "../scripts/local.mjs";
import { runBundle } from "../scripts/runtime.mjs";
import { applyMigrations } from "../src/db/migrate.ts";

/** Hosts of the five bases: names that a local service may have too. */
export const HOSTS = {
  sms: "sms.localhost",
  tts: "tts.localhost",
  voice: "voice.localhost",
  otp: "otp.localhost",
  console: "console.localhost",
};

export const OPERATOR_TOKEN = "operator-token-of-the-benchmarks-0123456789";

/** The settings of a deployed service with the simulator as its carrier. */
export const VARIABLES = {
  ENVIRONMENT: "production",
  SMS_URL: `https://${HOSTS.sms}`,
  TTS_URL: `https://${HOSTS.tts}`,
  VOICE_URL: `https://${HOSTS.voice}`,
  OTP_URL: `https://${HOSTS.otp}`,
  CONSOLE_URL: `https://${HOSTS.console}`,
  CARRIER: "sim",
  PAYMENTS: "none",
  DISPATCH_CONCURRENCY: "50",
  KEY_SECRET: "key-secret-of-the-benchmarks-0123456789",
  SEAL_SECRET: "seal-secret-of-the-benchmarks-0123456789",
  OPERATOR_TOKEN,
};

/**
 * Makes the runtime write the service's log into a file, as a server does: through the pipe of the development
 * simulator each line costs more than the request that it logs.
 */
function logIntoFile(stateDir) {
  const simulator = createRequire(import.meta.url).resolve("miniflare");
  const runtime = createRequire(simulator)("workerd").default;
  const script = path.join(stateDir, "workerd.sh");
  const text = `#!/bin/sh\nexec '${runtime}' "$@" >>'${path.join(stateDir, "log")}'\n`;
  writeFileSync(script, text, { mode: 0o700 });
  process.env.MINIFLARE_WORKERD_PATH = script;
}

/** The source text of the deployable bundle; `plugins` of esbuild change it. */
export async function bundleService(plugins = []) {
  await buildAssets();
  return bundleWorker(readConfig().env.production.main, plugins);
}

/**
 * Starts the service on a port, with all its bindings and its real queue consumers, on the state in `stateDir`.
 * `bundle` is a text made earlier, `variables` replace some settings, `histories` is the number of databases of history;
 * the other options are those of `runBundle`.
 *
 * @param {{ port: number, stateDir: string, bundle?: string, variables?: Record<string, string>, around?: string,
 *   deliverAfterSec?: number | undefined, histories?: number, miniflare?: object }} options
 */
export async function startService({ port, stateDir, bundle, variables, histories = 1, ...options }) {
  mkdirSync(stateDir, { recursive: true });
  logIntoFile(stateDir);
  const running = await runBundle({
    port,
    stateDir,
    bundle: bundle ?? (await bundleService()),
    variables: { ...VARIABLES, ...variables },
    histories,
    ...options,
  });
  for (const { binding, migrations_dir } of databasesOf(readConfig(), histories)) {
    await applyMigrations(await running.getD1Database(binding), readMigrations(migrations_dir));
  }
  return { port, miniflare: running, stop: () => running.dispose() };
}
