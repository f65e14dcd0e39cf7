import type { Refusal, SendCommand } from "../../../model/command.ts";
import { NO_RULES } from "../../../model/rules/rules.ts";
import type { AccountRules, OtpDefaults, RulesView, Screen } from "../../../model/rules/rules.ts";
import { otpRateOf, readAccount } from "../profile.ts";
import type { AccountRow } from "../profile.ts";
import type { Turn } from "../turn.ts";
import { DAY_MS, dayStartMs } from "./day.ts";
import { overOtps } from "./otp-gaps.ts";
import { spentToday } from "./spending.ts";

// The rules of an account (src/model/rules/rules.ts): one column of its row, and the one place where a send, whichever way
// it came, is held against them.

/** The rules as they are stored, maybe by another version: what this one does not know is left out. */
export function rulesOf({ rules }: Pick<AccountRow, "rules">): AccountRules {
  return rules === null ? NO_RULES : { ...NO_RULES, ...(JSON.parse(rules) as Partial<AccountRules>) };
}

/** The limits on one-time passwords that apply. An account whose codes are free has none by default: they gain nobody. */
function otpLimits(turn: Turn, account: AccountRow, { otpPerNumber, otpPerPrefix }: AccountRules): OtpDefaults {
  const isFree = otpRateOf(account) === 0;
  const { perNumber, perPrefix } = isFree ? { perNumber: 0, perPrefix: 0 } : turn.otpDefaults;
  return { perNumber: otpPerNumber ?? perNumber, perPrefix: otpPerPrefix ?? perPrefix };
}

/** The first country that an account may not send to, or null. */
function countryRefused({ countries }: AccountRules, { countries: asked, unpriced, param }: Screen): Refusal | null {
  const outside =
    countries === null
      ? unpriced
      : asked.find(
          ({ country, callingCode }) =>
            !(country !== null && countries.includes(country)) && !countries.includes(`+${callingCode}`),
        );
  return outside ? { ok: false, reason: "country_not_allowed", ...outside, param } : null;
}

/** The first of the numbers that has a refused prefix and none that is allowed, or null. */
function numberRefused(rules: AccountRules, screen: Screen, recipients: readonly string[]): Refusal | null {
  const refused = [...rules.refusePrefixes, ...screen.prefixes];
  if (refused.length === 0 && !screen.premium) return null;
  for (const to of recipients) {
    if (rules.allowPrefixes.some((prefix) => to.startsWith(prefix))) continue;
    const prefix = refused.find((one) => to.startsWith(one)) ?? null;
    if (prefix !== null || screen.premium) return { ok: false, reason: "number_blocked", prefix, param: screen.param };
  }
  return null;
}

/** Why the rules on numbers and codes refuse a send; empty: they do not. The cap is asked with the balance. */
export function againstRules(
  turn: Turn,
  account: AccountRow,
  {
    screen,
    recipients,
    operation,
  }: Pick<SendCommand, "screen" | "recipients"> & { operation?: SendCommand["operation"] | undefined },
): Refusal[] {
  const rules = rulesOf(account);
  const byNumber = screen ? [countryRefused(rules, screen), numberRefused(rules, screen, recipients)] : [];
  const [first] = recipients;
  const isCode = operation === "otp" && first !== undefined;
  const byCode = isCode ? overOtps(turn, otpLimits(turn, account, rules), first) : null;
  return [...byNumber, byCode].filter((refusal) => refusal !== null);
}

/** The rules of the account, and what its day has cost. */
export function rulesView(turn: Turn): RulesView {
  const account = readAccount(turn.sql);
  const rules = rulesOf(account);
  const resetsAt = dayStartMs(turn.nowMs) + DAY_MS;
  return { rules, otp: otpLimits(turn, account, rules), spentToday: spentToday(turn), resetsAt };
}

/** Changes rules; effective for the next request. */
export function changeRules(turn: Turn, change: Partial<AccountRules>): RulesView {
  const rules = { ...rulesOf(readAccount(turn.sql)), ...change };
  turn.sql.exec("UPDATE account SET rules = ?", JSON.stringify(rules));
  return rulesView(turn);
}
