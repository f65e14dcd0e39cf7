import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { until } from "./http.ts";
import { ProcessTree } from "./processes.ts";

// Starts programs of this repository as child processes, with a free port and a fresh directory.

export const ROOT = path.resolve(import.meta.dirname, "..");

/** Generous, because a busy machine is slow; no test asserts how long a step takes. */
const STOP_MS_MAX = 20_000;

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const programs: Program[] = [];
const directories: string[] = [];

/** Kills all programs that were started here, and deletes all fresh directories. */
export async function endPrograms(): Promise<void> {
  for (const program of programs.splice(0)) await program.kill9();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
}

/** A fresh directory, deleted by `endPrograms`. */
export function freshDirectory(): string {
  const directory = mkdtempSync(path.join(os.tmpdir(), "dastak-test-"));
  directories.push(directory);
  return directory;
}

/** Below the ports that systems give to outgoing connections, which may take a free one before it is used. */
const PORTS = { from: 20_000, to: 32_000 };

/** Whether a port can be listened on. */
async function isFree(port: number): Promise<boolean> {
  const server = net.createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
    server.close();
    await once(server, "close");
    return true;
  } catch {
    return false;
  }
}

/** Free ports, all different, that no outgoing connection takes. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** A running program of this repository, with its output. */
export class Program {
  readonly tree: ProcessTree;
  readonly ended: Promise<Ended>;
  output = "";
  end: Ended | null = null;
  readonly #child;

  constructor(args: string[], options: { env?: Record<string, string>; cwd?: string } = {}) {
    const { env = {}, cwd = ROOT } = options;
    const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
    // In this process's group, so that Ctrl-C during the tests reaches it too.
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

  /** Sends it a signal, and waits until it and all its descendants have ended. */
  async stop(name: NodeJS.Signals = "SIGTERM"): Promise<Ended> {
    this.tree.living();
    this.signal(name);
    await until("the program ends", () => this.end !== null, { withinMs: STOP_MS_MAX, sight: () => this.output });
    return this.ended;
  }

  /** Kills it and all its descendants at once. */
  async kill9(): Promise<void> {
    this.tree.kill9();
    await this.ended;
  }
}
