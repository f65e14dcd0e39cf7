import { spawn } from "node:child_process";
import type { ChildProcess, StdioOptions } from "node:child_process";
import { once } from "node:events";

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A Node program in a process group of its own, which can be ended with all that it started there. */
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

  /** Ends all of it at once without asking, as a power cut would; what has ended stays so. */
  kill(): void {
    this.#signal("SIGKILL");
  }

  /** Asks the program alone, or all of its group, to end; kills what is left after `graceMs`. */
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
      // Nothing of the group is left.
    }
  }
}
