import { isSupportedCountry } from "libphonenumber-js/max";
import type { CountryCode } from "libphonenumber-js/max";
import * as z from "zod";
import { readSecrets, secretsOf } from "../crypto/secrets.ts";
import { readGrants } from "../model/operator.ts";
import { isGstin } from "../money/gstin.ts";
import { PLANS } from "../money/plans.ts";

// Every variable and secret, with its unit, default and meaning. No other file reads environment strings.

/** The product's name: one constant (contract, head). */
export const PRODUCT = "Dastak";

const SECRET_LENGTH_MIN = 32;

/** Razorpay makes its key secret, of 24 characters; this refuses one that was cut or only tried. */
const PROVIDER_SECRET_LENGTH_MIN = 16;

// Each step of a schema is a copy of the one before, and every start of the Worker makes them all: what settings share is
// made once.
const whole = z.coerce.number().int().min(1);
const positive = z.coerce.number().min(0.0001);
const count = (fallback: number, max: number) => whole.max(max).default(fallback);
const duration = whole.max(365 * 24 * 3_600_000);
const durationMs = (fallback: number) => duration.default(fallback);
/** Days; tests set fractions of a day. */
const someDays = positive.max(36_500);
const days = (fallback: number) => someDays.default(fallback);
const word = z.string().min(1);
const httpUrl = z.url({ protocol: /^https?$/u });
const textFrom = (length: number) => z.string().min(length, `must have at least ${length} characters`);
const secret = textFrom(SECRET_LENGTH_MIN);
/** One secret, or a list of secrets with ids, of which the first makes and all verify (crypto/secrets.ts). */
const secrets = z.string().transform((text, ctx) => {
  const read = readSecrets(text);
  if (read.ok) return secretsOf(text);
  ctx.issues.push({ code: "custom", message: read.fault, input: text });
  return z.NEVER;
});
/** A secret of Standard Webhooks. */
export const webhookSecret = z
  .string()
  .regex(
    /^whsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/u,
    "must be whsec_ and the Base64 of at least 24 bytes",
  );
/** 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h (contract §14). */
const LADDER = "5000,300000,1800000,7200000,18000000,36000000,50400000,72000000,86400000";
const ladder = z
  .string()
  .default(LADDER)
  .transform((text) => text.split(",").map((step) => (/^\s*[1-9][0-9]{0,9}\s*$/u.test(step) ? Number(step) : 0)))
  .refine((steps) => steps.length <= 20 && steps.every((ms) => ms > 0), "must be 1 to 20 durations in ms, with commas");
