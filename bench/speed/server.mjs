// One server of the benchmarks as a separate process: node bench/speed/server.mjs NAME PORT STATE [ACCOUNTS] [BUNDLE].
// It prints one line when it is ready, and runs until it is killed.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client, openAccounts } from "../../harness/accounts.mjs";
import { startFloors } from "../floors/index.mjs";
import { lifted } from "./lifted.mjs";
import { PEERS, keyOf } from "../peers/index.mjs";
import { KEYS_FILE } from "./processes.mjs";
import { VARIABLES, startService } from "../../harness/service.mjs";

/** Longer than any benchmark runs. */
const NEVER_SEC = 36_000;

/** `npm start` with the settings of the other servers, so that only the way it runs them differs. */
function startAsUsersDo({ port, stateDir }) {
  const script = path.join(import.meta.dirname, "../../scripts/start.mjs");
  const settings = Object.entries(VARIABLES).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
  const args = [script, "--port", String(port), "--state", stateDir, ...settings];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  // It ends its service itself, and this process waits for that.
  process.once("SIGTERM", () => child.once("exit", () => process.exit(0)).kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    child.stdout.on("data", resolve);
    child.once("exit", (code) => reject(new Error(`npm start ended with ${code}`)));
  });
}

async function startWithAccounts({ accounts, start = startService, ...options }) {
  const beganMs = performance.now();
  await start(options);
  const readyMs = performance.now() - beganMs;
  const client = new Client(options.port);
  const opened = await openAccounts(client, accounts, { balance: 1e9 });
  const [poor] = await openAccounts(client, 1, { plan: "starter" });
  client.close();
  return { readyMs, keys: [...opened, poor].map(({ api_key: key }) => key) };
}

// In a deployment the consumers run in processes of their own; here they would take time from the same thread. So
// deliveries are held back, except on the server that exists to measure them.
const heldBack = {
  deliverAfterSec: NEVER_SEC,
  variables: { DIRECT_DISPATCH: "off", SWEEP_MS: String(NEVER_SEC * 1_000) },
};

const SERVERS = {
  floors: startFloors,
  service: (options) => startWithAccounts({ ...options, ...heldBack }),
  hot: (options) => startWithAccounts({ ...options, ...heldBack, bundle: lifted(options.bundle) }),
  whole: startWithAccounts,
  started: (options) => startWithAccounts({ ...options, start: startAsUsersDo }),
};

const [name = "", port = "", stateDir = "", accounts = "1", bundle = ""] = process.argv.slice(2);
mkdirSync(stateDir, { recursive: true });
const options = {
  port: Number(port),
  stateDir,
  accounts: Number(accounts),
  ...(bundle !== "" && { bundle: readFileSync(bundle, "utf8") }),
};
const { keys, readyMs } = await (SERVERS[name] ?? PEERS[name].start)(options);
const known = keys ?? Array.from({ length: options.accounts }, (_, at) => keyOf(at + 1));
writeFileSync(path.join(stateDir, KEYS_FILE), JSON.stringify(known));
console.log(JSON.stringify({ readyMs }));
