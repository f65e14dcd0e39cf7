import type { Block, DocsPage } from "./block.ts";
import { piecesOf, plainText } from "./markdown.ts";
import { BETWEEN, sameAs, stemOf, wordsOf } from "./terms.ts";

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
function textOf(block: Block, of: (text: string) => string = plainText): string {
  switch (block.kind) {
    case "heading":
    case "text":
      return of(block.text);
    case "list":
      return block.items.map(of).join(" ");
    case "table":
      return block.rows.map((row) => row.map(of).join(" ")).join(" · ");
    case "code":
      return block.code;
    case "samples":
      return "";
  }
}

/** A text without its marks, and without whole sentences of code, which may be of another language. */
const proseOf = (text: string) =>
  piecesOf(text)
    .map((piece) => {
      if ("href" in piece) return plainText(piece.text);
      return piece.as === "code" && piece.text.includes(" ") ? "…" : piece.text;
    })
    .join("");

function excerptOf(text: string, word: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word));
  // Whole words: from the space before to the space after.
  const start = at < EXCERPT.before ? 0 : text.lastIndexOf(" ", at - EXCERPT.before) + 1;
  const space = text.indexOf(" ", at + EXCERPT.after);
  const cut = text.slice(start, space < 0 ? undefined : space);
  return `${start > 0 ? "… " : ""}${cut}${space < 0 ? "" : " …"}`;
}

/** What a word that stands there says of its page. */
const WEIGHT = { title: 10, path: 6, heading: 7, lead: 4, body: 1 } as const;

/** A guide explains, an operation is looked up: of two that fit alike, the guide goes first. */
const GUIDE = 1.5;

/** How well a word fits: the same in another form, the beginning of it, or one that means the same. */
const FITS = { form: 1, beginning: 0.5, same: 0.8 } as const;

/** A page with what it is searched by; made once for each search. */
interface Searched {
  page: DocsPage;
  text: string;
  /** The text as excerpts have it. */
  prose: string;
  fields: readonly { weight: number; stems: readonly string[]; words: readonly string[] }[];
}

/** A part of a page as it is searched. */
function field(name: keyof typeof WEIGHT, given: string) {
  const words = wordsOf(plainText(given));
  return { weight: WEIGHT[name], words, stems: words.map(stemOf) };
}

function searched(page: DocsPage): Searched {
  const headings = page.blocks.flatMap((block) => (block.kind === "heading" ? [block.text] : []));
  const text = [page.lead, ...page.blocks.map((block) => textOf(block))].filter(Boolean).join(" ");
  const said = page.blocks.filter(({ kind }) => kind !== "code").map((block) => textOf(block, proseOf));
  const prose = [page.lead, ...said].filter(Boolean).join(" ");
  const fields = [
    field("title", page.title),
    field("path", page.path),
    field("heading", headings.join(" ")),
    field("lead", page.lead),
    field("body", text),
  ];
  return { page, text, prose, fields };
}

/** How well a field fits a word; 0: not at all. */
function fitOf({ stems, words }: Searched["fields"][number], word: string): number {
  const stem = stemOf(word);
  if (stems.includes(stem) || words.includes(word)) return FITS.form;
  if (sameAs(word).some((other) => stems.includes(other))) return FITS.same;
  return words.some((one) => one.startsWith(word)) ? FITS.beginning : 0;
}

/** How well a page fits a word; null where it does not have it at all. */
function weightOf({ fields, text, page }: Searched, word: string): number | null {
  const weight = fields.reduce((sum, field) => sum + field.weight * fitOf(field, word), 0);
  const isInside = weight > 0 || `${page.title} ${page.path} ${text}`.toLowerCase().includes(word);
  if (!isInside) return null;
  const times = fields.at(-1)?.stems.filter((stem) => stem === stemOf(word)).length ?? 0;
  return (weight + Math.min(times, 10) / 10) * (page.path.startsWith("api/") ? 1 : GUIDE);
}

/** The pages that have every word of the query, or one that means the same; those that speak of it first. */
export function search(pages: readonly DocsPage[], query: string): Hit[] {
  const words = query.slice(0, QUERY_LENGTH_MAX).toLowerCase().split(BETWEEN).filter(Boolean).slice(0, WORDS_MAX);
  const [first] = words;
  if (first === undefined) return [];
  const shown = [...words, ...words.flatMap(sameAs)];
  return pages
    .flatMap((page) => {
      const one = searched(page);
      const weights = words.map((word) => weightOf(one, word));
      if (weights.includes(null)) return [];
      const weight = weights.reduce<number>((sum, each) => sum + (each ?? 0), 0);
      const prose = one.prose.toLowerCase();
      return [
        { weight, hit: { page, excerpt: excerptOf(one.prose, shown.find((word) => prose.includes(word)) ?? first) } },
      ];
    })
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ hit }) => hit);
}
