// The load generator: wrk if installed, otherwise autocannon. Both send as fast as replies arrive, over a fixed number
// of persistent connections.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

const TIMEOUT_SEC = 10;

const quote = (text) => JSON.stringify(text);

/**
 * A script for wrk: every request has the next of `values` in its header and, with `once`, an unused Idempotency-Key.
 */
function luaOf({ at, host, body, header, values, once }) {
  return `
    local values, n = {${values.map(quote).join(",")}}, math.random(1, 1000000000)
    local headers = { ["Content-Type"] = "application/json"${host ? `, ["Host"] = ${quote(host)}` : ""} }
    local body = ${body === null ? "nil" : quote(body)}
    request = function()
      n = n + 1
      headers[${quote(header)}] = values[n % #values + 1]
      ${once ? 'headers["Idempotency-Key"] = "bench-" .. n .. "-" .. os.time()' : ""}
      return wrk.format(${body === null ? '"GET"' : '"POST"'}, ${quote(at)}, headers, body)
    end
    done = function(summary, latency)
      local errors = summary.errors
      io.write(string.format("RESULT %d %d %d %d %d %d\\n", summary.requests, summary.duration, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout, latency:percentile(50), latency:percentile(99)))
    end`;
}

function byWrk({ port, ask, connections, seconds }) {
  const script = path.join(os.tmpdir(), `dastak-bench-${process.pid}.lua`);
  writeFileSync(script, luaOf(ask));
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", `${TIMEOUT_SEC}s`, "-s", script];
  const { stdout, stderr } = spawnSync("wrk", [...args, `http://127.0.0.1:${port}`], { encoding: "utf8" });
  const found = /RESULT (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)/u.exec(stdout);
  if (!found) throw new Error(`wrk said: ${stdout}${stderr}`);
  const [requests, durationUs, refused, broken, p50Us, p99Us] = found.slice(1).map(Number);
  return { requests, perSec: (requests * 1e6) / durationUs, refused, broken, p50Ms: p50Us / 1e3, p99Ms: p99Us / 1e3 };
}

const byAutocannon = (autocannon) => async (load) => {
  const { at, host, body, header, values, once } = load.ask;
  let n = 0;
  const request = {
    method: body === null ? "GET" : "POST",
    path: at,
    ...(body !== null && { body }),
    setupRequest: (asked) => {
      const headers = { "content-type": "application/json", [header]: values[n++ % values.length] };
      if (host) headers.host = host;
      if (once) headers["idempotency-key"] = `bench-${n}-${Date.now()}`;
      return { ...asked, headers };
    },
  };
  const { connections, seconds: duration, port } = load;
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration,
    timeout: TIMEOUT_SEC,
    requests: [request],
  });
  const { non2xx: refused, errors: broken, latency } = result;
  const requests = result.requests.total;
  return { requests, perSec: requests / result.duration, refused, broken, p50Ms: latency.p50, p99Ms: latency.p99 };
};

/** The load generator: its name, and `run({ port, ask, connections, seconds })`. Throws if none is installed. */
export function generator() {
  const { stdout, error } = spawnSync("wrk", ["-v"], { encoding: "utf8" });
  if (!error) return { name: /wrk \S+/u.exec(stdout)?.[0] ?? "wrk", run: byWrk };
  try {
    const require = createRequire(path.join(import.meta.dirname, "../peers/index.mjs"));
    const { version } = require("autocannon/package.json");
    return { name: `autocannon ${version}`, run: byAutocannon(require("autocannon")) };
  } catch {
    const how = "apt-get install wrk, or npm ci --prefix bench/peers for autocannon";
    throw new Error(`there is no load generator; install one with: ${how}`);
  }
}
