// npm start: runs a local service with everything it needs (contract §12).
import { stopAsked } from "./stop-asked.mjs";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { parseArgs, styleText } from "node:util";
import { DEMO_LOGIN, demoKeys } from "../src/accounts/open.ts";
import { parseConfig } from "../src/config/config.ts";
import { SETTINGS } from "../src/config/settings.ts";
import { shownSecret } from "../src/local/variables.ts";
import { isInstalled, startEngine } from "../tts-local/engine.mjs";
import { STATE_DIR, localVariables } from "./local.mjs";
import { endGroup, signalGroup } from "./process-group.mjs";
import { holderOf, lockState, noteInLock, processOf } from "./state-lock.mjs";

const PORT = 8787;
const READY_MS_MAX = 60_000;
const ANSWER_MS_MAX = 10_000;
const STOP_MS_MAX = 5_000;

const complain = (sentence, code = 2) => {
  console.error(sentence);
  process.exit(code);
};

/** The value of a setting: after @, the name of a file that contains it, since process lists show command lines. */
function valueOf(name, text) {
  if (!text.startsWith("@")) return text;
  try {
    return readFileSync(text.slice(1), "utf8").replace(/\r?\n$/u, "");
  } catch {
    return complain(`--set ${name}=@FILE takes the name of a file that can be read.`);
  }
}

/** Reads and checks the command line; ends with one sentence when it is wrong. */
function readArguments() {
  const options = { port: { type: "string" }, state: { type: "string" }, set: { type: "string", multiple: true } };
  const usage = "Usage: npm start -- [--port PORT] [--state DIR] [--set KEY=VALUE or KEY=@FILE]...";
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
    if (at < 1) complain("--set takes KEY=VALUE.");
    if (!Object.hasOwn(SETTINGS.shape, name)) {
      complain(`There is no setting ${name}. Settings: ${Object.keys(SETTINGS.shape).join(", ")}.`);
    }
    return [name, valueOf(name, text.slice(at + 1))];
  });
  return { port, stateDir: path.resolve(values.state ?? STATE_DIR), settings: Object.fromEntries(settings) };
}

const isFree = (port, host) =>
  new Promise((resolve) => {
    const probe = net.createServer();
    // On a machine without IPv6 the port counts as free.
    probe.once("error", (problem) => resolve(problem.code === "EADDRNOTAVAIL" || problem.code === "EAFNOSUPPORT"));
    probe.listen({ port, host }, () => probe.close(() => resolve(true)));
  });

/** The first port from `wanted` on that is free on both addresses of localhost. */
async function nextFreePort(wanted) {
  for (let port = wanted; port < 65_536; port++) {
    if ((await isFree(port, "127.0.0.1")) && (await isFree(port, "::1"))) return port;
  }
  return complain(`Every port from ${wanted} on is taken.`, 1);
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether the service answers for its console address, whatever that name resolves to. */
function isReady(port, consoleUrl) {
  const { host, pathname } = new URL(consoleUrl);
  const target = `${pathname.replace(/\/+$/u, "")}/healthz`;
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const request = http.get({ host: "127.0.0.1", port, path: target, signal, headers: { host } });
    request.once("error", () => resolve(false));
    request.once("response", (response) => resolve(response.resume().statusCode === 200));
  });
}

/** The first answer means that the database is migrated and the demo account is open. */
async function waitUntilReady(port, consoleUrl, hasEnded) {
  const giveUpAt = Date.now() + READY_MS_MAX;
  while (Date.now() < giveUpAt && !hasEnded()) {
    if (await isReady(port, consoleUrl)) return true;
    await sleep(20);
  }
  return false;
}

const paint = (style, text) => (process.stdout.isTTY ? styleText(style, text) : text);

function banner({ port, wanted, config, stateDir, seconds }) {
  const { apiKey, testKey } = demoKeys(config);
  const line = (name, text) => `  ${paint("dim", name.padEnd(13))}${text}`;
  const kept = path.relative(process.cwd(), stateDir) || ".";
  const reset = stateDir === STATE_DIR ? "npm run reset" : `npm run reset -- --state ${kept}`;
  // With the console's path, if it has one; a local console host also serves the API.
  const local = `http://localhost:${port}${new URL(config.CONSOLE_URL).pathname.replace(/\/+$/u, "")}`;
  const moved = port === wanted ? "" : paint("yellow", ` Port ${wanted} is taken; this is the next free one.`);
  return [
    "",
    `  ${paint("bold", "Dastak")} is ready after ${seconds.toFixed(1)} s: ${paint("cyan", local)}${moved}`,
    "",
    "  Send your first SMS:",
    "",
    `  curl ${local}/send-sms -H 'Content-Type: application/json' \\`,
    `    -d '{"apiKey":"${apiKey}","phone":"9876543210","message":"Hello from Dastak"}'`,
    "",
    line("Dashboard", `${local}  one button signs in, or ${DEMO_LOGIN.email} with ${DEMO_LOGIN.password}`),
    line("Docs", `${local}/docs  guides, every operation, samples with your test key`),
    line("Test inbox", `${local}/inbox  every SMS, OTP and call lands here`),
    line("Desk", `${local}/desk  for the operator: ${shownSecret("OPERATOR_TOKEN", config.OPERATOR_TOKEN)}`),
    line("API key", apiKey),
    line("Test key", `${testKey}  simulated balance, nothing leaves the machine`),
    "",
    line("SMS_URL", config.SMS_URL),
    line("TTS_URL", config.TTS_URL),
    line("VOICE_URL", config.VOICE_URL),
    line("OTP_URL", config.OTP_URL),
    line("CONSOLE_URL", `${config.CONSOLE_URL}  serves every path, for clients that cannot resolve *.localhost`),
    "",
    `  ${paint("dim", `Ctrl-C stops it. State is kept in ${kept}; ${reset} wipes it.`)}`,
    "",
  ].join("\n");
}

