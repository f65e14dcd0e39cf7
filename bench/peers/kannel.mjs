// Kannel's sendsms: its HTTP box hands each message to its bearer box, which stores it in a file and passes it on to
// a carrier that takes everything. No balance, no window for a key, and no sync of the file.
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { startProgram, untilReady } from "./processes.mjs";

export const USER = "bench";
export const PASSWORD = "bench-password";
const PANIC_ONLY = 4;

const lineOf = ([name, value]) => `${name} = ${JSON.stringify(value)}\n`;
const linesOf = (group) => Object.entries(group).map(lineOf).join("");

function configOf({ port, stateDir }) {
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
    },
    { group: "smsc", smsc: "fake", "smsc-id": "fake", port: port + 3, "connect-allow-ip": "127.0.0.1" },
    {
      group: "smsbox",
      "bearerbox-host": "127.0.0.1",
      "sendsms-port": port,
      "sendsms-interface": "127.0.0.1",
      "log-level": PANIC_ONLY,
    },
    { group: "sendsms-user", username: USER, password: PASSWORD },
  ];
  return groups.map(linesOf).join("\n");
}

/** Connects to a port of this machine. */
function connected(port) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
  });
}

/** Starts it on `port` and on the three ports that follow. */
export async function start({ port, stateDir }) {
  mkdirSync(stateDir, { recursive: true });
  const config = path.join(stateDir, "kannel.conf");
  writeFileSync(config, configOf({ port, stateDir }));
  const bearerbox = startProgram("bearerbox", [config]);
  // Kannel's fake carrier is whoever connects to this port and reads what is written: nobody has to answer.
  const carrier = await untilReady("bearerbox", bearerbox, () => connected(port + 3));
  carrier.resume();
  carrier.on("error", () => undefined);
  await untilReady("bearerbox", bearerbox, async () => (await connected(port + 2)).destroy());
  const smsbox = startProgram("smsbox", [config]);
  await untilReady("smsbox", smsbox, async () => (await connected(port)).destroy());
  return {
    async stop() {
      await smsbox.stop();
      carrier.destroy();
      await bearerbox.stop();
    },
  };
}