const base = z
  .url({ protocol: /^https?$/u })
  .transform((text) => text.replace(/\/+$/u, ""))
  .refine((text) => !/[?#]/u.test(text), "must have no query and no fragment");

/** The location hints of Durable Objects (Cloudflare's documentation, "Data location"). */
const LOCATIONS = ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"] as const;

const areCountries = (codes: string[]): codes is CountryCode[] => codes.every((code) => isSupportedCountry(code));

const minutesOf = (hour: string | undefined, minute: string | undefined) => Number(hour) * 60 + Number(minute);

/** `10:00-21:00` as minutes of the day; the end may be 24:00. */
function readHours(text: string): { from: number; to: number } | null {
  const [, ...parts] = /^([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-4]):([0-5][0-9])$/u.exec(text.trim()) ?? [];
  const [from, to] = [minutesOf(parts[0], parts[1]), minutesOf(parts[2], parts[3])];
  return from < to && to <= 1440 ? { from, to } : null;
}

/** The variables of contract §12, as strings from the environment. */
export const SETTINGS = z.object({
  /** `staging` is deployed, as strict as `production`. `local` allows demo secrets, and serves the paths of every base on the console host, on this machine only. */
  ENVIRONMENT: z.enum(["local", "staging", "production"]).default("production"),
  SMS_URL: base,
  TTS_URL: base,
  VOICE_URL: base,
  OTP_URL: base,
  /** Dashboard, operator API, callbacks and media. */
  CONSOLE_URL: base,
  /** The keys of the MACs in API keys, message ids and media addresses. What one made is void once it is not listed. */
  KEY_SECRET: secrets,
  /** Encrypts message text at rest, and hides Idempotency-Keys. What one sealed is unreadable once it is not listed. */
  SEAL_SECRET: secrets,
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
  CARRIER_HTTP_URL: httpUrl.optional(),
  CARRIER_HTTP_SECRET: webhookSecret.optional(),
  /** Whether the gateway takes a reference (`webhook-id`) once: then an attempt of unknown outcome is repeated. */
  CARRIER_HTTP_DEDUPES: z.enum(["on", "off"]).default("off"),
  /** Who speaks the texts of calls where their carrier has no voice: a provider, a Worker of one's own, or none. */
  TTS: z.enum(["google", "sarvam", "worker", "none"]).default("none"),
  /** Google Cloud: an API key, or the JSON file of a service account's key. */
  GOOGLE_TTS_CREDENTIALS: textFrom(PROVIDER_SECRET_LENGTH_MIN).optional(),
  SARVAM_API_KEY: textFrom(PROVIDER_SECRET_LENGTH_MIN).optional(),
  /** The address of a speech Worker that has no binding, as the engine of tts-local has. */
  TTS_WORKER_URL: httpUrl.optional(),
  /** How long it may take to make a text into sound. It is a part of the time that a message is claimed for. */
  TTS_TIMEOUT_MS: count(5_000, 8_000),
  /** Coins that a new account starts with; 100 locally. */
  SIGNUP_CREDIT_COINS: z.coerce.number().int().min(0).max(1_000_000).optional(),
  /** How long one submission to a carrier may take. */
  CARRIER_TIMEOUT_MS: count(10_000, 60_000),
  /** Submissions that the carrier takes in a second, where its limit is known; without it the limit is learned. */
  CARRIER_TPS: z.coerce.number().min(0.1).max(100_000).optional(),
  /** Failures in a row after which a carrier is left alone, where a message has another one. */
  BREAKER_FAILURES: count(5, 1_000),
  /** For how long at first; doubled while it fails, up to tenfold. */
  BREAKER_OPEN_MS: durationMs(30_000),
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
  /** Days until the text of a message is forgotten, at the end of the day. */
  TEXT_DAYS: days(30),
  /** Days until a message of test mode is forgotten. */
  TEST_DAYS: days(7),
  /** Days for which an Idempotency-Key, with the sealed reply, is kept. */
  IDEMPOTENCY_DAYS: days(7),
  /** For how long an account's events are kept: what asks for older ones is told that they are gone. */
  EVENTS_KEPT_MS: durationMs(30 * 86_400_000),
  /** How long a webhook's receiver may take, its connection included. */
  WEBHOOK_TIMEOUT_MS: count(15_000, 15_000),
  /** The waits between attempts at a webhook, in ms with commas; after the last, that one again. */
  WEBHOOK_LADDER_MS: ladder,
  /** A webhook with nothing but failures for so long is disabled. */
  WEBHOOK_DEAD_MS: durationMs(120 * 3_600_000),
  /** Recipients that an account's test mode reaches in one day (India's), over all its keys and operations. */
  TEST_RECIPIENTS_PER_DAY: count(20_000, 10_000_000),
  /**
   * Codes that one number gets from an account in an hour, and numbers of one prefix that get their first one, before the
   * gaps between them grow; 0: no limit. By default 5 and 30, and locally none, so that tests may repeat a number.
   */
  OTP_PER_NUMBER: z.coerce.number().int().min(0).max(100_000).optional(),
  OTP_PER_PREFIX: z.coerce.number().int().min(0).max(100_000).optional(),
  /** Where new objects are to live: a location hint of Durable Objects; without it, near their first request. */
  ACCOUNT_LOCATION: z.enum(LOCATIONS, `must be a location hint of Durable Objects: ${LOCATIONS.join(", ")}`).optional(),
  /** How long the price of a preflight's quote is honoured. */
  QUOTE_TTL_MS: durationMs(600_000),
  /** How long an `audio_url` is valid. */
  AUDIO_URL_TTL_MS: durationMs(86_400_000),
  /** Recordings that an account may keep, and their size together; then the same in its test mode. */
  RECORDINGS_MAX: count(200, 100_000),
  RECORDINGS_BYTES_MAX: count(500_000_000, 1_000_000_000_000),
  TEST_RECORDINGS_MAX: count(20, 100_000),
  TEST_RECORDINGS_BYTES_MAX: count(50_000_000, 1_000_000_000_000),
  /** Bytes that one database of D1 may have, which Cloudflare sets; at 70 % of it the operator is alerted. */
  HISTORY_BYTES_MAX: count(10_000_000_000, 1_000_000_000_000),
  /** Days after which what an account sent leaves it for the archive, in whole months if they are 31 or more. */
  HISTORY_DAYS: days(400),
  /** Which requests are logged; by default all of them locally, and only failures elsewhere. */
  LOG_REQUESTS: z.enum(["all", "failures"]).optional(),
  /** How plans are paid. `sandbox` is the local default: its pages move no money, so a deployed service refuses it. */
  PAYMENTS: z.enum(["sandbox", "razorpay", "none"]).optional(),
  RAZORPAY_KEY_ID: word.optional(),
  RAZORPAY_KEY_SECRET: textFrom(PROVIDER_SECRET_LENGTH_MIN).optional(),
  /** Signs the webhooks that report payments: with it, anyone could report one that was never made. */
  RAZORPAY_WEBHOOK_SECRET: secret.optional(),
  /** Base URL of Razorpay's API. */
  RAZORPAY_URL: httpUrl.default("https://api.razorpay.com"),
  /** The seller on invoices (CGST Rules, Rule 46). Without a GSTIN, a paid order gets a receipt, not a tax invoice. */
  SELLER_NAME: word.default(PRODUCT),
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
  TURNSTILE_SITE_KEY: word.optional(),
  TURNSTILE_SECRET: word.optional(),
  /** Base URL of Turnstile's script and of siteverify. */
  TURNSTILE_URL: z
    .url({ protocol: /^https?$/u })
    .transform((text) => text.replace(/\/+$/u, ""))
    .default("https://challenges.cloudflare.com"),
  /** How long a verification by Turnstile may take. */
  TURNSTILE_TIMEOUT_MS: count(5_000, 60_000),
  /** Where alerts are reported as webhooks (Standard Webhooks), and what signs them; without it, in the log and the desk. */
  ALERT_URL: httpUrl.optional(),
  ALERT_SECRET: webhookSecret.optional(),
  /**
   * The age of the oldest waiting single message from which on there is an alert: for one-time passwords a fifteenth of
   * it, for bulks, which take their time at their carrier's pace, eight times as much.
   */
  ALERT_QUEUE_AGE_MS: durationMs(900_000),
  /** A carrier that delivers less than this share of what ended in an hour, in percent, is an alert. */
  ALERT_DELIVERY_PERCENT: z.coerce.number().min(0).max(100).default(70),
  /** When promotional messages may go out in India (IST). */
  DLT_HOURS: z
    .string()
    .default("10:00-21:00")
    .transform((text, ctx) => {
      const hours = readHours(text);
      if (hours) return hours;
      ctx.issues.push({ code: "custom", message: "must be two times of a day, as in 10:00-21:00", input: text });
      return z.NEVER;
    }),
  /** For how many days a customer who closes the account can take that back. */
  CLOSE_GRACE_DAYS: positive.max(365).default(14),
});

export type Config = Readonly<z.infer<typeof SETTINGS>>;

/** Names of the secrets, which must not be in wrangler.toml. */
export const SECRET_NAMES = [
  "KEY_SECRET",
  "SEAL_SECRET",
  "OPERATOR_TOKEN",
  "CARRIER_HTTP_SECRET",
  "GOOGLE_TTS_CREDENTIALS",
  "SARVAM_API_KEY",
  "RAZORPAY_KEY_SECRET",
  "RAZORPAY_WEBHOOK_SECRET",
  "TURNSTILE_SECRET",
  "ALERT_SECRET",
] as const;
