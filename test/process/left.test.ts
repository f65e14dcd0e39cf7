import { once } from "node:events";
import net from "node:net";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { HOSTS, OPERATOR_TOKEN, startService } from "../../harness/service.mjs";
import { call, until } from "../../harness/http.ts";
import type { Body } from "../../harness/http.ts";
import { freePort, freshDirectory } from "../../harness/program.ts";

// Clients that disconnect before their reply. A message that the account has stored by then is dispatched at once: the
// alarm, which would find it too, runs far later here than the test waits.

const SWEEP_MS = "600000";
const CLIENTS = 80;
/** The clients disconnect one by one within this time: some before the account has stored the message, some after. */
const LEAVE_MS_MAX = 160;
/** Sends that wait for their reply, to warm the service up first. */
const WARM = 20;

let port: number;
let service: Awaited<ReturnType<typeof startService>>;

beforeAll(async () => {
  port = await freePort();
  const stateDir = path.join(freshDirectory(), "state");
  service = await startService({ port, stateDir, variables: { SWEEP_MS } });
});

afterAll(() => service?.stop());

async function operator(method: string, at: string, body?: object): Promise<Body> {
  const headers = { host: HOSTS.console, authorization: `Bearer ${OPERATOR_TOKEN}` };
  const reply = await call(`http://127.0.0.1:${port}/operator${at}`, { method, headers, ...(body && { body }) });
  expect(reply.status, reply.bytes.toString()).toBe(200);
  return reply.body;
}

/** Sends one SMS over its own connection, and resets that after `leaveMs`, with or without a reply. */
async function sendAndLeave(apiKey: string, phone: string, leaveMs: number): Promise<void> {
  const body = JSON.stringify({ phone, message: "Knock, knock" });
  const head = [
    "POST /send-sms HTTP/1.1",
    `Host: ${HOSTS.sms}`,
    `Authorization: Bearer ${apiKey}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  const socket = net.connect(port, "127.0.0.1").on("error", () => undefined);
  await once(socket, "connect");
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  setTimeout(() => socket.resetAndDestroy(), leaveMs);
  await once(socket, "close");
}

interface Row {
  to: string;
  state: string;
}

it("dispatches every stored message, also if its client disconnected before the reply", async () => {
  const { account_id: id, api_key: apiKey = "" } = await operator("POST", "/accounts", {
    name: "In a hurry",
    plan: "premium",
    balance: 1_000,
  });
  const headers = { host: HOSTS.sms, authorization: `Bearer ${apiKey}` };
  for (let nth = 0; nth < WARM; nth++) {
    const body = { phone: String(9_100_000_000 + nth), message: "Knock, knock" };
    expect((await call(`http://127.0.0.1:${port}/send-sms`, { method: "POST", headers, body })).status).toBe(200);
  }
  await Promise.all(
    Array.from({ length: CLIENTS }, (_, nth) =>
      sendAndLeave(apiKey, String(9_200_000_000 + nth), (nth * LEAVE_MS_MAX) / CLIENTS),
    ),
  );
  const rows = async () => (await operator("GET", `/accounts/${id}/messages?limit=500`)).data as Row[];
  const waiting = async () => (await rows()).filter(({ state }) => state === "queued" || state === "sending");
  await until("nothing waits for the alarm", async () => (await waiting()).length === 0, {
    withinMs: 20_000,
    everyMs: 500,
    sight: waiting,
  });
  expect((await rows()).length).toBeGreaterThan(WARM + CLIENTS / 10);
});
