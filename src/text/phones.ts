import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import type { CountryCode } from "libphonenumber-js/max";
import { INDIAN_MOBILE } from "./india.ts";

// The one way in which a phone number is read from what a person typed or pasted: on every form, in lists and in files.
// Digits are never left out: a text is either one number with its decoration, or it is refused.

/** Zeros of the digits that people type in India (Unicode, Nd): each is followed by its 1 to 9. */
const ZEROS = [
  0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0660, 0x06f0, 0x1c50, 0xabf0, 0xff10,
];

/** Converts the digits of Indian scripts, Arabic digits and full-width ones to ASCII. */
export function asciiDigits(text: string): string {
  return text.replaceAll(/(?![0-9])\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const zero = ZEROS.find((one) => code >= one && code < one + 10);
    return zero === undefined ? digit : String(code - zero);
  });
}

/** Longer than any number with its decoration; the rest of a longer text is not looked at. */
const TYPED_LENGTH_MAX = 100;

/** Characters that people write between digits: spaces, dashes, brackets, dots, and invisible marks. */
const INSIDE = /[\s().\p{Pd}\p{Cf}\u2212]/gu;

/** Which numbers a field takes, and how it reads one without a country code. */
export const SCOPES = {
  /** Indian mobiles. */
  mobile: { abroad: false, landlines: false, asks: false },
  /** Indian numbers. */
  indian: { abroad: false, landlines: true, asks: false },
  /** Mobiles of any country. Without a country code: India. */
  person: { abroad: true, landlines: false, asks: false },
  /** Mobiles of any country. Without a country code it is a guess, which the person confirms. */
  texted: { abroad: true, landlines: false, asks: true },
  /** Numbers of any country. Without a country code it is a guess, which the person confirms. */
  called: { abroad: true, landlines: true, asks: true },
} as const satisfies Record<string, { abroad: boolean; landlines: boolean; asks: boolean }>;

export type PhoneScope = keyof typeof SCOPES;

/** Why a text is not a number that the field takes. */
export type PhoneFault =
  "no_number" | "letters" | "rounded" | "abroad" | "short" | "long" | "not_mobile" | "country" | "length";

/** What was read: a number in E.164, or why there is none. */
export type PhoneReading =
  | {
      ok: true;
      number: string;
      /** Whether every digit and the country were typed; otherwise the number is a guess. */
      sure: boolean;
    }
  | { ok: false; fault: PhoneFault; read: string };

/** The text without a link's scheme and the marks with which spreadsheets keep digits as text. */
function unwrapped(typed: string): string {
  const text = asciiDigits(typed)
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/[\uff0b\ufe62]/gu, "+")
    .trim();
  const [, link] = /^(?:tel|sms|callto):(?:\/\/)?(.*)$/isu.exec(text) ?? [];
  if (link !== undefined) return link.replaceAll(/%20/gu, " ").replaceAll(/%2b/giu, "+");
  return text
    .replace(/^=?"([^"]*)"$/u, "$1")
    .replace(/^['=]/u, "")
    .replace(/^(\d{10,13})\.0$/u, "$1");
}

/** The digits, after `+` where the text begins with `+` or 00; null when there is anything else. */
function dialled(text: string): string | null {
  const digits = text.replaceAll(INSIDE, "").replace(/^00/u, "+");
  return /^\+?\d+$/u.test(digits) ? digits : null;
}

/** Ten digits with what may precede them in India: +91, 91, 0, or both. */
const INDIAN = /^(\+91|0?91)?0?([1-9]\d{9})$/u;

function readIndian(digits: string, landlines: boolean): PhoneReading {
  const national = INDIAN.exec(digits)?.[2];
  if (national !== undefined && (landlines || INDIAN_MOBILE.test(national))) {
    return { ok: true, number: `+91${national}`, sure: true };
  }
  const own = national ?? digits.replace(/^\+91|^0+(?:91)?|^91(?=\d{10})/u, "");
  const fault = own.length === 10 ? "not_mobile" : own.length < 10 ? "short" : "long";
  return { ok: false, fault, read: national === undefined ? digits : `+91${national}` };
}

/** A number with its country code, after `+`. */
function readAbroad(digits: string): PhoneReading {
  const parsed = parsePhoneNumberFromString(digits);
  if (!parsed) return { ok: false, fault: "country", read: digits };
  // Some countries have shorter numbers, which are not reached from abroad (contract §5.3).
  if (!parsed.isPossible() || !/^\+\d{7,15}$/u.test(parsed.number)) return { ok: false, fault: "length", read: digits };
  // A trunk prefix was left out of the number: the person sees which number remains.
  return { ok: true, number: parsed.number, sure: parsed.number === digits };
}

/**
 * Reads a number as people write it: with or without country code or trunk 0, with spaces, dashes, dots, brackets and
 * invisible marks, in Indian digits, as a `tel:` link or a spreadsheet's cell. Never throws, in time linear in the text.
 */
export function readPhone(typed: string, scope: PhoneScope): PhoneReading {
  const { abroad, landlines, asks } = SCOPES[scope];
  const text = unwrapped(typed.slice(0, TYPED_LENGTH_MAX));
  if (text.replaceAll(INSIDE, "") === "") return { ok: false, fault: "no_number", read: "" };
  // Scientific notation, into which spreadsheets convert long numbers: the digits are lost.
  if (/^\d(?:[.,]?\d+)?e\+?\d+$/iu.test(text)) return { ok: false, fault: "rounded", read: text };
  const digits = dialled(text);
  if (digits === null) return { ok: false, fault: "letters", read: text };
  if (typed.length > TYPED_LENGTH_MAX) return { ok: false, fault: "long", read: digits };
  if (digits.startsWith("+")) {
    if (digits.startsWith("+91")) return readIndian(digits, landlines);
    return abroad ? readAbroad(digits) : { ok: false, fault: "abroad", read: digits };
  }
  const own = readIndian(digits, landlines);
  if (!asks || (own.ok && /^0?91/u.test(digits) && digits.length > 11)) return own;
  const found = own.ok ? own : readAbroad(`+${digits}`);
  return found.ok ? { ...found, sure: false } : own;
}

/** A person's number in E.164; without a country code it is Indian. Null when it is none, or an Indian landline. */
export function phoneOf(typed: string): string | null {
  const read = readPhone(typed, "person");
  return read.ok ? read.number : null;
}

/** Ten digits of an Indian mobile in any usual notation, or null. */
export function mobileOf(typed: string): string | null {
  const read = readPhone(typed, "mobile");
  return read.ok ? read.number.slice(3) : null;
}

/** Whether a number in E.164 is an Indian mobile. */
export function isIndian(phone: string): boolean {
  return phone.startsWith("+91") && INDIAN_MOBILE.test(phone.slice(3));
}

/** +91 98765 43210 for an Indian number; others in the groups of their country. */
export function groupedPhone(e164: string): string {
  if (/^\+91\d{10}$/u.test(e164)) return `+91 ${e164.slice(3, 8)} ${e164.slice(8)}`;
  return parsePhoneNumberFromString(e164)?.formatInternational() ?? e164;
}

/** The country of a number in E.164, as its ISO 3166 code; undefined where several countries share the range. */
export function countryOf(e164: string): string | undefined {
  return parsePhoneNumberFromString(e164)?.country;
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
