import type { ActDetails, ReportedAct } from "../model/audit.ts";
import { COUNTRY, OTP_LIMIT_MAX, PREFIX, RULE_ENTRIES_MAX } from "../model/rules/rules.ts";
import type { AccountRules, RulesView } from "../model/rules/rules.ts";
import { coins } from "../money/money.ts";
import { bothOf } from "../objects.ts";
import { typedCoins } from "./accounts.ts";

// The rules of an account (src/model/rules/rules.ts), as the operator sets them.

/** What the operator sets; the owner's own cap stays. */
export type OperatorRules = Omit<AccountRules, "ownDayCap">;

/** Sets the rules for both modes, the live one first; each counts its own day. Returns the live one's; null: no account. */
export async function setRules(env: Env, accountId: string, rules: Partial<AccountRules>): Promise<RulesView | null> {
  const { live, test } = bothOf(env, accountId);
  const view = await live.setRules(rules);
  if (view) await test.setRules(rules);
  return view;
}

const listed = (entries: readonly string[]) => entries.join(" ");

/** What the audit trail records of an account's rules: all of them, as they are from now on. */
export function rulesAct(accountId: string, rules: OperatorRules): ReportedAct {
  const details: ActDetails = {
    countries: rules.countries && listed(rules.countries),
    allowed: listed(rules.allowPrefixes),
    refused: listed(rules.refusePrefixes),
    cap: rules.dayCap === null ? null : coins(rules.dayCap),
    per_number: rules.otpPerNumber,
    per_prefix: rules.otpPerPrefix,
  };
  return { action: "account.rules", accountId, details };
}

/** The fields of the form on an account's page. */
export const RULE_FIELDS = ["countries", "allow", "refuse", "cap", "perNumber", "perPrefix"] as const;

export type RuleField = (typeof RULE_FIELDS)[number];

/** Rules as they are typed. */
export function typedRules(rules: OperatorRules): Record<RuleField, string> {
  return {
    countries: listed(rules.countries ?? []),
    allow: listed(rules.allowPrefixes),
    refuse: listed(rules.refusePrefixes),
    cap: rules.dayCap === null ? "" : String(coins(rules.dayCap)),
    perNumber: String(rules.otpPerNumber ?? ""),
    perPrefix: String(rules.otpPerPrefix ?? ""),
  };
}

/** A typed cap in units; null: none, undefined: it is no amount. */
export function typedCap(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  const units = typedCoins(text);
  return units !== null && units >= 0 ? units : undefined;
}

function typedLimit(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  const limit = /^[0-9]{1,6}$/u.test(text.trim()) ? Number(text) : Infinity;
  return limit <= OTP_LIMIT_MAX ? limit : undefined;
}

/** Reads the form, or returns the field that is wrong. */
export function readRules(form: Record<string, string>): { rules: OperatorRules } | { fault: RuleField } {
  const typed = (field: RuleField) => form[field] ?? "";
  const entries = (field: RuleField) => [
    ...new Set(
      typed(field)
        .split(/[\s,;]+/u)
        .filter((entry) => entry !== ""),
    ),
  ];
  for (const [field, shape] of [
    ["countries", COUNTRY],
    ["allow", PREFIX],
    ["refuse", PREFIX],
  ] as const) {
    const list = entries(field);
    if (list.length > RULE_ENTRIES_MAX || !list.every((entry) => shape.test(entry))) return { fault: field };
  }
  const [dayCap, otpPerNumber, otpPerPrefix] = [
    typedCap(typed("cap")),
    typedLimit(typed("perNumber")),
    typedLimit(typed("perPrefix")),
  ];
  if (dayCap === undefined) return { fault: "cap" };
  if (otpPerNumber === undefined) return { fault: "perNumber" };
  if (otpPerPrefix === undefined) return { fault: "perPrefix" };
  const countries = entries("countries");
  const lists = { allowPrefixes: entries("allow"), refusePrefixes: entries("refuse") };
  return {
    rules: { countries: countries.length === 0 ? null : countries, ...lists, dayCap, otpPerNumber, otpPerPrefix },
  };
}
