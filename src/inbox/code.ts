import { contentOf } from "../model/operations.ts";
import type { Operation } from "../model/operations.ts";

// Picks the one-time code out of a text, for tests that read it and for the button that copies it.

/** Words that stand near a code, in English and in the languages of India. */
const NEAR =
  /\b(?:codes?|otps?|m?pin|passwords?|passcodes?|verification|verify|2fa|(?:sign|log)[ -]?in|login|confirm)\b|कोड|ओटीपी|ओ\.?टी\.?पी|पासवर्ड|पिन|सत्यापन|কোড|ওটিপি|કોડ|ઓટીપી|ਕੋਡ|குறியீடு|కోడ్|ಕೋಡ್|കോഡ്/giu;

/** Four to eight digits that belong to no longer number, word, amount, date or time. */
const ALONE =
  /(?<![\p{L}\p{N}\p{M}_+₹$€£@-]|[\p{N}][.,:/]|\b(?:rs|inr)\.? ?)[0-9]{4,8}(?![\p{L}\p{N}\p{M}_%-]|[.,:/][\p{N}])/giu;

/** A code with a letter or a word of its own before it, as in G-482913. */
const LETTERED = /(?<![\p{L}\p{N}_])(?:[A-Z]|otp|code|pin)-([0-9]{4,8})(?![\p{L}\p{N}\p{M}_%-]|[.,:/][\p{N}])/giu;

/** What says that the number after it, or before it, is something else. */
const OTHER_BEFORE =
  /(?:\b(?:order|ref|txn|invoice|bill|card|ending|ending (?:with|in)|a\/c)[ :#.]{0,3}|[x*•]{2,} ?)$/iu;
const OTHER_AFTER = /^ ?(?:minutes?|mins?|seconds?|secs?|hours?|days?|coins?|rupees?|points?)\b/iu;

/** Further away than this a word says nothing about a number, in UTF-16 units. */
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
    .filter(({ start, end }) => !OTHER_BEFORE.test(text.slice(0, start)) && !OTHER_AFTER.test(text.slice(end)))
    .toSorted((one, other) => one.start - other.start);
}

/** The one-time code in a text, or null: the number nearest to a word such as "code" or "OTP", the first of equals. */
export function codeIn(operation: Operation, text: string | null): string | null {
  if (text === null || contentOf(operation) === "recording") return null;
  // Our own sentence begins with it (wording.ts), whatever the brand in it says.
  if (contentOf(operation) === "code") return OTP_AT_START.exec(text)?.[0] ?? null;
  const words = [...text.matchAll(NEAR)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  let best: string | null = null;
  let nearest = NEAR_MAX + 1;
  for (const number of numbersIn(text)) {
    for (const word of words) {
      const gap = Math.max(word.start - number.end, number.start - word.end);
      if (gap < nearest) {
        best = number.text;
        nearest = gap;
      }
    }
  }
  return best;
}
