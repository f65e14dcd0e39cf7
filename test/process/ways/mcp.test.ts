import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import path from "node:path";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ledgerOf } from "../../../harness/books.ts";
import { until } from "../../../harness/http.ts";
import { freePort, freshDirectory } from "../../../harness/program.ts";
import { startService } from "../../../harness/started.ts";
import type { Service } from "../../../harness/started.ts";
import { installedInto } from "../sdk/installed.ts";
import { NODE_20, failure, ran } from "../sdk/terminal.ts";
import type { Shell } from "../sdk/terminal.ts";

// MCP by its own client: over HTTP, and over stdin and stdout of the program `dastak` as npm installs it.

const MODES = { auto: { mode: "auto" }, pinned: { mode: { pin: "2026-07-28" } }, legacy: { mode: "legacy" } } as const;
type ModeName = keyof typeof MODES;

let service: Service;
let cli = "";
const config = freshDirectory();

beforeAll(async () => {
  cli = path.join(await installedInto(freshDirectory()), "node_modules/.bin/dastak");
  service = await startService();
});
afterAll(() => service?.kill9());

const url = () => `http://127.0.0.1:${service.port}`;

const environment = (apiKey: string, at = url()) => ({
  DASTAK_API_KEY: apiKey,
  DASTAK_URL: at,
  XDG_CONFIG_HOME: config,
});

const shellOf = (apiKey: string, at?: string): Shell => ({ node: process.execPath, cli, env: environment(apiKey, at) });

