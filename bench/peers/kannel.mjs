// Kannel's sendsms: its HTTP box passes each message to its bearer box, which writes it to a file and passes it on to a
// carrier that accepts everything. There is no balance, no rate window per key, and no sync of the file.
// `npm run test:kannel` starts the same as a gateway with a limit.
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { startProgram, untilReady } from "./processes.mjs";

export const USER = "bench";
export const PASSWORD = "bench-password";
const PANIC_ONLY = 4;

const lineOf = ([name, value]) => `${name} = ${JSON.stringify(value)}\n`;
const linesOf = (group) => Object.entries(group).map(lineOf).join("");

function configOf({ port, stateDir, smsc, queueMax, more = [] }) {
  const groups = [
    {
      group: "core",
      "admin-port": port + 1,
      "admin-password": PASSWORD,
      "admin-interface": "127.0.0.1",
      "smsbox-port": port + 2,
      "smsbox-interface": "127.0.0.1",
      "box-allow-ip": "127.0.0.1",
      "store-type": "file",
      "store-location": path.join(stateDir, "store"),
      "log-level": PANIC_ONLY,
      ...(queueMax !== undefined && { "sms-outgoing-queue-limit": queueMax }),
    },
    {
      group: "smsc",
      ...(smsc ?? { smsc: "fake", "smsc-id": "fake", port: port + 3, "connect-allow-ip": "127.0.0.1" }),
    },
    {
      group: "smsbox",
      "bearerbox-host": "127.0.0.1",
      "sendsms-port": port,
      "sendsms-interface": "127.0.0.1",
      "log-level": PANIC_ONLY,
    },
    // Without these, Kannel cuts a long text after its first part.
    { group: "sendsms-user", username: USER, password: PASSWORD, "max-messages": 10, concatenation: true },
    ...more,
  ];
  return groups.map(linesOf).join("\n");
}

/** Connects to a local port. */
function connected(port) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
  });
}

/**
 * Starts Kannel on `port` and the three ports that follow. `smsc` has the settings of another carrier in place of the one
 * that accepts everything; while about `queueMax` messages wait for the carrier, sendsms answers 503. `more` are further
 * groups of its configuration.
 *
 * @param {{ port: number, stateDir: string, smsc?: Group, queueMax?: number, more?: Group[] }} options
 * @typedef {Record<string, string | number | boolean>} Group
 */
export async function start({ port, stateDir, smsc, queueMax, more }) {
  mkdirSync(stateDir, { recursive: true });
  const config = path.join(stateDir, "kannel.conf");
  writeFileSync(config, configOf({ port, stateDir, smsc, queueMax, more }));
  // Killed in the end: an asked smsbox may wait for ever for connections that its clients have closed.
  const bearerbox = startProgram("bearerbox", [config], { signal: "SIGKILL" });
  await untilReady("bearerbox", bearerbox, async () => (await connected(port + 2)).destroy());
  // Kannel's fake carrier is any client that connects to this port and reads; it need not answer.
  const carrier = smsc ? null : await untilReady("bearerbox", bearerbox, () => connected(port + 3));
  carrier?.resume().on("error", () => undefined);
  const smsbox = startProgram("smsbox", [config], { signal: "SIGKILL" });
  await untilReady("smsbox", smsbox, async () => (await connected(port)).destroy());
  return {
    async stop() {
      await smsbox.stop();
      carrier?.destroy();
      await bearerbox.stop();
    },
  };
}
