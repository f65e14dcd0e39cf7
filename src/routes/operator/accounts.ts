import * as z from "zod";
import { firstKeys, openCustomer, requestedAccountId } from "../../accounts/open.ts";
import { audit } from "../../audit/audit.ts";
import { settings } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { optional } from "../../http/fields.ts";
import { idempotencyKey } from "../../http/idempotency.ts";
import type { AccountView } from "../../model/account.ts";
import { coins } from "../../money/money.ts";
import { planName } from "../../money/plans.ts";
import { objectOf } from "../../objects.ts";
import { amendAccount, amendmentActs, openingDetails } from "../../operator/accounts.ts";
import {
  accountInPath,
  amountField,
  demand,
  missing,
  nameField,
  ofMode,
  onceOf,
  operator,
  otherRequest,
  showRepeated,
  timeOf,
} from "./operator.ts";

const OTP_RATE = { description: "Coins for one OTP; without it, the plan's rate.", examples: [0.2] };

const creation = z.object({
  name: nameField("name"),
  plan: optional(planName),
  balance: optional(amountField("balance", 0).meta({ description: "Coins to begin with.", examples: [100] })),
  otpRate: optional(amountField("otpRate", 0).meta(OTP_RATE)),
});

const change = z.object({
  status: optional(
    z.enum(["active", "suspended"], "status must be active or suspended.").meta({ examples: ["active"] }),
  ),
  plan: optional(planName),
  otpRate: amountField("otpRate", 0)
    .nullish()
    .meta({ description: "Coins for one OTP; null is the plan's rate again." }),
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
    ...(typeof view.closesAt === "number" && { closes_at: timeOf(view.closesAt) }),
  };
}

/** `/operator/accounts` (contract §10). */
export const operatorAccounts = (app: Api) => {
  app.post("/operator/accounts", operator("openAccounts"), jsonBody(creation), async (c) => {
    const body = c.req.valid("json");
    const accountId = await requestedAccountId(c.env, settings(c), "operator", idempotencyKey(c));
    const { name, plan, balance, otpRate } = body;
    const opened = await openCustomer(c.env, settings(c), accountId, {
      name,
      ...(plan !== undefined && { plan }),
      ...(balance !== undefined && { balance }),
      ...(otpRate !== undefined && { otpRate }),
      ...onceOf(c, body),
    });
    if (opened === "other" || opened === "erased") otherRequest();
    await audit(c, {
      action: "account.opened",
      accountId,
      subject: name,
      details: openingDetails(body),
      once: "opened",
    });
    showRepeated(c, opened === "repeated");
    const keys = await firstKeys(c.env, settings(c), accountId);
    return c.json({ success: true, account_id: accountId, api_key: keys.live, test_key: keys.test });
  });

  app.get("/operator/accounts/:id", operator("read"), ofMode, async (c) => {
    const ref = accountInPath(c);
    const view: AccountView = (await objectOf(c.env, ref).view()) ?? missing("account");
    return c.json(wire(ref.accountId, view));
  });

  app.patch("/operator/accounts/:id", operator("standing"), jsonBody(change), async (c) => {
    const { accountId } = accountInPath(c);
    const { status, plan, otpRate } = c.req.valid("json");
    const amendment = {
      ...(status !== undefined && { status }),
      ...(plan !== undefined && { plan }),
      ...(otpRate !== undefined && { otpRate }),
    };
    if (plan !== undefined || otpRate !== undefined) demand(c, "terms");
    const amended = (await amendAccount(c.env, accountId, amendment)) ?? missing("account");
    for (const act of amendmentActs(accountId, amendment)) await audit(c, act);
    return c.json(wire(accountId, amended));
  });
};

const path = { id: "The account's id." };

export const docs = {
  "POST /operator/accounts": {
    id: "operatorOpenAccount",
    tag: "Operator: accounts",
    summary: "Open an account",
    reply: "AccountOpened",
    idempotent: true,
  },
  "GET /operator/accounts/:id": {
    id: "operatorAccount",
    tag: "Operator: accounts",
    summary: "Show an account",
    reply: "Account",
    path,
  },
  "PATCH /operator/accounts/:id": {
    id: "operatorChangeAccount",
    tag: "Operator: accounts",
    summary: "Change an account",
    description: "Effective on its next request. Plan and rate need the role `admin`.",
    reply: "Account",
    path,
  },
} satisfies Docs;
