// npm run bench:pace: how the service keeps to the pace of a carrier: how much of the limit it uses, how many
// submissions are in vain, how long each lane waits, and whether it is silent when the carrier asks for it.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { freePorts } from "../../harness/program.ts";
import { bundleService } from "../../harness/service.mjs";
import { withScratch } from "../scratch.mjs";
import { prepare } from "./measure.mjs";
import { GROUPS } from "./scenarios.mjs";
import { printAims, tableOf } from "./table.mjs";

const RESULT = path.join(import.meta.dirname, "../..", ".wrangler", "pace.json");

const { values: flags } = parseArgs({ options: { only: { type: "string", default: "" } } });
const seed = process.env.TEST_SEED ?? String(Math.floor(Math.random() * 1e9));

/** Runs the scenarios of a group at once; returns the figures of those that worked, and adds the others to `failures`. */
async function runGroup(scenarios, { bundle, stateDir, failures }) {
  const ports = await freePorts(2 * scenarios.length);
  const ready = [];
  for (const [at, scenario] of scenarios.entries()) {
    const dir = path.join(stateDir, scenario.name.replace(/\W+/gu, "-"));
    const where = { bundle, stateDir: dir, ports: ports.slice(2 * at, 2 * at + 2), seed };
    try {
      ready.push({ scenario, ...(await prepare(scenario, where)) });
    } catch (problem) {
      failures.push({ scenario: scenario.name, problem });
    }
  }
  const results = await Promise.allSettled(ready.map(({ run }) => run()));
  await Promise.allSettled(ready.map(({ stop }) => stop()));
  return results.flatMap((result, at) => {
    if (result.status === "fulfilled") return [result.value];
    failures.push({ scenario: ready[at].scenario.name, problem: result.reason });
    return [];
  });
}

const wanted = GROUPS.map((group) => group.filter(({ name }) => name.includes(flags.only))).filter(
  (group) => group.length > 0,
);
const beganMs = performance.now();
console.log(`The seed of this run: TEST_SEED=${seed}`);
await withScratch("pace", async (stateDir) => {
  const bundle = await bundleService();
  const results = [];
  const failures = [];
  for (const group of wanted) {
    const ended = await runGroup(group, { bundle, stateDir, failures });
    results.push(...ended);
    console.log(tableOf(ended));
  }
  console.log(`\nFor docs/proof.md; waits in seconds, p50 / p95 / max from the request to the carrier's acceptance:\n`);
  console.log(tableOf(results));
  console.log();
  printAims(results);
  mkdirSync(path.dirname(RESULT), { recursive: true });
  writeFileSync(RESULT, JSON.stringify({ at: new Date().toISOString(), seed, results }, null, 2));
  const minutes = ((performance.now() - beganMs) / 60_000).toFixed(1);
  console.log(`All numbers: .wrangler/pace.json. It took ${minutes} minutes.`);
  for (const { scenario, problem } of failures) console.error(`${scenario} failed: ${problem?.stack ?? problem}`);
  if (failures.length > 0) process.exitCode = 1;
});
