// Process groups: a service and everything that it started.
import { readFileSync, readdirSync } from "node:fs";

/** Bounds the wait for a killed group: a killed process ends in a moment, unless its machine or its disk stalls. */
const GONE_MS_MAX = 10_000;
const LOOK_MS = 20;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends a signal to a process group, 0 to none of it; false when the group is empty. */
export function signalGroup(leader, signal) {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/** Whether a process belongs to a group and still runs. */
function runsIn(leader, pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // After the name, which is in parentheses: state, parent and group.
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(group) === leader && state !== "Z" && state !== "X";
  } catch {
    // It has ended.
    return false;
  }
}

/**
 * Whether a process of a group still runs. A zombie does not, where /proc tells it apart: in a container whose first
 * process reaps no children, zombies stay for ever.
 */
export function groupRuns(leader) {
  if (!signalGroup(leader, 0)) return false;
  let names;
  try {
    names = readdirSync("/proc");
  } catch {
    return true;
  }
  return names.some((name) => /^\d+$/u.test(name) && runsIn(leader, name));
}

/** Kills a process group and waits until it has ended: a killed process may run on for a moment, with its ports and files. */
export async function endGroup(leader) {
  const giveUpAt = Date.now() + GONE_MS_MAX;
  while (groupRuns(leader) && Date.now() < giveUpAt) {
    signalGroup(leader, "SIGKILL");
    await sleep(LOOK_MS);
  }
}
