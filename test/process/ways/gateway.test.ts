import { execFile, spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort, freshDirectory } from "../../../harness/program.ts";
import { until } from "../../../harness/http.ts";
import { startService } from "../../../harness/started.ts";
import type { Service } from "../../../harness/started.ts";

// The gateway with programs that were not written here, as Debian has them: Apprise and Alertmanager, each configured as
// its guide says. A program that is not installed leaves out its tests, by name.

const run = promisify(execFile);

const isInstalled = (command: string) => spawnSync(command, ["--version"], { stdio: "ignore" }).status === 0;

let service: Service;
let key: string;
beforeAll(async () => {
  service = await startService();
  key = service.demo.testKey;
});
afterAll(() => service?.kill9());

/** The text of the message that reached a number since a time; each test has a number of its own. */
async function arrived(to: string, since: number): Promise<string> {
  const at = `/v1/test/inbox/wait?to=${encodeURIComponent(to)}&timeout=30&since=${since}`;
  const { body } = await service.call(at, { headers: { authorization: `Bearer ${key}` } });
  return (body as unknown as { message: { text: string } }).message.text;
}

async function balance(): Promise<number> {
  const { body } = await service.call("/account-balance", { headers: { authorization: `Bearer ${key}` } });
  return Number(body.balance);
}

/** Runs Apprise as on a command line; rejects where it ends with a fault. */
const apprise = (address: string, ...args: string[]) =>
  run("apprise", [...args, "-b", "Backup of db1 done", address], { env: { ...process.env, LC_ALL: "C.UTF-8" } });

describe.skipIf(!isInstalled("apprise"))("apprise", () => {
  it.each([
    ["json", "9876500001", "Backup: Backup of db1 done"],
    ["form", "9876500002", "Backup: Backup of db1 done"],
  ])("sends through %s://, with its title", async (scheme, to, text) => {
    const [since, before] = [Date.now(), await balance()];
    await apprise(`${scheme}://dastak:${key}@127.0.0.1:${service.port}/v1/gateway?:to=${to}`, "-t", "Backup");
    expect(await arrived(to, since)).toBe(text);
    expect(before - (await balance())).toBe(1);
  });

  it("sends without a title, with the key in a header and the number in the address", async () => {
    const since = Date.now();
    await apprise(`json://127.0.0.1:${service.port}/v1/gateway?+Authorization=Bearer%20${key}&-to=9876500003`);
    expect(await arrived("9876500003", since)).toBe("Backup of db1 done");
  });

  it("fails, and says so, where the number is wrong or the key is", async () => {
    const before = await balance();
    const at = `127.0.0.1:${service.port}/v1/gateway`;
    for (const address of [`json://dastak:${key}@${at}?:to=12345`, `json://dastak:x${key}@${at}?:to=9876500004`]) {
      await expect(apprise(address)).rejects.toMatchObject({ code: 1 });
    }
    expect(await balance()).toBe(before);
  });
});

describe.skipIf(!isInstalled("prometheus-alertmanager"))("alertmanager", () => {
  let alertmanager: ChildProcess;
  let port: number;
  let output = "";

  beforeAll(async () => {
    port = await freePort();
    const directory = mkdtempSync(path.join(freshDirectory(), "alertmanager-"));
    const file = path.join(directory, "alertmanager.yml");
    writeFileSync(
      file,
      `route: { receiver: sms, group_by: [alertname], group_wait: 0s, group_interval: 1s, repeat_interval: 1h }
receivers:
  - name: sms
    webhook_configs:
      - url: http://127.0.0.1:${service.port}/v1/gateway?to=9876500005
        http_config: { authorization: { credentials: ${key} } }
`,
    );
    const listen = ["--web.listen-address", `127.0.0.1:${port}`, "--cluster.listen-address="];
    const args = ["--config.file", file, "--storage.path", directory, ...listen];
    alertmanager = spawn("prometheus-alertmanager", args, { stdio: ["ignore", "ignore", "pipe"] });
    alertmanager.stderr?.on("data", (bytes: Buffer) => (output += bytes.toString()));
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until("alertmanager is ready", isReady, { sight: () => output });
  });
  afterAll(() => alertmanager?.kill("SIGKILL"));

  const alert = (labels: object, annotations: object, more: object = {}) =>
    fetch(`http://127.0.0.1:${port}/api/v2/alerts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify([{ labels, annotations, ...more }]),
    });

  it("sends an alert, and its end, in one SMS each", async () => {
    const [since, before] = [Date.now(), await balance()];
    const labels = { alertname: "DiskFull", instance: "db1" };
    const annotations = { summary: "Disk of db1 is 97 % full" };
    expect((await alert(labels, annotations)).status).toBe(200);
    expect(await arrived("9876500005", since)).toBe("FIRING DiskFull: Disk of db1 is 97 % full");
    const later = Date.now();
    await alert(labels, annotations, { endsAt: new Date(later - 1000).toISOString() });
    expect(await arrived("9876500005", later)).toBe("RESOLVED DiskFull: Disk of db1 is 97 % full");
    expect(before - (await balance())).toBe(2);
  });

  it("sends to the number in the label, and cuts what is long to one segment", async () => {
    const [since, before] = [Date.now(), await balance()];
    await alert({ alertname: "Slow", phone: "+14155550132" }, { summary: `p99 – ${"[slow] ".repeat(50)}` });
    const text = await arrived("+14155550132", since);
    expect(text).toMatch(/^FIRING Slow: p99 - (?:\[slow\] ?)+.*\.\.\.$/u);
    // One segment abroad.
    expect(before - (await balance())).toBe(5);
  });
});