const TRANSPORTS = {
  http: (apiKey: string) =>
    new StreamableHTTPClientTransport(new URL(`${url()}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
    }),
  stdio: (apiKey: string, node = process.execPath) =>
    new StdioClientTransport({
      command: node,
      args: [cli, "mcp"],
      env: { PATH: process.env["PATH"] ?? "", ...environment(apiKey) },
      stderr: "ignore",
    }),
};

async function connected(transport: StdioClientTransport | StreamableHTTPClientTransport, mode: ModeName) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: MODES[mode] });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** Calls a tool, and returns what its model is told. */
async function told(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { structuredContent } = await client.callTool({ name, arguments: given });
  return structuredContent as Record<string, unknown>;
}

/** Starts a server of the test, and returns its address. */
async function listening(server: http.Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** One message in a line. */
const line = (id: number | string | null, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

const repliesIn = (stdout: string) =>
  stdout
    .split("\n")
    .filter((text) => text !== "")
    .map((text) => JSON.parse(text) as Record<string, unknown>);

/** The ids of replies, in one order. */
const idsOf = (replies: Record<string, unknown>[]) => replies.map(({ id }) => JSON.stringify(id)).toSorted();

const SMS = { phone: "9876543210", message: "Your code is 731904" };

describe.each(Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[])("over %s", (by) => {
  it.each(Object.keys(MODES) as ModeName[])("in mode %s, sends with a test key and reads the code", async (mode) => {
    const { testKey } = await service.openAccount(10);
    const client = await connected(TRANSPORTS[by](testKey), mode);
    expect(client.getServerVersion()).toMatchObject({ name: "dastak" });
    const { tools } = await client.listTools();
    const validator = new AjvJsonSchemaValidator();
    // Ajv refuses a schema that is none.
    for (const { inputSchema } of tools) {
      validator.getValidator(inputSchema as Parameters<typeof validator.getValidator>[0]);
    }
    expect(tools.length).toBeGreaterThan(15);
    expect(await told(client, "send_sms", SMS)).toMatchObject({ success: true, coins_used: 1 });
    const got = await told(client, "wait_for_otp", { to: SMS.phone, timeout: 20 });
    expect(got).toMatchObject({ message: { code: "731904" } });
    expect(await told(client, "send_sms", { ...SMS, phone: "12" })).toMatchObject({ success: false, param: "phone" });
  });

  it("sends with a live key on the second call alone", async () => {
    const { id, apiKey } = await service.openAccount(10);
    const client = await connected(TRANSPORTS[by](apiKey), "auto");
    const { confirm } = await told(client, "send_sms", SMS);
    expect(await told(client, "send_sms", { ...SMS, confirm: "0000000000000" })).toMatchObject({ success: false });
    expect(await ledgerOf(service, id)).toHaveLength(1);
    expect(await told(client, "send_sms", { ...SMS, confirm })).toMatchObject({ success: true, coins_remaining: 9 });
    expect(await told(client, "send_sms", { ...SMS, confirm })).toMatchObject({ success: true, replayed: true });
    expect(await ledgerOf(service, id)).toHaveLength(2);
  });
});

it("debits a confirmed call once, when the service is killed around it and the call repeated", async () => {
  const [state, port] = [freshDirectory(), await freePort()];
  let one = await startService({ state, port });
  onTestFinished(() => one.kill9());
  const { id, apiKey } = await one.openAccount(100);
  const call = async (given: object): Promise<Record<string, unknown> | null> => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "send_sms", arguments: given } };
    const { body } = await one.post(apiKey, "/mcp", message).catch(() => ({ body: null }));
    const { result } = (body ?? {}) as { result?: { structuredContent: Record<string, unknown> } };
    return result?.structuredContent ?? null;
  };
  for (let round = 1; round <= 3; round++) {
    const given = { ...SMS, again: round };
    const confirm = (await call(given))?.["confirm"];
    // The first call may be cut off before its work, in it, or after it.
    const cut = call({ ...given, confirm });
    if (round > 1) await Promise.race([cut, new Promise((resolve) => void setTimeout(resolve, round * 4))]);
    await one.kill9();
    await cut;
    one = await startService({ state, port });
    expect(await call({ ...given, confirm })).toMatchObject({ success: true });
    expect(await ledgerOf(one, id)).toHaveLength(1 + round);
  }
});

describe("dastak mcp", () => {
  it.skipIf(NODE_20 === undefined)("runs under Node 20", async () => {
    const { testKey } = await service.openAccount(10);
    const client = await connected(TRANSPORTS.stdio(testKey, NODE_20), "auto");
    expect(await told(client, "check_balance")).toMatchObject({ success: true });
  });

  it("writes one line for each request, by its id, whatever is in the texts, and ends with its input", async () => {
    const { testKey } = await service.openAccount(10);
    const call = (id: number | string, name: string, given: object) =>
      line(id, "tools/call", { name, arguments: given });
    const input = [
      line(1, "initialize", { protocolVersion: "2025-11-25" }),
      '{"jsonrpc":"2.0","method":"notifications/initialized"}\n\n',
      call("slow", "wait_for_otp", { to: "9000000009", timeout: 1 }),
      // A separator of lines inside a text, as JSON may have it.
      call(2, "send_sms", { phone: "9876543210", message: "one\u2028two" }),
      "not JSON\n",
      "[]\n",
      line("a b", "no/such"),
      call(3, "check_balance", {}).trimEnd(),
    ];
    const { status, stdout, stderr } = await ran(shellOf(testKey), ["mcp"], input.join(""));
    expect([status, stderr]).toEqual([0, ""]);
    const replies = repliesIn(stdout);
    expect(idsOf(replies)).toEqual(['"a b"', '"slow"', "1", "2", "3", "null", "null"]);
    const of = (id: unknown) => replies.find((reply) => reply["id"] === id);
    expect(of(1)).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
    expect(of(2)).toMatchObject({ result: { isError: false, structuredContent: { success: true } } });
    expect(of("slow")).toMatchObject({ result: { structuredContent: { message: null } } });
    expect(of("a b")).toMatchObject({ error: { code: -32_601 } });
    const faults = replies.filter(({ id }) => id === null).map(({ error }) => (error as { code: number }).code);
    expect(new Set(faults)).toEqual(new Set([-32_600, -32_700]));
    // The slow call was not waited for.
    expect(replies.at(-1)).toBe(of("slow"));
  });

  it("answers a cancelled call by nothing, and ends its request", async () => {
    const seen: string[] = [];
    const deaf = http.createServer((request) => {
      const id = String(request.headers["mcp-name"]);
      seen.push(`${id} came`);
      request.socket.on("close", () => seen.push(`${id} closed`));
    });
    const at = await listening(deaf);
    const child = spawn(process.execPath, [cli, "mcp"], { env: { ...process.env, ...environment("dsk_test_x", at) } });
    onTestFinished(() => void child.kill("SIGKILL"));
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const cancel = (requestId: unknown) => say({ method: "notifications/cancelled", params: { requestId } });
    for (const [id, name] of [
      [5, "first"],
      ["5", "second"],
    ] as const) {
      const version = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
      say({ id, method: "tools/call", params: { name, _meta: version } });
    }
    await until("both came", () => seen.length === 2);
    cancel(7);
    cancel(5);
    await until("the first is closed", () => seen.length > 2);
    expect(seen.at(-1)).toBe("first closed");
    cancel("5");
    await until("the second is closed", () => seen.includes("second closed"));
    child.stdin.end();
    expect(await once(child, "close")).toEqual([0, null]);
    expect(out).toBe("");
  });

  it("says when the service is away, answers the request, and goes on", async () => {
    const port = await freePort();
    const { status, stdout, stderr } = await ran(
      shellOf("dsk_test_x", `http://127.0.0.1:${port}`),
      ["mcp"],
      line(1, "ping") + line(2, "ping"),
    );
    expect(status).toBe(0);
    expect(idsOf(repliesIn(stdout))).toEqual(["1", "2"]);
    expect(repliesIn(stdout)[0]).toMatchObject({
      error: { code: -32_000, message: expect.stringContaining("ECONNREFUSED") },
    });
    expect(stderr).toContain(`dastak mcp: http://127.0.0.1:${port}/mcp does not answer (ECONNREFUSED).`);
  });

  it("answers a refused key, and a stranger's service, in words", async () => {
    const refused = await ran(shellOf("dsk_test_x"), ["mcp"], line(1, "ping"));
    const error = {
      code: -32_000,
      message: "The API key is missing or not valid.",
      data: { code: "unauthorized", status: 401 },
    };
    expect(repliesIn(refused.stdout)).toMatchObject([{ id: 1, error }]);
    expect(refused.stderr).toContain("The API key is missing or not valid.");
    const other = http.createServer((_, reply) => void reply.writeHead(302, { location: "/x" }).end("<html>"));
    const at = await listening(other);
    const strange = await ran(shellOf("dsk_test_x", at), ["mcp"], line(1, "ping"));
    expect(repliesIn(strange.stdout)).toMatchObject([
      { id: 1, error: { message: expect.stringContaining("answers 302") } },
    ]);
  });

  it("does not start without a key", async () => {
    const { node, env } = shellOf("");
    const without = await ran({ node, cli, env }, ["mcp"], line(1, "ping"));
    expect(without).toMatchObject({ status: 3, stdout: "" });
    expect(failure(without)).toMatchObject({ code: "unauthorized" });
  });

  it("writes the configuration of each client, with no key in it", async () => {
    const shell = shellOf("dsk_test_secret");
    const launch = {
      command: "npx",
      args: ["-y", "dastak", "mcp"],
      env: { DASTAK_API_KEY: "dsk_test_…", DASTAK_URL: url() },
    };
    const printed = async (name: string, more: string[] = []) => ran(shell, ["mcp", "--print-config", name, ...more]);
    for (const name of ["claude", "cursor"]) {
      expect(JSON.parse((await printed(name)).stdout)).toEqual({ mcpServers: { dastak: launch } });
    }
    const vscode = await printed("vscode");
    expect(JSON.parse(vscode.stdout)).toEqual({ servers: { dastak: { type: "stdio", ...launch } } });
    expect(vscode.stderr).toBe("For .vscode/mcp.json of a project:\n");
    const codex = await printed("codex");
    expect(codex.stdout).toContain('[mcp_servers.dastak]\ncommand = "npx"\nargs = ["-y","dastak","mcp"]\n');
    expect(codex.stdout).not.toContain("secret");
    expect(await printed("emacs")).toMatchObject({ status: 2, stdout: "" });
  });

  it("names a stored profile in the configuration in place of a key", async () => {
    const { testKey } = await service.openAccount(10);
    const { XDG_CONFIG_HOME, DASTAK_URL } = environment(testKey);
    const shell = { node: process.execPath, cli, env: { XDG_CONFIG_HOME, DASTAK_API_KEY: "", DASTAK_URL: "" } };
    const stored = await ran(shell, ["login", "--profile", "shop", "--api-key", testKey, "--url", DASTAK_URL]);
    expect(stored.status).toBe(0);
    const { stdout } = await ran(shell, ["mcp", "--print-config", "claude", "--profile", "shop"]);
    const { mcpServers } = JSON.parse(stdout) as { mcpServers: { dastak: { args: string[]; env?: object } } };
    expect(mcpServers.dastak).toEqual({ command: "npx", args: ["-y", "dastak", "mcp", "--profile", "shop"] });
    const [, , ...args] = mcpServers.dastak.args;
    const reply = await ran(shell, args, line(1, "tools/call", { name: "get_account" }));
    expect(repliesIn(reply.stdout)).toMatchObject([{ result: { structuredContent: { mode: "test" } } }]);
  });
});
