// npm run bench:pages: how long the server takes for each page of the console, and how large the page is. The service
// runs as with `npm start`, so its times include the development proxy; compare pages with each other and with the
// floor of the same run, not across machines.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";

const ROOT = path.resolve(import.meta.dirname, "../..");
const ROUNDS = 40;
const PAGES = ["/sign-in", "/", "/send/sms", "/activity", "/inbox", "/recordings", "/keys", "/billing", "/settings"];
const FLOOR = "/healthz";

/** Starts the service on a fresh state and waits for its banner. */
function start(state) {
  const child = spawn(process.execPath, [path.join(ROOT, "scripts/start.mjs"), "--port", "8950", "--state", state]);
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (text) => {
      said += text;
      const found = /curl (http:\/\/localhost:\d+)[\s\S]*wipes it/u.exec(said);
      const key = /API key\s+(\S+)/u.exec(said);
      if (found && key) resolve({ child, base: found[1], key: key[1] });
    });
    child.once("exit", () => reject(new Error(`the service ended: ${said}`)));
  });
}

/** Milliseconds from the API's reply until the row arrives at an open overview; negative if the row is first. */
async function liveDelays(base, key, cookie) {
  const socket = new WebSocket(`${base.replace("http", "ws")}/live`, { headers: { cookie, origin: base } });
  const seen = new Map();
  socket.addEventListener("message", ({ data }) => {
    if (data === "pong") return;
    for (const { requestId } of JSON.parse(data).jobs) if (!seen.has(requestId)) seen.set(requestId, performance.now());
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("message", resolve, { once: true });
    socket.addEventListener("error", () => reject(new Error("the live feed did not open")));
  });
  const delays = [];
  for (let at = 0; at < ROUNDS; at++) {
    const body = JSON.stringify({ apiKey: key, phone: "9876512345", message: "Hello" });
    const reply = await fetch(`${base}/send-sms`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const repliedAt = performance.now();
    const id = reply.headers.get("x-request-id");
    if (reply.status !== 200) throw new Error(`a send was answered with ${reply.status}`);
    while (!seen.has(id)) await new Promise((resolve) => setTimeout(resolve, 1));
    delays.push(seen.get(id) - repliedAt);
  }
  socket.close();
  return delays;
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

async function main() {
  const state = mkdtempSync(path.join(os.tmpdir(), "dastak-bench-"));
  const { child, base, key } = await start(state);
  try {
    for (let at = 0; at < 10; at++) {
      const body = JSON.stringify({ apiKey: key, phone: `98765${String(at).padStart(5, "0")}`, message: "Hello" });
      await fetch(`${base}/send-sms`, { method: "POST", headers: { "content-type": "application/json" }, body });
    }
    const signIn = await fetch(`${base}/sign-in/demo`, {
      method: "POST",
      headers: { origin: base },
      redirect: "manual",
    });
    const cookie = signIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const times = Object.fromEntries([FLOOR, ...PAGES].map((page) => [page, []]));
    const sizes = {};
    // All pages in every round, so that other load on the machine affects all of them alike.
    for (let round = 0; round < ROUNDS; round++) {
      for (const page of Object.keys(times)) {
        const startedAt = performance.now();
        const reply = await fetch(base + page, {
          headers: { ...(page !== "/sign-in" && { cookie }), accept: "text/html" },
          redirect: "manual",
        });
        const text = await reply.text();
        if (reply.status !== 200) throw new Error(`${page} answered ${reply.status}`);
        times[page].push(performance.now() - startedAt);
        sizes[page] = { bytes: text.length, packed: gzipSync(text).length };
      }
    }
    const rows = Object.entries(times).map(([page, all]) => {
      const sorted = all.toSorted((one, other) => one - other);
      const [p50, p95] = [percentile(sorted, 0.5), percentile(sorted, 0.95)].map((ms) => Number(ms.toFixed(1)));
      return { page, "p50 ms": p50, "p95 ms": p95, bytes: sizes[page].bytes, "gzip bytes": sizes[page].packed };
    });
    console.table(rows);
    const delays = (await liveDelays(base, key, cookie)).toSorted((one, other) => one - other);
    console.log(
      `live row after the reply: p50 ${percentile(delays, 0.5).toFixed(1)} ms, p95 ${percentile(delays, 0.95).toFixed(1)} ms`,
    );
  } finally {
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
    rmSync(state, { recursive: true, force: true });
  }
}

await main();
