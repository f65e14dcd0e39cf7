import { spawnSync } from "node:child_process";

// The processes of a started service; some of them run in process groups of their own.

interface Row {
  pid: number;
  ppid: number;
  pgid: number;
}

/** All running processes, without zombies. */
function running(): Row[] {
  const { stdout } = spawnSync("ps", ["-eo", "pid=,ppid=,pgid=,stat="], { encoding: "utf8" });
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/u))
    .filter(([, , , state]) => state !== undefined && !state.startsWith("Z"))
    .map(([pid, ppid, pgid]) => ({ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid) }));
}

/** A child process with all its descendants. */
export class ProcessTree {
  readonly #root: number;
  /** Process groups other than this process's own: they find descendants whose parents have ended. */
  readonly #groups = new Set<number>();

  constructor(root: number) {
    this.#root = root;
  }

  /** The running processes of this tree. */
  living(): number[] {
    const rows = running();
    const ours = rows.find(({ pid }) => pid === process.pid)?.pgid;
    const found = new Set<number>();
    for (let before = -1; before !== found.size;) {
      before = found.size;
      for (const { pid, ppid, pgid } of rows) {
        const isRoot = pid === this.#root && ppid === process.pid;
        if (!isRoot && !found.has(ppid) && !this.#groups.has(pgid)) continue;
        found.add(pid);
        if (pgid !== ours) this.#groups.add(pgid);
      }
    }
    return [...found];
  }

  /** Kills the whole tree at once, as a power cut would. */
  kill9(): void {
    for (let living = this.living(); living.length > 0; living = this.living()) {
      for (const pid of living) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It ended by itself meanwhile.
        }
      }
    }
  }
}
