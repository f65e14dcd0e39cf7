import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { mp3 } from "../world/recordings.ts";
import { until } from "../../harness/http.ts";
import { Program, ROOT, freePort, freshDirectory } from "../../harness/program.ts";
import { Service } from "../../harness/started.ts";
import { startForTest } from "./start-for-test.ts";
import { expectStaticFiles } from "./static-files.ts";

// `npx wrangler dev` in a fresh clone: no flag, and no file but those of the repository.

/** What a clone has and the service needs. */
const PARTS = ["assets", "migrations", "scripts", "src", "tts-local", "package.json", "tsconfig.json", "wrangler.toml"];
const GENERATED = ["built.json", "texts.json", "migrations.json"];
const isGenerated = (file: string) =>
  GENERATED.includes(path.basename(file)) || /^assets\/(?!\.)/u.test(path.relative(ROOT, file));

let service: Service;
let copy: string;

/** A clone with its packages installed. Only the port is another, since these tests share a machine with other services. */
async function clone(): Promise<number> {
  copy = freshDirectory();
  for (const part of PARTS) {
    const filter = (file: string) => !isGenerated(file);
    cpSync(path.join(ROOT, part), path.join(copy, part), { recursive: true, filter });
  }
  symlinkSync(path.join(ROOT, "node_modules"), path.join(copy, "node_modules"));
  const port = await freePort();
  const file = path.join(copy, "wrangler.toml");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("8787", String(port)));
  return port;
}

/** Starts wrangler in the clone, and waits until the service answers. */
async function startWrangler(port: number, args: string[]): Promise<Service> {
  const env = { HOME: freshDirectory(), TMPDIR: freshDirectory() };
  const program = new Program([path.join(copy, "node_modules/wrangler/bin/wrangler.js"), ...args], { cwd: copy, env });
  const started = new Service(program, path.join(copy, ".wrangler", "state"), port);
  const answers = async () => {
    if (program.end) throw new Error(`wrangler ended: ${program.output}`);
    return (await started.call("/healthz").catch(() => null))?.status === 200;
  };
  await until("it answers", answers, { withinMs: 60_000, sight: () => program.output });
  program.tree.living();
  return started;
}

beforeAll(async () => {
  const port = await clone();
  service = await startWrangler(port, ["dev"]);
});
afterAll(() => service?.kill9());

it("prints the demo account's keys, and shows them where people sign in", async () => {
  const { apiKey, testKey } = service.demo;
  expect(apiKey).toMatch(/^dsk_live_\w{30,}$/u);
  expect(testKey).toMatch(/^dsk_test_\w{30,}$/u);
  const { headers, bytes } = await service.call("/sign-in", { headers: { accept: "text/html" } });
  for (const key of [apiKey, testKey]) expect(bytes.toString()).toContain(key);
  expect(headers["content-security-policy"]).toContain("script-src 'self';");
});

it("serves each of the eight operations with them", async () => {
  const { apiKey } = service.demo;
  const phone = "9876543210";
  const base64Data = Buffer.from(mp3(1)).toString("base64");
  const post = async (at: string, body: object) => {
    const reply = await service.post(apiKey, at, body);
    expect(reply.body, at).toMatchObject({ success: true });
    return reply.body;
  };
  await post("/send-sms", { phone, message: "One" });
  await post("/send-bulk-sms", { recipients: [phone], message: "Two" });
  await post("/send-international-sms", { phone: "+14155550132", message: "Three" });
  await post("/send-otp", { phone, otp: "048213" });
  await post("/api/tts-call", { callee: phone, text: "Namaste" });
  const { fileId } = await post("/api/upload-voice", { fileName: "a.mp3", base64Data });
  await post("/api/make-voice-call", { callee: `91${phone}`, fileId });
  // On its own host: the development proxy keeps the Host header.
  const headers = { authorization: `Bearer ${apiKey}`, host: `sms.localhost:${service.port}` };
  const balance = await service.call("/account-balance", { headers });
  expect(balance.status).toBe(200);
  expect(balance.body.balance).toBeLessThan(1_000 - 4);
});

