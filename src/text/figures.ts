import { codePoints } from "./code-points.ts";
import { countSegments, isGsm, plainText } from "./segments.ts";
import type { Encoding } from "./segments.ts";

// What a text costs in SMS, and which of its characters make it cost more (contract §13).

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

export interface TextFigures {
  encoding: Encoding;
  /** Code points. */
  characters: number;
  segments: number;
  /** Code points that fit in beside these; below 0 for a text that is too long. */
  left: number;
  /** Each once, in the order of their first places. */
  unicode: UnicodeCharacter[];
  /** Segments of the text with every character replaced for which GSM-7 has another. */
  segmentsIfReplaced: number;
}

/** The characters, each once, that make a text UCS-2, with their first places and replacements; at most `max` of them. */
export function unicodeIn(text: string, max: number): UnicodeCharacter[] {
  const found = new Map<string, UnicodeCharacter>();
  let at = -1;
  for (const char of text) {
    at += 1;
    if (isGsm(char) || found.has(char)) continue;
    if (found.size >= max) break;
    const codePoint = `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
    const instead = plainText(char);
    found.set(char, { char, codePoint, at, ...(instead !== char && { instead }) });
  }
  return [...found.values()];
}

/**
 * The figures of a text that may have `max` characters. Of a longer one, which is never sent, no more than `max`
 * characters are listed.
 */
export function figuresOf(text: string, max: number): TextFigures {
  const { encoding, segments } = countSegments(text);
  const characters = codePoints(text);
  const unicode = encoding === "GSM-7" ? [] : unicodeIn(text, max);
  const segmentsIfReplaced = encoding === "GSM-7" ? segments : countSegments(plainText(text)).segments;
  return { encoding, characters, segments, left: max - characters, unicode, segmentsIfReplaced };
}
