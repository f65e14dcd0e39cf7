import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { call, until } from "./http.ts";
import type { Call, Reply } from "./http.ts";
import { ProcessTree } from "./processes.ts";

// A service started from outside, as its users start it.

export const ROOT = path.resolve(import.meta.dirname, "../..");
const OPERATOR_TOKEN = "local-only-operator-token-for-this-machine";

/** A busy machine takes its time; nothing here asserts how long. */
const READY_MS_MAX = 60_000;
const STOP_MS_MAX = 20_000;

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const programs: Program[] = [];
const directories: string[] = [];

// Nothing outlives the file that began it, whatever fails in it.
afterAll(async () => {
  for (const program of programs) await program.kill9();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
});

/** A fresh directory that goes away with this file's tests. */
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

export interface StartOptions {
  state?: string;
  port?: number;
  set?: Record<string, string>;
  env?: Record<string, string>;
}

export function startArguments({ state, port, set = {} }: StartOptions): string[] {
  return [
    path.join(ROOT, "scripts", "start.mjs"),
    ...(port === undefined ? [] : ["--port", String(port)]),
    ...(state === undefined ? [] : ["--state", state]),
    ...Object.entries(set).flatMap(([name, value]) => ["--set", `${name}=${value}`]),
  ];
}

/** An account as its customer and the operator know it. */
export interface Customer {
  id: string;
  apiKey: string;
  testKey: string;
}

export class Service {
  readonly program: Program;
  readonly state: string;
  readonly port: number;
  readonly agent = new http.Agent({ keepAlive: true });

  constructor(program: Program, state: string, port: number) {
    this.program = program;
    this.state = state;
    this.port = port;
  }

  /** The key in the banner. */
  get demo(): { apiKey: string; testKey: string } {
    const key = (name: string) => new RegExp(`${name}\\s+(dsk_\\w+)`, "u").exec(this.program.output)?.[1] ?? "";
    return { apiKey: key("API key"), testKey: key("Test key") };
  }

  /** A request to the console host, which locally answers every path. */
  call(at: string, options: Call = {}): Promise<Reply> {
    return call(`http://127.0.0.1:${this.port}${at}`, { agent: this.agent, ...options });
  }

  /** A customer's request, with the key where every endpoint would find its own. */
  post(apiKey: string, at: string, body: object, headers: Record<string, string> = {}): Promise<Reply> {
    const keys = { authorization: `Bearer ${apiKey}`, "x-api-key": apiKey };
    return this.call(at, { method: "POST", body, headers: { ...keys, ...headers } });
  }

  operator(method: string, at: string, body?: object): Promise<Reply> {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    return this.call(`/operator${at}`, { method, headers, ...(body && { body }) });
  }

  async openAccount(balance: number): Promise<Customer> {
    const { status, body } = await this.operator("POST", "/accounts", { name: "Test", plan: "premium", balance });
    if (status !== 200) throw new Error(`opening an account failed: ${status} ${body.error}`);
    return { id: body.account_id ?? "", apiKey: body.api_key ?? "", testKey: body.test_key ?? "" };
  }

  stop(): Promise<Ended> {
    this.agent.destroy();
    return this.program.stop();
  }

  kill9(): Promise<void> {
    this.agent.destroy();
    return this.program.kill9();
  }
}

/** Starts a service and waits until it says that it is ready. */
export async function startService(options: StartOptions = {}): Promise<Service> {
  const state = options.state ?? freshDirectory();
  const port = options.port ?? (await freePort());
  // A killed service leaves its temporary files behind.
  const env = { TMPDIR: freshDirectory(), ...options.env };
  const program = new Program(startArguments({ ...options, state, port }), { env });
  try {
    const ready = /curl http:\/\/localhost:(\d+)[\s\S]*wipes it/u;
    const found = await until(
      "the service is ready",
      () => {
        if (program.end) throw new Error(`The service ended at its start: ${program.output}`);
        return ready.exec(program.output);
      },
      { withinMs: READY_MS_MAX, sight: () => program.output },
    );
    // Groups are found while those that began them live.
    program.tree.living();
    return new Service(program, state, Number(found[1]));
  } catch (problem) {
    await program.kill9();
    throw problem;
  }
}

/** Starts a service that ends with the test that asked for it. */
export async function startForTest(options: StartOptions = {}): Promise<Service> {
  const service = await startService(options);
  onTestFinished(() => service.kill9());
  return service;
}
