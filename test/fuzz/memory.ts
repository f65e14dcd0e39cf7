import { execFileSync } from "node:child_process";

// Memory of the runtimes that this process has started, as `ps` shows it.

const ps = (...options: string[]) => execFileSync("ps", options, { encoding: "utf8" }).trim().split("\n");

function runtimes(): string[] {
  const rows = ps("-axo", "pid=,ppid=,comm=").map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/u.exec(line)?.slice(1) ?? []);
  const ours = new Set([String(process.pid)]);
  for (let before = 0; before !== ours.size;) {
    before = ours.size;
    for (const [pid = "", parent = ""] of rows) if (ours.has(parent)) ours.add(pid);
  }
  const found = rows.filter(([pid = "", , name = ""]) => ours.has(pid) && name.includes("workerd"));
  return found.map(([pid = ""]) => pid);
}

/** A function that returns the resident memory of the runtimes that run now, in MiB. */
export function memoryMeter(): () => number {
  const pids = runtimes();
  if (pids.length === 0) throw new Error("this process has started no runtime");
  return () => ps("-o", "rss=", "-p", pids.join(",")).reduce((sum, kib) => sum + Number(kib), 0) / 1_024;
}
