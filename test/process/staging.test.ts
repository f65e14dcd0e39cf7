import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { ROOT, readConfig } from "../../scripts/local.mjs";
import { withStaging } from "../../scripts/staging.mjs";
import { parseConfig } from "../../src/config/config.ts";

// Staging is the deployment once more: the same bindings and settings, and nothing that production has.

type Toml = string | number | boolean | Toml[] | { [name: string]: Toml };

const { production, staging } = (readConfig() as { env: Record<"production" | "staging", Record<string, Toml>> }).env;

/** Fields whose values name something of one environment only. */
const NAMES = new Set([
  "database_name",
  "database_id",
  "bucket_name",
  "queue",
  "dead_letter_queue",
  "pattern",
  "queue_name",
]);

const PLACEHOLDER = /^0{8}-0{4}-0{4}-0{4}-/u;

const isAddress = (value: Toml) => typeof value === "string" && /^https?:\/\//u.test(value);

/** The values of an environment that name something outside the Worker, and the Worker's own name. */
function namesIn(value: Toml, field = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => namesIn(one, field));
  if (typeof value === "object") return Object.entries(value).flatMap(([name, inner]) => namesIn(inner, name));
  if (isAddress(value)) return [new URL(String(value)).hostname];
  return NAMES.has(field) && !PLACEHOLDER.test(String(value)) ? [String(value)] : [];
}

/** An environment without its names, addresses and ids. */
function likeness(value: Toml, field = ""): Toml {
  if (Array.isArray(value)) return value.map((one) => likeness(one, field));
  if (typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, likeness(inner, name)]));
  }
  if (isAddress(value)) return "an address";
  return NAMES.has(field) ? `a ${field}` : value;
}

it("equals production but for names, addresses and ids: node scripts/staging.mjs writes it anew", () => {
  const { name: _production, vars: before, ...deployment } = production;
  const { name: _staging, vars: after, ...rehearsal } = staging;
  expect(likeness(rehearsal)).toEqual(likeness(deployment));
  expect(likeness({ ...(after as object), ENVIRONMENT: "production" })).toEqual(likeness(before ?? ""));
});

it("names nothing of production", () => {
  expect(staging["name"]).not.toBe(production["name"]);
  const ours = new Set(namesIn(staging));
  const theirs = namesIn(production);
  expect(ours.size).toBeGreaterThan(10);
  expect(theirs.filter((name) => ours.has(name))).toEqual([]);
});

it("is deployed, as strict as production", () => {
  const vars = staging["vars"] as Record<string, string>;
  const secret = "q8Jd0fKx2mZr7WnVb4TyLs6HcPg1Au9E";
  const whsec = "whsec_cThKZDBmS3gybVpyN1duVmI0VHlMczZIY1BnMUF1OUU=";
  const secrets = {
    KEY_SECRET: `${secret}k`,
    SEAL_SECRET: `${secret}s`,
    OPERATOR_TOKEN: `${secret}o`,
    CARRIER_HTTP_SECRET: whsec,
  };
  expect(parseConfig({ ...vars, ...secrets }).ENVIRONMENT).toBe("staging");
  expect(() => parseConfig({ ...vars, ...secrets, KEY_SECRET: "local-only-key-secret-of-a-developer" })).toThrow(
    "KEY_SECRET",
  );
  expect(() => parseConfig({ ...vars, ...secrets, PAYMENTS: "sandbox" })).toThrow("PAYMENTS is sandbox");
  expect(() => parseConfig({ ...vars, ...secrets, SMS_URL: "http://sms.example.com" })).toThrow(
    "SMS_URL must be https",
  );
});

it("is made from production, and not over ids that were written into it", () => {
  const text = readFileSync(path.join(ROOT, "wrangler.toml"), "utf8");
  const made = withStaging(text);
  expect(withStaging(made)).toBe(made);
  const at = made.lastIndexOf("00000000-0000-0000-0000-");
  const own = `${made.slice(0, at)}12345678${made.slice(at + 8)}`;
  expect(() => withStaging(own)).toThrow("ids of its own");
});
