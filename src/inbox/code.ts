import { contentOf } from "../model/operations.ts";
import type { Operation } from "../model/operations.ts";

// Finds the one-time code in a text, for tests that read it and for the button that copies it.

/** Words that occur near a code, in English and in Indian languages. */
const NEAR =
  /\b(?:codes?|otps?|m?pin|passwords?|passcodes?|verification|verify|2fa|(?:sign|log)[ -]?in|login|confirm)\b|कोड|ओटीपी|ओ\.?टी\.?पी|पासवर्ड|पिन|सत्यापन|কোড|ওটিপি|કોડ|ઓટીપી|ਕੋਡ|குறியீடு|కోడ్|ಕೋಡ್|കോഡ്/giu;

/** Four to eight digits that are not part of a longer number, a word, an amount, a date or a time. */
const ALONE =
  /(?<![\p{L}\p{N}\p{M}_+₹$€£@-]|[\p{N}][.,:/]|\b(?:rs|inr)\.? ?)[0-9]{4,8}(?![\p{L}\p{N}\p{M}_%-]|[.,:/][\p{N}])/giu;

/** A code with a letter or a word as its prefix, such as G-482913. */
const LETTERED = /(?<![\p{L}\p{N}_])(?:[A-Z]|otp|code|pin)-([0-9]{4,8})(?![\p{L}\p{N}\p{M}_%-]|[.,:/][\p{N}])/giu;

/** Text before or after a number that shows that the number is not a code. */
const OTHER_BEFORE =
  /(?:\b(?:order|ref|txn|invoice|bill|card|ending|ending (?:with|in)|a\/c)[ :#.]{0,3}|[x*•]{2,} ?)$/iu;
const OTHER_AFTER = /^ ?(?:minutes?|mins?|seconds?|secs?|hours?|days?|coins?|rupees?|points?)\b/iu;

/**
 * The most text that these two can look at, in UTF-16 code units: "ending with" with three signs, or " minutes", and one
 * more for the border of the word. Without this limit, each number would be compared with the whole text.
 */
const BEFORE_MAX = 15;
const AFTER_MAX = 9;

/** The largest distance between a number and a word that refers to it, in UTF-16 code units. */
const NEAR_MAX = 60;

const OTP_AT_START = /^[0-9]{4,8}(?= )/u;

interface Span {
  text: string;
  start: number;
  end: number;
}

function numbersIn(text: string): Span[] {
  const found = [...text.matchAll(ALONE), ...text.matchAll(LETTERED)];
  return found
    .map((match): Span => {
      const end = match.index + match[0].length;
      return { text: match[1] ?? match[0], start: match.index, end };
    })
    .filter(({ start, end }) => {
      const before = text.slice(Math.max(0, start - BEFORE_MAX), start);
      return !OTHER_BEFORE.test(before) && !OTHER_AFTER.test(text.slice(end, end + AFTER_MAX));
    })
    .toSorted((one, other) => one.start - other.start);
}

/** The one-time code in a text, or null: the number nearest to a word such as "code" or "OTP", the first of equals. */
export function codeIn(operation: Operation, text: string | null): string | null {
  if (text === null || contentOf(operation) === "recording") return null;
  // The service's own OTP text begins with the code (text/otp-text.ts), whatever the brand contains.
  if (contentOf(operation) === "code") return OTP_AT_START.exec(text)?.[0] ?? null;
  const words = [...text.matchAll(NEAR)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  let best: string | null = null;
  let nearest = NEAR_MAX + 1;
  let first = 0;
  for (const number of numbersIn(text)) {
    // Numbers and words are in the text's order: a word that is too far before this number is so before the next.
    while ((words[first]?.end ?? Infinity) < number.start - NEAR_MAX) first += 1;
    for (let at = first; ; at += 1) {
      const word = words[at];
      if (!word || word.start > number.end + NEAR_MAX) break;
      const gap = Math.max(word.start - number.end, number.start - word.end);
      if (gap < nearest) {
        best = number.text;
        nearest = gap;
      }
    }
  }
  return best;
}
