import { devanagari } from "./fields.ts";
import type { FieldRule, Refused } from "./endpoint.ts";

// Field rules that several operations share (contract §5), on both sides of each boundary.

const TEN_DIGITS = "must be exactly 10 digits, without country code.";
const INDIAN = "must be an Indian mobile number, which begins with 6, 7, 8 or 9.";

/** Numbers that are not Indian mobiles; `name` is the field's name in the sentence. */
export function badMobiles(name: string): Refused[] {
  return [
    { value: "", error: `${name} ${TEN_DIGITS}` },
    { value: "987654321", error: `${name} ${TEN_DIGITS}` },
    { value: "98765432100", error: `${name} ${TEN_DIGITS}` },
    { value: "5876543210", error: `${name} ${INDIAN}` },
    { value: "0123456789", error: `${name} ${INDIAN}` },
    { value: "+919876543210", error: `${name} ${TEN_DIGITS}`, hint: "Send 9876543210." },
    { value: "919876543210", error: `${name} ${TEN_DIGITS}`, hint: "Send 9876543210." },
    { value: "09876543210", error: `${name} ${TEN_DIGITS}`, hint: "Send 9876543210." },
    { value: "98765 43210", error: `${name} ${TEN_DIGITS}`, hint: "Send 9876543210." },
    { value: "9876543210\n", error: `${name} ${TEN_DIGITS}`, hint: "Send 9876543210." },
    { value: "98765abcde", error: `${name} ${TEN_DIGITS}` },
    { ...devanagari(`${name} ${TEN_DIGITS}`), hint: "Send 9876543210." },
  ];
}

export const phone: FieldRule = {
  type: "string",
  required: true,
  accepted: ["6000000000", "7000000000", "8000000000", "9999999999"],
  refused: badMobiles("phone"),
};

/** A text measured in code points: an emoji counts once, however many bytes it takes. */
export function textRule(name: string, max: number): FieldRule {
  const size = (length: number) => `${name} must have 1 to ${max} characters; it has ${length}.`;
  return {
    type: "string",
    required: true,
    accepted: ["x", " ", "9876543210", "x".repeat(max), "😀".repeat(max), "क".repeat(max), "line\nline\t\u0000"],
    refused: [
      { value: "", error: size(0) },
      { value: "x".repeat(max + 1), error: size(max + 1) },
      { value: "😀".repeat(max + 1), error: size(max + 1) },
    ],
  };
}

export const message = textRule("message", 160);

const SENDER = "senderId must have 1 to 11 letters, digits, spaces, dashes, underscores or dots.";

export const senderId: FieldRule = {
  type: "string",
  required: false,
  accepted: ["D", "DASTAK", "12345678901", "a b-c_d.e", "Aa0 -_."],
  refused: ["", "123456789012", "a+b", "a\nb", "a/b", "DÄSTAK", "दस्तक", "९८७"].map((value) => ({
    value,
    error: SENDER,
  })),
};

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

const NO_TIME = "sendAt must be a time with its offset, such as 2026-11-23T14:30:00+05:30 or 2026-11-23T09:00:00Z.";

/** When to send; contract §13. A time that has passed is refused by the account, which knows whether it is a repetition. */
export const sendAt: FieldRule = {
  type: "string",
  required: false,
  // Only now: the tests before may have taken a while.
  get accepted() {
    return [
      inMs(60 * MINUTE_MS),
      inMs(179 * DAY_MS),
      inMs(MINUTE_MS).replace("Z", "+00:00"),
      inMs(DAY_MS).replace(/:\d\d\.\d+Z/u, "+0530"),
      // At most 60 s past is now.
      inMs(-30_000),
    ];
  },
  refused: [
    ...["", "now", "2099-01-01", "2099-01-01T09:00:00", "2099-02-30T09:00:00Z", "2099-01-01T24:00:00Z"].map(
      (value) => ({
        value,
        error: NO_TIME,
      }),
    ),
    { value: "2099-01-01T09:00:00Z", error: "sendAt must be at most 180 days ahead." },
    { value: inMs(181 * DAY_MS), error: "sendAt must be at most 180 days ahead." },
  ],
};
