import { isPossiblePhoneNumber, parsePhoneNumberFromString } from "libphonenumber-js/max";
import type { PhoneNumber } from "libphonenumber-js/max";
import * as z from "zod";
import { INDIAN_MOBILE } from "../text/india.ts";
import { codePoints } from "../text/code-points.ts";
import { isDeceptive } from "../text/one-line.ts";
import { SEND_AHEAD_DAYS, SEND_AHEAD_MS } from "../model/operations.ts";
import { mobileOf } from "../text/phones.ts";
import { readTime } from "../text/time.ts";
import { english } from "./faults.ts";
import type { Fault, FieldName } from "./faults.ts";

// Fields that several operations share (contract §5). Lengths are in code points; no value is coerced. What `meta` says is
// for the API's document (src/openapi), which counts in code points, too.

type Check = (value: string, refuse: (fault: Fault) => void) => void;

/** A fault as an issue of a schema; `body.ts` finds the fault in it again. */
export const issueOf = (fault: Fault, input: unknown) =>
  ({ code: "custom", message: english(fault).error, input, params: { fault } }) as const;

/** A required, well-formed Unicode string with a rule of its own; every fault is one sentence. */
function textField(name: FieldName, check: Check) {
  return z
    .string({ error: ({ input }) => (input === undefined ? `${name} is required.` : `${name} must be a string.`) })
    .check((ctx) => {
      const refuse = (fault: Fault) => void ctx.issues.push(issueOf(fault, ctx.value));
      if (!ctx.value.isWellFormed()) refuse({ id: "broken_character", field: name });
      else check(ctx.value, refuse);
    });
}

/** Makes a field optional: absent and null are the same. */
export function optional<T extends z.ZodType>(field: T) {
  return field.nullish().transform((value): z.output<T> | undefined => value ?? undefined);
}

/** A text of 1 to `max` characters. */
export function textUpTo(name: FieldName, max: number, more?: Check) {
  return textField(name, (value, refuse) => {
    const length = codePoints(value);
    if (length < 1 || length > max) refuse({ id: "length", field: name, max, length });
    else more?.(value, refuse);
  }).meta({ minLength: 1, maxLength: max });
}

/**
 * When to send it, as ms since the epoch (contract §13): ISO 8601 with an offset, at most 180 days ahead. A time that has
 * passed is refused by the account, since it has not passed for a request that is repeated.
 */
export const sendAt = optional(
  textField("sendAt", (value, refuse) => {
    const ms = readTime(value);
    if (ms === null) refuse({ id: "send_at" });
    else if (ms > Date.now() + SEND_AHEAD_MS) refuse({ id: "send_at_far", days: SEND_AHEAD_DAYS });
  })
    .meta({
      description: `When to send it: ISO 8601 with an offset or Z, up to ${SEND_AHEAD_DAYS} days ahead, such as 2026-11-23T14:30:00+05:30. Without it: at once. It is debited at once, and can be cancelled until then.`,
      format: "date-time",
    })
    .transform((value) => readTime(value) ?? NaN),
);

/** The same field where nothing can be sent later. */
export const neverLater = optional(
  z
    .unknown()
    .check(({ value, issues }) => void issues.push(issueOf({ id: "send_at_otp" }, value)))
    .meta({ description: "Not possible here: a one-time password is for now.", type: "null" }),
);

/** The key in the body: `auth.ts` reads it; no other code does. */
export const apiKey = z
  .unknown()
  .optional()
  .meta({ type: "string", description: "Your API key, where it is not in a header." });

/** The ten digits of an Indian mobile that was written with its country code, or undefined. */
function withoutCountryCode(value: string): string | undefined {
  return mobileOf(value) ?? undefined;
}

/** Ten digits of an Indian mobile, without country code. */
export function indianMobile(field: FieldName) {
  return textField(field, (value, refuse) => {
    if (INDIAN_MOBILE.test(value)) return;
    if (/^[0-9]{10}$/u.test(value)) refuse({ id: "not_mobile", field });
    else refuse({ id: "ten_digits", field, meant: withoutCountryCode(value) });
  }).meta({
    description: "An Indian mobile: ten digits, without country code.",
    pattern: INDIAN_MOBILE.source,
    examples: ["9876543210"],
  });
}

const INDIAN_CALLEE = /^[1-9][0-9]{9}$/u;

