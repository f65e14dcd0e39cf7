import { signupCredit } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { newKeyId, showKey } from "../crypto/api-key.ts";
import { digest } from "../crypto/bytes.ts";
import { accountIdOf, newAccountId } from "../crypto/ids.ts";
import { FIRST_ID } from "../crypto/secrets.ts";
import { newestHistory } from "../db/history-databases.ts";
import type { KeyView, Opened } from "../model/account.ts";
import type { AskedOnce } from "../model/command.ts";
import type { AccountRef, Mode } from "../model/ref.ts";
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
  /** The id of the secret that the first keys are made with; by default the present one. */
  secretId?: number;
  /** The Idempotency-Key of the request that opens the account. */
  once?: AskedOnce;
}

const firstKeyId = (config: Config, accountId: string, mode: Mode): number =>
  newKeyId(config.KEY_SECRET, mode, `first\0${accountId}`);

/**
 * The first key of an open account in a mode, as it was given when the account was opened; null where the secret that made
 * it is not listed any more, so that it is void.
 */
async function firstKey(env: Env, config: Config, ref: AccountRef): Promise<string | null> {
  const keys: KeyView[] = (await objectOf(env, ref).keys()) ?? [];
  // Another key may have been made in the same millisecond, and keys are listed by time.
  const [oldest] = keys;
  const first = keys.find(({ keyId }) => keyId === firstKeyId(config, ref.accountId, ref.mode)) ?? oldest;
  if (!first) throw new Error("an open account has no key");
  const { keyId, secretId = FIRST_ID } = first;
  return config.KEY_SECRET.withId(secretId) ? showKey(config.KEY_SECRET, { ...ref, keyId, secretId }) : null;
}

/** The first keys of an open account. */
export async function firstKeys(env: Env, config: Config, accountId: string): Promise<Record<Mode, string | null>> {
  const [live, test] = await Promise.all([
    firstKey(env, config, { accountId, mode: "live" }),
    firstKey(env, config, { accountId, mode: "test" }),
  ]);
  return { live, test };
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
      keyId: firstKeyId(config, accountId, mode),
      secretId: wanted.secretId ?? config.KEY_SECRET.current.id,
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

/**
 * The id that one of the service's own accounts has by default: the sender of sign-in codes, whose id is then stored
 * (sign-in/code-account.ts), or the demo customer.
 */
export function ownAccountId(config: Config, which: keyof typeof OWN_SEEDS): string {
  return newAccountId(config.KEY_SECRET, OWN_SEEDS[which]);
}

/** Where an account is asked for: by the operator API's Idempotency-Key, or by the form of the desk. */
type AskedBy = "operator" | "desk";

/** The id that a version before secrets could be replaced derived for such an account. */
function earlierId(config: Config, by: AskedBy, once: string): string {
  const isOwn = Object.values<string>(OWN_SEEDS).includes(once);
  return newAccountId(config.KEY_SECRET, by === "desk" || isOwn ? `${by}\0${once}` : once);
}

/**
 * The id of an account that an operator opens, the same for each request with this Idempotency-Key or form; random for null.
 * No secret is in it, so that a repeated request finds the account of the first one however the secrets changed meanwhile.
 */
export async function requestedAccountId(env: Env, config: Config, by: AskedBy, once: string | null): Promise<string> {
  if (once === null) return newAccountId(config.KEY_SECRET, null);
  const earlier = earlierId(config, by, once);
  if ((await objectOf(env, { accountId: earlier, mode: "live" }).view()) !== null) return earlier;
  return accountIdOf(digest("account/v2", `${by}\0${once}`));
}

/** The demo customer's account, which a local service opens for itself. */
export const demoAccountId = (config: Config): string => ownAccountId(config, "demo");
/** How the demo customer signs in; pages and the banner of a local service show it. */
export const DEMO_LOGIN = { email: "demo@example.com", password: "demo-of-dastak" } as const;

/** The secret of the demo account's first keys: with the lowest one, they stay the same while that is listed. */
const demoSecret = (config: Config) => ({ secretId: config.KEY_SECRET.lowest.id });

/** The first keys of the demo account. */
export function demoKeys(config: Config): { apiKey: string; testKey: string } {
  const accountId = demoAccountId(config);
  const shown = (mode: Mode) => {
    const keyId = firstKeyId(config, accountId, mode);
    return showKey(config.KEY_SECRET, { accountId, mode, keyId, ...demoSecret(config) });
  };
  return { apiKey: shown("live"), testKey: shown("test") };
}

/** Opens the demo account, or finds it open. */
export function openDemo(env: Env, config: Config): Promise<Opened> {
  const wanted = { name: "Demo", plan: "business", balance: 1_000 * UNITS_PER_COIN, ...demoSecret(config) } as const;
  return openCustomer(env, config, demoAccountId(config), wanted);
}
