import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Webhook } from "standardwebhooks";
import { until } from "../../harness/http.ts";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";

// A consumer behind a receiver that fails in every way, while the whole service is killed: every event, in order, with
// the same id on every attempt and a signature that holds.

const SETTINGS = {
  SWEEP_MS: "500",
  WEBHOOK_LADDER_MS: "300,300,300,300,300,300",
  WEBHOOK_TIMEOUT_MS: "1000",
};

const ORDERS = 40;

interface Got {
  id: string;
  seq: number;
  taken: boolean;
}

let service: Service;
let receiver: http.Server;
const got: Got[] = [];
const faults: unknown[] = [];
let secret = "";
let testKey = "";

/** How the receiver answers each attempt, in turn. */
const ANSWERS: ((response: http.ServerResponse) => boolean)[] = [
  (response) => Boolean(response.writeHead(500).end()),
  (response) => Boolean(response.writeHead(429, { "retry-after": "1" }).end()),
  (response) => Boolean(response.writeHead(302, { location: "/elsewhere" }).end()),
  // Hangs: the service gives it up.
  () => true,
  (response) => Boolean(response.destroy()),
];

function receive(request: http.IncomingMessage, response: http.ServerResponse): void {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const body = Buffer.concat(parts).toString("utf8");
    try {
      if (request.url !== "/hook") throw new Error(`a redirect was followed to ${request.url}`);
      new Webhook(secret).verify(body, request.headers as Record<string, string>);
    } catch (problem) {
      faults.push(problem);
    }
    const { seq } = JSON.parse(body) as { seq: number };
    const isTaken = got.length % 3 !== 1;
    got.push({ id: String(request.headers["webhook-id"]), seq, taken: isTaken });
    if (isTaken) response.writeHead(204).end();
    else ANSWERS[Math.floor(got.length / 3) % ANSWERS.length]?.(response);
  });
}

beforeAll(async () => {
  receiver = http.createServer(receive).listen(0, "127.0.0.1");
  await new Promise((done) => receiver.once("listening", done));
  service = await startService({ set: SETTINGS });
  ({ testKey } = service.demo);
});

afterAll(async () => {
  await service?.kill9();
  receiver?.closeAllConnections();
  receiver?.close();
});

const hook = (method: string, at: string, body?: object) =>
  service.call(`/v1/webhooks${at}`, {
    method,
    headers: { authorization: `Bearer ${testKey}` },
    ...(body && { body }),
  });

it("loses no event to a receiver's faults and to kills of the service, and keeps their order", async () => {
  const { port } = receiver.address() as AddressInfo;
  const made = await hook("POST", "", { url: `http://127.0.0.1:${port}/hook`, types: ["message.*"] });
  expect(made.status).toBe(200);
  const { webhook, secret: shown } = made.body as { webhook: { webhook_id: string }; secret: string };
  secret = shown;
  for (let sent = 0; sent < ORDERS; sent += 1) {
    const body = { phone: `98765${String(sent).padStart(5, "0")}`, message: "Hello" };
    const key = { "idempotency-key": `order-${sent}` };
    await until("an order is taken", async () => (await service.post(testKey, "/send-sms", body, key)).status === 200);
    if (sent === 15 || sent === 30) {
      await service.kill9();
      service = await startService({ set: SETTINGS, state: service.state, port: service.port });
    }
  }
  const isDone = async () => {
    const taken = new Set(got.flatMap(({ seq, taken: isTaken }) => (isTaken ? seq : [])));
    if (taken.size < ORDERS) return false;
    const { body } = await hook("GET", `/${webhook.webhook_id}`);
    return (body as { webhook: { acked: number } }).webhook.acked >= ORDERS;
  };
  const sight = async () => ({
    webhook: (await hook("GET", `/${webhook.webhook_id}`)).body,
    attempts: (await hook("GET", `/${webhook.webhook_id}/attempts?limit=5`)).body.data,
    got: got.length,
    log: service.program.output.slice(-2_000),
  });
  await until("every event was delivered", isDone, { withinMs: 120_000, everyMs: 500, sight });
  expect(faults).toEqual([]);
  const seqs = [...new Set(got.flatMap(({ seq, taken }) => (taken ? seq : [])))];
  expect(seqs).toEqual(seqs.map((_, at) => at + 1));
  for (const same of Map.groupBy(got, ({ seq }) => seq).values()) {
    expect(new Set(same.map(({ id }) => id)).size).toBe(1);
  }
});