/** Ten digits of an Indian mobile or landline, without country code. */
export const indianCallee = textField("callee", (value, refuse) => {
  if (!INDIAN_CALLEE.test(value)) {
    refuse({ id: "indian_callee", meant: withoutCountryCode(value) });
  }
}).meta({
  description: "An Indian mobile or landline: ten digits, without country code or 0.",
  pattern: INDIAN_CALLEE.source,
  examples: ["9876543210"],
});

const E164 = /^\+[1-9][0-9]{6,14}$/u;

/**
 * An international number in E.164: 7 to 15 digits that are possible in its country; an Indian one must be a mobile.
 */
export const e164 = textField("phone", (value, refuse) => {
  if (!E164.test(value)) {
    refuse({ id: "e164", meant: /^[1-9][0-9]{6,14}$/u.test(value) ? `+${value}` : undefined });
  } else if (!parsePhoneNumberFromString(value)) refuse({ id: "calling_code", field: "phone" });
  else if (!isPossiblePhoneNumber(value)) refuse({ id: "number_length", field: "phone" });
  else if (value.startsWith("+91") && !INDIAN_MOBILE.test(value.slice(3))) refuse({ id: "landline" });
}).meta({
  description: "The number with + and its country code (E.164), possible in its country.",
  pattern: E164.source,
  examples: ["+14155550132"],
});

const DIALLED = /^[1-9][0-9]{7,14}$/u;

/** Country code and number in digits only, possible for that country. */
export const dialledCallee = textField("callee", (value, refuse) => {
  if (!DIALLED.test(value)) {
    refuse({ id: "dialled", meant: /^\+[1-9][0-9]{7,14}$/u.test(value) ? value.slice(1) : undefined });
  } else if (!parsePhoneNumberFromString(`+${value}`)) refuse({ id: "calling_code", field: "callee" });
  else if (!isPossiblePhoneNumber(`+${value}`)) refuse({ id: "number_length", field: "callee" });
}).meta({
  description: "Country code and number, digits only, possible in its country.",
  pattern: DIALLED.source,
  examples: ["919876543210"],
});

/** National prefixes that are taken out of a number, one by one; no number has more digits. */
const PREFIXES_MAX = 15;

/**
 * Parses a number that was validated before; its `number` is E.164 without any national prefix in the middle, and its
 * country is that of this number: the price, the quote and the carrier see the same one, however many zeros were typed.
 */
export function parsedNumber(value: string): PhoneNumber {
  let number = parsePhoneNumberFromString(value);
  if (!number) throw new Error("a number that was validated does not parse");
  for (let taken = 0; taken < PREFIXES_MAX; taken += 1) {
    const again = parsePhoneNumberFromString(number.number);
    if (!again || again.number === number.number) return again ?? number;
    number = again;
  }
  return number;
}

/** Characters that the text of an SMS may have. */
export const SMS_LENGTH_MAX = 160;

/** The text of an SMS. */
export const smsText = textUpTo("message", SMS_LENGTH_MAX).meta({
  description: "The text. It is billed by segments: 160 characters of GSM-7, or 70 of any other script.",
  examples: ["Your order 4711 is on its way."],
});

const SENDER_ID = /^[A-Za-z0-9 _.-]{1,11}$/u;

/** The sender that the receiver sees. */
export const senderId = optional(
  textField("senderId", (value, refuse) => {
    if (!SENDER_ID.test(value)) {
      refuse({ id: "sender_id" });
    }
  }).meta({ description: "The sender that the receiver sees.", pattern: SENDER_ID.source, examples: ["SHOP"] }),
);

const OTP_CODE = /^[0-9]{4,8}$/u;

/** The caller's one-time password; leading zeros are kept. */
export const otpCode = textField("otp", (value, refuse) => {
  if (!OTP_CODE.test(value)) refuse({ id: "otp_digits" });
}).meta({
  description: "Your one-time password; leading zeros are kept.",
  pattern: OTP_CODE.source,
  examples: ["048213"],
});

/** The brand in an OTP's text. */
export const brandName = optional(
  textUpTo("brandName", 40, (value, refuse) => {
    if (isDeceptive(value)) refuse({ id: "brand_lines" });
  }).meta({ description: "The name in the text; without it, that of the service.", examples: ["Shop"] }),
);
