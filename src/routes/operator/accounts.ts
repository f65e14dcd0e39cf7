import type { Context } from "hono";
import * as z from "zod";
import { settings } from "../../app.ts";
import type { Api, AppEnv } from "../../app.ts";
import { jsonBody } from "../../body.ts";
import { signupCredit } from "../../config.ts";
import type { AccountView } from "../../durable/account-types.ts";
import { fail } from "../../errors.ts";
import { optional } from "../../fields.ts";
import { idempotencyKey } from "../../idempotency.ts";
import { newAccountId, objectName } from "../../ids.ts";
import type { Mode } from "../../ids.ts";
import { newKeyId, showKey } from "../../keys.ts";
import { UNITS_PER_COIN, coins } from "../../money.ts";
import { planName } from "../../plans.ts";
import { accountInPath, amountField, keySecret, missing, nameField, operator, stubOf, timeOf } from "./operator.ts";

/** Play coins that the test twin of an account starts with (contract §10). */
const PLAY_COINS = 100_000;

const creation = z.object({
  name: nameField("name"),
  plan: optional(planName),
  balance: optional(amountField("balance", 0)),
  otpRate: optional(amountField("otpRate", 0)),
});

const change = z.object({
  status: optional(z.enum(["active", "suspended"], "status must be active or suspended.")),
  plan: optional(planName),
  otpRate: amountField("otpRate", 0).nullish(),
});

function wire(accountId: string, view: AccountView) {
  return {
    success: true,
    account_id: accountId,
    name: view.name,
    status: view.status,
    plan: view.plan,
    balance: coins(view.balance),
    otp_rate: coins(view.otpRate),
    requests_per_minute: view.requestsPerMinute,
    created_at: timeOf(view.createdAt),
  };
}

/** Opens one of the two objects of an account and returns its key; a repeated request gets the same. */
async function open(
  c: Context<AppEnv>,
  accountId: string,
  mode: Mode,
  body: z.infer<typeof creation>,
): Promise<string> {
  const secret = keySecret(c);
  const keyId = newKeyId(secret, mode, `first\0${accountId}`);
  const signup = signupCredit(settings(c)) * UNITS_PER_COIN;
  const opened = await c.env.ACCOUNT.getByName(objectName({ accountId, mode })).open({
    name: body.name,
    plan: body.plan ?? "starter",
    otpRate: body.otpRate ?? null,
    balance: mode === "test" ? PLAY_COINS * UNITS_PER_COIN : (body.balance ?? signup),
    keyId,
    keyName: "first key",
  });
  if (!opened) {
    fail(
      "idempotency_mismatch",
      "This Idempotency-Key has opened an account with another name or balance; use a new key.",
    );
  }
  return showKey(secret, { accountId, mode, keyId });
}

/** `/operator/accounts` (contract §10). */
export const operatorAccounts = (app: Api) => {
  app.post("/operator/accounts", operator, jsonBody(creation), async (c) => {
    const body = c.req.valid("json");
    const accountId = newAccountId(keySecret(c), idempotencyKey(c));
    // The live object last: an account that can spend is complete.
    const testKey = await open(c, accountId, "test", body);
    const apiKey = await open(c, accountId, "live", body);
    return c.json({ success: true, account_id: accountId, api_key: apiKey, test_key: testKey });
  });

  app.get("/operator/accounts/:id", operator, async (c) => {
    const ref = accountInPath(c);
    const view: AccountView = (await stubOf(c, ref).view()) ?? missing("account");
    return c.json(wire(ref.accountId, view));
  });

  app.patch("/operator/accounts/:id", operator, jsonBody(change), async (c) => {
    const { accountId } = accountInPath(c);
    const { status, plan, otpRate } = c.req.valid("json");
    const amendment = {
      ...(status !== undefined && { status }),
      ...(plan !== undefined && { plan }),
      ...(otpRate !== undefined && { otpRate }),
    };
    // Standing, plan and rate are the account's, so both of its objects get them.
    const [view] = await Promise.all([
      stubOf(c, { accountId, mode: "live" }).amend(amendment),
      stubOf(c, { accountId, mode: "test" }).amend(amendment),
    ]);
    return c.json(wire(accountId, view ?? missing("account")));
  });
};
