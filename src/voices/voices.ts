import type { Content, Language } from "../model/message.ts";

// The voices that speak a call's text (contract §5.5): for each language, accent and gender the one at each carrier and
// at Google, whose voices Twilio has too. It is pure data; what a call leaves open has its default here.

/** A language as it is spoken in one place (BCP 47). */
export type Locale =
  `en-${"IN" | "US" | "GB" | "AU"}` | `${"hi" | "te" | "ta" | "kn" | "ml" | "bn" | "gu" | "mr" | "pa"}-IN`;

export type Gender = "male" | "female";

/** Voices that Google's Text-to-Speech names `<locale>-<family>-<letter>`. */
type GoogleVoice = `${Locale}-${"Wavenet" | "Standard"}-${string}`;

interface Voices {
  google: Readonly<Record<Gender, GoogleVoice>>;
  /** The language in Infobip's list, where the voice follows from the gender; null: it has none. */
  infobip: string | null;
}

/** English is the one language that has accents; a country calling code chooses among them. */
const ENGLISH: Readonly<Record<string, Locale>> = { 91: "en-IN", 1: "en-US", 44: "en-GB", 61: "en-AU" };

const LOCALES: Readonly<Record<Exclude<Language, "EN">, Locale>> = {
  HI: "hi-IN",
  TE: "te-IN",
  TA: "ta-IN",
  KN: "kn-IN",
  ML: "ml-IN",
  BN: "bn-IN",
  GU: "gu-IN",
  MR: "mr-IN",
  PA: "pa-IN",
};

/** The two voices of a locale. Wavenet sounds better than Standard, and is taken where there is one. */
const google = <L extends Locale>(locale: L, female = "A", male = "B", family: "Wavenet" | "Standard" = "Wavenet") =>
  ({ female: `${locale}-${family}-${female}`, male: `${locale}-${family}-${male}` }) as const;

/** Every voice, by its locale. */
export const VOICES: Readonly<Record<Locale, Voices>> = {
  "en-IN": { google: google("en-IN"), infobip: "en-in" },
  "en-US": { google: google("en-US", "C"), infobip: "en" },
  "en-GB": { google: google("en-GB"), infobip: "en-gb" },
  "en-AU": { google: google("en-AU"), infobip: "en-au" },
  "hi-IN": { google: google("hi-IN"), infobip: "hi" },
  "te-IN": { google: google("te-IN", "A", "B", "Standard"), infobip: "te" },
  "ta-IN": { google: google("ta-IN"), infobip: "ta" },
  "kn-IN": { google: google("kn-IN"), infobip: "kn" },
  "ml-IN": { google: google("ml-IN"), infobip: "ml" },
  "bn-IN": { google: google("bn-IN"), infobip: "bn" },
  "gu-IN": { google: google("gu-IN"), infobip: "gu" },
  "mr-IN": { google: google("mr-IN"), infobip: "mr-in" },
  "pa-IN": { google: google("pa-IN"), infobip: null },
};

/** The locales in the order of the table. */
export const LOCALE_NAMES = Object.keys(VOICES) as readonly Locale[];

/** How the text of a call is to be spoken, with nothing left open. */
export interface Speech {
  locale: Locale;
  gender: Gender;
  /** 1 is the voice's own; 0.5 is half as fast, 2 twice (contract §5.5). */
  rate: number;
}

/** How a call's text is spoken, with the defaults of contract §5.5: Indian English, a woman's voice, its own rate. */
export function speechOf({ language = "EN", accent = "91", gender = 2, rate = 1 }: Content): Speech {
  const locale = language === "EN" ? (ENGLISH[accent] ?? "en-IN") : LOCALES[language];
  return { locale, gender: gender === 1 ? "male" : "female", rate };
}

/** The voice of Google's Text-to-Speech. */
export const googleVoice = ({ locale, gender }: Speech): string => VOICES[locale].google[gender];

/** Speakers of Sarvam's Bulbul v3, each of whom speaks all of its languages. */
const SARVAM: Readonly<Record<Gender, string>> = { female: "priya", male: "shubh" };

/** The speaker at Sarvam; null for English that is not Indian, which it does not have. */
export const sarvamVoice = ({ locale, gender }: Speech): string | null =>
  locale.startsWith("en-") && locale !== "en-IN" ? null : SARVAM[gender];

/** The same voice as Twilio names it. */
export const twilioVoice = (speech: Speech): string => `Google.${googleVoice(speech)}`;

/** The language at Infobip; null where it has no voice for it. */
export const infobipLanguage = ({ locale }: Speech): string | null => VOICES[locale].infobip;
