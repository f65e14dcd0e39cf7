import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { DEMO_LOGIN } from "../../src/accounts/open.ts";
import { messagesOf } from "../../harness/books.ts";
import { call, until } from "../../harness/http.ts";
import type { Call } from "../../harness/http.ts";
import { Program, freePort, freshDirectory } from "../../harness/program.ts";
import { startArguments, startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { startForTest } from "./start-for-test.ts";
import { SENTENCE, reset, start } from "./commands.ts";
import { expectStaticFiles } from "./static-files.ts";

// npm start and npm run reset, as a newcomer uses them.

const STARTING = "Dastak is starting.\n";

function expectQuiet(output: string): void {
  expect(output).not.toMatch(/warn|deprecat|\berror\b|exception/iu);
  expect(output).not.toMatch(/^\s+at /mu);
}

describe("a started service", () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service?.kill9());

  it("prints a curl line that works when it is pasted", async () => {
    const line = /^ {2}curl [\s\S]*?'\n(?=\n)/mu.exec(service.program.output)?.[0] ?? "";
    expect(line).toContain(service.demo.apiKey);
    const pasted = spawnSync("sh", ["-c", line.replace("curl ", "curl -sS ")], { encoding: "utf8" });
    // 127 is the shell's word for a command that is not there.
    if (pasted.status === 127) return;
    expect(pasted.stderr).toBe("");
    expect(JSON.parse(pasted.stdout)).toEqual({
      success: true,
      message: "The SMS is queued.",
      coins_used: 1,
      coins_remaining: 999,
    });
  });

  it("says at once that it starts, and then what a newcomer needs first", () => {
    const { output } = service.program;
    expectQuiet(output);
    const [first, , second = "", ...rest] = output.trimEnd().split("\n");
    expect(first).toBe("Dastak is starting.");
    expect(second).toMatch(/ready after [\d.]+ s: http:\/\/localhost:\d+$/u);
    expect(rest.length).toBeLessThan(21);
    // The command to paste, the page to open and how to sign in come before the base addresses.
    const places = ["  curl ", "Dashboard", DEMO_LOGIN.password, "SMS_URL"].map((text) => output.indexOf(text));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places[0]).toBeGreaterThan(0);
  });

  const balance = (host: string) => {
    const headers = { host: `${host}:${service.port}`, authorization: `Bearer ${service.demo.apiKey}` };
    return service.call("/account-balance", { headers });
  };

  it("is healthy and ready on each of its hosts, and routes by host", async () => {
    const hosts = ["sms.localhost", "tts.localhost", "voice.localhost", "otp.localhost", "localhost", "127.0.0.1"];
    for (const host of hosts) {
      const headers = { host: `${host}:${service.port}` };
      for (const at of ["/healthz", "/readyz"]) {
        const reply = await service.call(at, { headers });
        expect([host, at, reply.status, reply.body]).toEqual([host, at, 200, { success: true }]);
      }
    }
    expect((await balance("sms.localhost")).status).toBe(200);
    expect((await balance("localhost")).status).toBe(200);
    expect((await balance("tts.localhost")).status).toBe(404);
    expect((await balance("other.example")).status).toBe(404);
  });

  it("serves the browser's files and the documentation", () => expectStaticFiles(service));

  it("refuses a second start on its state, in one sentence", async () => {
    const second = await start({ state: service.state, port: service.port });
    expect(second.code).toBe(1);
    expect(second.output).toMatch(SENTENCE);
    expect(second.output).toContain(`already running on the state in ${service.state}`);
    expect(second.output).toContain(`port ${service.port}`);
    expect((await service.call("/healthz")).status).toBe(200);
  });

  it("refuses to be wiped while it runs", async () => {
    const { code, output } = await reset(service.state);
    expect(code).toBe(1);
    expect(output).toMatch(SENTENCE);
    expect(output).toContain("stop it first");
    expect((await service.call("/readyz")).status).toBe(200);
  });

  it("ends whole at SIGTERM, and the next start finds everything again", async () => {
    const { apiKey } = service.demo;
    const kept = (await balance("sms.localhost")).body.balance;
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(service.program.tree.living()).toEqual([]);
    expectQuiet(service.program.output);

    const next = await startForTest({ state: service.state });
    expect(next.demo.apiKey).toBe(apiKey);
    const headers = { authorization: `Bearer ${apiKey}` };
    expect((await next.call("/account-balance", { headers })).body.balance).toBe(kept);
    const ended = await next.stop();
    expect(ended.code).toBe(0);
    expect((await reset(service.state)).code).toBe(0);
    expect(existsSync(service.state)).toBe(false);
  });
});

