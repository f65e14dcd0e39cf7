import { isGsm } from "./segments.ts";

// The characters that make a text UCS-2 (contract §13), and what GSM-7 has in their place.

/** A character that is not in GSM-7. */
export interface UnicodeCharacter {
  char: string;
  /** As in `U+201C`. */
  codePoint: string;
  /** Where it stands first, in code points from 0. */
  at: number;
  /** What GSM-7 has in its place; empty where it can be left out, absent where there is nothing. */
  instead?: string;
}

/** GSM-7 replacements for characters that editors and keyboards insert automatically. */
const PLAIN: readonly (readonly [letters: RegExp, plain: string])[] = [
  [/[‘’‚‛′`´]/g, "'"],
  [/[“”„‟″«»]/g, '"'],
  [/[‐-―−]/g, "-"],
  [/…/g, "..."],
  [/[•·]/g, "*"],
  [/₹/g, "Rs."],
  [/[\t\u00a0\u2000-\u200a\u202f]/g, " "],
  [/[\u00ad\u200b\u2060\ufeff]/g, ""],
];

/** The text with every character replaced that has an equivalent in GSM-7. */
export function plainText(text: string): string {
  return PLAIN.reduce((plain, [letters, spelling]) => plain.replace(letters, spelling), text);
}

/** A character with its code point and, where there is one, its replacement. */
function known(char: string): Omit<UnicodeCharacter, "at"> {
  const instead = plainText(char);
  const codePoint = `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return { char, codePoint, ...(instead !== char && { instead }) };
}

/** The characters, each once, that make a text UCS-2, with their first places and replacements; at most `max` of them. */
export function unicodeIn(text: string, max: number): UnicodeCharacter[] {
  const found = new Map<string, UnicodeCharacter>();
  let at = -1;
  for (const char of text) {
    at += 1;
    if (isGsm(char) || found.has(char)) continue;
    if (found.size >= max) break;
    found.set(char, { ...known(char), at });
  }
  return [...found.values()];
}

/** The characters, each once, that make a text UCS-2. */
export function unicodeLetters(text: string): string[] {
  return unicodeIn(text, Infinity).map(({ char }) => char);
}

/** A character for display, with its code point and its replacement in GSM-7: “’” U+2019 → “'” */
export function letterName(letter: string): string {
  const { codePoint, instead } = known(letter);
  // No-break spaces keep the name on one line.
  return `“${letter}”\u00a0${codePoint}${instead === undefined ? "" : `\u00a0→\u00a0“${instead}”`}`;
}

/** How many characters are named: a Hindi text has dozens, and the first few are enough to explain the encoding. */
const LETTERS_NAMED = 8;

/** The names of the characters that make a text UCS-2, each isolated from the text direction of its neighbours. */
export function nameLetters(text: string): string {
  const letters = unicodeIn(text, LETTERS_NAMED + 1);
  const names = letters.slice(0, LETTERS_NAMED).map(({ char }) => `\u2068${letterName(char)}\u2069`);
  return [...names, ...(letters.length > LETTERS_NAMED ? ["…"] : [])].join(" · ");
}
