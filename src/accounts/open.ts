import { signupCredit } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { newKeyId, showKey } from "../crypto/api-key.ts";
import { newAccountId } from "../crypto/ids.ts";
import { newestHistory } from "../db/history-databases.ts";
import type { Opened } from "../model/account.ts";
import type { AskedOnce } from "../model/command.ts";
import type { Mode } from "../model/ref.ts";
import { UNITS_PER_COIN } from "../money/money.ts";
import type { Plan } from "../money/plans.ts";
import { objectOf } from "../objects.ts";

// Opens an account: its live and its test object, and a first key for each. The operator API and signing up use it.

/** Coins of play money with which the test object of an account starts (contract §10). */
const PLAY_COINS = 100_000;

/** The terms of a new account; by default the sign-up credit and the Starter plan. */
export interface Wanted {
  name: string;
  plan?: Plan;
  /** Units. */
  otpRate?: number | null;
  /** Units, for the live object. */
  balance?: number;
  /** The Idempotency-Key of the request that opens the account. */
  once?: AskedOnce;
}

/** The first key of an account in a mode: it is derived, so that opening can be repeated. */
export function firstKey(config: Config, accountId: string, mode: Mode): string {
  const keyId = newKeyId(config.KEY_SECRET, mode, `first\0${accountId}`);
  return showKey(config.KEY_SECRET, { accountId, mode, keyId });
}

/** Opens both objects of an account. Idempotent; "other" when they were opened on other terms. */
export async function openCustomer(env: Env, config: Config, accountId: string, wanted: Wanted): Promise<Opened> {
  const signup = signupCredit(config) * UNITS_PER_COIN;
  // The live object comes last, so that an account that can spend is complete.
  let opened: Opened = "other";
  for (const mode of ["test", "live"] as const) {
    opened = await objectOf(env, { accountId, mode }).open({
      name: wanted.name,
      plan: wanted.plan ?? "starter",
      otpRate: wanted.otpRate ?? null,
      balance: mode === "test" ? PLAY_COINS * UNITS_PER_COIN : (wanted.balance ?? signup),
      keyId: newKeyId(config.KEY_SECRET, mode, `first\0${accountId}`),
      keyName: "first key",
      historyDb: newestHistory(env),
      ...(wanted.once && { once: wanted.once }),
    });
    if (opened === "other") break;
  }
  return opened;
}

/** The seeds from which the ids of the service's own accounts are derived. */
const OWN_SEEDS = { codes: "house", demo: "demo-account" } as const;

/** The id of one of the service's own accounts: the sender of sign-in codes, or the demo customer. */
export function ownAccountId(config: Config, which: keyof typeof OWN_SEEDS): string {
  return newAccountId(config.KEY_SECRET, OWN_SEEDS[which]);
}

/**
 * The id of an account that the operator opens, the same for each request with this Idempotency-Key; random for null.
 * A key that reads like the seed of an own account names another account; every other key is itself a seed, so that
 * ids of accounts that were opened before remain.
 */
export function requestedAccountId(config: Config, once: string | null): string {
  const isOwn = Object.values<string | null>(OWN_SEEDS).includes(once);
  return newAccountId(config.KEY_SECRET, isOwn ? `operator\0${once}` : once);
}

/** The demo customer's account, which a local service opens for itself. */
export const demoAccountId = (config: Config): string => ownAccountId(config, "demo");
/** How the demo customer signs in; pages and the banner of a local service show it. */
export const DEMO_LOGIN = { email: "demo@example.com", password: "demo-of-dastak" } as const;

/** The first keys of the demo account. */
export function demoKeys(config: Config): { apiKey: string; testKey: string } {
  const accountId = demoAccountId(config);
  return { apiKey: firstKey(config, accountId, "live"), testKey: firstKey(config, accountId, "test") };
}

/** Opens the demo account, or finds it open. */
export function openDemo(env: Env, config: Config): Promise<Opened> {
  const wanted = { name: "Demo", plan: "business", balance: 1_000 * UNITS_PER_COIN } as const;
  return openCustomer(env, config, demoAccountId(config), wanted);
}
