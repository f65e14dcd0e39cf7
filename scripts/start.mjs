// npm start: everything that a service on this machine needs, in one command (contract §12).
import net from "node:net";
import path from "node:path";
import { parseArgs, styleText } from "node:util";
import { SETTINGS, parseConfig } from "../src/config.ts";
import { STATE_DIR, localVariables, startWrangler, writeLocalConfig } from "./local.mjs";
import { migrateLocal } from "./migrate-local.mjs";

const PORT = 8787;
const READY_MS_MAX = 60_000;
const STOP_MS_MAX = 5_000;

const complain = (sentence) => {
  console.error(sentence);
  process.exit(2);
};

/** The command line, checked: one sentence for whatever is wrong with it. */
function readArguments() {
  const options = { port: { type: "string" }, state: { type: "string" }, set: { type: "string", multiple: true } };
  const usage = "Usage: npm start -- [--port PORT] [--state DIR] [--set KEY=VALUE]...";
  let values;
  try {
    ({ values } = parseArgs({ options }));
  } catch (problem) {
    complain(`${problem.message.split(". ")[0]}. ${usage}`);
  }
  const port = Number(values.port ?? PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_000) {
    complain(`--port must be a number from 1 to 65000. ${usage}`);
  }
  const settings = (values.set ?? []).map((text) => {
    const at = text.indexOf("=");
    const name = text.slice(0, Math.max(at, 0));
    if (at < 1) complain(`--set takes KEY=VALUE, not ${text}.`);
    if (!Object.hasOwn(SETTINGS.shape, name)) {
      complain(`There is no setting ${name}. Settings: ${Object.keys(SETTINGS.shape).join(", ")}.`);
    }
    return [name, text.slice(at + 1)];
  });
  return { port, stateDir: path.resolve(values.state ?? STATE_DIR), settings: Object.fromEntries(settings) };
}

const isFree = (port, host) =>
  new Promise((resolve) => {
    const probe = net.createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host }, () => probe.close(() => resolve(true)));
  });

async function nextFreePort(port) {
  while (!(await isFree(port, "127.0.0.1"))) port += 1;
  return port;
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function waitUntilReady(base, hasEnded) {
  const giveUpAt = Date.now() + READY_MS_MAX;
  while (Date.now() < giveUpAt && !hasEnded()) {
    const reply = await fetch(`${base}/healthz`).catch(() => null);
    if (reply?.ok) return true;
    await sleep(50);
  }
  return false;
}

/** Opens the demo account, or finds it again: the same request always names the same account and key. */
async function seed(base, token) {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "idempotency-key": "demo-account",
  };
  const body = JSON.stringify({ name: "Demo", plan: "business", balance: 1000 });
  const reply = await fetch(`${base}/operator/accounts`, { method: "POST", headers, body });
  const account = await reply.json();
  if (!account.success) throw new Error(account.error);
  return account;
}

const paint = (style, text) => (process.stdout.isTTY ? styleText(style, text) : text);

function banner({ port, wanted, variables, account, stateDir, seconds }) {
  const line = (name, text) => `  ${paint("dim", name.padEnd(13))}${text}`;
  const moved = port === wanted ? "" : paint("yellow", ` Port ${wanted} is taken; this is the next free one.`);
  return [
    "",
    `  ${paint("bold", "Dastak")} is ready after ${seconds.toFixed(1)} s.${moved}`,
    "",
    line("SMS_URL", variables.SMS_URL),
    line("TTS_URL", variables.TTS_URL),
    line("VOICE_URL", variables.VOICE_URL),
    line("OTP_URL", variables.OTP_URL),
    line("CONSOLE_URL", `${variables.CONSOLE_URL}  answers every path, where *.localhost does not resolve`),
    "",
    line("API key", paint("cyan", account.api_key)),
    line("Test key", `${account.test_key}  play coins, always the simulator`),
    line("Operator", `${variables.OPERATOR_TOKEN}`),
    "",
    "  Send your first SMS:",
    "",
    `  curl http://localhost:${port}/send-sms -H 'Content-Type: application/json' \\`,
    `    -d '{"apiKey":"${account.api_key}","phone":"9876543210","message":"Hello from Dastak"}'`,
    "",
    `  ${paint("dim", `Ctrl-C stops it. State is kept in ${path.relative(process.cwd(), stateDir) || "."}; npm run reset wipes it.`)}`,
    "",
  ].join("\n");
}

async function main() {
  const startedAt = performance.now();
  const { port: wanted, stateDir, settings } = readArguments();
  const port = await nextFreePort(wanted);
  const variables = { ...localVariables(port), ...settings };
  try {
    parseConfig(variables);
  } catch (problem) {
    complain(`These settings do not work: ${problem.message}.`);
  }
  const config = writeLocalConfig(stateDir, variables);
  await migrateLocal(stateDir, config);

  const child = startWrangler(
    ["dev", "-c", config, "--port", String(port), "--ip", "127.0.0.1", "--inspector-port", "0"].concat([
      "--show-interactive-dev-session=false",
      "--persist-to",
      stateDir,
    ]),
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  let ended = false;
  let stopping = false;
  const signal = (name) => {
    try {
      process.kill(-(child.pid ?? Number.NaN), name);
    } catch {
      // The group is gone already.
    }
  };
  child.once("exit", (code) => {
    ended = true;
    signal("SIGKILL");
    process.exit(stopping ? 0 : (code ?? 1));
  });
  const stop = () => {
    if (stopping) return;
    stopping = true;
    signal("SIGTERM");
    setTimeout(() => signal("SIGKILL"), STOP_MS_MAX).unref();
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, stop);

  const base = `http://127.0.0.1:${port}`;
  if (!(await waitUntilReady(base, () => ended))) {
    if (!stopping) console.error("The service did not become ready; what it said stands above.");
    stop();
    return;
  }
  const account = variables.ENVIRONMENT === "local" ? await seed(base, variables.OPERATOR_TOKEN) : null;
  const seconds = (performance.now() - startedAt) / 1000;
  if (account) console.log(banner({ port, wanted, variables, account, stateDir, seconds }));
  else console.log(`Dastak is ready at ${base}.`);
}

await main();