it("keeps serving when a client disconnects in the middle of a body", async () => {
  const service = await startForTest();
  const { apiKey } = service.demo;
  const head = `POST /send-sms HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${apiKey}\r\n`;
  for (let times = 0; times < 2; times += 1) {
    const socket = net.connect(service.port, "127.0.0.1").resume();
    socket.end(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"phone":`);
    await once(socket, "close");
    await until("the service answers", async () => (await service.call("/healthz").catch(() => null))?.status === 200, {
      withinMs: 30_000,
      sight: () => service.program.output,
    });
  }
  const { body } = await service.call("/account-balance", { headers: { authorization: `Bearer ${apiKey}` } });
  expect(body).toMatchObject({ success: true, balance: 1_000 });
  expect((await service.stop()).code).toBe(0);
});

/** Processes of a service whose command line has this word in it. */
function processesOf(service: Service, word: string): number[] {
  const living = service.program.tree.living();
  const { stdout } = spawnSync("ps", ["-o", "pid=,args=", "-p", living.join(",")], { encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => line.includes(word));
  return lines.map((line) => Number.parseInt(line, 10));
}

it.each(["workerd", "serve.mjs"])("begins again when its %s is killed", async (word) => {
  const service = await startForTest();
  const { apiKey } = service.demo;
  const before = processesOf(service, word);
  expect(before.length).toBeGreaterThan(0);
  for (const pid of before) process.kill(pid, "SIGKILL");
  const balance = async () => {
    const headers = { authorization: `Bearer ${apiKey}` };
    return (await service.call("/account-balance", { headers }).catch(() => null))?.body.balance ?? null;
  };
  expect(await until("it answers again", balance, { withinMs: 30_000, sight: () => service.program.output })).toBe(
    1_000,
  );
  expect(processesOf(service, word)).not.toEqual(before);
  expect((await service.stop()).code).toBe(0);
  expect(service.program.tree.living()).toEqual([]);
});

it("prints no secret that it was given", async () => {
  const set = { OPERATOR_TOKEN: "", KEY_SECRET: "", SEAL_SECRET: "", RAZORPAY_KEY_SECRET: "" };
  for (const name of Object.keys(set) as (keyof typeof set)[]) set[name] = randomBytes(32).toString("hex");
  const service = await startForTest({ set });
  for (const value of Object.values(set)) expect(service.program.output).not.toContain(value);
  expect(service.program.output).toMatch(/Desk\s.*for the operator: the OPERATOR_TOKEN that you set\n/u);
  const headers = { accept: "text/html" };
  const page = (await service.call("/sign-in", { headers })).bytes.toString();
  expect(page).toContain(service.demo.apiKey);
  expect(page).not.toContain(set.OPERATOR_TOKEN);
});

it("takes the next free port when its own is taken, and says so", async () => {
  const taken = net.createServer().listen(await freePort(), "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as net.AddressInfo;
  const service = await startForTest({ port });
  expect(service.port).toBeGreaterThan(port);
  expect(service.program.output).toContain(`Port ${port} is taken`);
  expect(service.program.output).toContain(`http://sms.localhost:${service.port}`);
  expect((await service.call("/readyz")).status).toBe(200);

  // The simulator delivers: queues, alarms and history also work behind the other port.
  const { id, apiKey } = await service.openAccount(10);
  expect((await service.post(apiKey, "/send-sms", { phone: "9876543210", message: "Hello" })).status).toBe(200);
  const delivered = async () => (await messagesOf(service, id))[0]?.state === "delivered";
  await until("the simulator delivers", delivered);

  // Ctrl-C.
  expect(await service.program.stop("SIGINT")).toEqual({ code: 0, signal: null });
  expect(service.program.tree.living()).toEqual([]);
});

it("starts for one hostname with a path for each base, with given secrets", async () => {
  const port = await freePort();
  // Whatever ends TLS in front of it passes plain http on, within this machine.
  const base = "https://dastak.example";
  const set: Record<string, string> = { ENVIRONMENT: "production", CONSOLE_URL: base };
  for (const name of ["SMS", "TTS", "VOICE", "OTP"]) set[`${name}_URL`] = `${base}/${name.toLowerCase()}`;
  for (const name of ["KEY_SECRET", "SEAL_SECRET", "OPERATOR_TOKEN"]) set[name] = randomBytes(32).toString("hex");
  const program = new Program(startArguments({ port, state: freshDirectory(), set }));
  onTestFinished(() => program.kill9());
  const ready = () => program.end !== null || program.output.includes("ready");
  await until("it is ready", ready, { withinMs: 60_000, sight: () => program.output });
  expect(program.output).toBe(
    `${STARTING}Dastak is ready on port ${port}, for requests to ${base} and the other addresses.\n`,
  );

  const ask = (at: string, options: Call = {}) =>
    call(`http://127.0.0.1:${port}${at}`, {
      ...options,
      headers: { ...options.headers, host: "dastak.example" },
    });
  const operator = { authorization: `Bearer ${set["OPERATOR_TOKEN"]}` };
  const opened = await ask("/operator/accounts", { method: "POST", headers: operator, body: { name: "First" } });
  const body = { apiKey: opened.body.api_key, phone: "9876543210", message: "Hello" };
  // Outside a local service a sign-up gives no credit.
  expect((await ask("/sms/send-sms", { method: "POST", body })).status).toBe(403);
  expect((await ask("/send-sms", { method: "POST", body })).status).toBe(404);
  expect((await ask("/tts/send-sms", { method: "POST", body })).status).toBe(404);
  expect((await program.stop()).code).toBe(0);
});

it("ends the service of a killed start before it starts a new one", async () => {
  const service = await startForTest();
  service.program.signal("SIGKILL");
  await service.program.ended;
  expect(service.program.tree.living().length).toBeGreaterThan(0);
  const next = await startForTest({ state: service.state, port: service.port });
  expect(next.port).toBe(service.port);
  await until("the orphans end", () => service.program.tree.living().length === 0);
});

describe("a signal during start-up", () => {
  const moments: [string, (state: string) => boolean][] = [
    ["while the state is prepared", (state) => existsSync(path.join(state, "lock.json"))],
    [
      "while the service is loading",
      (state) => {
        const lock = path.join(state, "lock.json");
        return existsSync(lock) && readFileSync(lock, "utf8").includes("service");
      },
    ],
  ];

  it.each(moments)("ends every process %s", async (_when, reached) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const state = freshDirectory();
      const program = new Program(startArguments({ state, port: await freePort() }));
      onTestFinished(() => program.kill9());
      await until("the moment", () => reached(state), { everyMs: 5, sight: () => program.output });
      expect(await program.stop(signal)).toEqual({ code: 0, signal: null });
      expect(program.tree.living()).toEqual([]);
      expect(program.output).toBe(STARTING);
      expect(existsSync(path.join(state, "lock.json"))).toBe(false);
    }
  });
});
