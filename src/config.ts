import * as z from "zod";
import { readGrants } from "./model/operator.ts";
import { isGstin } from "./money/gstin.ts";

// Every variable and secret, with its unit, default and meaning. No other file reads environment strings.

/** The product's name: one constant (contract, head). */
export const PRODUCT = "Dastak";

/** Secrets with this prefix are for local use; a deployed service refuses them. */
export const DEMO_SECRET_PREFIX = "local-only-";

const SECRET_LENGTH_MIN = 32;

const count = (fallback: number, max: number) => z.coerce.number().int().min(1).max(max).default(fallback);
const durationMs = (fallback: number) => count(fallback, 365 * 24 * 3_600_000);
const secret = z.string().min(SECRET_LENGTH_MIN, `must have at least ${SECRET_LENGTH_MIN} characters`);
const base = z
  .url({ protocol: /^https?$/u })
  .transform((text) => text.replace(/\/+$/u, ""))
  .refine((text) => !/[?#]/u.test(text), "must have no query and no fragment");

/** The variables of contract §12, as strings from the environment. */
export const SETTINGS = z.object({
  /** `local` allows demo secrets, and serves the paths of every base on the console host. */
  ENVIRONMENT: z.enum(["local", "production"]).default("production"),
  SMS_URL: base,
  TTS_URL: base,
  VOICE_URL: base,
  OTP_URL: base,
  /** Dashboard, operator API, callbacks and media. */
  CONSOLE_URL: base,
  /** The key of the MACs in API keys, message ids and media addresses. Changing it invalidates all of them. */
  KEY_SECRET: secret,
  /** Encrypts message text at rest. Changing it makes stored text unreadable. */
  SEAL_SECRET: secret,
  /** The bearer token of the operator API. */
  OPERATOR_TOKEN: secret,
  /** The team's domain at Cloudflare Access, which then opens the desk: https://team.cloudflareaccess.com. */
  ACCESS_TEAM_DOMAIN: z
    .url({ protocol: /^https$/u })
    .transform((text) => text.replace(/\/+$/u, ""))
    .refine((text) => URL.parse(text)?.origin === text, "must have no path, no query and no fragment")
    .optional(),
  /** The audience tag of the desk's application at Cloudflare Access. */
  ACCESS_AUD: z
    .string()
    .regex(/^[0-9a-f]{32,128}$/u, "must be the application's audience tag, in hexadecimal")
    .optional(),
  /** The roles of operators, such as alice@example.com=admin, bob@example.com=support, *@example.com=viewer. */
  OPERATORS: z
    .string()
    .transform((text, ctx) => {
      const grants = readGrants(text);
      if (grants !== null && grants.length > 0) return grants;
      const message = "must be e-mails with a role each: viewer, support or admin";
      ctx.issues.push({ code: "custom", message, input: text });
      return z.NEVER;
    })
    .optional(),
  CARRIER: z.enum(["sim", "http"]).default("sim"),
  CARRIER_HTTP_URL: z.url({ protocol: /^https?$/u }).optional(),
  CARRIER_HTTP_SECRET: z
    .string()
    .regex(
      /^whsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/u,
      "must be whsec_ and the Base64 of at least 24 bytes",
    )
    .optional(),
  /** Coins that a new account starts with; 100 locally. */
  SIGNUP_CREDIT_COINS: z.coerce.number().int().min(0).max(1_000_000).optional(),
  /** How long one submission to a carrier may take. */
  CARRIER_TIMEOUT_MS: count(10_000, 60_000),
  /** Backoff before the second attempt; it doubles with each further one. */
  RETRY_BASE_MS: durationMs(2_000),
  /** Attempts at one message before it fails and is refunded. */
  ATTEMPTS_MAX: count(6, 100),
  /** A message that no carrier accepted within its validity is refunded. */
  VALIDITY_SMS_MS: durationMs(86_400_000),
  VALIDITY_OTP_MS: durationMs(300_000),
  VALIDITY_CALL_MS: durationMs(3_600_000),
  /** A message of unknown outcome is refunded this long after its attempt. */
  UNKNOWN_WINDOW_MS: durationMs(86_400_000),
  /** A submitted message without a final receipt becomes `unconfirmed` after this. */
  RECEIPT_WINDOW_MS: durationMs(259_200_000),
  /** After how long the alarm enqueues a row again that no consumer claimed. */
  SWEEP_MS: durationMs(30_000),
  /** How long an `audio_url` is valid. */
  AUDIO_URL_TTL_MS: durationMs(86_400_000),
  /** Which requests are logged; by default all of them locally, and only failures elsewhere. */
  LOG_REQUESTS: z.enum(["all", "failures"]).optional(),
  /** How plans are paid. `sandbox` is the local default: its pages move no money, so a deployed service refuses it. */
  PAYMENTS: z.enum(["sandbox", "razorpay", "none"]).optional(),
  RAZORPAY_KEY_ID: z.string().min(1).optional(),
  RAZORPAY_KEY_SECRET: z.string().min(1).optional(),
  RAZORPAY_WEBHOOK_SECRET: z.string().min(1).optional(),
  /** Base URL of Razorpay's API. */
  RAZORPAY_URL: z.url({ protocol: /^https?$/u }).default("https://api.razorpay.com"),
  /** The seller on invoices (CGST Rules, Rule 46). Without a GSTIN, a paid order gets a receipt, not a tax invoice. */
  SELLER_NAME: z.string().min(1).default(PRODUCT),
  SELLER_ADDRESS: z.string().default(""),
  SELLER_GSTIN: z
    .string()
    .refine(isGstin, "must be a GSTIN: 15 characters, of which the last proves the others")
    .optional(),
  /** Service accounting code and tax rate in percent that invoices show. */
  SELLER_SAC: z
    .string()
    .regex(/^[0-9]{6}$/u, "must be a service accounting code of 6 digits")
    .default("998413"),
  GST_PERCENT: z.coerce
    .number()
    .min(0)
    .max(40)
    .refine((percent) => Math.abs(Math.round(percent * 100) - percent * 100) < 1e-6, "must have two decimals at most")
    .default(18),
  /** Prefix of every invoice number, as in DK/26-27/000123. */
  INVOICE_PREFIX: z
    .string()
    .regex(/^[A-Z0-9]{1,3}$/u, "must be 1 to 3 capital letters or digits")
    .default("DK"),
  /** Whether a single message is submitted by the request that stored it, or through the queue, as bulks are. */
  DIRECT_DISPATCH: z.enum(["on", "off"]).default("on"),
  /** Concurrent submissions per queue consumer. */
  DISPATCH_CONCURRENCY: count(50, 1_000),
});

export type Config = Readonly<z.infer<typeof SETTINGS>>;

/** Names of the secrets, which must not be in wrangler.toml. */
export const SECRET_NAMES = [
  "KEY_SECRET",
  "SEAL_SECRET",
  "OPERATOR_TOKEN",
  "CARRIER_HTTP_SECRET",
  "RAZORPAY_KEY_SECRET",
  "RAZORPAY_WEBHOOK_SECRET",
] as const;

/** The configuration is not valid. The message names each variable and what is wrong with it, never its value. */
export class ConfigError extends Error {}

function check(config: Config): string[] {
  const faults: string[] = [];
  if (config.CARRIER === "http") {
    if (!config.CARRIER_HTTP_URL) faults.push("CARRIER_HTTP_URL is missing, and CARRIER is http");
    if (!config.CARRIER_HTTP_SECRET) faults.push("CARRIER_HTTP_SECRET is missing, and CARRIER is http");
  }
  const bases = [config.SMS_URL, config.TTS_URL, config.VOICE_URL, config.OTP_URL, config.CONSOLE_URL];
  if (new Set(bases).size < bases.length) faults.push("the five base addresses must differ, by host or by path");
  if (config.PAYMENTS === "razorpay") {
    for (const name of ["RAZORPAY_KEY_ID", "RAZORPAY_KEY_SECRET", "RAZORPAY_WEBHOOK_SECRET"] as const) {
      if (!config[name]) faults.push(`${name} is missing, and PAYMENTS is razorpay`);
    }
  }
  const access = ["ACCESS_TEAM_DOMAIN", "ACCESS_AUD", "OPERATORS"] as const;
  if (access.some((name) => config[name] !== undefined)) {
    for (const name of access) {
      if (config[name] === undefined) faults.push(`${name} is missing: ${access.join(", ")} belong together`);
    }
  }
  // Rule 46 requires the supplier's address on every tax invoice.
  if (config.SELLER_GSTIN && config.SELLER_ADDRESS === "") {
    faults.push("SELLER_ADDRESS is missing, and SELLER_GSTIN is there");
  }
  if (config.ENVIRONMENT === "local") return faults;
  if (config.PAYMENTS === "sandbox") faults.push("PAYMENTS is sandbox, which gives credit without money");
  if (new Set([config.KEY_SECRET, config.SEAL_SECRET, config.OPERATOR_TOKEN]).size < 3) {
    faults.push("KEY_SECRET, SEAL_SECRET and OPERATOR_TOKEN must differ");
  }
  if (config.CARRIER === "http" && config.CARRIER_HTTP_URL?.startsWith("http:")) {
    faults.push("CARRIER_HTTP_URL must be https: texts and one-time passwords travel there");
  }
  if (config.PAYMENTS === "razorpay" && config.RAZORPAY_URL.startsWith("http:")) {
    faults.push("RAZORPAY_URL must be https: the key secret travels there");
  }
  for (const name of SECRET_NAMES) {
    const value = config[name];
    // Buffer, unlike atob, accepts any text: only one of the secrets has to be Base64.
    const bytes = value?.startsWith("whsec_") ? Buffer.from(value.slice("whsec_".length), "base64").toString() : value;
    if (bytes?.startsWith(DEMO_SECRET_PREFIX)) {
      faults.push(`${name} is a demo secret; make one with: openssl rand -hex 32`);
    }
  }
  return faults;
}

/** Parses the environment once; throws a ConfigError that names every fault, and never a value. */
export function parseConfig(variables: Record<string, unknown>): Config {
  const parsed = SETTINGS.safeParse(variables);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => {
      const name = issue.path.join(".");
      return variables[name] === undefined ? `${name} is missing` : `${name}: ${issue.message}`;
    });
    throw new ConfigError(faults.join("; "));
  }
  const faults = check(parsed.data);
  if (faults.length > 0) throw new ConfigError(faults.join("; "));
  return parsed.data;
}

