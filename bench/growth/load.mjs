// The service on which growth is measured, and its loads.
import { spawn } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client } from "../../harness/accounts.mjs";
import { median } from "./curve.mjs";
import { KEY_SECRET } from "./state.mjs";
import { aroundOf, queueNames } from "../cost/around.mjs";
import { HOSTS, startService } from "../../harness/service.mjs";

const CONNECTIONS = 16;
const PAGE_BYTES = 4_096;

/** Below the largest plan's limit of 200 requests per account and minute. */
const SENDS_PER_ACCOUNT = 150;

export const runtimesOf = (parent) => readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim().split(" ");

/**
 * Starts the service on the state in `stateDir`. Queue messages are dropped, requests do not submit, and no alarm runs,
 * so that only the request itself is measured, and no slice pays for the previous one.
 */
export async function startMeasured({ port, stateDir, bundle, held = queueNames(), sweepMs = 3_600_000 }) {
  const before = runtimesOf(process.pid);
  const variables = { KEY_SECRET, DIRECT_DISPATCH: "off", SWEEP_MS: String(sweepMs) };
  const service = await startService({ port, stateDir, bundle, around: aroundOf(), variables });
  const client = new Client(port);
  const told = await client.ask("count.bench", "/", { method: "PUT", body: { held } });
  if (told.status !== 200) throw new Error(`the counters answered ${told.status}`);
  const pid = runtimesOf(process.pid).find((one) => !before.includes(one));
  const stop = async () => {
    client.close();
    await service.stop();
  };
  return { port, stateDir, client, pid, stop };
}

/** Processor time of a runtime in µs, from the scheduler's statistics. */
export function cpuUs({ pid }) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const spent = tasks.map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]));
  return spent.reduce((sum, one) => sum + one, 0) / 1_000;
}

/** What a runtime uses now: memory in MiB, and open files. */
export function holds({ pid }) {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
  return { mib: (pages * PAGE_BYTES) / 2 ** 20, files: readdirSync(`/proc/${pid}/fd`).length };
}

/** How many files a runtime may open; the limit cannot be raised from here. */
export function filesMax() {
  const line = readFileSync("/proc/self/limits", "utf8").match(/^Max open files\s+\d+\s+(\d+)/mu);
  return Number(line?.[1] ?? 1_024);
}

/**
 * A script for wrk: requests rotate over `hot` accounts, and move on to the next `hot` accounts before the plan's limit
 * is reached. `from` is the first account; `gapMs` is the pause of each connection between two requests.
 */
function scriptFor({ keys, hot, from, gapMs }) {
  return `
    local keys, hot, from, n = {${keys.map((key) => `"${key}"`).join(",")}}, ${hot}, ${from}, -1
    local headers = { ["Content-Type"] = "application/json", ["Host"] = "${HOSTS.sms}" }
    local body = '{"phone":"9876543210","message":"Your order 4711 is on its way and will be with you today."}'
    request = function()
      n = n + 1
      local turn = math.floor(n / (hot * ${SENDS_PER_ACCOUNT}))
      headers["Authorization"] = "Bearer " .. keys[(from + turn * hot + n % hot) % #keys + 1]
      return wrk.format("POST", "/send-sms", headers, body)
    end
    ${gapMs ? `delay = function() return ${gapMs} end` : ""}
    done = function(summary, latency)
      local e = summary.errors
      io.write(string.format("RESULT %d %d %d %d %d %d\\n", summary.requests, summary.duration, e.status, e.timeout,
        e.connect + e.read + e.write, latency:percentile(50)))
    end`;
}

function wrk(args) {
  const child = spawn("wrk", args, { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    const said = [];
    child.stdout.on("data", (text) => said.push(text));
    child.once("error", () => reject(new Error("the load generator wrk is missing: apt-get install wrk")));
    child.once("close", () => resolve(said.join("")));
  });
}

/** Runs one slice of sends; returns its results, and how many accounts it used up. */
export async function sends(service, { keys, hot, from, seconds, gapMs }) {
  const script = path.join(service.stateDir, "growth.lua");
  writeFileSync(script, scriptFor({ keys, hot, from, gapMs }));
  const usedUs = cpuUs(service);
  const url = `http://127.0.0.1:${service.port}`;
  const said = await wrk(["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "--timeout", "10s", "-s", script, url]);
  const found = /RESULT (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)/u.exec(said);
  if (!found) throw new Error(`wrk said: ${said}`);
  const [requests, durationUs, refused, late, broken, p50Us] = found.slice(1).map(Number);
  if (requests === 0) throw new Error(`no send over ${hot} accounts was answered within ${seconds} s`);
  if (refused + late + broken > 0) {
    const how = `${refused} refused, ${late} not answered in time, ${broken} broken off`;
    throw new Error(`of ${requests} sends over ${hot} accounts ${how}`);
  }
  return {
    perSec: (requests * 1e6) / durationUs,
    cpuUs: (cpuUs(service) - usedUs) / requests,
    p50Ms: p50Us / 1_000,
    accounts: Math.ceil(requests / (hot * SENDS_PER_ACCOUNT)) * hot,
  };
}

/**
 * Makes `count` requests one at a time, each after `before`; returns the median time in ms and the mean processor time
 * in µs.
 */
export async function oneByOne(service, count, ask, before = async () => undefined) {
  const times = [];
  let usedUs = 0;
  for (let at = 0; at < count; at++) {
    await before();
    const startUs = cpuUs(service);
    const startedAt = performance.now();
    const { status, body } = await ask();
    times.push(performance.now() - startedAt);
    usedUs += cpuUs(service) - startUs;
    if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body).slice(0, 300)}`);
  }
  return { ms: median(times), cpuUs: usedUs / count };
}
