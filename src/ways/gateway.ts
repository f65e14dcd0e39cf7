import type { Failure } from "../http/errors.ts";
import { SMS_LENGTH_MAX, senderId } from "../http/fields.ts";
import { codePoints } from "../text/code-points.ts";
import { readPhone } from "../text/phones.ts";
import type { PhoneFault } from "../text/phones.ts";
import { alertText } from "./alert.ts";
import { fieldsOf, textOf } from "./json.ts";
import type { Json } from "./json.ts";

// The universal gateway's reading of a body (contract §15): which field has the number, which the text, which the sender.

/** Fields that may have the number, in the order in which they are looked at; the last four are no words of the contract. */
const CONTRACT_NUMBERS = [
  "to",
  "phone",
  "mobile",
  "number",
  "recipient",
  "receiver",
  "phoneNumber",
  "To",
  "dst",
] as const;
export const NUMBER_FIELDS = [...CONTRACT_NUMBERS, "mobiles", "numbers", "recipients", "target"] as const;

/** Fields that may have the text, in the order in which they are looked at. */
export const TEXT_FIELDS = ["message", "Message", "text", "content", "body", "Body", "sms", "msg"] as const;

/** Fields that may have the sender, in the order in which they are looked at. */
export const SENDER_FIELDS = ["senderId", "sender", "from", "From", "sender_id"] as const;

/** What a body means. */
export type Understood =
  | {
      ok: true;
      /** The number in E.164. */
      phone: string;
      message: string;
      senderId?: string;
      /** The fields in which the number and the text were found. */
      names: { phone: string; message: string };
    }
  | { ok: false; failure: Failure };

interface Found {
  field: string;
  value: string;
}

const refused = (param: string, error: string, hint?: string): { ok: false; failure: Failure } => ({
  ok: false,
  failure: { code: "invalid_request", error, param, ...(hint !== undefined && { hint }) },
});

/** Digits of a number that says its country: a shorter one without + is Indian or none, since any would fit somewhere. */
const WITH_COUNTRY_MIN = 11;

/** A number in E.164, or null. Without + or 00 it is an Indian mobile, or begins with its country code. */
function e164Of(text: string): string | null {
  const read = readPhone(text, "texted");
  if (!read.ok) return null;
  const digits = read.number.length - 1;
  return read.sure || read.number.startsWith("+91") || digits >= WITH_COUNTRY_MIN ? read.number : null;
}

/** Several numbers where one is expected; or one whose + became a space, and which is two numbers with and without it. */
type Unclear = "several" | "lost_plus";

/**
 * In a form and in an address a bare + is a space. Where the number is another one with it, a guess would reach a stranger.
 */
function numberIn(text: string, plusIsSpace: boolean): { number: string } | Unclear | null {
  const plain = e164Of(text);
  const plus = plusIsSpace && text.startsWith(" ") ? e164Of(`+${text.trim()}`) : null;
  if (plain !== null && plus !== null && plain !== plus) return "lost_plus";
  const number = plus ?? plain;
  return number === null ? null : { number };
}

/** The texts of a value that may be one number or a list of them. */
function piecesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => (Array.isArray(one) ? [] : piecesOf(one)));
  if (typeof value === "number") return Number.isSafeInteger(value) ? [String(value)] : [];
  return typeof value === "string" ? value.split(/[,;\n]/u).filter((piece) => piece.trim() !== "") : [];
}

function readNumber(value: unknown, plusIsSpace: boolean): { number: string } | Unclear | null {
  const pieces = piecesOf(value);
  const read = pieces.slice(0, 100).map((piece) => numberIn(piece, plusIsSpace));
  if (pieces.length > 1) return read.some((one) => one !== null) ? "several" : null;
  return read[0] ?? null;
}

/** The fields of a body that may have a number, with their values; those of some products are deeper. */
function numbersOf(body: Json): [field: string, value: unknown][] {
  const { recipientPhoneNumber } = fieldsOf(body["contextInfo"]);
  const { phone } = fieldsOf(body["commonLabels"]);
  return [
    ...NUMBER_FIELDS.map((field): [string, unknown] => [field, body[field]]),
    ["contextInfo.recipientPhoneNumber", recipientPhoneNumber],
    ["commonLabels.phone", phone],
  ];
}

