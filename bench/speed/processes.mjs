// The servers of a benchmark: each is a process with children. What they use is read from the operating system's own
// statistics.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { ProcessGroup } from "../../harness/group.ts";

const TICKS_PER_SEC = 100;
const END_MS = 10_000;
const IDLE_STEP_MS = 250;
/** Share of one processor below which a server counts as idle. */
const IDLE_SHARE = 0.1;

/** The file in which a server stores the keys of its accounts, because they are too long for a line. */
export const KEYS_FILE = "keys.json";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a server through server.mjs; resolves when it is ready, with the values that it reports. */
export async function startServer(name, { port, stateDir, accounts, bundle = "" }) {
  const script = path.join(import.meta.dirname, "server.mjs");
  const args = [script, name, port, stateDir, accounts, bundle].map(String);
  const beganMs = performance.now();
  const group = new ProcessGroup(args, ["ignore", "pipe", "inherit"]);
  const { child } = group;
  const said = await new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)));
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(JSON.parse(text));
    });
  });
  return { name, port, pid: group.pid, group, startMs: performance.now() - beganMs, ...said };
}

/** Ends a server and all processes that it started. */
export const stopServer = ({ group }) => group.end("group", END_MS);

/** A process from /proc, or null if it has ended. */
function readProcess(pid) {
  try {
    const [, rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) /u);
    const fields = rest.split(" ").map(Number);
    // User and system time, including that of children that have ended.
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
    return { pid, parent: fields[1], ticks };
  } catch {
    return null;
  }
}

/** The process and all its descendants, in any process group. */
function treeOf(leader) {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/u.test(name) ? (readProcess(Number(name)) ?? []) : []));
  const tree = all.filter(({ pid }) => pid === leader);
  for (const one of tree) tree.push(...all.filter(({ parent }) => parent === one.pid));
  return tree;
}

/** Processor time in ms that a server has used so far. */
export function cpuMsOf({ pid }) {
  return (treeOf(pid).reduce((sum, { ticks }) => sum + ticks, 0) * 1_000) / TICKS_PER_SEC;
}

/** Memory of a server in MiB; memory that its processes share counts once. */
export function memoryMibOf({ pid }) {
  let kib = 0;
  for (const one of treeOf(pid)) {
    try {
      kib += Number(/^Pss:\s+(\d+)/mu.exec(readFileSync(`/proc/${one.pid}/smaps_rollup`, "utf8"))?.[1] ?? 0);
    } catch {
      // The process has just ended, or belongs to another user.
    }
  }
  return kib / 1_024;
}

/** Waits until a server has finished its remaining work, or until the time is up. */
export async function untilIdle(server, withinMs) {
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += IDLE_STEP_MS) {
    const before = cpuMsOf(server);
    await pause(IDLE_STEP_MS);
    if (cpuMsOf(server) - before < IDLE_STEP_MS * IDLE_SHARE) return;
  }
}
