import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { Miniflare, convertV4MiniflareOptions } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort, freshDirectory } from "../../../harness/program.ts";
import { startService } from "../../../harness/started.ts";
import type { Service } from "../../../harness/started.ts";
import { BreakingProxy, answer } from "./breaking-proxy.ts";
import { installedInto } from "./installed.ts";

// The package as a user has it: packed by npm, installed into an empty project, and run there.

const run = promisify(execFile);
const HERE = import.meta.dirname;

/** A Node of release 20, the oldest that the package promises; most systems have it under this name. */
const NODE_20 = [process.env["NODE_20"] ?? "", "/usr/bin/node", "/usr/local/bin/node"].find(
  (program) => existsSync(program) && execFileSync(program, ["--version"], { encoding: "utf8" }).startsWith("v20."),
);

let project: string;
let service: Service;

beforeAll(async () => {
  project = await installedInto(freshDirectory());
  copyFileSync(path.join(HERE, "check.mjs"), path.join(project, "check.mjs"));
  service = await startService();
});
afterAll(() => service?.kill9());

const installed = (...names: string[]) => path.join(project, "node_modules/dastak", ...names);

describe("the package", () => {
  it("runs the program that the first page of the documentation has", async () => {
    const page = await (await fetch(`http://127.0.0.1:${service.port}/docs.md`)).text();
    const [, program = ""] = /```js\n(import \{ dastak \}[^`]*)```/u.exec(page) ?? [];
    expect(program).toContain("client.sendSms");
    writeFileSync(path.join(project, "first.mjs"), program);
    const env = { ...process.env, DASTAK_KEY: service.demo.testKey };
    const { stdout } = await run(process.execPath, ["first.mjs"], { cwd: project, env });
    expect(stdout).toMatch(/^(?:submitted|delivered) \S/u);
  });

  it("has a licence, a description, types, one module, and no dependency", () => {
    const manifest = JSON.parse(readFileSync(installed("package.json"), "utf8")) as Record<string, unknown>;
    expect(manifest).toMatchObject({ name: "dastak", license: "MIT", sideEffects: false });
    expect(Object.keys(manifest)).not.toContain("dependencies");
    expect(readdirSync(installed())).toEqual(expect.arrayContaining(["LICENSE", "README.md", "dist", "package.json"]));
    expect(readdirSync(path.join(project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["dastak"]);
  });

  it("imports nothing, from Node or from anywhere", () => {
    const text = readFileSync(installed("dist/index.js"), "utf8");
    expect(text).not.toMatch(/^\s*import\b|\brequire\(|\bimport\(/mu);
    expect(text).toContain("export {");
  });
});

/** Runs check.mjs in a runtime with a fresh account, and compares what it found. */
async function checkIn(runIt: (options: Record<string, string>) => Promise<string>): Promise<void> {
  const { apiKey } = await service.openAccount(10);
  const proxy = await BreakingProxy.start(service.port);
  const busy = { success: false, error: "Slow down.", code: "rate_limited", request_id: "req_x" };
  proxy.faults.push(
    { kind: "cut reply", bytes: 0 },
    { kind: "answer after", text: answer(503, "<h1>Bad gateway</h1>") },
    { kind: "answer instead", text: answer(429, busy, { "retry-after": "1" }) },
  );
  const [baseUrl, nobody] = [`http://127.0.0.1:${service.port}`, `http://127.0.0.1:${await freePort()}`];
  const text = await runIt({ apiKey, baseUrl, broken: proxy.url, nobody });
  await proxy.stop();
  expect(JSON.parse(text)).toEqual({
    used: [1, 1, 1],
    sameMessage: true,
    replayed: [false, true],
    balance: 8,
    became: ["delivered", true],
    listed: [2, true, true],
    refused: { code: "invalid_request", param: "phone", status: 400, isUnknown: false, named: true },
    badKey: { code: "unauthorized", status: 401, isUnknown: false, named: true },
    nobody: expect.objectContaining({ code: "connection", status: 0, named: false }),
    aborted: { code: "connection", status: 0, isUnknown: false, named: false },
    webhook: { type: "message.delivered" },
    forged: "signature",
  });
  expect(new Set(proxy.keys).size).toBe(1);
  expect(proxy.faults).toEqual([]);
}

const underNode = (program: string) => async (options: Record<string, string>) => {
  const text = `import { check } from "./check.mjs"; console.log(JSON.stringify(await check(${JSON.stringify(options)})));`;
  writeFileSync(path.join(project, "main.mjs"), text);
  return (await run(program, ["main.mjs"], { cwd: project })).stdout;
};

describe("the packed package, used by a program", () => {
  it("works under Node 24", () => checkIn(underNode(process.execPath)));

  it.skipIf(NODE_20 === undefined)("works under Node 20", () => checkIn(underNode(NODE_20 ?? "")));

  it("works in workerd", () =>
    checkIn(async (options) => {
      const worker = `import { check } from "./check.js";
        export default { fetch: async () => Response.json(await check(${JSON.stringify(options)})) };`;
      const modules = {
        "worker.js": worker,
        "check.js": readFileSync(path.join(project, "check.mjs"), "utf8").replace(
          'from "dastak"',
          'from "./dastak.js"',
        ),
        "dastak.js": readFileSync(installed("dist/index.js"), "utf8"),
      };
      const runtime = new Miniflare(
        convertV4MiniflareOptions({
          modules: Object.entries(modules).map(([name, contents]) => ({
            type: "ESModule",
            path: `/${name}`,
            contents,
          })),
          modulesRoot: "/",
          compatibilityDate: "2026-08-01",
          cf: false,
        }),
      );
      try {
        return await (await runtime.dispatchFetch("http://worker/")).text();
      } finally {
        await runtime.dispose();
      }
    }));
});
