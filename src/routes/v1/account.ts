import type { Context } from "hono";
import * as z from "zod";
import { audit } from "../../audit/audit.ts";
import { keyOf } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import type { AccountView } from "../../model/account.ts";
import { coins } from "../../money/money.ts";
import { accountApi } from "../../sending/account-api.ts";
import { accountOf, refuse } from "../../sending/send-order.ts";
import { amountField } from "../operator/operator.ts";

const change = z.object({
  balance_low_at: amountField("balance_low_at", 0)
    .nullable()
    .meta({
      description: "The balance, in coins, below which `balance.low` is reported; null for never.",
      examples: [10],
    }),
});

/** The account as its own API shows it; ends the request where the account was never opened. */
function shown(c: Context<AppEnv>, view: AccountView | null) {
  if (!view) return refuse(c, null);
  const { balance, otpRate, balanceLowAt = null } = view;
  return {
    name: view.name,
    status: view.status,
    plan: view.plan,
    balance: coins(balance),
    currency: "coins",
    otp_rate: coins(otpRate),
    otps_left: otpRate > 0 ? Math.floor(balance / otpRate) : null,
    requests_per_minute: view.requestsPerMinute,
    mode: keyOf(c).mode,
    balance_low_at: balanceLowAt === null ? null : coins(balanceLowAt),
  };
}

/** `/v1/account`: the account of the key, and where its low balance is reported (contract §13). */
export const accountRoutes = (app: Api) =>
  app
    .get("/v1/account", accountApi, async (c) => {
      const view: AccountView | null = await accountOf(c).view();
      return c.json({ success: true, ...shown(c, view) });
    })
    .patch("/v1/account", accountApi, jsonBody(change), async (c) => {
      const units = c.req.valid("json").balance_low_at;
      const view: AccountView | null = await accountOf(c).setBalanceLow(units);
      const body = shown(c, view);
      const { mode } = keyOf(c);
      await audit(c, { action: "account.balance_low", details: { mode, amount: body.balance_low_at } });
      return c.json({ success: true, ...body });
    });

export const docs = {
  "GET /v1/account": {
    id: "getAccount",
    tag: "Account",
    summary: "Show the account of the key",
    description:
      "`otps_left` is how many one-time passwords the balance pays at the account's rate; null where they cost nothing.",
    reply: "OwnAccount",
  },
  "PATCH /v1/account": {
    id: "updateAccount",
    tag: "Account",
    summary: "Set where a low balance is reported",
    description: "`balance.low` is told once each time that the balance falls below `balance_low_at`.",
    reply: "OwnAccount",
  },
} satisfies Docs;
