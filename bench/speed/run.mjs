// npm run bench: how many requests per second the service handles, compared with the bare runtime and with other ways
// to do the same work. All cases take turns in one run, so that other load on the machine affects them alike: only
// ratios are comparable, and each is taken within its round.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { allCases } from "./cases.mjs";
import { countCost, printCost } from "../cost/run.mjs";
import { part, printFailures } from "../failures.mjs";
import { generator } from "./load.mjs";
import { PEERS, WINDOW_MS } from "../peers/index.mjs";
import { KEYS_FILE, cpuMsOf, memoryMibOf, startServer, stopServer, untilIdle } from "./processes.mjs";
import { bundleService } from "../../harness/service.mjs";
import { printAims, printTable, summaryOf } from "./summary.mjs";

const SLICE_SEC = 2;
const LIGHT_SLICE_SEC = 1;
const WAKE_SEC = 2;
const SETTLE_MS_MAX = 8_000;
const PORT = 18_790;
const PORTS_EACH = 10;
const RESULT = path.join(import.meta.dirname, "../..", ".wrangler", "bench.json");

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    accounts: { type: "string", default: "1000" },
    only: { type: "string", default: "" },
    "no-cost": { type: "boolean", default: false },
  },
});
const ROUNDS = Number(flags.rounds);
const ACCOUNTS = Number(flags.accounts);

/** Servers whose messages are delivered while they are measured. */
const WITH_DELIVERY = new Set(["whole", "started"]);

/** Starts every server that a case needs; the cases of one that does not start are left out. */
async function startAll(cases, { stateDir, bundle, servers, failures }) {
  for (const [at, name] of [...new Set(cases.map(({ server }) => server))].entries()) {
    const options = { port: PORT + at * PORTS_EACH, stateDir: path.join(stateDir, name), accounts: ACCOUNTS, bundle };
    await part(`the server ${name}`, failures, async () => {
      const server = await startServer(name, options);
      servers[name] = { ...server, keys: [] };
      servers[name].keys = JSON.parse(readFileSync(path.join(options.stateDir, KEYS_FILE), "utf8"));
    });
  }
}

/** One slice of load on one case. */
async function slice(load, { connections, refused, light, wakes, askWith }, server) {
  const ask = askWith(server.keys);
  const { port } = server;
  if (wakes) await load.run({ port, ask, connections, seconds: WAKE_SEC });
  const before = cpuMsOf(server);
  const { requests, ...seen } = await load.run({
    port,
    ask,
    connections,
    seconds: light ? LIGHT_SLICE_SEC : SLICE_SEC,
  });
  // Where deliveries are not held back, they are part of the cost of a send.
  if (WITH_DELIVERY.has(server.name)) await untilIdle(server, SETTLE_MS_MAX);
  return {
    perSec: seen.perSec,
    cpuUs: ((cpuMsOf(server) - before) * 1_000) / requests,
    p50Ms: seen.p50Ms,
    p99Ms: seen.p99Ms,
    wrong: seen.broken + (refused ? requests - seen.refused : seen.refused),
    memoryMib: memoryMibOf(server),
  };
}

/** Runs every case once per round, alternating forwards and backwards; a case that fails is not run again. */
async function measure(load, cases, { servers, failures }) {
  const rounds = [];
  const failed = new Set();
  for (let round = 0; round < ROUNDS; round++) {
    const results = {};
    for (const one of round % 2 === 0 ? cases : cases.toReversed()) {
      if (!servers[one.server] || failed.has(one.name)) continue;
      const result = await part(one.name, failures, () => slice(load, one, servers[one.server]));
      if (result) results[one.name] = result;
      else failed.add(one.name);
    }
    rounds.push(results);
  }
  return rounds.map((results) => Object.fromEntries(Object.entries(results).filter(([name]) => !failed.has(name))));
}

const kib = (bytes) => Math.round(bytes / 1_024);

/** The size of the bundle, and the time from the runtime's start until it is ready. */
function sizesOf(bundle, servers) {
  return {
    "bundle KiB": kib(Buffer.byteLength(bundle)),
    "bundle KiB, gzip": kib(gzipSync(bundle).length),
    "start ms": Math.round(servers.service?.readyMs ?? Number.NaN),
  };
}

/** What is measured: load over all cases, and the cost. Each part that fails leaves the others as they are. */
async function measureAll({ stateDir, servers, failures, load }) {
  const bundle = await bundleService();
  const bundleFile = path.join(stateDir, "bundle.js");
  writeFileSync(bundleFile, bundle);
  // Counting needs no quiet machine: it mostly waits for alarms, and the servers start meanwhile.
  const counting = flags["no-cost"] ? null : part("bench:cost", failures, () => countCost({ bundle, stateDir }));
  const cases = load ? allCases().filter(({ name }) => name.includes(flags.only) || name.startsWith("floor")) : [];
  await startAll(cases, { stateDir, bundle: bundleFile, servers, failures });
  const cost = await counting;
  failures.push(...(cost?.failures ?? []));
  const rounds = await measure(load, cases, { servers, failures });
  return { cost: cost?.rows ?? null, rounds, sizes: sizesOf(bundle, servers) };
}

async function main() {
  const beganMs = performance.now();
  const failures = [];
  const load = await part("the load generator", failures, generator);
  const machine = `${os.cpus().length} × ${os.cpus()[0]?.model}, Node ${process.versions.node}`;
  console.log(`${machine}. Load by ${load?.name ?? "nothing"}; ${ROUNDS} rounds, ${SLICE_SEC} s for each case.`);
  console.log(
    `${ACCOUNTS} accounts, or one; a window of ${WINDOW_MS} ms where one account sends thousands of requests per second.`,
  );
  for (const peer of Object.values(PEERS)) console.log(peer.missing() ?? `${peer.title}: ${peer.note}.`);
  const stateDir = mkdtempSync(path.join(os.tmpdir(), "dastak-bench-"));
  const servers = {};
  try {
    const { cost, rounds, sizes } = await measureAll({ stateDir, servers, failures, load });
    const summary = summaryOf(rounds);
    printTable(summary);
    console.table([sizes]);
    printAims(rounds);
    if (cost) printCost(cost);
    mkdirSync(path.dirname(RESULT), { recursive: true });
    const facts = { at: new Date().toISOString(), commit: commitOf(), machine, load: load?.name ?? null };
    const failed = failures.map(({ part: name, problem }) => ({ part: name, problem: String(problem) }));
    writeFileSync(RESULT, JSON.stringify({ ...facts, sizes, summary, cost, rounds, failed }, null, 2));
    const minutes = ((performance.now() - beganMs) / 60_000).toFixed(1);
    console.log(`All numbers: .wrangler/bench.json. It took ${minutes} minutes.`);
  } finally {
    await Promise.allSettled(Object.values(servers).map(stopServer));
    rmSync(stateDir, { recursive: true, force: true, maxRetries: 3 });
    printFailures(failures);
  }
}

const commitOf = () => spawnSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).stdout?.trim() ?? "";

await main();
