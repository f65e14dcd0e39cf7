// Runs one scenario of bench:pace on a service of its own.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { Client, openAccounts, pause } from "../../harness/accounts.mjs";
import { PacedGateway } from "../../harness/paced-gateway.ts";
import { VARIABLES, startService } from "../../harness/service.mjs";
import { readMessageId } from "../../src/crypto/ids.ts";
import { randomOf } from "../../torture/random.ts";
import { figuresOf } from "./figures.mjs";
import { ACCOUNTS, Load } from "./load.mjs";

const LATENCY_MS = [20, 150];
/** Receipts come up to a minute late, as those of real networks do. */
const RECEIPT_SPREAD_MS = 60_000;
const RECEIPT_CONNECTIONS = 8;
/** A gateway handles at once what its rate needs, and some more. */
const HANDLES_PER_CONCURRENCY = 2;
const STEP_MS = 200;

/** Whether the gateway is busy for a reason other than its rate: for an OTP's first submission, once in a while. */
function busyOnce({ busyEverySec }) {
  const met = new Set();
  let nextMs = 0;
  return ({ ref }, { lane }, nowMs) => {
    if (lane !== "otp" || nowMs < nextMs || met.has(ref)) return false;
    met.add(ref);
    nextMs = nowMs + busyEverySec * 1_000;
    return true;
  };
}

/** Problems in the service's log by event, and how many of each. */
function problemsOf(stateDir) {
  const file = path.join(stateDir, "log");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const counts = {};
  for (const line of lines.filter((text) => /problem|rror|exception/u.test(text))) {
    const what = line.replace(/\d+/gu, "#").slice(0, 160);
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}

/** Time of all processors since the start, and how much of it they were idle, in ticks. */
function processors() {
  const [, ...ticks] = readFileSync("/proc/stat", "utf8").split("\n")[0].trim().split(/\s+/u).map(Number);
  return { all: ticks.slice(0, 8).reduce((sum, one) => sum + one, 0), idle: ticks[3] + ticks[4] };
}

/** Starts gateway and service of a scenario, with its accounts open. */
async function start(scenario, { bundle, stateDir, ports: [port, gatewayPort], seed }) {
  const asked = { load: null };
  const originOf = ({ ref, to }) => {
    const account = readMessageId(VARIABLES.KEY_SECRET, ref)?.accountId ?? "unknown";
    return { lane: asked.load?.asked.get(to)?.lane ?? "unknown", account };
  };
  const { gateway: kind, concurrency, busyEverySec } = scenario;
  const { limit, saysRetryAfter } = kind;
  const gateway = new PacedGateway(gatewayPort, {
    ...(limit && { limit: limit(), saysRetryAfter }),
    latencyMs: LATENCY_MS,
    handlesMax: concurrency * HANDLES_PER_CONCURRENCY,
    receiptAfterMs: (_, random) => random() * RECEIPT_SPREAD_MS,
    receiptConnections: RECEIPT_CONNECTIONS,
    ...(busyEverySec && { isBusyFor: busyOnce(scenario) }),
    originOf,
    random: randomOf(seed, scenario.name, "gateway"),
  });
  await gateway.listen();
  const variables = {
    ...gateway.settingsFor(port),
    DISPATCH_CONCURRENCY: String(concurrency),
    LOG_REQUESTS: "failures",
    ...(scenario.isSet && { CARRIER_TPS: String(scenario.perSec) }),
  };
  const service = await startService({ port, stateDir, bundle, variables });
  const client = new Client(port);
  const accounts = await openAccounts(client, ACCOUNTS);
  const keys = accounts.map((account) => account.api_key);
  const load = new Load({ client, keys, random: randomOf(seed, scenario.name, "load") });
  asked.load = load;
  const stop = async () => {
    client.close();
    await service.stop();
    await gateway.close();
  };
  return { gateway, load, stop };
}

const isDone = ({ record }, load) => {
  let accepted = 0;
  for (const { acceptedMs } of record.refs.values()) if (acceptedMs !== null) accepted += 1;
  return accepted >= load.asked.size;
};

/** Prepares a scenario; `run()` then measures it and returns its figures. */
export async function prepare(scenario, where) {
  const { gateway, load, stop } = await start(scenario, where);
  const { seconds, away } = scenario;
  const run = async () => {
    const before = processors();
    const startMs = Date.now();
    const endMs = startMs + seconds * 1_000;
    const timer = away && setTimeout(() => gateway.closeFor(away.forSec * 1_000), away.afterSec * 1_000);
    const sending = scenario.load === "bulk" ? load.bulk() : load.mixed(scenario);
    const progress = { isSent: false, problem: null };
    const sent = sending.catch((problem) => (progress.problem = problem)).finally(() => (progress.isSent = true));
    while (Date.now() < endMs && !(progress.isSent && isDone(gateway, load))) await pause(STEP_MS);
    clearTimeout(timer);
    const { record, receipts } = gateway;
    const figures = figuresOf(scenario, { record, receipts, load, startMs, endMs: Date.now() });
    const now = processors();
    const idle = (now.idle - before.idle) / (now.all - before.all);
    await Promise.race([sent, pause(1_000)]);
    if (progress.problem) throw progress.problem;
    return { ...figures, idle, problems: problemsOf(where.stateDir) };
  };
  return { run, stop };
}
