import * as z from "zod";
import { audit } from "../../audit/audit.ts";
import type { Api } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { optional } from "../../http/fields.ts";
import { COUNTRY, OTP_LIMIT_MAX, PREFIX, RULE_ENTRIES_MAX, capOf } from "../../model/rules/rules.ts";
import type { RulesView } from "../../model/rules/rules.ts";
import { coins } from "../../money/money.ts";
import { objectOf } from "../../objects.ts";
import { rulesAct, setRules } from "../../operator/rules.ts";
import { numberRulesAct, numberRulesSchema, storedNumberRules, writeNumberRules } from "../../sending/number-rules.ts";
import { accountInPath, amountField, missing, ofMode, operator, timeOf } from "./operator.ts";

function listField(name: string, shape: RegExp, entry: string) {
  const wrong = `${name} must be a list of at most ${RULE_ENTRIES_MAX}: each ${entry}.`;
  return z.array(z.string(wrong).regex(shape, wrong), wrong).max(RULE_ENTRIES_MAX, wrong);
}

const A_PREFIX = "+ and 1 to 15 digits";

function limitField(name: string) {
  const wrong = `${name} must be a whole number from 0 to ${OTP_LIMIT_MAX}, or null.`;
  return optional(z.number(wrong).int(wrong).min(0, wrong).max(OTP_LIMIT_MAX, wrong));
}

const schema = z.object({
  countries: optional(listField("countries", COUNTRY, "two capital letters (ISO 3166), or + and a calling code")).meta({
    description: "Where the account may send; null is wherever the rate card has a price.",
    examples: [["IN", "US"]],
  }),
  allow_prefixes: optional(listField("allow_prefixes", PREFIX, A_PREFIX)).meta({
    description: "Numbers that it reaches although the deployment refuses them.",
    examples: [["+8821"]],
  }),
  refuse_prefixes: optional(listField("refuse_prefixes", PREFIX, A_PREFIX)).meta({
    description: "Numbers that it does not reach.",
    examples: [["+9198760"]],
  }),
  spend_cap: optional(amountField("spend_cap", 0)).meta({
    description: "Coins that a day may cost, from midnight to midnight in India; null is no cap.",
    examples: [500],
  }),
  otp_per_number: limitField("otp_per_number").meta({
    description:
      "One-time passwords for one number in an hour before the gaps between them grow, up to ten minutes; 0 is no limit, and null the deployment's.",
    examples: [5],
  }),
  otp_per_prefix: limitField("otp_per_prefix").meta({
    description: "The same for numbers that are equal but for their last four digits and get their first one.",
    examples: [30],
  }),
});

const inCoins = (units: number | null) => (units === null ? null : coins(units));

function wire(accountId: string, { rules, otp, spentToday, resetsAt }: RulesView) {
  const limit = capOf(rules);
  return {
    success: true,
    account_id: accountId,
    countries: rules.countries,
    allow_prefixes: rules.allowPrefixes,
    refuse_prefixes: rules.refusePrefixes,
    spend_cap: inCoins(rules.dayCap),
    own_spend_cap: inCoins(rules.ownDayCap),
    otp_per_number: rules.otpPerNumber,
    otp_per_prefix: rules.otpPerPrefix,
    otp_applies: { per_number: otp.perNumber, per_prefix: otp.perPrefix },
    today: {
      spent: coins(spentToday),
      left: limit && coins(Math.max(0, limit.cap - spentToday)),
      resets_at: timeOf(resetsAt),
    },
  };
}

/** `/operator/accounts/:id/rules` and `/operator/number-rules`: where accounts may send, and how much. */
export const operatorRules = (app: Api) => {
  app.get("/operator/accounts/:id/rules", operator("read"), ofMode, async (c) => {
    const ref = accountInPath(c);
    const view: RulesView = (await objectOf(c.env, ref).rules()) ?? missing("account");
    return c.json(wire(ref.accountId, view));
  });

  app.put("/operator/accounts/:id/rules", operator("terms"), jsonBody(schema), async (c) => {
    const { accountId } = accountInPath(c);
    const body = c.req.valid("json");
    const rules = {
      countries: body.countries ?? null,
      allowPrefixes: body.allow_prefixes ?? [],
      refusePrefixes: body.refuse_prefixes ?? [],
      dayCap: body.spend_cap ?? null,
      otpPerNumber: body.otp_per_number ?? null,
      otpPerPrefix: body.otp_per_prefix ?? null,
    };
    const view = (await setRules(c.env, accountId, rules)) ?? missing("account");
    await audit(c, rulesAct(accountId, rules));
    return c.json(wire(accountId, view));
  });

  app.get("/operator/number-rules", operator("read"), async (c) =>
    c.json({ success: true, ...(await storedNumberRules(c.env, c.executionCtx)) }),
  );

  app.put("/operator/number-rules", operator("prices"), jsonBody(numberRulesSchema), async (c) => {
    const rules = c.req.valid("json");
    await writeNumberRules(c.env.RECORDINGS, rules);
    await audit(c, numberRulesAct(rules));
    return c.json({ success: true, ...rules });
  });
};

const path = { id: "The account's id." };

export const docs = {
  "GET /operator/accounts/:id/rules": {
    id: "operatorRules",
    tag: "Operator: accounts",
    summary: "Show where an account may send, and how much",
    description: "`today` is the day of the mode that is asked for.",
    reply: "AccountRules",
    path,
  },
  "PUT /operator/accounts/:id/rules": {
    id: "operatorChangeRules",
    tag: "Operator: accounts",
    summary: "Replace the rules of an account",
    description:
      "Effective on its next request, for live and test keys, each of which has a day of its own. What is left out has no rule; `own_spend_cap` is the owner's and stays.",
    reply: "AccountRules",
    path,
  },
  "GET /operator/number-rules": {
    id: "operatorNumberRules",
    tag: "Operator: service",
    summary: "Show which numbers no account reaches",
    reply: "NumberRules",
  },
  "PUT /operator/number-rules": {
    id: "operatorChangeNumberRules",
    tag: "Operator: service",
    summary: "Replace which numbers no account reaches",
    description:
      "They hold everywhere within five minutes. `premium_rate` is about the numbers that libphonenumber knows as such; a prefix is refused to every account whose own rules do not allow it.",
    reply: "NumberRules",
  },
} satisfies Docs;
