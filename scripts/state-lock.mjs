// One service per state directory: a lock file names the processes that use it. Two would write into the same files.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { endGroup } from "./process-group.mjs";

/** Access for this user alone. */
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

const lockFile = (stateDir) => path.join(stateDir, "lock.json");

/**
 * The start time of a process as the system counts it, or null when it has ended. With /proc it distinguishes a process
 * from a later one with the same id; elsewhere every living process gets the same answer.
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
    // A zombie has no open files.
    return fields[0] === "Z" ? null : fields[19];
  } catch {
    return "alive";
  }
}

/** A process as recorded in a lock. */
export const processOf = (pid) => ({ pid, began: beganAt(pid) });

const lives = (one) => Number.isInteger(one?.pid) && beganAt(one.pid) === one.began;

function readLock(stateDir) {
  try {
    return JSON.parse(readFileSync(lockFile(stateDir), "utf8"));
  } catch {
    return null;
  }
}

/** The process that uses this state: `{pid, port}` (no port while it starts), or null. */
export function holderOf(stateDir) {
  const lock = readLock(stateDir);
  return lives(lock) ? { pid: lock.pid, port: lock.port } : null;
}

/**
 * Ends a service whose starter was killed, because it would continue to write to this state. Its runtime, which holds the
 * port, ends a moment after the leader of the group.
 */
async function endOrphan(stateDir) {
  const service = readLock(stateDir)?.service;
  if (lives(service)) await endGroup(service.pid);
}

/**
 * Makes a state directory that only this user can open. A directory that was there keeps its own mode, since it may
 * contain other things; the runtime's folder in it is closed even if an earlier version left it open.
 */
function makeState(stateDir) {
  const runtime = path.join(stateDir, "v3");
  mkdirSync(runtime, { recursive: true, mode: DIRECTORY_MODE });
  chmodSync(runtime, DIRECTORY_MODE);
}

/** Locks a state directory; a lock of a dead process is replaced. False when a living process holds it. */
export async function lockState(stateDir) {
  makeState(stateDir);
  if (holderOf(stateDir)) return false;
  await endOrphan(stateDir);
  rmSync(lockFile(stateDir), { force: true });
  try {
    writeFileSync(lockFile(stateDir), JSON.stringify(processOf(process.pid)), { flag: "wx", mode: FILE_MODE });
  } catch (problem) {
    // Another start took the lock first.
    if (problem.code === "EEXIST") return false;
    throw problem;
  }
  process.once("exit", () => {
    if (readLock(stateDir)?.pid === process.pid) rmSync(lockFile(stateDir), { force: true });
  });
  return true;
}

/**
 * Locks the state for another process (`wrangler dev`) until that process ends. False when a living process holds it.
 */
export async function lockStateFor(pid, stateDir) {
  makeState(stateDir);
  const holder = holderOf(stateDir);
  if (holder) return holder.pid === pid;
  await endOrphan(stateDir);
  writeFileSync(lockFile(stateDir), JSON.stringify(processOf(pid)), { mode: FILE_MODE });
  return true;
}

/** Adds the port and the service's process group to the lock of this process. */
export function noteInLock(stateDir, more) {
  const next = `${lockFile(stateDir)}.${process.pid}`;
  writeFileSync(next, JSON.stringify({ ...readLock(stateDir), ...more }), { mode: FILE_MODE });
  renameSync(next, lockFile(stateDir));
}
