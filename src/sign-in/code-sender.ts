import type { Context } from "hono";
import { openCustomer, ownAccountId } from "../accounts/open.ts";
import { PRODUCT } from "../config/settings.ts";
import type { Config } from "../config/settings.ts";
import { storeOnce } from "../db/service-settings.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { ENDPOINTS } from "../model/operations.ts";
import type { AccountRef } from "../model/ref.ts";
import { UNITS_PER_COIN } from "../money/money.ts";
import { callApi } from "../sending/own-api.ts";
import type { ApiReply } from "../sending/own-api.ts";
import { otpText } from "../text/otp-text.ts";
import { isIndian } from "../text/phones.ts";

// The service's own account, which sends the codes for signing in through the same API, queue and carrier as any
// customer's. Codes to Indian numbers are free; abroad they cost what the rate card says, so the operator credits this
// account.

/** The balance of this account when local, where messages cost nothing. */
const LOCAL_COINS = 100_000;

export type Sent =
  { ok: true } | { ok: false; reason: "rate_limited"; retryAfterSec: number } | { ok: false; reason: "not_offered" };

/** The name under which the id of the account is stored. */
const STORED_AS = "sign-in code account";

/** The id in each environment, which is read once for each isolate. */
const known = new WeakMap<Config, string>();

/**
 * The account that sends codes. Its id is derived when the first code is sent, so that every deployment has one without
 * configuration, and stored, so that it stays the same when the secret that it was derived from is replaced.
 */
export async function codeSenderRef(env: Env, config: Config): Promise<AccountRef> {
  let accountId = known.get(config);
  if (accountId === undefined) {
    const stored = await storeOnce(env.DB, { [STORED_AS]: ownAccountId(config, "codes") });
    accountId = stored.get(STORED_AS);
    if (accountId === undefined) throw new Error("a setting that was just stored is not there");
    known.set(config, accountId);
  }
  return { accountId, mode: "live" };
}

async function openCodeSender(env: Env, config: Config, accountId: string): Promise<void> {
  const balance = config.ENVIRONMENT === "local" ? LOCAL_COINS * UNITS_PER_COIN : 0;
  const name = `${PRODUCT} sign-in`;
  await openCustomer(env, config, accountId, { name, plan: "premium", otpRate: 0, balance });
}

/** Calls the API as the account that sends codes, which the first call opens. Idempotent by `key`. */
export async function callAsCodeSender(
  c: Context<AppEnv>,
  path: Parameters<typeof callApi>[2],
  fields: object,
  key: string,
): Promise<ApiReply> {
  const config = settings(c);
  const ref = await codeSenderRef(c.env, config);
  const reply = await callApi(c, ref, path, fields, key);
  if (reply.status !== 401) return reply;
  await openCodeSender(c.env, config, ref.accountId);
  return callApi(c, ref, path, fields, key);
}

/** Sends a code to a phone. Idempotent by `key`. Throws on a failure of the API that the person cannot resolve. */
export async function sendCode(c: Context<AppEnv>, phone: string, code: string, key: string): Promise<Sent> {
  const indian = isIndian(phone);
  const reply = await (indian
    ? callAsCodeSender(c, ENDPOINTS.otp.path, { phone: phone.slice(3), otp: code, brandName: PRODUCT }, key)
    : callAsCodeSender(c, ENDPOINTS.international.path, { phone, message: otpText(PRODUCT, code) }, key));
  if (reply.status === 200) return { ok: true };
  if (reply.status === 429) {
    return { ok: false, reason: "rate_limited", retryAfterSec: Number(reply.headers.get("retry-after") ?? "60") };
  }
  if (!indian && (reply.status === 403 || reply.status === 400)) return { ok: false, reason: "not_offered" };
  throw new Error(`a code could not be sent: ${reply.status}`);
}
