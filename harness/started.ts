import http from "node:http";
import path from "node:path";
import { call, until } from "./http.ts";
import type { Call, Reply } from "./http.ts";
import { Program, ROOT, freePort, freshDirectory } from "./program.ts";
import type { Ended } from "./program.ts";

// Starts the service with `npm start`, as users do; service.mjs starts the deployable bundle without that program.

export const OPERATOR_TOKEN = "local-only-operator-token-for-this-machine";

/** Generous, because a busy machine is slow; no test asserts how long a step takes. */
const READY_MS_MAX = 60_000;

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

/** An account's id and API keys. */
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

  /** The demo account's key, from the banner. */
  get demo(): { apiKey: string; testKey: string } {
    const key = (name: string) => new RegExp(`${name}\\s+(dsk_\\w+)`, "u").exec(this.program.output)?.[1] ?? "";
    return { apiKey: key("API key"), testKey: key("Test key") };
  }

  /** Sends a request to the console host, which locally serves every path. */
  call(at: string, options: Call = {}): Promise<Reply> {
    return call(`http://127.0.0.1:${this.port}${at}`, { agent: this.agent, ...options });
  }

  /** Sends a customer's request, with the key in each place where an endpoint may read it. */
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

/** Starts a service and waits until it reports that it is ready. */
export async function startService(options: StartOptions = {}): Promise<Service> {
  const state = options.state ?? freshDirectory();
  const port = options.port ?? (await freePort());
  // A killed service does not delete its temporary files.
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
    // Process groups are found only while their parents run.
    program.tree.living();
    return new Service(program, state, Number(found[1]));
  } catch (problem) {
    await program.kill9();
    throw problem;
  }
}
