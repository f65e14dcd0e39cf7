// A local carrier (contract §11) in the role of a deployment's gateway: it accepts every message and reports its
// delivery a moment later with a signed receipt. The path to which a service submits names the port for its receipts.
import { createHmac, randomBytes } from "node:crypto";
import http from "node:http";
import { Client, pause } from "../../harness/accounts.mjs";
import { HOSTS } from "../../harness/service.mjs";

/** Delay from a message to its receipt: later than the report of the submission, as in a real network. */
const RECEIPT_AFTER_MS = 1_000;

const KEY = randomBytes(32);

/** The settings of a service on `port` that sends through the gateway on `gatewayPort`. */
export const settingsFor = (gatewayPort, port) => ({
  // Plain http to a carrier is allowed locally only.
  ENVIRONMENT: "local",
  CARRIER: "http",
  CARRIER_HTTP_URL: `http://127.0.0.1:${gatewayPort}/${port}`,
  CARRIER_HTTP_SECRET: `whsec_${KEY.toString("base64")}`,
});

function signed(body) {
  const id = `receipt_${randomBytes(8).toString("hex")}`;
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac("sha256", KEY).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

async function textOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Starts the gateway; `refused()` counts the receipts that were not answered with 200. */
export async function startGateway(gatewayPort) {
  const clients = new Map();
  let refused = 0;
  const deliver = async (port, ref) => {
    await pause(RECEIPT_AFTER_MS);
    if (!clients.has(port)) clients.set(port, new Client(port));
    const body = JSON.stringify({ ref, state: "delivered" });
    const reply = await clients.get(port).ask(HOSTS.console, "/callbacks/http", { body, headers: signed(body) });
    if (reply.status !== 200) refused += 1;
  };
  const take = async (request, response) => {
    const { ref } = JSON.parse(await textOf(request));
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: `gw-${ref.slice(-8)}` }));
    deliver(Number(request.url.slice(1)), ref).catch(() => (refused += 1));
  };
  // A service that ends before its request is complete has submitted nothing.
  const server = http.createServer((request, response) => void take(request, response).catch(() => undefined));
  await new Promise((resolve) => {
    server.listen(gatewayPort, "127.0.0.1", () => resolve());
  });
  const stop = async () => {
    for (const client of clients.values()) client.close();
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(() => resolve());
    });
  };
  return { refused: () => refused, stop };
}
