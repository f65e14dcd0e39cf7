import { isPossiblePhoneNumber, parsePhoneNumberFromString } from "libphonenumber-js/max";
import type { PhoneNumber } from "libphonenumber-js/max";
import * as z from "zod";
import { INDIAN_MOBILE } from "../text/india.ts";
import { codePoints } from "../text/code-points.ts";
import { isDeceptive } from "../text/one-line.ts";

// Fields that several operations share (contract §5). Lengths are in code points; no value is coerced.

type Check = (value: string, refuse: (sentence: string, hint?: string) => void) => void;

/** A required, well-formed Unicode string with a rule of its own; every fault is one sentence. */
function textField(name: string, check: Check) {
  return z
    .string({ error: ({ input }) => (input === undefined ? `${name} is required.` : `${name} must be a string.`) })
    .check((ctx) => {
      const refuse = (message: string, hint?: string) => {
        ctx.issues.push({ code: "custom", message, input: ctx.value, ...(hint !== undefined && { params: { hint } }) });
      };
      if (!ctx.value.isWellFormed()) {
        refuse(`${name} contains half of a character.`, "Send the text as UTF-8, with whole surrogate pairs.");
      } else check(ctx.value, refuse);
    });
}

/** Makes a field optional: absent and null are the same. */
export function optional<T extends z.ZodType>(field: T) {
  return field.nullish().transform((value): z.output<T> | undefined => value ?? undefined);
}

/** A text of 1 to `max` characters. */
export function textUpTo(name: string, max: number, more?: Check) {
  return textField(name, (value, refuse) => {
    const length = codePoints(value);
    if (length < 1 || length > max) refuse(`${name} must have 1 to ${max} characters; it has ${length}.`);
    else more?.(value, refuse);
  });
}

/** The key in the body: `auth.ts` reads it; no other code does. */
export const apiKey = z.unknown().optional();

function withoutCountryCode(value: string): string | undefined {
  const digits = value.replace(/[\s()-]/gu, "").replace(/^(\+91|0091|91(?=[0-9]{10}$)|0)/u, "");
  return INDIAN_MOBILE.test(digits) ? `Send ${digits}.` : undefined;
}

/** Ten digits of an Indian mobile, without country code. */
export function indianMobile(name: string) {
  return textField(name, (value, refuse) => {
    if (INDIAN_MOBILE.test(value)) return;
    if (/^[0-9]{10}$/u.test(value)) refuse(`${name} must be an Indian mobile number, which begins with 6, 7, 8 or 9.`);
    else refuse(`${name} must be exactly 10 digits, without country code.`, withoutCountryCode(value));
  });
}

/** Ten digits of an Indian mobile or landline, without country code. */
export const indianCallee = textField("callee", (value, refuse) => {
  if (!/^[1-9][0-9]{9}$/u.test(value)) {
    refuse(
      "callee must be exactly 10 digits of an Indian number, without country code or 0.",
      withoutCountryCode(value),
    );
  }
});

/**
 * An international number in E.164: 7 to 15 digits that are possible in its country; an Indian one must be a mobile.
 */
export const e164 = textField("phone", (value, refuse) => {
  if (!/^\+[1-9][0-9]{6,14}$/u.test(value)) {
    refuse(
      "phone must be + and 7 to 15 digits with the country code, such as +14155550132.",
      /^[1-9][0-9]{6,14}$/u.test(value) ? `Send +${value}.` : undefined,
    );
  } else if (!parsePhoneNumberFromString(value)) refuse("phone has a country code that does not exist.");
  else if (!isPossiblePhoneNumber(value)) refuse("phone has a length that is not possible in its country.");
  else if (value.startsWith("+91") && !INDIAN_MOBILE.test(value.slice(3))) {
    refuse("phone is an Indian landline, which cannot receive an SMS.");
  }
});

/** Country code and number in digits only, possible for that country. */
export const dialledCallee = textField("callee", (value, refuse) => {
  if (!/^[1-9][0-9]{7,14}$/u.test(value)) {
    refuse(
      "callee must be country code and number, 8 to 15 digits only.",
      /^\+[1-9][0-9]{7,14}$/u.test(value) ? `Send ${value.slice(1)}.` : undefined,
    );
  } else if (!parsePhoneNumberFromString(`+${value}`)) refuse("callee has a country code that does not exist.");
  else if (!isPossiblePhoneNumber(`+${value}`)) refuse("callee has a length that is not possible in its country.");
});

/** Parses a number that was validated before; its `number` is E.164 without a national prefix in the middle. */
export function parsedNumber(value: string): PhoneNumber {
  const number = parsePhoneNumberFromString(value);
  if (!number) throw new Error("a number that was validated does not parse");
  return number;
}

/** The text of an SMS. */
export const smsText = textUpTo("message", 160);

/** The sender that the receiver sees. */
export const senderId = optional(
  textField("senderId", (value, refuse) => {
    if (!/^[A-Za-z0-9 _.-]{1,11}$/u.test(value)) {
      refuse("senderId must have 1 to 11 letters, digits, spaces, dashes, underscores or dots.");
    }
  }),
);

/** The caller's one-time password; leading zeros are kept. */
export const otpCode = textField("otp", (value, refuse) => {
  if (!/^[0-9]{4,8}$/u.test(value)) refuse("otp must be a string of 4 to 8 digits.");
});

/** The brand in an OTP's text. */
export const brandName = optional(
  textUpTo("brandName", 40, (value, refuse) => {
    if (isDeceptive(value)) refuse("brandName must not contain line breaks or control characters.");
  }),
);
