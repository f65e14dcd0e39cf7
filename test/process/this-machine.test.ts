import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call } from "../../harness/http.ts";
import { freshDirectory } from "../../harness/program.ts";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { lockState } from "../../scripts/state-lock.mjs";
import { run } from "./commands.ts";

// What only this machine may ask a local service, and what only its user may read.

let service: Service;
const token = randomBytes(32).toString("hex");

beforeAll(async () => {
  const file = path.join(freshDirectory(), "token");
  writeFileSync(file, `${token}\n`);
  const set = { OPERATOR_TOKEN: `@${file}` };
  service = await startService({ state: path.join(freshDirectory(), "new", "state"), set });
});
afterAll(() => service?.kill9());

/** Ports of 127.0.0.1 on which these processes listen; where the system does not tell, that of the service alone. */
function listening(pids: number[]): number[] {
  if (!existsSync("/proc/net/tcp")) return [service.port];
  const sockets = new Set(
    pids.flatMap((pid) => {
      const descriptors = readdirSync(`/proc/${pid}/fd`);
      return descriptors.flatMap((fd) => {
        try {
          return readlinkSync(`/proc/${pid}/fd/${fd}`);
        } catch {
          // Closed meanwhile.
          return [];
        }
      });
    }),
  );
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/u))
    .filter((row) => row[3] === "0A" && sockets.has(`socket:[${row[9]}]`))
    .map(([, address = ""]) => Number.parseInt(address.split(":")[1] ?? "", 16));
}

it("no header chooses another host, at any socket that it opens", async () => {
  const ports = listening(service.program.tree.living());
  expect(ports).toContain(service.port);
  const inbox = `http://localhost:${service.port}/v1/test/inbox`;
  const url = { "mf-original-url": inbox };
  // What a page can send to this machine under a name that it made lead here.
  const chosen: Record<string, string>[] = [
    {},
    url,
    { ...url, "mf-route-override": "dastak" },
    { ...url, "mf-original-hostname": "localhost" },
    { "mf-op-original-url": inbox, "mf-op": "CALL", "mf-op-target": "0", "mf-op-key": "fetch" },
    { "x-forwarded-host": "localhost", "x-original-url": "/v1/test/inbox", "x-http-host-override": "localhost" },
  ];
  for (const port of ports) {
    for (const headers of chosen) {
      for (const at of ["/", "/v1/test/inbox", "/sign-in", "/cdn-cgi/handler/scheduled"]) {
        const reply = await call(`http://127.0.0.1:${port}${at}`, { headers: { host: "evil.example", ...headers } });
        expect([400, 401, 403, 404, 421], `${port}${at} ${JSON.stringify(headers)}`).toContain(reply.status);
        expect(reply.body.data).toBeUndefined();
      }
    }
  }
  expect((await service.call("/v1/test/inbox", { headers: url })).body.data).toEqual([]);
});

it("reads a secret from a file, so that no process list shows it", async () => {
  const headers = { authorization: `Bearer ${token}` };
  expect((await service.call("/operator/rate-card", { headers })).status).toBe(200);
  const { stdout } = spawnSync("ps", ["-ww", "-o", "args=", "-p", service.program.tree.living().join(",")], {
    encoding: "utf8",
  });
  expect(stdout).toContain("OPERATOR_TOKEN=@");
  expect(stdout).not.toContain(token);
  expect(service.program.output).not.toContain(token);

  const args = ["--state", freshDirectory(), "--set", "OPERATOR_TOKEN=@/no/such/file"];
  const { code, output } = await run([path.join("scripts", "start.mjs"), ...args]);
  expect([code, output]).toEqual([2, "--set OPERATOR_TOKEN=@FILE takes the name of a file that can be read.\n"]);
});

/** Whether other users of this machine have any access. */
const isOpen = (file: string) => (statSync(file).mode & 0o077) !== 0;

it("keeps its state closed to other users of the machine", async () => {
  const { apiKey } = service.demo;
  const sent = await service.post(apiKey, "/send-sms", { phone: "9876543210", message: "Hello" });
  expect(sent.status).toBe(200);
  const names = readdirSync(service.state, { recursive: true, encoding: "utf8" });
  expect(names.some((name) => name.endsWith(".sqlite"))).toBe(true);
  const all = [service.state, ...names.map((name) => path.join(service.state, name))];
  expect(all.filter((file) => existsSync(file) && isOpen(file))).toEqual([]);
});

it("closes a state that an earlier version left open, and not the folder of the user around it", async () => {
  const state = freshDirectory();
  mkdirSync(path.join(state, "v3"));
  for (const open of [state, path.join(state, "v3")]) chmodSync(open, 0o755);
  expect(await lockState(state)).toBe(true);
  expect([isOpen(path.join(state, "v3")), isOpen(path.join(state, "lock.json")), isOpen(state)]).toEqual([
    false,
    false,
    true,
  ]);
});
