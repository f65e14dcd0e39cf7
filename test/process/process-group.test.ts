import { spawn, spawnSync } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../../harness/http.ts";
import { endGroup, groupRuns } from "../../scripts/process-group.mjs";

// The end of a process group, which npm start promises before it exits or starts the service again.

/** A shell that leads a group of its own, once its children have printed so many process numbers. */
async function startGroup(script: string, count: number): Promise<{ pid: number; printed: number[] }> {
  const child = spawn("sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  const pid = child.pid ?? Number.NaN;
  onTestFinished(() => void spawnSync("kill", ["-9", "--", `-${pid}`]));
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (more: string) => (text += more));
  const lines = () => text.split("\n").slice(0, -1);
  await until("the children run", () => lines().length === count, { sight: () => text });
  return { pid, printed: lines().map(Number) };
}

/** The states of processes, without those that are gone. */
const statesOf = (pids: number[]) =>
  spawnSync("ps", ["-o", "stat=", "-p", pids.join()], { encoding: "utf8" }).stdout.split("\n").filter(Boolean);

it("leaves no process of the group running", async () => {
  // Each fills some memory, which takes a killed process a moment to give back.
  const filling = "globalThis.kept = Buffer.alloc(2e8, 1); console.log(process.pid); setInterval(() => 0, 1e6)";
  const { pid, printed } = await startGroup(`run() { exec ${process.execPath} -e '${filling}'; }; run & run & wait`, 2);
  expect(statesOf([pid, ...printed])).toHaveLength(3);
  await endGroup(pid);
  expect(statesOf([pid, ...printed]).filter((state) => !state.startsWith("Z"))).toEqual([]);
  expect(groupRuns(pid)).toBe(false);
});

it("does not wait for what has ended and is reaped by no process", async () => {
  // The inner shell leads a group of its own, and its parent becomes a program that reaps no child.
  const { pid, printed } = await startGroup("setsid sh -c 'echo $$; exec sleep 1000' & exec sleep 1000", 1);
  const [leader = Number.NaN] = printed;
  expect(groupRuns(leader)).toBe(true);
  await endGroup(leader);
  expect(statesOf([leader])).toEqual([expect.stringMatching(/^Z/u)]);
  expect(groupRuns(leader)).toBe(false);
  expect(groupRuns(pid)).toBe(true);
});
