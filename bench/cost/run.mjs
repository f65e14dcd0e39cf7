// npm run bench:cost: what one operation uses of everything that Cloudflare bills, counted while it runs
// (bench/cost/counted.js) and priced by one table (bench/cost/prices.mjs). Every operation has its own service, so that
// the work of its later alarms is included; all services run at once, because they mostly wait.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { freePorts } from "../../harness/program.ts";
import { bundleService } from "../../harness/service.mjs";
import { count, startCounted, warmUp } from "./measure.mjs";
import { NOTES, OPERATIONS, sms } from "./operations.mjs";
import { ACTIVE_SEC, INVOCATIONS, LOGS_BY_SIZE, PRICES_DATE, logsBySize, pricesOf } from "./prices.mjs";
import { part, printFailures } from "../failures.mjs";
import { markdownTable } from "../markdown.mjs";
import { withScratch } from "../scratch.mjs";
import { readConfig } from "../../scripts/local.mjs";

const ROOT = path.resolve(import.meta.dirname, "../..");
const RESULT = path.join(ROOT, ".wrangler", "cost.json");

/** Aims in dollars per million delivered messages. */
const AIMS = {
  "SMS, alone": 5,
  "SMS, 10 busy accounts": 3.6,
  "bulk of 1,000, a recipient": 1.3,
  "bulk of 10,000, a recipient": 1.3,
};

/** Settings of the deployment that affect the counts and differ from the local ones. */
function deployed() {
  const { vars, queues, observability = {} } = readConfig().env.production;
  const { enabled = false, head_sampling_rate: all = 1, logs = {} } = observability;
  const sampled = (logs.enabled ?? enabled) ? (logs.head_sampling_rate ?? all) : 0;
  const sizes = queues.consumers.map(({ queue, max_batch_size: size }) => [queue.split("-").at(-1), size]);
  return {
    concurrency: vars.DISPATCH_CONCURRENCY,
    batchSizes: Object.fromEntries(sizes),
    logs: { lines: sampled, invocations: (logs.invocation_logs ?? true) ? sampled : 0 },
  };
}

/** What one operation used, and what a million of them cost. */
function rowOf(name, of, counters, logs) {
  const all = { ...counters, "log lines": (counters["log lines"] ?? 0) * logs.lines };
  all.invocations = INVOCATIONS.reduce((sum, key) => sum + (counters[key] ?? 0), 0) * logs.invocations;
  const units = of.messages * of.requests || of.requests;
  const counted = Object.fromEntries(Object.entries(all).map(([key, value]) => [key, value / units]));
  const dollars = pricesOf(counted);
  const total = Object.values(dollars).reduce((sum, one) => sum + one, 0);
  return { operation: name, counted, dollars, total, logsBySize: logsBySize(counted) };
}

/** Runs every step, and returns what worked by its place; what did not is added to `failures`. */
async function eachOf(operations, failures, work) {
  const results = await Promise.allSettled(operations.map((one, at) => work(one, at)));
  return results.map((result, at) => {
    if (result.status === "fulfilled") return result.value;
    failures.push({ part: `bench:cost, ${operations[at].name}`, problem: result.reason });
    return null;
  });
}

/** Everything that one operation needs, by its name. */
async function plan({ bundle, stateDir, seed }) {
  const { concurrency, batchSizes, logs } = deployed();
  const all = Object.entries(OPERATIONS);
  const ports = await freePorts(2 * all.length);
  const baseMs = Date.now();
  const operations = all.map(([name, of], at) => ({
    name,
    of: { ...of, name },
    where: {
      bundle,
      stateDir: path.join(stateDir, `cost-${at}`),
      port: ports[2 * at],
      gatewayPort: ports[2 * at + 1],
      clock: { speed: of.speed ?? 1, baseMs },
      concurrency,
      first: sms,
      seed,
    },
  }));
  return { operations, batchSizes, logs };
}

/** Counts the operations of a wave, each on a service of its own, all at once. */
async function countWave(operations, planned, failures) {
  const services = [];
  try {
    const accounts = await eachOf(operations, failures, ({ of, where }) => warmUp(of, where));
    // One at a time, so that the new runtime belongs to the service that was just started.
    for (const [at, { of, where }] of operations.entries()) {
      const name = `bench:cost, ${of.name}`;
      services.push(accounts[at] && (await part(name, failures, () => startCounted(of, where))));
    }
    const counted = await eachOf(operations, failures, ({ of, where }, at) =>
      services[at] ? count(of, services[at], accounts[at], { ...planned, clock: where.clock }) : null,
    );
    return operations.flatMap(({ name, of }, at) => {
      if (counted[at] === null) return [];
      const { counters, faults } = counted[at];
      for (const problem of faults) failures.push({ part: `bench:cost, ${name}`, problem });
      return [rowOf(name, of, counters, planned.logs)];
    });
  } finally {
    await Promise.allSettled(services.map((service) => service?.stop()));
  }
}

