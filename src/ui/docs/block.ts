import type { Language } from "../../samples/sample.ts";

// A page of the documentation is a list of blocks. One function shows them as HTML (blocks.tsx), one as Markdown
// (markdown.ts), so that a page and its twin say the same.

/** Text with `code`, **strong** and [links](/docs) in it. */
export type Inline = string;

/** What is English in every language is marked, for screen readers and fonts. */
type English = { english?: boolean };

export type Block =
  | ({ kind: "heading"; level: 2 | 3; text: Inline; id: string } & English)
  | ({ kind: "text"; text: Inline } & English)
  | ({ kind: "list"; ordered: boolean; items: readonly Inline[] } & English)
  /** `english` speaks of the cells, never of the head. */
  | ({ kind: "table"; head: readonly Inline[]; rows: readonly (readonly Inline[])[] } & English)
  | { kind: "code"; language: string; code: string }
  /** The same program in several languages; `id` is unique on the page. */
  | { kind: "samples"; id: string; samples: readonly { language: Language; code: string }[] };

/** A page of the documentation, with everything that depends on its reader filled in. */
export interface DocsPage {
  /** The path below /docs, without a slash at the start; empty for the first page. */
  path: string;
  title: string;
  lead: string;
  /** Whether title and lead are English in every language. */
  english?: boolean;
  blocks: readonly Block[];
}