const parsed = new WeakMap<object, Config>();

/** The configuration of this environment, parsed on first use. */
export function configOf(env: object): Config {
  let config = parsed.get(env);
  if (!config) {
    const variables = Object.fromEntries(
      Object.keys(SETTINGS.shape).map((name) => [name, (env as Record<string, unknown>)[name]]),
    );
    config = parseConfig(variables);
    parsed.set(env, config);
  }
  return config;
}

/** Coins that a new account starts with by default (contract §6). */
export function signupCredit(config: Config): number {
  return config.SIGNUP_CREDIT_COINS ?? (config.ENVIRONMENT === "local" ? 100 : 0);
}

/**
 * Whether a request with this status is logged. By default a deployed service logs only failures: the account already
 * records what was done, with its request id, and a log line costs as much as half a row.
 */
export function isLogged(config: Config, status: number): boolean {
  return status >= 400 || (config.LOG_REQUESTS ?? (config.ENVIRONMENT === "local" ? "all" : "failures")) === "all";
}

/** How plans are paid: as configured; by default in the sandbox locally, and elsewhere not at all. */
export function paymentsOf(config: Config): "sandbox" | "razorpay" | "none" {
  return config.PAYMENTS ?? (config.ENVIRONMENT === "local" ? "sandbox" : "none");
}
