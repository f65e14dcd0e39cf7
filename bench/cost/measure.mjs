// Runs one counted operation of bench/cost/run.mjs, from an empty service to its last alarm.
import { readFileSync, readdirSync } from "node:fs";
import { Client, inParallel, openAccounts, pause } from "../../harness/accounts.mjs";
import { PacedGateway } from "../../harness/paced-gateway.ts";
import { startService } from "../../harness/service.mjs";
import { randomOf } from "../../torture/random.ts";
import { aroundOf, queueNames } from "./around.mjs";
import { serviceClock } from "./operations.mjs";

const TICKS_PER_SEC = 100;

/** Accounts are opened by a service with earlier alarms than a deployment, so that they come to rest sooner. */
const WARM_SWEEP_MS = 2_000;

const REST_MS_MAX = 240_000;
const REST_STEP_MS = 500;

/** How fast the gateway answers, by the service's clock, and how many receipts it sends at once. */
const LATENCY_MS = [20, 150];
const RECEIPT_CONNECTIONS = 16;

/** Messages per page of an account's list. */
const PAGE = 500;

/** Fields of /proc/PID/stat from the third on; empty if the process has ended. */
function statOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) /u)[1].split(" ");
  } catch {
    return [];
  }
}

function isRuntime(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("workerd");
  } catch {
    return false;
  }
}

/** The runtimes that this process started; a new one among them belongs to the latest service. */
function runtimes() {
  return readdirSync("/proc").filter((pid) => Number(statOf(pid)[1]) === process.pid && isRuntime(pid));
}

function cpuMsOf(pid) {
  const fields = statOf(pid);
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SEC;
}

/** The counters and the open work. With `told`, sets it and resets the counters first. */
async function readCounters(client, told) {
  const { status, body } = await client.ask("count.bench", "/", told && { method: "PUT", body: told });
  if (status !== 200) throw new Error(`the counters answered ${status}`);
  return body;
}

/** What the service logged as a problem, and how often. */
function problemsIn(counters) {
  return Object.entries(counters).flatMap(([name, times]) =>
    name.startsWith("problem") ? [`the service logged ${times} times: ${name}`] : [],
  );
}

/** Waits until no alarm is set for soon, no queue message waits, no call runs and no receipt is on its way. */
async function rest(client, receipts) {
  let quiet = 0;
  for (let waitedMs = 0; waitedMs < REST_MS_MAX; waitedMs += REST_STEP_MS) {
    const { open } = await readCounters(client);
    quiet = open.isAtRest && !receipts?.waiting ? quiet + 1 : 0;
    if (quiet === 2) return;
    await pause(REST_STEP_MS);
  }
  const { counters, open } = await readCounters(client);
  const waiting = receipts ? `, ${receipts.waiting} receipts wait` : "";
  const problems = problemsIn(counters)
    .map((problem) => `; ${problem}`)
    .join("");
  throw new Error(
    `the service did not come to rest in ${REST_MS_MAX / 1_000} s: ${JSON.stringify(open)}${waiting}${problems}`,
  );
}

/** Makes one request of an operation. */
function askOnce(of, client, key, at) {
  const asked = of.ask(at);
  return client.askAs(key, asked.host, asked.path, asked);
}

/** Does everything that happens only once: opens accounts, uses each key, completes history. Returns the accounts. */
export async function warmUp(of, { first, bundle, stateDir, port, clock }) {
  const variables = { SWEEP_MS: String(WARM_SWEEP_MS * clock.speed) };
  const service = await startService({ port, stateDir, bundle, around: aroundOf(clock), variables });
  const client = new Client(port);
  try {
    const accounts = await openAccounts(client, of.accounts, { plan: of.plan ?? "premium" });
    await inParallel(accounts.length, (at) => askOnce({ ask: first }, client, accounts[at].api_key, 0));
    await rest(client);
    return accounts;
  } finally {
    client.close();
    await service.stop();
  }
}

