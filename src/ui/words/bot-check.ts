import type { Lang } from "../lang.ts";
import { words } from "../view.ts";

// The check before a code when many are requested, and numbers to which no code is sent.

const secondsEn = (sec: number) => (sec === 1 ? "1 second" : `${sec} seconds`);

export const botCheck = words(
  {
    work: "Many codes are being requested right now, so your browser solves a small puzzle first; this takes a few seconds.",
    turnstile: "Many codes are being requested right now, so please confirm that you are human.",
    done: "Done. You can continue.",
    /** Without a script. */
    wait: (sec: number) =>
      `Many codes are being requested right now. Please wait ${secondsEn(sec)}, then press the button again.`,
    /** Beside Turnstile, for browsers in which it does not load. */
    orWait: (sec: number) => `If no check appears here, wait ${secondsEn(sec)} and press the button.`,
  },
  {
    work: "इस समय बहुत से कोड माँगे जा रहे हैं, इसलिए आपका ब्राउज़र पहले एक छोटी पहेली हल करेगा; इसमें कुछ सेकंड लगेंगे।",
    turnstile: "इस समय बहुत से कोड माँगे जा रहे हैं, इसलिए कृपया पुष्टि करें कि आप इंसान हैं।",
    done: "हो गया। अब आगे बढ़ सकते हैं।",
    wait: (sec: number) => `इस समय बहुत से कोड माँगे जा रहे हैं। कृपया ${sec} सेकंड रुकें, फिर बटन दोबारा दबाएँ।`,
    orWait: (sec: number) => `अगर यहाँ कोई जाँच न दिखे, तो ${sec} सेकंड रुककर बटन दबाएँ।`,
  },
);

/** A sentence names at most this many countries. */
const NAMED_MAX = 5;

/** Why no code is sent to a number: it is not a mobile, or its country is not one of these (ISO 3166). */
export function unreachable(lang: Lang, countries: readonly string[]): string {
  const names = new Intl.DisplayNames(lang, { type: "region" });
  const list = new Intl.ListFormat(lang, { type: "conjunction" });
  const named = countries.length > NAMED_MAX ? null : list.format(countries.map((code) => names.of(code) ?? code));
  if (lang === "hi") {
    return `इस नंबर पर हम कोड नहीं भेज सकते: कोड सिर्फ़ ${named ?? "कुछ चुने हुए देशों"} के मोबाइल नंबरों पर भेजे जाते हैं।`;
  }
  return `We can't send codes to this number: we send them only to mobile numbers in ${named ?? "certain countries"}.`;
}
