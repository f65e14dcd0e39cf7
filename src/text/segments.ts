// How many SMS a text needs: 3GPP TS 23.038 (GSM 7-bit default alphabet and its extension table) and 23.040 (parts).

/** The default alphabet and its extension table. */
const GSM = /[@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ -#¤%-?¡A-ZÄÖÑÜ§¿a-zäöñüà\f^{}\\[~\]|€]/;
/** Characters of the extension table, which take two septets each. */
const EXTENDED = /[\f^{}\\[~\]|€]/;

/** Septets in one GSM-7 message, and in each part of a longer one. */
const GSM7 = { whole: 160, part: 153 };
/** UTF-16 code units in one UCS-2 message, and in each part of a longer one. */
const UCS2 = { whole: 70, part: 67 };

export type Encoding = "GSM-7" | "UCS-2";

/** Whether a character is in GSM-7. */
export const isGsm = (letter: string): boolean => GSM.test(letter);

interface Segmented {
  encoding: Encoding;
  segments: number;
}

let graphemes: Intl.Segmenter | undefined;

/**
 * Boundaries within an Indic conjunct such as क्ष, which Unicode treats as one unit only since 15.1. Phones join it
 * again when it was split between two parts, and the price must not depend on the runtime's version of Unicode.
 */
const CONJUNCT = /(?<=\p{M}\u200d?)(?![\u0e33\u0eb3])(?=\p{L})/u;

/** Sizes of the units that must not be split between parts: a character with its escape, or an emoji sequence. */
function indivisible(text: string, encoding: Segmented["encoding"]): number[] {
  if (encoding === "GSM-7") return [...text].map((letter) => (EXTENDED.test(letter) ? 2 : 1));
  const sizes: number[] = [];
  // Created on first use: the browser's script contains this file, and old browsers have no Intl.Segmenter.
  graphemes ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  for (const { segment } of graphemes.segment(text)) {
    for (const letter of segment.split(CONJUNCT)) {
      if (letter.length <= UCS2.part && letter !== "\r\n") sizes.push(letter.length);
      else for (const point of letter) sizes.push(point.length);
    }
  }
  return sizes;
}

/** The texts of the SMS that a text needs in this encoding, whose characters it must have: as many as are charged. */
export function partsOf(text: string, encoding: Encoding): string[] {
  const isGsm7 = encoding === "GSM-7";
  const room = isGsm7 ? GSM7 : UCS2;
  const sizes = indivisible(text, encoding);
  if (sizes.reduce((sum, size) => sum + size, 0) <= room.whole) return [text];
  const parts: string[] = [];
  let from = 0;
  let at = 0;
  let used = 0;
  for (const size of sizes) {
    if (used + size > room.part) {
      parts.push(text.slice(from, at));
      from = at;
      used = 0;
    }
    used += size;
    // A character of GSM-7 is one code unit, with its escape, too.
    at += isGsm7 ? 1 : size;
  }
  return [...parts, text.slice(from)];
}

/** The encoding and number of SMS that a text needs (contract §6). */
export function countSegments(text: string): Segmented {
  const gsm = [...text].every(isGsm);
  const encoding = gsm ? "GSM-7" : "UCS-2";
  const room = gsm ? GSM7 : UCS2;
  if (!gsm && text.length <= room.whole) return { encoding, segments: 1 };
  const sizes = indivisible(text, encoding);
  if (sizes.reduce((sum, size) => sum + size, 0) <= room.whole) return { encoding, segments: 1 };
  let segments = 1;
  let used = 0;
  for (const size of sizes) {
    if (used + size > room.part) {
      segments += 1;
      used = 0;
    }
    used += size;
  }
  return { encoding, segments };
}