/** Starts the counted service on the state that warmUp() left, and its gateway. */
export async function startCounted(of, { bundle, stateDir, port, gatewayPort, concurrency, clock, seed }) {
  const before = runtimes();
  const gateway = new PacedGateway(gatewayPort, {
    ...(of.limit && { limit: of.limit() }),
    latencyMs: LATENCY_MS.map((ms) => ms / clock.speed),
    receiptConnections: RECEIPT_CONNECTIONS,
    receiptAfterMs: (_, random) => (of.receiptAfterMs?.(random) ?? 0) / clock.speed,
    random: randomOf(seed, of.name),
    serviceMs: serviceClock(clock),
  });
  await gateway.listen();
  const variables = {
    // With a local gateway the service must be local, too; its logging is set as in a deployment.
    ...(of.carrier !== "sim" && gateway.settingsFor(port)),
    ...(of.sweepMs && { SWEEP_MS: String(of.sweepMs) }),
    ...(of.carrierTps && { CARRIER_TPS: String(of.carrierTps) }),
    DISPATCH_CONCURRENCY: concurrency,
    LOG_REQUESTS: "failures",
  };
  const service = await startService({ port, stateDir, bundle, around: aroundOf(clock), variables });
  const client = new Client(port);
  const stop = async () => {
    client.close();
    await service.stop();
    await gateway.close();
  };
  return { stop, gateway, client, pid: runtimes().find((pid) => !before.includes(pid)) };
}

/** Sends the requests of an operation at its rate: `everySec` and `perMinute` are by the service's clock. */
async function send(of, client, accounts, speed) {
  const startedMs = Date.now();
  const gapMs = (of.perMinute ? 60_000 / of.perMinute : 0) / speed;
  const wrong = [];
  const one = async (at) => {
    const key = accounts[at % accounts.length].api_key;
    const used = of.forged ? key.slice(0, -1) + (key.endsWith("0") ? "1" : "0") : key;
    const reply = await askOnce(of, client, used, at);
    if (reply.status !== (of.status ?? 200)) wrong.push(reply.body);
  };
  await inParallel(of.requests, async (at) => {
    await pause(Math.max(0, startedMs + at * gapMs - Date.now()));
    await one(at);
  });
  if (wrong.length > 0) throw new Error(`${wrong.length} replies were wrong, such as ${JSON.stringify(wrong[0])}`);
}

/** How many messages of these accounts are in each state, as the service itself lists them. */
async function statesOf(client, accounts) {
  const states = {};
  await inParallel(accounts.length, async (at) => {
    for (let after = ""; after !== null;) {
      const query = `?limit=${PAGE}${after && `&after=${encodeURIComponent(after)}`}`;
      const page = await client.operate(`/operator/accounts/${accounts[at].account_id}/messages${query}`);
      for (const { state } of page.data) states[state] = (states[state] ?? 0) + 1;
      after = page.has_more ? page.next : null;
    }
  });
  return states;
}

/** What is wrong with the counters of an operation. */
function faultsOf(of, counted, { before, after }, gateway) {
  const faults = problemsIn(counted);
  const messages = of.messages * of.requests;
  const delivered = (after.delivered ?? 0) - (before.delivered ?? 0);
  if (delivered !== messages) {
    faults.push(`${delivered} of ${messages} messages were delivered: ${JSON.stringify(after)}`);
  }
  if (messages > 0 && !(counted["object requests"] > 0)) faults.push("calls of objects are not counted");
  if (messages > 0 && !(counted["D1 rows written"] > 0)) faults.push("nothing was written into history");
  const { refused, lost } = gateway.receipts;
  if (lost > 0) faults.push(`${lost} receipts were never answered with 200: ${JSON.stringify([...refused])}`);
  const twice = [...gateway.record.refs.values()].filter(({ accepted }) => accepted > 1).length;
  if (twice > 0) faults.push(`${twice} messages were accepted twice`);
  return faults;
}

/**
 * Runs an operation until everything is final and no alarm is set; returns the counters for that time, and what is wrong
 * with them.
 */
export async function count(of, { pid, client, gateway }, accounts, { batchSizes, clock }) {
  // Uses up the rate limit first; these requests are not counted.
  for (let at = 0; at < (of.admitted ?? 0); at++) await askOnce(of, client, accounts[0].api_key, at);
  if (of.admitted) await rest(client);
  const before = await statesOf(client, accounts);
  const ones = Object.fromEntries(queueNames().map((name) => [name, 1]));
  await readCounters(client, { batchSizes: of.alone ? ones : batchSizes });
  const cpuMs = cpuMsOf(pid);
  await send(of, client, accounts, clock.speed);
  // What was counted until then is still worth printing.
  const unrest = await rest(client, gateway.receipts).then(
    () => [],
    (problem) => [problem],
  );
  const { counters } = await readCounters(client);
  const used = { ...counters, "CPU ms": cpuMsOf(pid) - cpuMs };
  const after = await statesOf(client, accounts);
  return { counters: used, faults: [...unrest, ...faultsOf(of, used, { before, after }, gateway)] };
}
