// The service of npm start, in a separate process group that start.mjs can end: node scripts/serve.mjs, with an IPC
// channel that carries `{ port, stateDir, variables }`, including secrets.
import { once } from "node:events";
import { buildAssets, buildMigrations } from "./build.mjs";
import { bundleWorker } from "./bundle.mjs";
import { runBundle } from "./runtime.mjs";

async function bundle() {
  buildMigrations();
  await buildAssets();
  return bundleWorker("src/local/worker.ts");
}

/** Prints a log line of the service; its level only selects stdout or stderr. */
const print = ({ level, message }) =>
  (level === "error" || level === "warn" ? process.stderr : process.stdout).write(`${message}\n`);

const [[{ port, stateDir, variables }], text] = await Promise.all([once(process, "message"), bundle()]);
process.disconnect();
// The state holds numbers, names and sealed texts: only this user reads it. What the build wrote is not part of it.
process.umask(0o077);
const running = await runBundle({
  port,
  stateDir,
  bundle: text,
  variables,
  miniflare: { handleStructuredLogs: print },
});
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
  process.once(signal, () => void running.dispose().finally(() => process.exit(0)));
}
