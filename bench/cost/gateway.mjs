// A local carrier (contract §11) in the role of a deployment's gateway: it accepts every message and reports its
// delivery a moment later with a signed receipt. The path to which a service submits names the port for its receipts.
import { randomBytes } from "node:crypto";
import { Client, pause } from "../../harness/accounts.mjs";
import { signedReceipt } from "../../harness/gateway.ts";
import { LoopbackServer, textOf } from "../../harness/loopback.ts";
import { HOSTS } from "../../harness/service.mjs";

/** Delay from a message to its receipt: later than the report of the submission, as in a real network. */
const RECEIPT_AFTER_MS = 1_000;

const SECRET = `whsec_${randomBytes(32).toString("base64")}`;

/** The settings of a service on `port` that sends through the gateway on `gatewayPort`. */
export const settingsFor = (gatewayPort, port) => ({
  // Plain http to a carrier is allowed locally only.
  ENVIRONMENT: "local",
  CARRIER: "http",
  CARRIER_HTTP_URL: `http://127.0.0.1:${gatewayPort}/${port}`,
  CARRIER_HTTP_SECRET: SECRET,
});

/** Starts the gateway; `refused()` counts the receipts that were not answered with 200. */
export async function startGateway(gatewayPort) {
  const clients = new Map();
  let refused = 0;
  const deliver = async (port, ref) => {
    await pause(RECEIPT_AFTER_MS);
    if (!clients.has(port)) clients.set(port, new Client(port));
    const receipt = signedReceipt(SECRET, { ref, state: "delivered" });
    const reply = await clients.get(port).ask(HOSTS.console, "/callbacks/http", receipt);
    if (reply.status !== 200) refused += 1;
  };
  const take = async (request, response) => {
    const { ref } = JSON.parse(await textOf(request));
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: `gw-${ref.slice(-8)}` }));
    deliver(Number(request.url.slice(1)), ref).catch(() => (refused += 1));
  };
  // A service that ends before its request is complete has submitted nothing.
  const server = new LoopbackServer(gatewayPort, (request, response) => {
    void take(request, response).catch(() => undefined);
  });
  await server.listen();
  const stop = async () => {
    for (const client of clients.values()) client.close();
    await server.close();
  };
  return { refused: () => refused, stop };
}