/**
 * Counts and prices every operation. Returns a row for each that could be measured: `operation`, what it used
 * (`counted`), dollars per million by component (`dollars`) and in total (`total`); and the failures of the others.
 */
export async function countCost({ bundle, stateDir, seed = process.env.TEST_SEED ?? "1", only = "" }) {
  const failures = [];
  const planned = await plan({ bundle, stateDir, seed });
  const operations = planned.operations.filter(({ name }) => name.includes(only));
  const rows = [];
  // Services that mostly wait first, and the busy ones after them: neither is to wait for a processor.
  for (const isAlone of [true, false]) {
    const wave = operations.filter(({ of }) => (of.alone === true) === isAlone);
    rows.push(...(await countWave(wave, planned, failures)));
  }
  const order = Object.keys(OPERATIONS);
  rows.sort((one, other) => order.indexOf(one.operation) - order.indexOf(other.operation));
  return { rows, failures };
}

const rounded = (numbers, digits) =>
  Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value.toFixed(digits))]));

/** Whether an aim is met, by how much, and the largest components. */
function verdict({ operation, dollars, total }, aim) {
  const largest = Object.entries(dollars).toSorted(([, one], [, other]) => other - one);
  const most = largest.slice(0, 4).map(([name, value]) => `${name} $${value.toFixed(2)}`);
  const distance = `${total < aim ? "met" : "MISSED"} by $${Math.abs(aim - total).toFixed(2)}`;
  return `${operation}: $${total.toFixed(2)} per million, aim under $${aim.toFixed(2)}: ${distance}. Most: ${most.join(", ")}.`;
}

const COUNTED = ["worker requests", "consumer batches", "object requests", "object active ms", "alarms run"];
COUNTED.push(
  "rows written",
  "alarms set",
  "rows read",
  "queue operations",
  "D1 rows written",
  "D1 rows read",
  "log lines",
  "invocations",
  "CPU ms",
);

/** Prints the tables and the aims. */
export function printCost(rows) {
  const table = (of) => console.table(Object.fromEntries(rows.map((row) => [row.operation, of(row)])));
  console.log("What one operation takes:");
  table(({ counted }) => rounded(Object.fromEntries(COUNTED.map((name) => [name, counted[name] ?? 0])), 3));
  console.log(`Dollars per million, Workers Paid beyond the included amounts, prices of ${PRICES_DATE}:`);
  table(({ dollars, total }) => rounded({ ...dollars, total }, 2));
  const components = Object.keys(rows[0]?.dollars ?? {});
  const columns = components.map((name) => [name, ({ dollars }) => dollars[name].toFixed(2)]);
  const first = { " ": ({ operation }) => operation, total: ({ total }) => `**${total.toFixed(2)}**` };
  console.log(`For docs/proof.md:\n\n${markdownTable(rows, { ...first, ...Object.fromEntries(columns) })}\n`);
  for (const row of rows) if (row.operation in AIMS) console.log(verdict(row, AIMS[row.operation]));
  for (const note of NOTES) console.log(note);
  console.log(
    `An object is active while calls are in flight (measured), and assumed to be for ${ACTIVE_SEC * 1_000} ms more per call and alarm; all CPU time of the runtime counts as the Worker's, including the simulators of D1 and queues; a consumer's batch is billed as a request.`,
  );
  const single = rows.find(({ operation }) => operation === "SMS, alone");
  if (!single) return;
  const logs = single.dollars["log lines"] + single.dollars["invocation logs"];
  console.log(
    `From ${LOGS_BY_SIZE.from} on logs are billed by size: $${single.logsBySize.toFixed(2)} instead of $${logs.toFixed(2)} for a single SMS, with ${LOGS_BY_SIZE.bytesPerEvent} bytes of overhead per event.`,
  );
}

if (process.argv[1] === import.meta.filename) {
  const { values: flags } = parseArgs({ options: { only: { type: "string", default: "" } } });
  await withScratch("cost", async (stateDir) => {
    const { rows, failures } = await countCost({ bundle: await bundleService(), stateDir, only: flags.only });
    printCost(rows);
    mkdirSync(path.dirname(RESULT), { recursive: true });
    writeFileSync(RESULT, JSON.stringify({ at: new Date().toISOString(), prices: PRICES_DATE, rows }, null, 2));
    console.log("All numbers: .wrangler/cost.json");
    printFailures(failures);
  });
}
