// The deployable bundle under workerd, without wrangler's development proxy: what the benchmarks and the fault harness
// drive. It is configured as a deployed service with the simulator for a carrier, on one port; the Host header says
// which of the five bases a request is for.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
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

/** Bundles as a deployment does; returns the file. */
function bundle(config, outDir) {
  const wrangler = path.join(ROOT, "node_modules/.bin/wrangler");
  const args = ["deploy", "--dry-run", "--outdir", outDir, "-c", config];
  const { status, stderr } = spawnSync(wrangler, args, { cwd: ROOT, env: QUIET, encoding: "utf8" });
  if (status !== 0) throw new Error(`the bundle failed: ${stderr}`);
  return path.join(
    outDir,
    readdirSync(outDir).find((file) => file.endsWith(".js")),
  );
}

/** Starts the service on a port, with all its bindings and its real queue consumers. */
export async function startService({ port, stateDir }) {
  Object.assign(process.env, QUIET);
  mkdirSync(stateDir, { recursive: true });
  const config = await writeLocalConfig(stateDir, VARIABLES);
  await migrateLocal(stateDir, config);
  const file = bundle(config, path.join(stateDir, "bundle"));
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config);
  const contents = readFileSync(file, "utf8");
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      rootPath: path.dirname(file),
      port: 0,
      host: "127.0.0.1",
      resourcePersistencePath: path.join(stateDir, "v3"),
      logRequests: false,
      log: new Log(LogLevel.NONE),
      workers: [
        {
          ...workerOptions,
          rootPath: path.dirname(file),
          modulesRoot: ".",
          modules: [{ type: "ESModule", path: path.basename(file), contents }],
          unsafeDirectSockets: [{ host: "127.0.0.1", port }],
        },
      ],
    }),
  );
  await miniflare.ready;
  return { port, bundleBytes: contents.length, stop: () => miniflare.dispose() };
}
