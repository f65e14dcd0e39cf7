import type { DltSample } from "../model/carrier/dlt.ts";
import { comparable } from "./template.ts";

// Templates made from texts that were sent: texts of as many words, of which most are the same, are one template, in which
// each word that differs is a variable. That is a proposal: what a variable may be is the account's to say.

/** The share of words that must be the same. */
const SAME_SHARE = 0.6;
const VARIABLE = "{#var#}";

interface Group {
  /** The words and the white space between them; null where texts differ. */
  words: (string | null)[];
  count: number;
}

const wordsOf = (text: string) => comparable(text).split(/(\s+)/u);

/** The words of both; null where they differ, or where too few are the same. */
function merged({ words }: Group, other: readonly string[]): (string | null)[] | null {
  if (words.length !== other.length) return null;
  // White space stands at each second place, and must be the same.
  if (words.some((word, at) => at % 2 === 1 && word !== other[at])) return null;
  const both = words.map((word, at) => (word === other[at] ? word : null));
  const count = (words.length + 1) / 2;
  const same = both.filter((word, at) => at % 2 === 0 && word !== null).length;
  return same > 0 && same >= count * SAME_SHARE ? both : null;
}

/** The texts that were sent at least twice, alike but for some words: the most frequent first, at most `max`. */
export function samplesOf(texts: readonly string[], max: number): DltSample[] {
  const groups: Group[] = [];
  for (const text of texts) {
    const words = wordsOf(text);
    const found = groups.find((group) => {
      const both = merged(group, words);
      if (both) Object.assign(group, { words: both, count: group.count + 1 });
      return both !== null;
    });
    if (!found) groups.push({ words, count: 1 });
  }
  return groups
    .filter(({ count }) => count > 1)
    .toSorted((one, other) => other.count - one.count)
    .slice(0, max)
    .map(({ words, count }) => ({ text: words.map((word) => word ?? VARIABLE).join(""), count }));
}