it("serves the dashboard, the test inbox and the operator API, with all bindings ready", async () => {
  expect((await service.call("/readyz")).body).toEqual({ success: true });

  const origin = `http://localhost:${service.port}`;
  const host = `localhost:${service.port}`;
  const entered = await service.call("/sign-in/demo", { method: "POST", headers: { host, origin } });
  expect(entered.status).toBe(303);
  const cookie = (entered.headers["set-cookie"] ?? []).map((one) => one.split(";")[0]).join("; ");
  const overview = await service.call("/", { headers: { host, cookie, accept: "text/html" } });
  expect([overview.status, overview.bytes.toString().includes("/send-otp")]).toEqual([200, true]);

  const arrived = async () => (await service.call("/v1/test/inbox?q=kind:otp")).body.data?.[0] ?? null;
  expect(await until("the password is in the inbox", arrived)).toMatchObject({ code: "048213" });
  expect((await service.call("/inbox", { headers: { accept: "text/html" } })).status).toBe(200);

  const customer = await service.openAccount(10);
  expect((await service.post(customer.apiKey, "/send-sms", { phone: "9876543210", message: "Hi" })).status).toBe(200);
});

it("serves the browser's files and the documentation, and nothing that has no route", () => expectStaticFiles(service));

it("answers neither other names that lead here nor the pages of other sites", async () => {
  for (const host of ["evil.example", `evil.example:${service.port}`]) {
    expect((await service.call("/v1/test/inbox", { headers: { host } })).status).toBe(404);
  }
  const sms = { apiKey: service.demo.apiKey, phone: "9876543210", message: "Hi" };
  // Wrangler's proxy believes a header that chooses another host, so the Worker asks where the page is from.
  const url = `http://localhost:${service.port}/v1/test/inbox`;
  const same = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" };
  for (const referer of [{}, { referer: "http://evil.example/" }]) {
    const headers = { host: "evil.example", "mf-original-url": url, ...same, ...referer };
    expect((await service.call("/", { headers })).status).toBe(403);
  }
  for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
    expect((await service.call("/send-sms", { method: "POST", body: sms, headers })).status).toBe(403);
    expect((await service.call("/v1/test/inbox", { headers })).status).toBe(403);
  }
});

it("locks its state against npm start, which finds everything there afterwards", async () => {
  const { apiKey } = service.demo;
  const second = new Program([path.join(copy, "scripts", "start.mjs")], { cwd: copy });
  expect((await second.ended).code).toBe(1);
  expect(second.output).toMatch(/^Dastak is already running on the state in [^\n]+\.\n$/u);

  const balanceOf = async (of: Service) => {
    const reply = await of.call("/account-balance", { headers: { authorization: `Bearer ${apiKey}` } });
    return reply.body.balance;
  };
  const kept = await balanceOf(service);
  await service.stop();
  const next = await startForTest({ state: service.state });
  onTestFinished(() => next.kill9());
  expect(next.demo.apiKey).toBe(apiKey);
  expect(await balanceOf(next)).toBe(kept);
});

it("reloads pages under npm run dev", async () => {
  const { scripts } = JSON.parse(readFileSync(path.join(copy, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const [program, ...args] = (scripts["dev"] ?? "").split(" ");
  expect(program).toBe("wrangler");
  const dev = await startWrangler(service.port, args);
  onTestFinished(() => dev.kill9());
  const page = await dev.call("/sign-in", { headers: { accept: "text/html" } });
  expect(page.bytes.toString()).toContain("/cdn-cgi/live-reload");
  // The script that wrangler appends is inline, which no other page of the console may have.
  expect(page.headers["content-security-policy"]).toContain("script-src 'self' 'unsafe-inline';");
});
