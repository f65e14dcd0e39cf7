import { codePoints } from "./code-points.ts";
import { countSegments } from "./segments.ts";
import type { Encoding } from "./segments.ts";
import { plainText, unicodeIn } from "./unicode.ts";
import type { UnicodeCharacter } from "./unicode.ts";

// What a text costs in SMS, and which of its characters make it cost more (contract §13).

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
