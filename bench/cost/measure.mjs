// Runs one counted operation of bench/cost/run.mjs, from an empty service to its last alarm.
import { readFileSync, readdirSync } from "node:fs";
import { Client, inParallel, openAccounts, pause } from "../../harness/accounts.mjs";
import { settingsFor } from "./gateway.mjs";
import { AROUND } from "./around.mjs";
import { startService } from "../../harness/service.mjs";

const TICKS_PER_SEC = 100;

/** Accounts are opened by a service with earlier alarms than a deployment, so that they come to rest sooner. */
const WARM_SWEEP_MS = "10000";

const REST_MS_MAX = 240_000;
const REST_STEP_MS = 500;

/** Fields of /proc/PID/stat from the third on; empty if the process has ended. */
function statOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) /u)[1].split(" ");
  } catch {
    return [];
  }
}

const isRuntime = (pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("workerd");

/** The runtimes that this process started; a new one among them belongs to the latest service. */
function runtimes() {
  return readdirSync("/proc").filter((pid) => Number(statOf(pid)[1]) === process.pid && isRuntime(pid));
}

function cpuMsOf(pid) {
  const fields = statOf(pid);
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SEC;
}

/** The counters, the open work, and the messages in history. With `told`, sets it and resets the counters first. */
async function readCounters(client, told) {
  const { status, body } = await client.ask("count.bench", "/", told && { method: "PUT", body: told });
  if (status !== 200) throw new Error(`the counters answered ${status}`);
  return body;
}

/** Waits until no alarm is set, no queue message waits and no call runs. */
async function rest(client) {
  let quiet = 0;
  for (let waitedMs = 0; waitedMs < REST_MS_MAX; waitedMs += REST_STEP_MS) {
    const { open } = await readCounters(client);
    quiet = Object.values(open).every((left) => left === 0) ? quiet + 1 : 0;
    if (quiet === 2) return;
    await pause(REST_STEP_MS);
  }
  throw new Error(`the service did not come to rest: ${JSON.stringify((await readCounters(client)).open)}`);
}

/** Makes one request of an operation. */
function askOnce(of, client, key, at) {
  const asked = of.ask(at);
  return client.askAs(key, asked.host, asked.path, asked);
}

/** Does everything that happens only once: opens accounts, uses each key, completes history. Returns the keys. */
export async function warmUp(of, { first, bundle, stateDir, port }) {
  const variables = { SWEEP_MS: WARM_SWEEP_MS };
  const service = await startService({ port, stateDir, bundle, around: AROUND, variables });
  const client = new Client(port);
  try {
    const accounts = await openAccounts(client, of.accounts, { plan: of.plan ?? "premium" });
    const keys = accounts.map((account) => account.api_key);
    await inParallel(keys.length, (at) => askOnce({ ask: first }, client, keys[at], 0));
    await rest(client);
    return keys;
  } finally {
    client.close();
    await service.stop();
  }
}

/** Starts the counted service on the state that warmUp() left. */
export async function startCounted(of, { bundle, stateDir, port, gatewayPort, concurrency }) {
  const before = runtimes();
  const carrier = of.carrier === "sim" ? {} : settingsFor(gatewayPort, port);
  // With a local gateway the service must be local, too; its logging is set as in a deployment.
  const variables = { ...carrier, DISPATCH_CONCURRENCY: concurrency, LOG_REQUESTS: "failures" };
  const service = await startService({ port, stateDir, bundle, around: AROUND, variables });
  return { stop: service.stop, pid: runtimes().find((pid) => !before.includes(pid)), client: new Client(port) };
}

/** Rate of single requests: far enough apart that nothing is packed. */
const ALONE_PER_MINUTE = 600;

/** Sends the requests of an operation at its rate. */
async function send(of, client, keys) {
  const startedMs = Date.now();
  const perMinute = of.alone ? ALONE_PER_MINUTE : of.perMinute;
  const wrong = [];
  await inParallel(of.requests, async (at) => {
    if (perMinute) await pause(Math.max(0, startedMs + (at * 60_000) / perMinute - Date.now()));
    const key = keys[at % keys.length];
    const used = of.forged ? key.slice(0, -1) + (key.endsWith("0") ? "1" : "0") : key;
    const reply = await askOnce(of, client, used, at);
    if (reply.status !== (of.status ?? 200)) wrong.push(reply.body);
  });
  if (wrong.length > 0) throw new Error(`${wrong.length} replies were wrong, such as ${JSON.stringify(wrong[0])}`);
}

/** Rejects counters that do not match the operation. */
function check(name, of, counted, delivered) {
  const problem = Object.keys(counted).find((key) => key.startsWith("problem"));
  if (problem) throw new Error(`${name}: the service logged a ${problem}`);
  const messages = of.messages * of.requests;
  if (delivered !== messages) throw new Error(`${name}: history has ${delivered} of ${messages} messages as delivered`);
  if (messages > 0 && !(counted["object requests"] > 0)) throw new Error(`${name}: calls of objects are not counted`);
}

/** Runs an operation until everything is final and no alarm is set; returns the counters for that time. */
export async function count(name, of, { pid, client, stop }, keys, batchSizes) {
  try {
    // Uses up the rate limit first; these requests are not counted.
    for (let at = 0; at < (of.admitted ?? 0); at++) await askOnce(of, client, keys[0], at);
    if (of.admitted) await rest(client);
    const sizes = of.alone ? { dispatch: 1, history: 1 } : batchSizes;
    const before = (await readCounters(client, { batchSizes: sizes })).recorded.delivered ?? 0;
    const cpuMs = cpuMsOf(pid);
    await send(of, client, keys);
    await rest(client);
    const { counters, recorded } = await readCounters(client);
    check(name, of, counters, (recorded.delivered ?? 0) - before);
    return { ...counters, "CPU ms": cpuMsOf(pid) - cpuMs };
  } finally {
    client.close();
    await stop();
  }
}
