// The deployable bundle under workerd, without wrangler's development proxy: what the benchmarks and the fault harness
// drive. It is configured as a deployed service with the simulator for a carrier, on one port; the Host header says
// which of the five bases a request is for.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { QUIET, ROOT, writeLocalConfig } from "../scripts/local.mjs";
import { migrateLocal } from "../scripts/migrate-local.mjs";

/** Hosts of the five bases. */
export const HOSTS = {
  sms: "sms.bench",
  tts: "tts.bench",
  voice: "voice.bench",
  otp: "otp.bench",
  console: "console.bench",
};

export const OPERATOR_TOKEN = "operator-token-of-the-benchmarks-0123456789";

const VARIABLES = {
  ENVIRONMENT: "production",
  SMS_URL: `http://${HOSTS.sms}`,
  TTS_URL: `http://${HOSTS.tts}`,
  VOICE_URL: `http://${HOSTS.voice}`,
  OTP_URL: `http://${HOSTS.otp}`,
  CONSOLE_URL: `http://${HOSTS.console}`,
  CARRIER: "sim",
  PAYMENTS: "none",
  DISPATCH_CONCURRENCY: "50",
  KEY_SECRET: "key-secret-of-the-benchmarks-0123456789",
  SEAL_SECRET: "seal-secret-of-the-benchmarks-0123456789",
  OPERATOR_TOKEN,
};

/** The name under which a module around the bundle imports it. */
const BUNDLE = "dastak.js";

/**
 * Has the runtime write the service's log into a file, as a server does: through the development simulator's pipe each
 * line costs more than the request that it tells of.
 */
function logIntoFile(stateDir) {
  const simulator = createRequire(import.meta.url).resolve("miniflare");
  const runtime = createRequire(simulator)("workerd").default;
  const script = path.join(stateDir, "workerd.sh");
  const text = `#!/bin/sh\nexec '${runtime}' "$@" >>'${path.join(stateDir, "log")}'\n`;
  writeFileSync(script, text, { mode: 0o700 });
  process.env.MINIFLARE_WORKERD_PATH = script;
}

/** Bundles as a deployment does, and returns the program's text. */
export async function bundleService(stateDir) {
  const config = await writeLocalConfig(stateDir, VARIABLES);
  const outDir = path.join(stateDir, "bundle");
  const wrangler = path.join(ROOT, "node_modules/.bin/wrangler");
  const args = ["deploy", "--dry-run", "--outdir", outDir, "-c", config];
  const { status, stderr } = spawnSync(wrangler, args, { cwd: ROOT, env: QUIET, encoding: "utf8" });
  if (status !== 0) throw new Error(`the bundle failed: ${stderr}`);
  const file = readdirSync(outDir).find((name) => name.endsWith(".js"));
  return readFileSync(path.join(outDir, file), "utf8");
}

/**
 * Starts the service on a port, with all its bindings and its real queue consumers, over whatever `stateDir` holds.
 * `bundle` is a text that was made before, `variables` replace some of the settings, `around` is the text of a module
 * that imports the bundle from "../bench/dastak.js" and stands before it, `deliverAfterSec` holds messages back from the
 * dispatch consumer for so long, and `miniflare` is merged into its options.
 *
 * @param {{ port: number, stateDir: string, bundle?: string, variables?: Record<string, string>, around?: string,
 *   deliverAfterSec?: number | undefined, miniflare?: object }} options
 */
export async function startService({ port, stateDir, bundle, variables, around, deliverAfterSec, miniflare = {} }) {
  Object.assign(process.env, QUIET);
  mkdirSync(stateDir, { recursive: true });
  logIntoFile(stateDir);
  const contents = bundle ?? (await bundleService(stateDir));
  const config = await writeLocalConfig(stateDir, { ...VARIABLES, ...variables });
  await migrateLocal(stateDir, config);
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config);
  if (deliverAfterSec !== undefined) {
    const { DISPATCH } = workerOptions.queueProducers;
    workerOptions.queueProducers.DISPATCH = { ...DISPATCH, deliveryDelay: deliverAfterSec };
  }
  const modules = [{ type: "ESModule", path: BUNDLE, contents }];
  if (around !== undefined) modules.unshift({ type: "ESModule", path: "around.js", contents: around });
  const running = new Miniflare(
    convertV4MiniflareOptions({
      rootPath: stateDir,
      port: 0,
      host: "127.0.0.1",
      resourcePersistencePath: path.join(stateDir, "v3"),
      logRequests: false,
      log: new Log(LogLevel.NONE),
      ...miniflare,
      workers: [
        {
          ...workerOptions,
          rootPath: stateDir,
          modulesRoot: ".",
          modules,
          unsafeDirectSockets: [{ host: "127.0.0.1", port }],
        },
      ],
    }),
  );
  await running.ready;
  return { port, bundleBytes: contents.length, miniflare: running, stop: () => running.dispose() };
}
