import { parsedNumber } from "../http/fields.ts";
import type { SendKind } from "../model/operations.ts";
import type { Screen } from "../model/rules/rules.ts";
import type { NumberRules } from "./number-rules.ts";
import type { Order } from "./ordering.ts";

// What an order's numbers are, by which the account holds them against its rules: one place for every way that an order
// takes, and for its preflight.

/** The field with the number, by the kind of send. */
const PARAMS: Readonly<Record<SendKind, string>> = {
  sms: "phone",
  bulk: "recipients",
  international: "phone",
  otp: "phone",
  tts: "callee",
  voice: "callee",
};

const INDIA = { callingCode: "91", country: "IN" };

const isIndian = (to: string) => to.startsWith("+91");

/** What the numbers of an order are. */
export function screenOf(
  { kind, recipients, unpriced, numberField }: Order,
  { premium_rate: premiumRate, prefixes }: NumberRules,
): Screen {
  const [first = ""] = recipients;
  // An order has one number, or a list of Indian ones.
  const parsed = isIndian(first) ? null : parsedNumber(first);
  const refused = prefixes
    .map(({ prefix }) => prefix)
    .filter((prefix) => recipients.some((to) => to.startsWith(prefix)));
  return {
    param: numberField ?? PARAMS[kind],
    countries: [parsed ? { callingCode: parsed.countryCallingCode, country: parsed.country ?? null } : INDIA],
    prefixes: refused,
    premium: premiumRate === "refuse" && parsed?.getType() === "PREMIUM_RATE",
    ...(unpriced && { unpriced }),
  };
}
