import type { Block, DocsPage } from "./block.ts";
import { plainText } from "./markdown.ts";

// Search over the pages of the documentation. They are few, so each search reads them all.

/** A page with the words that were looked for. */
export interface Hit {
  page: DocsPage;
  /** The text around the first word found. */
  excerpt: string;
}

/** The longest query in characters; more is cut off. */
export const QUERY_LENGTH_MAX = 100;

/** Words that are looked for; more do not narrow a search of so few pages. */
const WORDS_MAX = 6;

/** Characters of an excerpt before and after the word. */
const EXCERPT = { before: 60, after: 120 };

/** What a block says; samples are left out: every one has the same words. */
function textOf(block: Block): string {
  switch (block.kind) {
    case "heading":
    case "text":
      return plainText(block.text);
    case "list":
      return block.items.map(plainText).join(" ");
    case "table":
      return block.rows.map((row) => row.map(plainText).join(" ")).join(" · ");
    case "code":
      return block.code;
    case "samples":
      return "";
  }
}

function excerptOf(text: string, word: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word));
  // Whole words: from the space before to the space after.
  const start = at < EXCERPT.before ? 0 : text.lastIndexOf(" ", at - EXCERPT.before) + 1;
  const space = text.indexOf(" ", at + EXCERPT.after);
  const cut = text.slice(start, space < 0 ? undefined : space);
  return `${start > 0 ? "… " : ""}${cut}${space < 0 ? "" : " …"}`;
}

/** The pages that have every word of the query, those with a word in their title first. */
export function search(pages: readonly DocsPage[], query: string): Hit[] {
  const words = query.slice(0, QUERY_LENGTH_MAX).toLowerCase().split(/\s+/u).filter(Boolean).slice(0, WORDS_MAX);
  const [first] = words;
  if (first === undefined) return [];
  return pages
    .flatMap((page) => {
      const title = page.title.toLowerCase();
      const headings = page.blocks.flatMap((block) => (block.kind === "heading" ? [block.text.toLowerCase()] : []));
      const text = [page.lead, ...page.blocks.map(textOf)].filter(Boolean).join(" ");
      const all = `${title} ${page.path.toLowerCase()} ${text.toLowerCase()}`;
      if (!words.every((word) => all.includes(word))) return [];
      const weight = words.reduce(
        (sum, word) => sum + (title.includes(word) ? 4 : 0) + (headings.some((one) => one.includes(word)) ? 2 : 0),
        0,
      );
      return [
        {
          weight,
          hit: { page, excerpt: excerptOf(text, words.find((word) => text.toLowerCase().includes(word)) ?? first) },
        },
      ];
    })
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ hit }) => hit);
}
