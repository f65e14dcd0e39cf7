import type { OtpDefaults } from "../model/rules/rules.ts";
import { faultsOf } from "./faults.ts";
import { SETTINGS } from "./settings.ts";
import type { Config } from "./settings.ts";

// The configuration: the environment's strings, parsed and checked once.

/** The configuration is not valid. The message names each variable and what is wrong with it, never its value. */
export class ConfigError extends Error {}

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
  const faults = faultsOf(parsed.data);
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

/** The limits on one-time passwords of an account that has none of its own. */
export function otpDefaultsOf({ ENVIRONMENT, OTP_PER_NUMBER, OTP_PER_PREFIX }: Config): OtpDefaults {
  const [number, prefix] = ENVIRONMENT === "local" ? [0, 0] : [5, 30];
  return { perNumber: OTP_PER_NUMBER ?? number, perPrefix: OTP_PER_PREFIX ?? prefix };
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
