// npm start: everything that a service on this machine needs, in one command (contract §12).
import { stopAsked } from "./stop-asked.mjs";
import { rmSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs, styleText } from "node:util";
import { SETTINGS, parseConfig } from "../src/config.ts";
import { QUIET, STATE_DIR, localVariables, startWrangler, writeLocalConfig } from "./local.mjs";
import { migrateLocal } from "./migrate-local.mjs";
import { holderOf, lockState, noteInLock, processOf } from "./state-lock.mjs";

const PORT = 8787;
const READY_MS_MAX = 60_000;
const ANSWER_MS_MAX = 10_000;
const STOP_MS_MAX = 5_000;

const complain = (sentence, code = 2) => {
  console.error(sentence);
  process.exit(code);
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
    // A machine without IPv6 has nobody on that port of it.
    probe.once("error", (problem) => resolve(problem.code === "EADDRNOTAVAIL" || problem.code === "EAFNOSUPPORT"));
    probe.listen({ port, host }, () => probe.close(() => resolve(true)));
  });

/** The first port from here on that is free under both addresses of localhost. */
async function nextFreePort(wanted) {
  for (let port = wanted; port < 65_536; port++) {
    if ((await isFree(port, "127.0.0.1")) && (await isFree(port, "::1"))) return port;
  }
  return complain(`Every port from ${wanted} on is taken.`, 1);
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks the service under its console address, wherever that name leads outside: null while nobody answers. */
function ask(port, consoleUrl, at, { headers = {}, ...options } = {}, body) {
  const { host, pathname } = new URL(consoleUrl);
  const target = pathname.replace(/\/+$/u, "") + at;
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const to = { host: "127.0.0.1", port, path: target, signal, ...options, headers: { ...headers, host } };
    const request = http.request(to);
    request.once("error", () => resolve(null));
    request.once("response", (response) => {
      text(response).then(
        (answer) => resolve({ status: response.statusCode, answer }),
        () => resolve(null),
      );
    });
    request.end(body);
  });
}

async function waitUntilReady(port, consoleUrl, hasEnded) {
  const giveUpAt = Date.now() + READY_MS_MAX;
  while (Date.now() < giveUpAt && !hasEnded()) {
    if ((await ask(port, consoleUrl, "/healthz"))?.status === 200) return true;
    await sleep(50);
  }
  return false;
}

/** Opens the demo account, or finds it again: the same request always names the same account and key. */
async function seed(port, { CONSOLE_URL, OPERATOR_TOKEN }) {
  const headers = {
    authorization: `Bearer ${OPERATOR_TOKEN}`,
    "content-type": "application/json",
    "idempotency-key": "demo-account",
  };
  const body = JSON.stringify({ name: "Demo", plan: "business", balance: 1000 });
  const reply = await ask(port, CONSOLE_URL, "/operator/accounts", { method: "POST", headers }, body);
  const account = reply && JSON.parse(reply.answer);
  if (!account?.success) throw new Error(account?.error ?? "it does not answer");
  return account;
}

const paint = (style, text) => (process.stdout.isTTY ? styleText(style, text) : text);

function banner({ port, wanted, variables, account, stateDir, seconds }) {
  const line = (name, text) => `  ${paint("dim", name.padEnd(13))}${text}`;
  const kept = path.relative(process.cwd(), stateDir) || ".";
  const reset = stateDir === STATE_DIR ? "npm run reset" : `npm run reset -- --state ${kept}`;
  // The console's own path, if it has one; on this machine it answers the API as well.
  const local = `http://localhost:${port}${new URL(variables.CONSOLE_URL).pathname.replace(/\/+$/u, "")}`;
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
    line("Dashboard", `${paint("cyan", local)}  one button signs in as the demo customer`),
    line("Test inbox", `${local}/inbox  every SMS, OTP and call lands here`),
    line("Desk", `${local}/desk  for the operator`),
    "",
    line("API key", paint("cyan", account.api_key)),
    line("Test key", `${account.test_key}  play coins, always the simulator`),
    line("Operator", `${variables.OPERATOR_TOKEN}`),
    "",
    "  Send your first SMS:",
    "",
    `  curl ${local}/send-sms -H 'Content-Type: application/json' \\`,
    `    -d '{"apiKey":"${account.api_key}","phone":"9876543210","message":"Hello from Dastak"}'`,
    "",
    `  ${paint("dim", `Ctrl-C stops it. State is kept in ${kept}; ${reset} wipes it.`)}`,
    "",
  ].join("\n");
}

