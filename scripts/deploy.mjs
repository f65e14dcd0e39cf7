// npm run deploy: checks what a deployment needs, applies D1 migrations, then deploys (README.md, "Deploy").
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import path from "node:path";
import { parseConfig } from "../src/config/config.ts";
import { SECRET_NAMES } from "../src/config/settings.ts";
import { DEMO_SECRET_PREFIX } from "../src/crypto/secret-faults.ts";
import { ROOT, readConfig } from "./local.mjs";

const PLACEHOLDER_DATABASE = /^0{8}-0{4}-0{4}-0{4}-/u;

/** The migrations of each database, by the name of its binding. */
const MIGRATIONS = [
  [/^DB$/u, "migrations"],
  [/^HISTORY_[1-9]\d{0,4}$/u, "migrations/history"],
];

const stop = (sentence) => {
  console.error(`Not deployed: ${sentence}`);
  process.exit(1);
};

/** Runs wrangler for the production environment. */
function wrangler(args, options = {}) {
  return spawnSync(path.join(ROOT, "node_modules/.bin/wrangler"), [...args, "--env", "production"], {
    cwd: ROOT,
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
    stdio: "inherit",
    encoding: "utf8",
    ...options,
  });
}

/** Refuses databases that are missing, not made, bound twice, or that would get the tables of another. */
function checkDatabases(databases) {
  for (const needed of ["DB", "HISTORY_1"]) {
    if (!databases.some(({ binding }) => binding === needed)) stop(`the database ${needed} is not in wrangler.toml.`);
  }
  const ids = new Map();
  for (const { binding, database_id: id, database_name: name, migrations_dir: folder } of databases) {
    if (PLACEHOLDER_DATABASE.test(id)) {
      stop(
        `database_id of ${binding} in wrangler.toml is a placeholder; create one with: npx wrangler d1 create ${name}`,
      );
    }
    if (ids.has(id)) stop(`${binding} and ${ids.get(id)} in wrangler.toml are the same database.`);
    ids.set(id, binding);
    const wanted = MIGRATIONS.find(([pattern]) => pattern.test(binding))?.[1];
    if (folder !== wanted) stop(`migrations_dir of ${binding} in wrangler.toml must be ${wanted}.`);
  }
}

/** Refuses faults of `env.production` in wrangler.toml that would show only after the deployment. */
function checkConfig({ vars, d1_databases, routes = [], workers_dev }) {
  checkDatabases(d1_databases);
  if (vars.ENVIRONMENT === "local") stop("ENVIRONMENT of env.production in wrangler.toml is local.");
  const example = Object.entries(vars).find(([, value]) => /\bdastak\.example\b/u.test(String(value)));
  if (example) stop(`${example[0]} in wrangler.toml is still the example ${example[1]}.`);
  for (const name of SECRET_NAMES) {
    if (vars[name] === undefined) continue;
    stop(`${name} is in wrangler.toml, and it is a secret: npx wrangler secret put ${name} --env production`);
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

const deployment = readConfig().env.production;
checkConfig(deployment);
const missing = missingSecrets(deployment.vars);
if (missing.length > 0) {
  stop(
    `these secrets are missing: ${missing.join(", ")}. Set each with: npx wrangler secret put NAME --env production ` +
      `(a value that begins with ${DEMO_SECRET_PREFIX} is refused by the service).`,
  );
}
const migrations = deployment.d1_databases.map(({ binding }) => ["d1", "migrations", "apply", binding, "--remote"]);
for (const args of [...migrations, ["deploy"]]) {
  const { status } = wrangler(args);
  if (status !== 0) stop(`wrangler ${args.join(" ")} failed.`);
}
