// The service of npm start, as a process of its own that start.mjs can end whole: node scripts/serve.mjs, with an IPC
// channel on which it gets `{ port, stateDir, variables }`, secrets among them.
import { once } from "node:events";
import { buildAssets, buildMigrations } from "./build.mjs";
import { bundleWorker } from "./bundle.mjs";
import { runBundle } from "./runtime.mjs";

async function bundle() {
  buildMigrations();
  await buildAssets();
  return bundleWorker("src/local/worker.ts");
}

/** The service's own lines; all that a level adds is where they go. */
const print = ({ level, message }) =>
  (level === "error" || level === "warn" ? process.stderr : process.stdout).write(`${message}\n`);

const [[{ port, stateDir, variables }], text] = await Promise.all([once(process, "message"), bundle()]);
process.disconnect();
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