/** What is wrong with a number, after the name of its field. */
const WRONG: Record<PhoneFault, string> = {
  no_number: "is empty",
  letters: "has something else than digits",
  rounded: "was rounded, as spreadsheets do, and has lost its last digits",
  abroad: "is of another country",
  short: "has too few digits for a phone number",
  long: "has too many digits for a phone number",
  not_mobile: "is not a mobile number: Indian ones begin with 6, 7, 8 or 9",
  country: "begins with no country code that there is",
  length: "has a length that no number of its country has",
};

/** Why the value of a field has no number. */
function whyNone(field: string, value: unknown): string {
  if (typeof value !== "string" && piecesOf(value).length === 0) return `${field} must be a phone number, as a string.`;
  const read = readPhone(piecesOf(value)[0] ?? "", "texted");
  return read.ok ? `${field} has no country code and is no Indian mobile number.` : `${field} ${WRONG[read.fault]}.`;
}

const oneOf = (names: readonly string[]) => `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`;

/** The number: in the first field that has one; else in the address. */
function findNumber(
  body: Json,
  inAddress: string | undefined,
  isForm: boolean,
): Found | { ok: false; failure: Failure } {
  const places = numbersOf(body).map(([field, value]) => ({ field, value, plusIsSpace: isForm }));
  for (const { field, value, plusIsSpace } of [...places, { field: "to", value: inAddress, plusIsSpace: true }]) {
    const read = readNumber(value, plusIsSpace);
    if (read === "several") {
      return refused(
        field,
        `${field} has several numbers, and this address sends one SMS; send a list to /send-bulk-sms.`,
      );
    }
    if (read === "lost_plus") return refused(field, `The + of ${field} was lost on the way; write it as %2B.`);
    if (read) return { field, value: read.number };
  }
  const given = [...places, { field: "to", value: inAddress }].filter(
    ({ value }) => value !== undefined && value !== null,
  );
  const unusable = given.find(({ value }) => value !== "") ?? given[0];
  return refused(
    unusable?.field ?? "to",
    unusable ? whyNone(unusable.field, unusable.value) : `There is no phone number in ${oneOf(CONTRACT_NUMBERS)}.`,
    "Send it as to, with + and its country code; ten digits are an Indian mobile.",
  );
}

/** The text of an ordinary body, with its title before it where both fit. */
function plainText(body: Json): Found | null {
  for (const field of TEXT_FIELDS) {
    const value = textOf(body[field]);
    if (value === null) continue;
    const title = textOf(body["title"]);
    const whole = `${title ?? ""}: ${value}`;
    return { field, value: title === null || codePoints(whole) > SMS_LENGTH_MAX ? value : whole };
  }
  return null;
}

/** The text, where it is: that of an alert, an ordinary one, or the one that a login product puts deeper. */
function findText(body: Json): Found | null {
  const alert = alertText(body);
  if (alert !== null) return { field: "message", value: alert };
  const plain = plainText(body);
  if (plain) return plain;
  const rendered = textOf(fieldsOf(body["templateData"])["text"]);
  if (rendered !== null) return { field: "templateData.text", value: rendered };
  const code = textOf(fieldsOf(body["payload"])["code"]);
  return code === null ? null : { field: "payload.code", value: `${code} is your verification code.` };
}

/** The first sender that can be one. Products always send something: a number, or a name too long, is left out. */
function findSender(body: Json): string | undefined {
  const given = SENDER_FIELDS.map((field) => textOf(body[field])?.trim() ?? "");
  return given.find((one) => one !== "" && !/^\+?\d{7,}$/u.test(one) && senderId.safeParse(one).success);
}

/**
 * Reads what other software posts. `inAddress` is the `to` after `?`, which counts only where the body has no number.
 * Nothing but number, text and sender is looked at.
 */
export function understand(body: Json, inAddress: string | undefined, isForm: boolean): Understood {
  const number = findNumber(body, inAddress, isForm);
  if ("ok" in number) return number;
  const text = findText(body);
  if (!text) return refused("message", `There is no text in ${oneOf(TEXT_FIELDS)}.`, "Send it as message.");
  const sender = findSender(body);
  return {
    ok: true,
    phone: number.value,
    message: text.value,
    ...(sender !== undefined && { senderId: sender }),
    names: { phone: number.field, message: text.field },
  };
}
