import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { until } from "./http.ts";
import { ProcessTree } from "./processes.ts";

// Programs of this repository, started from outside, and what they need for that: a port and a directory.

export const ROOT = path.resolve(import.meta.dirname, "..");

/** A busy machine takes its time; nothing here asserts how long. */
const STOP_MS_MAX = 20_000;

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const programs: Program[] = [];
const directories: string[] = [];

/** Ends every program that was started here, at once, and deletes every fresh directory. */
export async function endPrograms(): Promise<void> {
  for (const program of programs.splice(0)) await program.kill9();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
}

/** A fresh directory that goes away with `endPrograms`. */
export function freshDirectory(): string {
  const directory = mkdtempSync(path.join(os.tmpdir(), "dastak-test-"));
  directories.push(directory);
  return directory;
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A program of this repository that runs, with all that it prints. */
export class Program {
  readonly tree: ProcessTree;
  readonly ended: Promise<Ended>;
  output = "";
  end: Ended | null = null;
  readonly #child;

  constructor(args: string[], options: { env?: Record<string, string>; cwd?: string } = {}) {
    const { env = {}, cwd = ROOT } = options;
    const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
    // In our own process group: Ctrl-C during the tests reaches it too.
    this.#child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env }, stdio });
    this.tree = new ProcessTree(this.#child.pid ?? Number.NaN);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (this.output += text));
    }
    this.ended = new Promise((resolve) => {
      this.#child.once("exit", (code, signal) => resolve((this.end = { code, signal })));
    });
    programs.push(this);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Asks it to stop, and waits until it and all that it began have. */
  async stop(name: NodeJS.Signals = "SIGTERM"): Promise<Ended> {
    this.tree.living();
    this.signal(name);
    await until("the program ends", () => this.end !== null, { withinMs: STOP_MS_MAX, sight: () => this.output });
    return this.ended;
  }

  /** Ends all of it at once without asking. */
  async kill9(): Promise<void> {
    this.tree.kill9();
    await this.ended;
  }
}
