// One service per state directory: a lock file names the processes that use it. Two would write into the same files.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** A container whose first process collects no ended ones keeps a killed group for ever. */
const GONE_MS_MAX = 2_000;

const lockFile = (stateDir) => path.join(stateDir, "lock.json");

/**
 * When a process began, as the system counts it, or null when it is gone. A number that was given to another process
 * since then is told apart by it where there is /proc; elsewhere every living process gets the same answer.
 */
function beganAt(pid) {
  try {
    process.kill(pid, 0);
  } catch (problem) {
    if (problem.code !== "EPERM") return null;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A process that has ended and that nobody waited for holds no file.
    return fields[0] === "Z" ? null : fields[19];
  } catch {
    return "alive";
  }
}

/** A process as a lock names it. */
export const processOf = (pid) => ({ pid, began: beganAt(pid) });

const lives = (one) => Number.isInteger(one?.pid) && beganAt(one.pid) === one.began;

function readLock(stateDir) {
  try {
    return JSON.parse(readFileSync(lockFile(stateDir), "utf8"));
  } catch {
    return null;
  }
}

/** Who uses this state now: `{pid, port}` (no port while it is starting), or null when nobody does. */
export function holderOf(stateDir) {
  const lock = readLock(stateDir);
  return lives(lock) ? { pid: lock.pid, port: lock.port } : null;
}

/** Sends a signal to a whole group; false when it has no process any more. */
function signalGroup(leader, signal) {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/**
 * Ends a service whose starter was killed before it could do so itself; it would go on writing here. Its runtime, which
 * holds the port, ends with it, and a moment later than its leader.
 */
async function endOrphan(stateDir) {
  const service = readLock(stateDir)?.service;
  if (!lives(service)) return;
  const giveUpAt = Date.now() + GONE_MS_MAX;
  while (signalGroup(service.pid, "SIGKILL") && Date.now() < giveUpAt) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Takes the lock of a state directory, also over one whose process is dead. False when a living one has it. */
export async function lockState(stateDir) {
  mkdirSync(stateDir, { recursive: true });
  if (holderOf(stateDir)) return false;
  await endOrphan(stateDir);
  rmSync(lockFile(stateDir), { force: true });
  try {
    writeFileSync(lockFile(stateDir), JSON.stringify(processOf(process.pid)), { flag: "wx" });
  } catch (problem) {
    // Another start was faster by a moment.
    if (problem.code === "EEXIST") return false;
    throw problem;
  }
  process.once("exit", () => {
    if (readLock(stateDir)?.pid === process.pid) rmSync(lockFile(stateDir), { force: true });
  });
  return true;
}

/**
 * Notes that another process, `wrangler dev`, uses this state; its end frees it. False when a living one has it already.
 */
export async function lockStateFor(pid, stateDir) {
  mkdirSync(stateDir, { recursive: true });
  const holder = holderOf(stateDir);
  if (holder) return holder.pid === pid;
  await endOrphan(stateDir);
  writeFileSync(lockFile(stateDir), JSON.stringify(processOf(pid)));
  return true;
}

/** Adds to the lock that this process holds: the port, and the service with its process group. */
export function noteInLock(stateDir, more) {
  const next = `${lockFile(stateDir)}.${process.pid}`;
  writeFileSync(next, JSON.stringify({ ...readLock(stateDir), ...more }));
  renameSync(next, lockFile(stateDir));
}
