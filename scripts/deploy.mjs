// npm run deploy [-- --env staging]: checks what a deployment needs, applies D1 migrations, then deploys
// (docs/deploy.md).
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import path from "node:path";
import { parseArgs } from "node:util";
import { parseConfig } from "../src/config/config.ts";
import { SECRET_NAMES } from "../src/config/settings.ts";
import { DEMO_SECRET_PREFIX } from "../src/crypto/secret-faults.ts";
import { faultOfDatabases, migrationsOf } from "./databases.mjs";
import { ROOT, readConfig } from "./local.mjs";

const stop = (sentence) => {
  console.error(`Not deployed: ${sentence}`);
  process.exit(1);
};

const { env: environment } = parseArgs({ options: { env: { type: "string", default: "production" } } }).values;

/** Runs wrangler for the environment. */
function wrangler(args, options = {}) {
  return spawnSync(path.join(ROOT, "node_modules/.bin/wrangler"), [...args, "--env", environment], {
    cwd: ROOT,
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
    stdio: "inherit",
    encoding: "utf8",
    ...options,
  });
}

/** Refuses faults of the environment in wrangler.toml that would show only after the deployment. */
function checkConfig({ vars, d1_databases, routes = [], workers_dev }) {
  const fault = faultOfDatabases(d1_databases);
  if (fault) stop(fault);
  if (vars.ENVIRONMENT !== environment) {
    stop(`ENVIRONMENT of env.${environment} in wrangler.toml is ${vars.ENVIRONMENT}.`);
  }
  const example = Object.entries(vars).find(([, value]) => /\bdastak\.example\b/u.test(String(value)));
  if (example) stop(`${example[0]} in wrangler.toml is still the example ${example[1]}.`);
  for (const name of SECRET_NAMES) {
    if (vars[name] === undefined) continue;
    stop(`${name} is in wrangler.toml, and it is a secret: npx wrangler secret put ${name} --env ${environment}`);
  }
  // Secrets are not readable; any value of the right form lets the other settings be checked.
  const secrets = Object.fromEntries(SECRET_NAMES.map((name) => [name, randomBytes(32).toString("hex")]));
  try {
    parseConfig({ ...vars, ...secrets, CARRIER_HTTP_SECRET: `whsec_${randomBytes(32).toString("base64")}` });
  } catch (problem) {
    stop(`${problem.message}.`);
  }
  const served = new Set(routes.map(({ pattern }) => pattern));
  for (const name of ["SMS_URL", "TTS_URL", "VOICE_URL", "OTP_URL", "CONSOLE_URL"]) {
    const { hostname } = new URL(vars[name]);
    if (!served.has(hostname) && !workers_dev) stop(`no route in wrangler.toml serves ${hostname} (${name}).`);
  }
}

/** Whether the chosen carrier, payments and bot check use a secret. */
function isNeeded(name, vars) {
  if (name === "CARRIER_HTTP_SECRET") return vars.CARRIER === "http";
  if (name === "GOOGLE_TTS_CREDENTIALS") return vars.TTS === "google";
  if (name === "SARVAM_API_KEY") return vars.TTS === "sarvam";
  if (name === "TURNSTILE_SECRET") return vars.TURNSTILE_SITE_KEY !== undefined;
  return name.startsWith("RAZORPAY_") ? vars.PAYMENTS === "razorpay" : true;
}

/** Names of required secrets that are not set. */
function missingSecrets(vars) {
  const needed = SECRET_NAMES.filter((name) => isNeeded(name, vars));
  const listed = wrangler(["secret", "list", "--format", "json"], { stdio: ["inherit", "pipe", "pipe"] });
  // A Worker that was never deployed has no secrets yet; wrangler reports that as an error.
  const fresh = listed.status !== 0 && /10007|not found/u.test(listed.stdout + listed.stderr);
  if (listed.status !== 0 && !fresh) stop(`the secrets cannot be listed.\n${listed.stdout}${listed.stderr}`);
  const names = fresh ? [] : JSON.parse(listed.stdout).map(({ name }) => name);
  return needed.filter((name) => !names.includes(name));
}

const deployment = readConfig().env[environment];
if (deployment === undefined || environment === "local") stop(`wrangler.toml has no environment ${environment}.`);
checkConfig(deployment);
const missing = missingSecrets(deployment.vars);
if (missing.length > 0) {
  stop(
    `these secrets are missing: ${missing.join(", ")}. Set each with: npx wrangler secret put NAME --env ${environment} ` +
      `(a value that begins with ${DEMO_SECRET_PREFIX} is refused by the service).`,
  );
}
for (const args of [...migrationsOf(deployment.d1_databases), ["deploy"]]) {
  const { status } = wrangler(args);
  if (status !== 0) stop(`wrangler ${args.join(" ")} failed.`);
}
