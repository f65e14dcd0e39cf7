import { PRODUCT } from "../config.ts";
import { ENDPOINTS, RECIPIENTS_MAX } from "../model/operations.ts";
import type { SendKind } from "../model/operations.ts";
import { mobileOf, readRecipients } from "../text/recipients.ts";
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

/** The number as it is dialled, without the separators that people write between digits. */
const dialled = (text: string) => text.replace(/[\s().-]/gu, "");

/** Ten digits if the text is an Indian number, landlines included; else the text as it is dialled. */
function indianOf(text: string): string {
  return mobileOf(text) ?? dialled(text).replace(/^(?:(?:\+|00)?91|0)(?=[1-9]\d{9}$)/u, "");
}

const phone = (typed: Typed) => typed["phone"]?.trim() ?? "";
const callee = (typed: Typed) => typed["callee"]?.trim() ?? "";

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

interface KindOfSend {
  fields: (typed: Typed) => object;
  /** Fields that stay filled in after sending; the rest is emptied, so that it is not sent again by mistake. */
  kept: readonly string[];
  /** What a link to the form fills in. */
  prefilled: (link: Link) => Typed;
  /** The request in the sample beside the form. */
  example: object;
}

/** For each kind of send, what its form fills in, sends and keeps. */
export const SENDS: Readonly<Record<SendKind, KindOfSend>> = {
  sms: {
    fields: (typed) => ({
      phone: mobileOf(phone(typed)) ?? phone(typed),
      message: textOf(typed, "message"),
      ...given(typed, "senderId"),
    }),
    kept: ["phone", "senderId"],
    prefilled: ({ mobile }) => ({ phone: mobile }),
    example: { phone: "9876543210", message: "Your order is on its way." },
  },
  bulk: {
    fields: (typed) => ({
      // One more than the API takes is enough to be refused for it; a request with all of them could be too large.
      recipients: recipientsOf(typed).numbers.slice(0, RECIPIENTS_MAX + 1),
      message: textOf(typed, "message"),
      ...given(typed, "senderId"),
    }),
    kept: ["senderId"],
    prefilled: ({ mobile }) => ({ recipients: mobile }),
    example: { recipients: ["9876543210", "9876543211"], message: "We are open till 9 pm today." },
  },
  international: {
    fields: (typed) => ({
      phone: dialled(phone(typed)).replace(/^00/u, "+"),
      message: textOf(typed, "message"),
      isFlash: typed["isFlash"] !== undefined,
      ...given(typed, "senderId"),
    }),
    kept: ["phone", "senderId"],
    prefilled: ({ to }) => ({ phone: to }),
    example: { phone: "+14155550132", message: "Your order is on its way.", isFlash: false },
  },
  otp: {
    fields: (typed) => ({
      phone: mobileOf(phone(typed)) ?? phone(typed),
      otp: typed["otp"]?.trim() ?? "",
      ...given(typed, "brandName"),
    }),
    kept: ["phone", "brandName"],
    prefilled: ({ mobile }) => ({ phone: mobile }),
    example: { phone: "9876543210", otp: "482913", brandName: PRODUCT },
  },
  tts: {
    fields: (typed) => ({
      callee: indianOf(callee(typed)),
      text: textOf(typed, "text"),
      ...given(typed, "language", "accent"),
      ...numeric(typed, "ssmlGender"),
      ...numeric(typed, "speakingRate"),
    }),
    kept: ["callee", "language", "accent", "ssmlGender", "speakingRate"],
    prefilled: ({ mobile }) => ({ callee: mobile }),
    example: { callee: "9876543210", text: "Your order is on its way.", language: "EN", speakingRate: 1 },
  },
  voice: {
    fields: (typed) => ({
      callee: dialled(callee(typed)).replace(/^\+|^00/u, ""),
      fileId: typed["fileId"]?.trim() ?? "",
    }),
    kept: ["callee", "fileId"],
    prefilled: ({ to, file }) => ({ callee: to.replace(/^\+/u, ""), fileId: file }),
    example: { callee: "919876543210", fileId: "file_…" },
  },
};

/** The fields that stay filled in after sending. */
export function keptOf(kind: SendKind, typed: Typed): Typed {
  return Object.fromEntries(Object.entries(typed).filter(([name]) => SENDS[kind].kept.includes(name)));
}

/** The fields that a link fills in: the number, in any notation, and the recording. */
export function prefilled(kind: SendKind, to: string, file: string): Typed {
  return SENDS[kind].prefilled({ to, mobile: mobileOf(to) ?? to, file });
}
