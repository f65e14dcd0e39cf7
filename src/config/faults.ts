import { faultsOfSecrets } from "../crypto/secret-faults.ts";
import { Secrets } from "../crypto/secrets.ts";
import { isAddress, isThisMachine } from "../model/hosts.ts";
import { SECRET_NAMES } from "./settings.ts";
import type { Config } from "./settings.ts";

// Faults between settings: what must be there together, and what a deployed service must not have.

const DAY_MS = 86_400_000;

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
      if (value === undefined) return [];
      if (!(value instanceof Secrets)) return [{ name, value }];
      const { all } = value;
      return all.map((one) => ({ name: all.length > 1 ? `${name} (id ${one.id})` : name, value: one.value }));
    }),
  );

/** Faults of the times after which things are forgotten: only what is over may be. */
function retentionFaults(config: Config): string[] {
  const validityMs = Math.max(config.VALIDITY_SMS_MS, config.VALIDITY_OTP_MS, config.VALIDITY_CALL_MS);
  const openDays = (validityMs + config.UNKNOWN_WINDOW_MS + config.RECEIPT_WINDOW_MS) / DAY_MS;
  const faults = (["HISTORY_DAYS", "TEST_DAYS"] as const).flatMap((name) =>
    config[name] > openDays ? [] : [`${name} must be longer than the longest validity and both windows together`],
  );
  if (config.TEXT_DAYS * DAY_MS < validityMs) {
    faults.push("TEXT_DAYS must not end before VALIDITY_…_MS: a message that waits needs its text");
  }
  if (config.TEXT_DAYS > config.HISTORY_DAYS) {
    faults.push("TEXT_DAYS must be at most HISTORY_DAYS: the archive holds no texts");
  }
  if (config.IDEMPOTENCY_DAYS > config.TEST_DAYS) {
    faults.push("IDEMPOTENCY_DAYS must be at most TEST_DAYS: a reply is repeated for a message that is there");
  }
  return faults;
}

/** Faults of the settings of speech. Whether a Worker is bound cannot be seen here. */
function speechFaults({ TTS, ENVIRONMENT, TTS_WORKER_URL, ...config }: Config): string[] {
  const needed = { google: "GOOGLE_TTS_CREDENTIALS", sarvam: "SARVAM_API_KEY", worker: null, none: null } as const;
  const name = needed[TTS];
  if (name !== null && !config[name]) return [`${name} is missing, and TTS is ${TTS}`];
  if (ENVIRONMENT === "local" || !TTS_WORKER_URL?.startsWith("http:")) return [];
  return ["TTS_WORKER_URL must be https: the texts of calls travel there"];
}

/** What is wrong with settings that are each valid, and do not fit together; names no value. */
export function faultsOf(config: Config): string[] {
  const faults = [...baseFaults(config), ...retentionFaults(config), ...speechFaults(config)];
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
  if ((config.ALERT_URL === undefined) !== (config.ALERT_SECRET === undefined)) {
    faults.push("ALERT_URL and ALERT_SECRET belong together: one of them is missing");
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
  if (config.ALERT_URL?.startsWith("http:")) faults.push("ALERT_URL must be https: what goes wrong is told there");
  if (config.TURNSTILE_URL.startsWith("http:")) {
    faults.push("TURNSTILE_URL must be https: its secret travels there, and its script runs in the console");
  }
  return [...faults, ...secretFaults(config)];
}