/**
 * Starts the service. `ended` resolves to its exit code once all its processes have ended; `end` sends SIGTERM, then
 * SIGKILL.
 */
function startService(settings) {
  const script = path.join(import.meta.dirname, "serve.mjs");
  // In its own process group, so that all of it can be ended. Settings go through IPC, which no process list shows.
  const child = spawn(process.execPath, [script], { detached: true, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  child.send(settings, () => undefined);
  const ended = new Promise((resolve) => {
    child.once("exit", (code) => {
      // Ends processes of the group that outlived their leader; the runtime among them may still hold the port.
      void endGroup(child.pid).then(() => resolve(code ?? 1));
    });
  });
  const end = () => {
    child.kill("SIGTERM");
    setTimeout(() => signalGroup(child.pid, "SIGKILL"), STOP_MS_MAX).unref();
  };
  return { pid: child.pid, ended, end };
}

/** Checks the settings and locks the state; ends with one sentence when either fails. */
async function prepare({ port: wanted, stateDir, settings }) {
  try {
    parseConfig({ ...localVariables(wanted), ...settings });
  } catch (problem) {
    complain(`Invalid settings: ${problem.message}.`);
  }
  const locked = await lockState(stateDir).catch((problem) =>
    complain(`The state cannot be kept in ${stateDir}: ${problem.message}.`),
  );
  if (!locked) {
    const { pid, port } = holderOf(stateDir) ?? {};
    const who = port ? `process ${pid}, port ${port}` : `process ${pid}`;
    complain(`Dastak is already running on the state in ${stateDir} (${who}); stop it or choose another --state.`, 1);
  }
  const port = await nextFreePort(wanted);
  const variables = { ...localVariables(port), ...settings };
  return { port, stateDir, variables: { ...variables, ...(await speechVariables(variables)) } };
}

/** A voice for calls, where eSpeak NG is installed and the settings choose none; it ends with this process. */
async function speechVariables(variables) {
  const { ENVIRONMENT, TTS } = parseConfig(variables);
  if (ENVIRONMENT !== "local" || TTS !== "none" || variables.TTS !== undefined || !isInstalled()) return {};
  const { url, server } = await startEngine();
  server.unref();
  return { TTS: "worker", TTS_WORKER_URL: url };
}

/** Restarts a service that ends by itself, on the same state and port, until a stop is asked for. */
async function keepRunning(service, begin) {
  for (;;) {
    const code = await service.ended;
    if (stopAsked.aborted) return 0;
    console.error("The service crashed and is restarting.");
    service = await begin();
    if (!service) return stopAsked.aborted ? 0 : code || 1;
  }
}

async function main() {
  const startedAt = performance.now();
  const asked = readArguments();
  const settings = await prepare(asked);
  const { port, stateDir, variables } = settings;
  const config = parseConfig(variables);
  if (stopAsked.aborted) return 0;
  console.log("Dastak is starting.");

  let service;
  stopAsked.addEventListener("abort", () => service?.end());
  /** Starts the service and waits for it; null when it did not become ready. */
  const begin = async () => {
    let over = false;
    service = startService(settings);
    void service.ended.then(() => (over = true));
    noteInLock(stateDir, { port, service: processOf(service.pid) });
    return (await waitUntilReady(port, config.CONSOLE_URL, () => stopAsked.aborted || over)) ? service : null;
  };

  if (await begin()) {
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(
      config.ENVIRONMENT === "local"
        ? banner({ port, wanted: asked.port, config, stateDir, seconds })
        : `Dastak is ready on port ${port}, for requests to ${config.CONSOLE_URL} and the other addresses.`,
    );
    const code = await keepRunning(service, begin);
    service.end();
    await service.ended;
    return code;
  }
  if (stopAsked.aborted) {
    await service.ended;
    return 0;
  }
  console.error("The service did not become ready; its output is above.");
  service.end();
  await service.ended;
  return 1;
}

try {
  process.exit(await main());
} catch (problem) {
  console.error(`Dastak could not start: ${problem.message}`);
  process.exit(1);
}
