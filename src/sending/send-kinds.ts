import { ENDPOINTS, RECIPIENTS_MAX } from "../model/operations.ts";
import type { SendKind } from "../model/operations.ts";
import { INDIA_OFFSET } from "../text/india.ts";
import { asciiDigits, mobileOf, readPhone } from "../text/phones.ts";
import type { PhoneReading, PhoneScope } from "../text/phones.ts";
import { readRecipients } from "../text/recipients.ts";
import type { Recipients } from "../text/recipients.ts";

// Turns a form into an API request: the fields of contract §5, with their JSON types.

export const isKind = (text: string): text is SendKind => Object.hasOwn(ENDPOINTS, text);

/** A form's fields as they were typed. */
export type Typed = Readonly<Record<string, string>>;

/** Browsers send a line break as two characters (HTML, form submission); the message and its price have one. */
const textOf = (typed: Typed, name: string) => (typed[name] ?? "").replace(/\r\n?/gu, "\n");

/** A field that was left empty is absent. */
function given(typed: Typed, ...names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = typed[name]?.trim() ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
}

/** A number if the text is one; else the text itself, which the API refuses. */
function numeric(typed: Typed, name: string): Record<string, number | string> {
  const { [name]: text } = given(typed, name);
  if (text === undefined) return {};
  return { [name]: Number.isFinite(Number(text)) ? Number(text) : text };
}

/** The numbers of a bulk form, whether typed, pasted or uploaded. */
export function recipientsOf(typed: Typed): Recipients {
  return readRecipients(typed["recipients"] ?? "");
}

/** What a link to a form may fill in. */
interface Link {
  /** The number as the link has it. */
  to: string;
  /** Ten digits if the number is an Indian mobile; else the number as it is. */
  mobile: string;
  /** The id of a recording. */
  file: string;
}

/** The field of a form that contains the number. */
interface NumberField {
  field: "phone" | "callee";
  scope: PhoneScope;
  /** The number as the API takes it, from E.164. */
  wire: (number: string) => string;
}

interface KindOfSend {
  /** Where the number is; null for a form with a list of them. */
  to: NumberField | null;
  /** The other fields of the request. */
  fields: (typed: Typed) => object;
  /** Fields that stay filled in after sending; the rest is emptied, so that it is not sent again by mistake. */
  kept: readonly string[];
  /** What a link to the form fills in. */
  prefilled: (link: Link) => Typed;
  /** What the sample beside the form has in place of a required field that is empty. */
  example: Typed;
}

/** Ten digits, without the country code. */
const national = (number: string) => number.slice(3);
const countryAndNumber = (number: string) => number.slice(1);

/** For each kind of send, what its form fills in, sends and keeps. */
export const SENDS: Readonly<Record<SendKind, KindOfSend>> = {
  sms: {
    to: { field: "phone", scope: "mobile", wire: national },
    fields: (typed) => ({ message: textOf(typed, "message"), ...given(typed, "senderId") }),
    kept: ["phone", "senderId"],
    prefilled: ({ mobile }) => ({ phone: mobile }),
    example: { phone: "9876543210", message: "Your order is on its way." },
  },
  bulk: {
    to: null,
    fields: (typed) => ({
      // One more than the API takes is enough to be refused for it; a request with all of them could be too large.
      recipients: recipientsOf(typed).numbers.slice(0, RECIPIENTS_MAX + 1),
      message: textOf(typed, "message"),
      ...given(typed, "senderId"),
    }),
    kept: ["senderId"],
    prefilled: ({ mobile }) => ({ recipients: mobile }),
    example: { recipients: "9876543210\n9876543211", message: "We are open till 9 pm today." },
  },
  international: {
    to: { field: "phone", scope: "texted", wire: (number) => number },
    fields: (typed) => ({
      message: textOf(typed, "message"),
      isFlash: typed["isFlash"] !== undefined,
      ...given(typed, "senderId"),
    }),
    kept: ["phone", "senderId"],
    prefilled: ({ to }) => ({ phone: to }),
    example: { phone: "+14155550132", message: "Your order is on its way." },
  },
  otp: {
    to: { field: "phone", scope: "mobile", wire: national },
    fields: (typed) => ({
      otp: asciiDigits(typed["otp"] ?? "").replaceAll(/\s/gu, ""),
      ...given(typed, "brandName"),
    }),
    kept: ["phone", "brandName"],
    prefilled: ({ mobile }) => ({ phone: mobile }),
    example: { phone: "9876543210", otp: "482913" },
  },
  tts: {
    to: { field: "callee", scope: "indian", wire: national },
    fields: (typed) => ({
      text: textOf(typed, "text"),
      ...given(typed, "language", "accent"),
      ...numeric(typed, "ssmlGender"),
      ...numeric(typed, "speakingRate"),
    }),
    kept: ["callee", "language", "accent", "ssmlGender", "speakingRate"],
    prefilled: ({ mobile }) => ({ callee: mobile }),
    example: { callee: "9876543210", text: "Your order is on its way." },
  },
  voice: {
    to: { field: "callee", scope: "called", wire: countryAndNumber },
    fields: (typed) => ({ fileId: typed["fileId"]?.trim() ?? "" }),
    kept: ["callee", "fileId"],
    prefilled: ({ to, file }) => ({ callee: to, fileId: file }),
    example: { callee: "919876543210", fileId: "file_…" },
  },
};

/** The number of a form, as it was read; null for a kind that has a list of them. */
export function numberOf(kind: SendKind, typed: Typed): PhoneReading | null {
  const { to } = SENDS[kind];
  return to && readPhone(typed[to.field] ?? "", to.scope);
}

/** The time of a form, which a browser writes without its zone: it is India's, as all times on pages. */
function laterOf(kind: SendKind, typed: Typed): Record<string, string> {
  const { sendAt } = given(typed, "sendAt");
  if (sendAt === undefined || kind === "otp") return {};
  return { sendAt: `${sendAt.replace(" ", "T")}${INDIA_OFFSET}` };
}

/** The API request of a form; a number that cannot be read is in it as it was typed. */
export function bodyOf(kind: SendKind, typed: Typed): Record<string, unknown> {
  const { to, fields } = SENDS[kind];
  const number = numberOf(kind, typed);
  const rest = { ...fields(typed), ...laterOf(kind, typed) };
  if (!to || !number) return rest;
  return { [to.field]: number.ok ? to.wire(number.number) : (typed[to.field] ?? "").trim(), ...rest };
}

/** The fields that stay filled in after sending. */
export function keptOf(kind: SendKind, typed: Typed): Typed {
  return Object.fromEntries(Object.entries(typed).filter(([name]) => SENDS[kind].kept.includes(name)));
}

/** The fields that a link fills in: the number, in any notation, and the recording. */
export function prefilled(kind: SendKind, to: string, file: string): Typed {
  return SENDS[kind].prefilled({ to, mobile: mobileOf(to) ?? to, file });
}