/** Starts the service; `ended` is its exit code once it has one, `end` asks it to end and then makes it. */
function startService(config, port, stateDir) {
  const args = ["dev", "-c", config, "--port", String(port), "--ip", "127.0.0.1", "--inspector-port", "0"];
  args.push("--show-interactive-dev-session=false", "--persist-to", stateDir);
  // Services on other states are not to find this one by its name.
  const env = { ...QUIET, WRANGLER_REGISTRY_PATH: path.join(stateDir, "registry") };
  const child = startWrangler(args, { stdio: ["ignore", "inherit", "inherit"], env });
  const signal = (name) => {
    try {
      process.kill(-(child.pid ?? Number.NaN), name);
    } catch {
      // The group is gone already.
    }
  };
  const ended = new Promise((resolve) => {
    child.once("exit", (code) => {
      // Whatever outlives its leader ends with it.
      signal("SIGKILL");
      resolve(code ?? 1);
    });
  });
  const end = () => {
    signal("SIGTERM");
    setTimeout(() => signal("SIGKILL"), STOP_MS_MAX).unref();
  };
  return { pid: child.pid, ended, end };
}

/** Checks the settings and takes the state, or ends this process with one sentence. */
async function prepare({ port: wanted, stateDir, settings }) {
  try {
    parseConfig({ ...localVariables(wanted), ...settings });
  } catch (problem) {
    complain(`These settings do not work: ${problem.message}.`);
  }
  const locked = await lockState(stateDir).catch((problem) =>
    complain(`The state cannot be kept in ${stateDir}: ${problem.message}.`),
  );
  if (!locked) {
    const { pid, port } = holderOf(stateDir) ?? {};
    const who = port ? `process ${pid}, port ${port}` : "it has just begun";
    complain(`Dastak is already running on the state in ${stateDir} (${who}); stop it or choose another --state.`, 1);
  }
  const port = await nextFreePort(wanted);
  const variables = { ...localVariables(port), ...settings };
  // What a killed service left of its bundles.
  rmSync(path.join(stateDir, ".wrangler"), { recursive: true, force: true });
  return { port, variables, config: await writeLocalConfig(stateDir, variables) };
}

/**
 * Goes on until somebody asks it to stop. The development proxy ends when a client breaks off in the middle of a body,
 * and one client must not end everybody's service: it begins again, on its state and its port.
 */
async function keepRunning(service, begin) {
  for (;;) {
    const code = await service.ended;
    if (stopAsked.aborted) return 0;
    console.error("The service broke off and begins again.");
    service = await begin();
    if (!service) return stopAsked.aborted ? 0 : code || 1;
  }
}

async function main() {
  const startedAt = performance.now();
  const asked = readArguments();
  const { stateDir } = asked;
  const { port, variables, config } = await prepare(asked);
  await migrateLocal(stateDir, config);
  if (stopAsked.aborted) return 0;

  let service;
  stopAsked.addEventListener("abort", () => service?.end());
  /** Starts the service and waits for it; null when it did not become ready. */
  const begin = async () => {
    let over = false;
    service = startService(config, port, stateDir);
    void service.ended.then(() => (over = true));
    noteInLock(stateDir, { port, service: processOf(service.pid) });
    return (await waitUntilReady(port, variables.CONSOLE_URL, () => stopAsked.aborted || over)) ? service : null;
  };

  try {
    if (await begin()) {
      const account = variables.ENVIRONMENT === "local" ? await seed(port, variables) : null;
      const seconds = (performance.now() - startedAt) / 1000;
      const words = { port, wanted: asked.port, variables, account, stateDir, seconds };
      console.log(
        account
          ? banner(words)
          : `Dastak is ready on port ${port}, for requests to ${variables.CONSOLE_URL} and the other addresses.`,
      );
      const code = await keepRunning(service, begin);
      service.end();
      await service.ended;
      return code;
    }
    if (!stopAsked.aborted) console.error("The service did not become ready; what it said stands above.");
  } catch (problem) {
    if (!stopAsked.aborted) console.error(`The service did not become ready: ${problem.message}.`);
  }
  if (!stopAsked.aborted) service?.end();
  await service?.ended;
  return stopAsked.aborted ? 0 : 1;
}

try {
  process.exit(await main());
} catch (problem) {
  console.error(`Dastak could not start: ${problem.message}`);
  process.exit(1);
}
