import { SCOPES, groupedPhone } from "../../text/phones.ts";
import type { PhoneFault, PhoneReading, PhoneScope } from "../../text/phones.ts";
import type { Lang } from "../lang.ts";
import { words } from "../view.ts";

// Sentences about a number: how it was read, and why it could not be.

type Faults = Record<PhoneFault, (read: string, digits: number) => string>;

const digitsEn = (read: string, digits: number) =>
  `“${read}” has ${digits} ${digits === 1 ? "digit" : "digits"}${read.startsWith("+") ? " after +91" : ""}; an Indian number has 10.`;

const digitsHi = (read: string, digits: number) =>
  `“${read}” में ${read.startsWith("+") ? "+91 के बाद " : ""}${digits} अंक हैं; भारतीय नंबर में 10 होते हैं।`;

export const phones = words(
  {
    faults: {
      no_number: () => "Enter a phone number.",
      letters: (read) => `“${read}” is not one phone number; write only its digits.`,
      rounded: (read) => `“${read}” was rounded by a spreadsheet, and its last digits are lost.`,
      abroad: (read) => `${read} is not an Indian number.`,
      short: digitsEn,
      long: digitsEn,
      not_mobile: (read) => `${read} is not a mobile number. Indian mobile numbers begin with 6, 7, 8 or 9.`,
      country: (read) => `${read} begins with a country code that does not exist.`,
      length: (read) => `${read} has a length that is not possible in its country.`,
    } satisfies Faults,
    outside: "Outside India, begin with + and the country code.",
    goesTo: "Goes to",
    shortened: (left: number) => `${left} more numbers of your list are left out of this command.`,
    confirm: (typed: string, number: string) =>
      `Nothing has been sent yet: you typed “${typed}”. Send to ${number}? If that is right, press the button again.`,
  },
  {
    faults: {
      no_number: () => "फ़ोन नंबर लिखें।",
      letters: (read) => `“${read}” एक फ़ोन नंबर नहीं है; केवल उसके अंक लिखें।`,
      rounded: (read) => `“${read}” को स्प्रेडशीट ने बदल दिया है और इसके आखिरी अंक खो गए हैं।`,
      abroad: (read) => `${read} भारतीय नंबर नहीं है।`,
      short: digitsHi,
      long: digitsHi,
      not_mobile: (read) => `${read} मोबाइल नंबर नहीं है। भारतीय मोबाइल नंबर 6, 7, 8 या 9 से शुरू होते हैं।`,
      country: (read) => `${read} ऐसे देश कोड से शुरू होता है जो किसी देश का नहीं है।`,
      length: (read) => `${read} की लंबाई उसके देश में संभव नहीं है।`,
    },
    outside: "भारत के बाहर का नंबर + और देश कोड से शुरू करें।",
    goesTo: "इस पर जाएगा:",
    shortened: (left) => `आपकी सूची के ${left} और नंबर इस कमांड में नहीं हैं।`,
    confirm: (typed, number) =>
      `अभी कुछ नहीं भेजा गया है: आपने “${typed}” लिखा है। क्या ${number} पर भेजें? सही हो तो बटन फिर दबाएँ।`,
  },
);

/** A pasted text can be as long as its file. */
const SHOWN_LENGTH = 40;

/** A number in E.164 with its country, unless that is India, where most numbers are. */
export function numberText(number: string, country: string | undefined, lang: Lang): string {
  if (country === undefined || country === "IN") return groupedPhone(number);
  return `${groupedPhone(number)} (${new Intl.DisplayNames([lang], { type: "region" }).of(country) ?? country})`;
}

/** Why a number was refused, in a sentence that contains what was read. */
export function phoneFaultText({ fault, read }: PhoneReading & { ok: false }, scope: PhoneScope, lang: Lang): string {
  const t = phones[lang];
  const shown = (read.startsWith("+") ? groupedPhone(read) : read).slice(0, SHOWN_LENGTH);
  const sentence = t.faults[fault](shown, read.replace(/^\+91/u, "").replaceAll(/[^0-9]/gu, "").length);
  const isLength = fault === "short" || fault === "long" || fault === "not_mobile";
  return isLength && SCOPES[scope].abroad && !read.startsWith("+") ? `${sentence} ${t.outside}` : sentence;
}
