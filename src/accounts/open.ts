import { signupCredit } from "../config.ts";
import type { Config } from "../config.ts";
import { newKeyId, showKey } from "../crypto/api-key.ts";
import { newAccountId, objectName } from "../crypto/ids.ts";
import type { Mode } from "../model/ref.ts";
import { UNITS_PER_COIN } from "../money/money.ts";
import type { Plan } from "../money/plans.ts";

// Opening an account: its live object, its test twin, and a first key for each. The operator does it by the API, a
// person by signing up; both come here.

/** Play coins that the test twin of an account starts with (contract §10). */
const PLAY_COINS = 100_000;

/** What an account is opened with; the sign-up credit and Starter where nothing else is said. */
export interface Wanted {
  name: string;
  plan?: Plan;
  /** Units. */
  otpRate?: number | null;
  /** Units of the live object. */
  balance?: number;
}

/** The first key of an account in a mode: always the same, so that opening may be repeated. */
export function firstKey(config: Config, accountId: string, mode: Mode): string {
  const keyId = newKeyId(config.KEY_SECRET, mode, `first\0${accountId}`);
  return showKey(config.KEY_SECRET, { accountId, mode, keyId });
}

/** Opens both objects of an account, or finds them open; false when they were opened with something else. */
export async function openCustomer(env: Env, config: Config, accountId: string, wanted: Wanted): Promise<boolean> {
  const signup = signupCredit(config) * UNITS_PER_COIN;
  // The live object last: an account that can spend is complete.
  for (const mode of ["test", "live"] as const) {
    const opened = await env.ACCOUNT.getByName(objectName({ accountId, mode })).open({
      name: wanted.name,
      plan: wanted.plan ?? "starter",
      otpRate: wanted.otpRate ?? null,
      balance: mode === "test" ? PLAY_COINS * UNITS_PER_COIN : (wanted.balance ?? signup),
      keyId: newKeyId(config.KEY_SECRET, mode, `first\0${accountId}`),
      keyName: "first key",
    });
    if (!opened) return false;
  }
  return true;
}

/** The demo customer's account, which a local service opens for itself. */
export function demoAccountId(config: Config): string {
  return newAccountId(config.KEY_SECRET, "demo-account");
}

/** The demo account's first keys. */
export function demoKeys(config: Config): { apiKey: string; testKey: string } {
  const accountId = demoAccountId(config);
  return { apiKey: firstKey(config, accountId, "live"), testKey: firstKey(config, accountId, "test") };
}

/** Opens the demo account, or finds it open. */
export function openDemo(env: Env, config: Config): Promise<boolean> {
  const wanted = { name: "Demo", plan: "business", balance: 1_000 * UNITS_PER_COIN } as const;
  return openCustomer(env, config, demoAccountId(config), wanted);
}
