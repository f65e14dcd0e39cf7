// npm run bench: how fast the service takes requests, beside what its runtime takes for next to nothing. Everything runs
// in one go and in turns, each slice on an idle service, so that what else the machine does meets all of them alike: only the ratios are to be
// compared, between one run and another not even those of a busy machine.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { HOSTS, OPERATOR_TOKEN } from "./service.mjs";

const ROUNDS = 3;
const SLICE_SEC = 3;
const CONNECTIONS = 32;
const ACCOUNTS = 1_000;
const PORTS = { service: 18_790, floors: 18_792 };
const TICKS_PER_SEC = 100;
const SETTLE_MS_MAX = 15_000;
const SETTLE_STEP_MS = 250;
/** Of one processor; below it a server counts as idle. */
const IDLE_SHARE = 0.1;
const RESULT = path.join(import.meta.dirname, "..", ".wrangler", "bench.json");

/** The load generator: it names itself, and without it there is nothing to run. */
function generator() {
  const { stdout, error } = spawnSync("wrk", ["-v"], { encoding: "utf8" });
  if (error) throw new Error("the load generator wrk is missing; install it with: apt-get install wrk");
  return /wrk \S+/u.exec(stdout)?.[0] ?? "wrk";
}

/** Starts a server as a process group of its own. */
function start(name, stateDir) {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "server.mjs"), name, PORTS[name], stateDir], {
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)));
    child.stdout.once("data", (text) => resolve({ child, ...JSON.parse(String(text)) }));
  });
}

/** Processor time that a process group has used, in ms, and the memory that it holds, in MiB. */
function usedBy(leader) {
  let ticks = 0;
  let pages = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/u.test(name))) {
    try {
      const [, rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) /u);
      const fields = rest.split(" ");
      if (Number(fields[2]) !== leader) continue;
      ticks += Number(fields[11]) + Number(fields[12]);
      pages += Number(fields[21]);
    } catch {
      // It ended while it was looked at.
    }
  }
  return { cpuMs: (ticks * 1_000) / TICKS_PER_SEC, memoryMib: (pages * 4_096) / 2 ** 20 };
}

function openAccounts() {
  const keys = [];
  for (let at = 0; at < ACCOUNTS; at++) {
    const reply = fetchHost(HOSTS.console, "/operator/accounts", {
      name: "Bench",
      plan: "premium",
      balance: 1e6,
    });
    keys.push(reply.api_key);
  }
  return keys;
}

/** Node's fetch drops a Host header; curl keeps it. */
function fetchHost(host, at, body) {
  const args = ["-s", `http://127.0.0.1:${PORTS.service}${at}`, "-H", `Host: ${host}`];
  args.push("-H", `Authorization: Bearer ${OPERATOR_TOKEN}`, "-H", "Content-Type: application/json");
  const { stdout } = spawnSync("curl", [...args, "-d", JSON.stringify(body)], { encoding: "utf8" });
  const reply = JSON.parse(stdout);
  if (!reply.success) throw new Error(stdout);
  return reply;
}

const MESSAGE =
  "Your order 4711 is on its way and will be with you today between four and six. Thank you for shopping with us!";
const SMS = JSON.stringify({ phone: "9876543210", message: MESSAGE, senderId: "MYSHOP" });
const OTP = JSON.stringify({ phone: "9876543210", otp: "048213", brandName: "My Shop" });

const service = (at, host, body, more = {}) => ({ server: "service", at, host, body, keys: "own", ...more });

/** What is measured; the first four are the floors. */
const CASES = {
  "floor: plain text": { server: "floors", at: "/text", body: null },
  "floor: JSON echo": { server: "floors", at: "/echo", body: SMS },
  "floor: object call": { server: "floors", at: "/object", body: SMS, keys: "names" },
  "floor: object call, update and insert": { server: "floors", at: "/store", body: SMS, keys: "names" },
  healthz: service("/healthz", HOSTS.sms, null, { keys: "none" }),
  "forged key": service("/send-sms", HOSTS.sms, SMS, { keys: "forged" }),
  "account-balance": service("/account-balance", HOSTS.sms, null),
  "send-sms": service("/send-sms", HOSTS.sms, SMS),
  "send-sms, Idempotency-Key": service("/send-sms", HOSTS.sms, SMS, { once: true }),
  "send-otp": service("/send-otp", HOSTS.otp, OTP),
};

