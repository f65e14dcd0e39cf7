// npm run check: the quick gate for use during work: types, typecheck, lint, format, and the tests in the pool. Only npm
// test runs the deployable bundle, the tests that start the service, and the files in LEFT_TO_NPM_TEST (vitest.config.ts).
import { spawn } from "node:child_process";
import path from "node:path";
import { BUILT, CHECKS } from "./checks.mjs";
import { QUIET, ROOT } from "./local.mjs";

/** The caches of the compilers and prettier, which detect changed files themselves. */
const CACHE = "node_modules/.cache/check";

/** The command of a check, with a cache if the command supports one. */
function cached(name) {
  const line = CHECKS[name];
  if (line.startsWith("tsc ")) {
    return `${line} --incremental --tsBuildInfoFile ${CACHE}/${name.replaceAll(/\W/gu, "-")}.tsbuildinfo`;
  }
  return line.startsWith("prettier ") ? `${line} --cache --cache-location ${CACHE}/prettier` : line;
}

const laneOf = (names) => Object.fromEntries(names.map((name) => [name, cached(name)]));

/** One lane per core: the linter takes as long as all other checks together. */
const SLOW = ["types are fresh", "lint"];
const LANES = [laneOf(SLOW), laneOf(Object.keys(CHECKS).filter((name) => !SLOW.includes(name)))];

const startedAt = performance.now();
const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);

/** Runs a command of node_modules/.bin; returns its status and its output, unless the output is inherited. */
function run(command, args, options) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const child = spawn(path.join(ROOT, "node_modules/.bin", command), args, { cwd: ROOT, ...options });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text) => (said += text));
  child.once("error", reject);
  child.once("close", (status) => resolve({ status: status ?? 1, said }));
  return promise;
}

/** Runs all checks of a lane, also after a failure, and returns how many failed. */
async function follow(lane) {
  let failed = 0;
  for (const [name, line] of Object.entries(lane)) {
    const since = performance.now();
    const [command, ...args] = line.split(" ");
    const { status, said } = await run(command, args, { env: QUIET, stdio: ["ignore", "pipe", "pipe"] });
    console.log(status === 0 ? `✓ ${name}, ${seconds(since)} s` : `✗ ${name} (${line})\n${said}`);
    if (status !== 0) failed += 1;
  }
  return failed;
}

const failed = [await follow(BUILT), ...(await Promise.all(LANES.map(follow)))];
const pool = await run("vitest", ["run", "--project", "workers", ...process.argv.slice(2)], {
  env: { ...process.env, CHECK: "quick" },
  stdio: "inherit",
});
const passed = pool.status === 0 && failed.every((count) => count === 0);
console.log(`npm run check: ${passed ? "passed" : "FAILED"} in ${seconds(startedAt)} s`);
process.exitCode = passed ? 0 : 1;
