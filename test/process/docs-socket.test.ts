import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../../harness/http.ts";
import { freshDirectory } from "../../harness/program.ts";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";

// The sample of the page about WebSockets, run as it stands while the service is killed: each event once and in order.

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.kill9());

/** The program that the page prints. */
async function sample(): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${service.port}/docs/api/streamEvents.md`);
  const [, code] = /```js\n(.*?)```/su.exec(await reply.text()) ?? [];
  if (code === undefined) throw new Error("the page has no sample");
  return code;
}

it("the sample gets every event once and in order, over a kill of the service", async () => {
  const { testKey } = service.demo;
  const file = path.join(freshDirectory(), "events.mjs");
  writeFileSync(file, (await sample()).replace("localhost", "127.0.0.1"));
  const program = spawn(process.execPath, [file], { env: { ...process.env, DASTAK_KEY: testKey } });
  let output = "";
  program.stdout.on("data", (part: Buffer) => (output += part.toString()));
  program.stderr.on("data", (part: Buffer) => (output += part.toString()));
  const lines = () => [...output.matchAll(/^(\d+) (message\.\w+) (msg_\w+)$/gmu)];
  const has = (type: string, id: unknown) => lines().some(([, , found, of]) => found === type && of === id);
  /** Sends, and waits until the program has the end of it. */
  const send = async (once: string) => {
    const body = { phone: "9876543210", message: "Hello" };
    const { headers } = await service.post(testKey, "/send-sms", body, { "idempotency-key": once });
    await until(`${once} is delivered`, () => has("message.delivered", headers["x-message-id"]), {
      withinMs: 90_000,
      sight: () => output,
    });
  };
  try {
    // The events of an account begin with the first question for them.
    await until("the events have begun", async () => {
      const asked = { headers: { authorization: `Bearer ${testKey}` } };
      return (await service.call("/v1/events", asked)).status === 200;
    });
    await send("before");
    await service.kill9();
    service = await startService({ state: service.state, port: service.port });
    await send("after");
    const seqs = lines().map(([, seq]) => Number(seq));
    expect(seqs).toEqual(seqs.map((_, at) => (seqs[0] ?? 0) + at));
  } finally {
    program.kill("SIGKILL");
  }
});
