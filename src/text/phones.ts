import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import type { CountryCode } from "libphonenumber-js/max";
import { INDIAN_MOBILE } from "./india.ts";

// Phone numbers as people type them: with spaces, a leading 0 or 00, Devanagari digits, with or without +91.

const DEVANAGARI_ZERO = 0x0966;
const TYPED_LENGTH_MAX = 40;

/** Converts Devanagari digits, which Hindi keyboards type, to ASCII. */
export function asciiDigits(text: string): string {
  return text.replace(/[\u0966-\u096f]/gu, (digit) => String((digit.codePointAt(0) ?? 0) - DEVANAGARI_ZERO));
}

/**
 * A typed number in E.164; without a country code it is read as Indian. Null when it is not a possible number, has an
 * extension, or is an Indian number that is not a mobile.
 */
export function phoneOf(typed: string): string | null {
  if (typed.length > TYPED_LENGTH_MAX) return null;
  const parsed = parsePhoneNumberFromString(asciiDigits(typed), "IN");
  if (!parsed?.isPossible() || parsed.ext !== undefined) return null;
  const { number, countryCallingCode } = parsed;
  return countryCallingCode !== "91" || isIndian(number) ? number : null;
}

/** Whether a number in E.164 is an Indian mobile. */
export function isIndian(phone: string): boolean {
  return phone.startsWith("+91") && INDIAN_MOBILE.test(phone.slice(3));
}

/**
 * Whether a number in E.164 can be a mobile in one of these countries (ISO 3166). Premium-rate, shared-cost and
 * satellite numbers never are: they have another type, or belong to no country (ITU-T E.164, +870 to +883 and +979).
 */
export function isMobileIn(phone: string, countries: readonly CountryCode[]): boolean {
  if (isIndian(phone)) return countries.includes("IN");
  const parsed = parsePhoneNumberFromString(phone);
  if (!parsed?.country || !countries.includes(parsed.country)) return false;
  const type = parsed.getType();
  return type === "MOBILE" || type === "FIXED_LINE_OR_MOBILE";
}
