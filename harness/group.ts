import { spawn } from "node:child_process";
import type { ChildProcess, StdioOptions } from "node:child_process";
import { once } from "node:events";

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A Node program in its own process group, so that all processes in the group can be ended with it. */
export class ProcessGroup {
  readonly child: ChildProcess;
  /** Resolves when the program itself has ended. */
  readonly ended: Promise<unknown>;

  constructor(args: string[], stdio: StdioOptions) {
    this.child = spawn(process.execPath, args, { detached: true, stdio });
    this.ended = once(this.child, "exit");
  }

  get pid(): number {
    return this.child.pid ?? Number.NaN;
  }

  /** Kills the group at once, as a power cut would; does nothing if it has ended. */
  kill(): void {
    this.#signal("SIGKILL");
  }

  /** Sends SIGTERM to the program alone, or to its whole group; kills what is left once it ended or after `graceMs`. */
  async end(whom: "program" | "group", graceMs: number): Promise<void> {
    if (whom === "program") this.child.kill("SIGTERM");
    else this.#signal("SIGTERM");
    await Promise.race([this.ended, pause(graceMs)]);
    this.kill();
    await this.ended;
  }

  #signal(name: "SIGTERM" | "SIGKILL"): void {
    try {
      process.kill(-this.pid, name);
    } catch {
      // All processes of the group have ended.
    }
  }
}