/** A script for wrk: every request another account, and where it is asked for another Idempotency-Key. */
function luaFor(of, keys) {
  const lists = {
    own: keys,
    forged: [keys[0].replace(/.$/u, (last) => (last === "0" ? "1" : "0"))],
    names: keys,
    none: [""],
  };
  const list = lists[of.keys ?? "none"].map((key) => JSON.stringify(key)).join(",");
  const name = of.keys === "names" ? "X-Account" : "Authorization";
  const value = of.keys === "names" ? "keys[at]" : '"Bearer " .. keys[at]';
  return `
    local keys, n = {${list}}, math.random(1, 1000000000)
    local headers = { ["Content-Type"] = "application/json"${of.host ? `, ["Host"] = "${of.host}"` : ""} }
    local body = ${of.body === null ? "nil" : JSON.stringify(of.body)}
    request = function()
      n = n + 1
      local at = n % #keys + 1
      ${of.keys && of.keys !== "none" ? `headers["${name}"] = ${value}` : ""}
      ${of.once ? 'headers["Idempotency-Key"] = "bench-" .. n .. "-" .. os.time()' : ""}
      return wrk.format(${of.body === null ? '"GET"' : '"POST"'}, "${of.at}", headers, body)
    end
    done = function(summary, latency)
      io.write(string.format("RESULT %d %d %d %d %d\\n", summary.requests, summary.duration,
        summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
        latency:percentile(50), latency:percentile(99)))
    end`;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until a server has done what the slice before left it: messages on their way, rows of history. */
async function settle(leader) {
  for (let waitedMs = 0; waitedMs < SETTLE_MS_MAX; waitedMs += SETTLE_STEP_MS) {
    const before = usedBy(leader).cpuMs;
    await pause(SETTLE_STEP_MS);
    if (usedBy(leader).cpuMs - before < SETTLE_STEP_MS * IDLE_SHARE) return;
  }
}

/** One slice of load on one case. */
function slice(of, script, leader) {
  const before = usedBy(leader);
  const url = `http://127.0.0.1:${PORTS[of.server]}`;
  const args = ["-t1", `-c${CONNECTIONS}`, `-d${SLICE_SEC}s`, "--timeout", "10s", "-s", script, url];
  const { stdout, stderr } = spawnSync("wrk", args, { encoding: "utf8" });
  const after = usedBy(leader);
  const found = /RESULT (\d+) (\d+) (\d+) (\d+) (\d+)/u.exec(stdout);
  if (!found) throw new Error(`wrk said: ${stdout}${stderr}`);
  const [requests, durationUs, errors, p50Us, p99Us] = found.slice(1).map(Number);
  return {
    perSec: (requests * 1e6) / durationUs,
    cpuUs: ((after.cpuMs - before.cpuMs) * 1_000) / requests,
    p50Ms: p50Us / 1_000,
    p99Ms: p99Us / 1_000,
    errors,
    memoryMib: after.memoryMib,
  };
}

function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}

const BASE = "floor: object call, update and insert";

/** Medians over the rounds, and ratios that were taken within each round. */
function summaryOf(rounds) {
  return Object.keys(CASES).map((name) => {
    const of = (field) => median(rounds.map((round) => round[name][field]));
    return {
      case: name,
      "requests/s": Math.round(of("perSec")),
      "× floor": Number(median(rounds.map((round) => round[name].perSec / round[BASE].perSec)).toFixed(2)),
      "CPU µs": Math.round(of("cpuUs")),
      "p50 ms": Number(of("p50Ms").toFixed(1)),
      "p99 ms": Number(of("p99Ms").toFixed(1)),
      "not 200": rounds.reduce((sum, round) => sum + round[name].errors, 0),
      MiB: Math.round(of("memoryMib")),
    };
  });
}

async function main() {
  console.log(
    `Load by ${generator()}, ${CONNECTIONS} connections; ${ROUNDS} rounds of ${SLICE_SEC} s for each case, over ${ACCOUNTS} accounts.`,
  );
  const stateDir = mkdtempSync(path.join(os.tmpdir(), "dastak-bench-"));
  const servers = {};
  try {
    for (const name of Object.keys(PORTS)) servers[name] = await start(name, path.join(stateDir, name));
    const keys = openAccounts();
    const scripts = {};
    for (const [at, [name, of]] of Object.entries(CASES).entries()) {
      scripts[name] = path.join(stateDir, `${at}.lua`);
      writeFileSync(scripts[name], luaFor(of, keys));
    }
    const rounds = [];
    const names = Object.keys(CASES);
    // One round that does not count, for the caches; then forwards and backwards in turns.
    for (let round = 0; round <= ROUNDS; round++) {
      const results = {};
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        await settle(servers.service.child.pid);
        results[name] = slice(CASES[name], scripts[name], servers[CASES[name].server].child.pid);
      }
      if (round > 0) rounds.push(results);
    }
    const summary = summaryOf(rounds);
    console.table(summary);
    mkdirSync(path.dirname(RESULT), { recursive: true });
    const machine = `${os.cpus().length} × ${os.cpus()[0]?.model}`;
    writeFileSync(
      RESULT,
      JSON.stringify({ at: new Date().toISOString(), machine, node: process.version, summary, rounds }, null, 2),
    );
    console.log(`Bundle: ${Math.round(servers.service.bundleBytes / 1_024)} KiB. All numbers: .wrangler/bench.json`);
  } finally {
    for (const { child } of Object.values(servers)) {
      child.removeAllListeners("exit");
      process.kill(-child.pid, "SIGKILL");
    }
    rmSync(stateDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

await main();
