import { isSupportedCountry } from "libphonenumber-js/max";
import type { CountryCode } from "libphonenumber-js/max";
import * as z from "zod";
import { faultsOfSecrets } from "./crypto/secret-faults.ts";
import { isAddress, isThisMachine } from "./model/hosts.ts";
import { readGrants } from "./model/operator.ts";
import { isGstin } from "./money/gstin.ts";
import { PLANS } from "./money/plans.ts";

// Every variable and secret, with its unit, default and meaning. No other file reads environment strings.

/** The product's name: one constant (contract, head). */
export const PRODUCT = "Dastak";

const SECRET_LENGTH_MIN = 32;

/** Razorpay makes its key secret, of 24 characters; this refuses one that was cut or only tried. */
const PROVIDER_SECRET_LENGTH_MIN = 16;

const count = (fallback: number, max: number) => z.coerce.number().int().min(1).max(max).default(fallback);
const durationMs = (fallback: number) => count(fallback, 365 * 24 * 3_600_000);
const textFrom = (length: number) => z.string().min(length, `must have at least ${length} characters`);
const secret = textFrom(SECRET_LENGTH_MIN);
const base = z
  .url({ protocol: /^https?$/u })
  .transform((text) => text.replace(/\/+$/u, ""))
  .refine((text) => !/[?#]/u.test(text), "must have no query and no fragment");

const areCountries = (codes: string[]): codes is CountryCode[] => codes.every((code) => isSupportedCountry(code));

/** The variables of contract §12, as strings from the environment. */
export const SETTINGS = z.object({
  /** `local` allows demo secrets, and serves the paths of every base on the console host, on this machine only. */
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
  /** Whether the gateway takes a reference (`webhook-id`) once: then an attempt of unknown outcome is repeated. */
  CARRIER_HTTP_DEDUPES: z.enum(["on", "off"]).default("off"),
  /** Coins that a new account starts with; 100 locally. */
  SIGNUP_CREDIT_COINS: z.coerce.number().int().min(0).max(1_000_000).optional(),
  /** How long one submission to a carrier may take. */
  CARRIER_TIMEOUT_MS: count(10_000, 60_000),
  /** Submissions that the carrier takes in a second, where its limit is known; without it the limit is learned. */
  CARRIER_TPS: z.coerce.number().min(0.1).max(100_000).optional(),
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
  /** Recordings that an account may keep, and their size together; then the same in its test mode. */
  RECORDINGS_MAX: count(200, 100_000),
  RECORDINGS_BYTES_MAX: count(500_000_000, 1_000_000_000_000),
  TEST_RECORDINGS_MAX: count(20, 100_000),
  TEST_RECORDINGS_BYTES_MAX: count(50_000_000, 1_000_000_000_000),
  /** Which requests are logged; by default all of them locally, and only failures elsewhere. */
  LOG_REQUESTS: z.enum(["all", "failures"]).optional(),
  /** How plans are paid. `sandbox` is the local default: its pages move no money, so a deployed service refuses it. */
  PAYMENTS: z.enum(["sandbox", "razorpay", "none"]).optional(),
  RAZORPAY_KEY_ID: z.string().min(1).optional(),
  RAZORPAY_KEY_SECRET: textFrom(PROVIDER_SECRET_LENGTH_MIN).optional(),
  /** Signs the webhooks that report payments: with it, anyone could report one that was never made. */
  RAZORPAY_WEBHOOK_SECRET: secret.optional(),
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
  /** Countries whose mobiles get sign-in codes, as ISO 3166 codes with commas. */
  SIGN_IN_COUNTRIES: z
    .string()
    .default("IN")
    .transform((text) => text.split(",").map((code) => code.trim()))
    .refine(areCountries, "must be ISO 3166 codes with commas, as in IN,NP"),
  /** Sign-in codes of the whole service in a minute. Two windows may meet within a minute of the account that sends. */
  CODES_PER_MINUTE: count(60, Math.floor(PLANS.premium.requestsPerMinute * 0.4)),
  /** Sign-in codes of the whole service in a day: what they cost at most. */
  CODES_PER_DAY: count(5_000, 100_000),
  /** Cloudflare Turnstile, the bot check before a code; without it, browsers prove work. */
  TURNSTILE_SITE_KEY: z.string().min(1).optional(),
  TURNSTILE_SECRET: z.string().min(1).optional(),
  /** Base URL of Turnstile's script and of siteverify. */
  TURNSTILE_URL: z
    .url({ protocol: /^https?$/u })
    .transform((text) => text.replace(/\/+$/u, ""))
    .default("https://challenges.cloudflare.com"),
  /** How long a verification by Turnstile may take. */
  TURNSTILE_TIMEOUT_MS: count(5_000, 60_000),
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
  "TURNSTILE_SECRET",
] as const;

/** The configuration is not valid. The message names each variable and what is wrong with it, never its value. */
export class ConfigError extends Error {}

/** The settings that are base addresses. */
const BASE_NAMES = ["SMS_URL", "TTS_URL", "VOICE_URL", "OTP_URL", "CONSOLE_URL"] as const;

/** Faults of the base addresses: deployed they are https, and a local service has none that others could reach. */
function baseFaults(config: Config): string[] {
  const bases = BASE_NAMES.map((name) => config[name]);
  const faults = BASE_NAMES.flatMap((name) => {
    const { protocol, hostname } = new URL(config[name]);
    if (config.ENVIRONMENT !== "local") {
      return protocol === "https:" ? [] : `${name} must be https: keys and sessions travel there`;
    }
    return isThisMachine(hostname)
      ? []
      : `${name} must be on this machine (localhost, *.localhost or a loopback address), because ENVIRONMENT is local`;
  });
  if (new Set(bases).size < bases.length) faults.push("the five base addresses must differ, by host or by path");
  return faults;
}

/** Faults of the secrets of a deployed service. */
const secretFaults = (config: Config): string[] =>
  faultsOfSecrets(
    SECRET_NAMES.flatMap((name) => {
      const value = config[name];
      return value === undefined ? [] : [{ name, value }];
    }),
  );

function check(config: Config): string[] {
  const faults = baseFaults(config);
  if (config.CARRIER === "http") {
    if (!config.CARRIER_HTTP_URL) faults.push("CARRIER_HTTP_URL is missing, and CARRIER is http");
    if (!config.CARRIER_HTTP_SECRET) faults.push("CARRIER_HTTP_SECRET is missing, and CARRIER is http");
  }
  if (config.PAYMENTS === "razorpay") {
    for (const name of ["RAZORPAY_KEY_ID", "RAZORPAY_KEY_SECRET", "RAZORPAY_WEBHOOK_SECRET"] as const) {
      if (!config[name]) faults.push(`${name} is missing, and PAYMENTS is razorpay`);
    }
  }
  if (config.TURNSTILE_SITE_KEY !== undefined && config.TURNSTILE_SECRET === undefined) {
    faults.push("TURNSTILE_SECRET is missing, and TURNSTILE_SITE_KEY is there");
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
  if (config.CARRIER === "http" && config.CARRIER_HTTP_URL?.startsWith("http:")) {
    faults.push("CARRIER_HTTP_URL must be https: texts and one-time passwords travel there");
  }
  if (config.CARRIER === "http" && isAddress(config.CARRIER_HTTP_URL ?? "")) {
    faults.push("CARRIER_HTTP_URL must have a hostname: Cloudflare refuses requests to an IP address (error 1003)");
  }
  if (config.PAYMENTS === "razorpay" && config.RAZORPAY_URL.startsWith("http:")) {
    faults.push("RAZORPAY_URL must be https: the key secret travels there");
  }
  if (config.TURNSTILE_URL.startsWith("http:")) {
    faults.push("TURNSTILE_URL must be https: its secret travels there, and its script runs in the console");
  }
  return [...faults, ...secretFaults(config)];
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
