// npm run bench:cost: what one operation uses of everything that Cloudflare bills, counted while it runs
// (bench/cost/counted.js) and priced by one table (bench/cost/prices.mjs). Every operation has its own service, so that
// the work of its later alarms is included; all services run at once, because they mostly wait.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { phoneOf } from "../../harness/accounts.mjs";
import { startGateway } from "./gateway.mjs";
import { count, startCounted, warmUp } from "./measure.mjs";
import { ACTIVE_SEC, INVOCATIONS, LOGS_BY_SIZE, PRICES_DATE, logsBySize, pricesOf } from "./prices.mjs";
import { withScratch } from "../scratch.mjs";
import { HOSTS, bundleService } from "../../harness/service.mjs";
import { readConfig } from "../../scripts/local.mjs";

const PORT = 19_300;
const ROOT = path.resolve(import.meta.dirname, "../..");
const RESULT = path.join(ROOT, ".wrangler", "cost.json");

/** Aims in dollars per million delivered single SMS, and per million recipients of a bulk. */
const AIMS = { single: 8, recipient: 8 / 3 };

const TEXT =
  "Your order 4711 is on its way and will be with you today between four and six. Thank you for shopping with us!";

/** Requests per minute that the largest plan admits; a busy account sends at this rate. */
const BUSY_PER_MINUTE = 200;

/** An account on the smallest plan that has used up its limit for the minute. */
const EXHAUSTED = { plan: "starter", admitted: 10 };

const sms = (at) => ({ host: HOSTS.sms, path: "/send-sms", body: { phone: phoneOf(at), message: TEXT } });
const otp = (at) => ({ host: HOSTS.otp, path: "/send-otp", body: { phone: phoneOf(at), otp: "048213" } });
const balance = () => ({ host: HOSTS.sms, path: "/account-balance" });

const bulk = (recipients) => () => ({
  host: HOSTS.sms,
  path: "/send-bulk-sms",
  body: { recipients: Array.from({ length: recipients }, (_, at) => phoneOf(at)), message: TEXT },
});

/**
 * The counted operations. `requests` are spread over `accounts`, each made by `ask` from its number; each request leads
 * to `messages` deliveries. Results are per message, or per request if there are no messages. Each account sends once,
 * except the busy ones; all take the same, so a few hundred are as good as a million. `alone`: requests far apart, so
 * that nothing is packed; otherwise they come together. `admitted` requests are sent before counting starts.
 */
const OPERATIONS = {
  "SMS, alone": { accounts: 150, requests: 150, ask: sms, messages: 1, alone: true },
  "SMS, in a crowd": { accounts: 250, requests: 250, ask: sms, messages: 1 },
  "SMS, 10 busy accounts": { accounts: 10, requests: 1_000, ask: sms, messages: 1, perMinute: 10 * BUSY_PER_MINUTE },
  "SMS by the simulator, alone": { accounts: 100, requests: 100, ask: sms, messages: 1, alone: true, carrier: "sim" },
  "OTP, alone": { accounts: 100, requests: 100, ask: otp, messages: 1, alone: true },
  "bulk of 1,000, a recipient": { accounts: 3, requests: 3, ask: bulk(1_000), messages: 1_000 },
  "bulk of 10,000, a recipient": { accounts: 1, requests: 1, ask: bulk(10_000), messages: 10_000 },
  "account-balance": { accounts: 100, requests: 1_000, ask: balance, messages: 0 },
  "forged key, 401": { accounts: 1, requests: 1_000, ask: sms, messages: 0, status: 401, forged: true },
  "over the limit, 429": { accounts: 1, requests: 1_000, ask: balance, messages: 0, status: 429, ...EXHAUSTED },
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

/**
 * Counts and prices every operation, on ports from `port` on. Returns a row for each: `operation`, what it used
 * (`counted`), dollars per million by component (`dollars`) and in total (`total`).
 */
export async function countCost({ bundle, stateDir, port = PORT }) {
  const { concurrency, batchSizes, logs } = deployed();
  const operations = Object.entries(OPERATIONS).map(([name, of], at) => {
    const where = { bundle, stateDir: path.join(stateDir, `cost-${at}`), port: port + 1 + at };
    return { name, of, where: { ...where, gatewayPort: port, concurrency, first: sms } };
  });
  const gateway = await startGateway(port);
  const services = [];
  try {
    const keys = await Promise.all(operations.map(({ of, where }) => warmUp(of, where)));
    // One at a time, so that the new runtime belongs to the service that was just started.
    for (const { of, where } of operations) services.push(await startCounted(of, where));
    const counters = await Promise.all(
      operations.map(({ name, of }, at) => count(name, of, services[at], keys[at], batchSizes)),
    );
    if (gateway.refused() > 0) throw new Error(`${gateway.refused()} receipts were refused`);
    return operations.map(({ name, of }, at) => rowOf(name, of, counters[at], logs));
  } finally {
    await Promise.allSettled(services.map(({ stop }) => stop()));
    await gateway.stop();
  }
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

const COUNTED = ["worker requests", "consumer batches", "object requests", "alarms run", "rows written", "alarms set"];
COUNTED.push("rows read", "queue operations", "D1 rows written", "D1 rows read", "log lines", "invocations", "CPU ms");

/** Prints the tables and the aims. */
export function printCost(rows) {
  const table = (of) => console.table(Object.fromEntries(rows.map((row) => [row.operation, of(row)])));
  console.log("What one operation takes:");
  table(({ counted }) => rounded(Object.fromEntries(COUNTED.map((name) => [name, counted[name] ?? 0])), 3));
  console.log(`Dollars per million, Workers Paid beyond the included amounts, prices of ${PRICES_DATE}:`);
  table(({ dollars, total }) => rounded({ ...dollars, total }, 2));
  const row = (name) => rows.find(({ operation }) => operation === name);
  const single = row("SMS, alone");
  for (const one of [single, row("SMS, in a crowd"), row("SMS, 10 busy accounts")]) {
    console.log(verdict(one, AIMS.single));
  }
  for (const name of ["bulk of 1,000, a recipient", "bulk of 10,000, a recipient"]) {
    console.log(verdict(row(name), AIMS.recipient));
  }
  const logs = single.dollars["log lines"] + single.dollars["invocation logs"];
  const activeMs = [ACTIVE_SEC.call, ACTIVE_SEC.alarm].map((sec) => sec * 1_000);
  console.log(
    `Assumed: an object is active for ${activeMs[0]} ms per call and ${activeMs[1]} ms per alarm; all CPU time of the runtime counts as the Worker's, including the simulators of D1 and queues; a consumer's batch is billed as a request.`,
  );
  console.log(
    `From ${LOGS_BY_SIZE.from} on logs are billed by size: $${single.logsBySize.toFixed(2)} instead of $${logs.toFixed(2)} for a single SMS, with ${LOGS_BY_SIZE.bytesPerEvent} bytes of overhead per event.`,
  );
}

if (process.argv[1] === import.meta.filename) {
  await withScratch("cost", async (stateDir) => {
    const rows = await countCost({ bundle: await bundleService(), stateDir });
    printCost(rows);
    mkdirSync(path.dirname(RESULT), { recursive: true });
    writeFileSync(RESULT, JSON.stringify({ at: new Date().toISOString(), prices: PRICES_DATE, rows }, null, 2));
    console.log("All numbers: .wrangler/cost.json");
  });
}
