import { LANGUAGES } from "../../samples/sample.ts";
import type { Block, DocsPage, Inline } from "./block.ts";

// Markdown of the documentation: the part of CommonMark that its texts are written in, read and written. Headings with an
// optional {#anchor}, paragraphs, lists of one level, tables, fenced code, and lines such as `@sample sendSms`, which
// stand for blocks that are made.

/** A heading's anchor: its Latin words; the same in both languages only where the text names it. */
function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/gu, "-")
    .replaceAll(/^-|-$/gu, "");
}

const cellsOf = (line: string): string[] =>
  line
    .replaceAll(/^\||\|$/gu, "")
    .split("|")
    .map((cell) => cell.trim());

const isTable = (line: string) => line.startsWith("|");
const LIST_ITEM = /^(?:-|\d+\.) +/u;

/** The lines from `from` on for which `belongs` holds. */
function run(lines: readonly string[], from: number, belongs: (line: string) => boolean): string[] {
  const end = lines.findIndex((line, at) => at >= from && !belongs(line));
  return lines.slice(from, end < 0 ? lines.length : end);
}

function listOf(taken: readonly string[]): Block {
  const items: string[] = [];
  for (const line of taken) {
    if (LIST_ITEM.test(line)) items.push(line.replace(LIST_ITEM, ""));
    else items.push(`${items.pop() ?? ""} ${line.trim()}`);
  }
  return { kind: "list", ordered: /^\d/u.test(taken[0] ?? ""), items };
}

function headingOf(line: string): Block {
  const [, marks = "", text = "", id] = /^(#+) (.*?)(?: \{#([\w-]+)\})?$/u.exec(line) ?? [];
  return { kind: "heading", level: marks.length === 2 ? 2 : 3, text, id: id ?? anchorOf(text) };
}

/** The blocks of a text; `made` gives those that a line such as `@sample sendSms` stands for. */
export function blocksOf(markdown: string, made: (name: string, argument: string) => readonly Block[]): Block[] {
  const lines = markdown.split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    let taken = [line];
    const [, name, argument = ""] = /^@([a-z-]+) ?(.*)$/u.exec(line) ?? [];
    if (name !== undefined) blocks.push(...made(name, argument));
    else if (line.startsWith("```")) {
      const code = run(lines, at + 1, (inside) => inside !== "```");
      taken = [line, ...code, "```"];
      blocks.push({ kind: "code", language: line.slice(3), code: code.join("\n") });
    } else if (line.startsWith("#")) blocks.push(headingOf(line));
    else if (isTable(line)) {
      taken = run(lines, at, isTable);
      const [head = [], , ...rows] = taken.map(cellsOf);
      blocks.push({ kind: "table", head, rows });
    } else if (LIST_ITEM.test(line)) {
      taken = run(lines, at, (inside) => LIST_ITEM.test(inside) || inside.startsWith("  "));
      blocks.push(listOf(taken));
    } else if (line !== "") {
      taken = run(lines, at, (inside) => inside !== "" && !/^(?:[#@|]|```)/u.test(inside) && !LIST_ITEM.test(inside));
      blocks.push({ kind: "text", text: taken.join(" ") });
    }
    at += taken.length;
  }
  return blocks;
}

/** A piece of a text: code, strong, a link whose label may have code in it, or nothing of these. */
export type Piece = { text: string; as?: "code" | "strong" } | { text: string; href: string };

const PIECES = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)/gu;

/** The pieces of a text, in their order. */
export function piecesOf(text: Inline): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const found of text.matchAll(PIECES)) {
    const [whole, code, strong, label, href] = found;
    if (found.index > end) pieces.push({ text: text.slice(end, found.index) });
    if (code !== undefined) pieces.push({ text: code, as: "code" });
    else if (strong !== undefined) pieces.push({ text: strong, as: "strong" });
    else pieces.push({ text: label ?? "", href: href ?? "" });
    end = found.index + whole.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

const cell = (text: string) => text.replaceAll("|", String.raw`\|`);
const row = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
const fence = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``;

function markdownOf(block: Block): string {
  switch (block.kind) {
    case "heading":
      return `${"#".repeat(block.level)} ${block.text}`;
    case "text":
      return block.text;
    case "list":
      return block.items.map((item, at) => `${block.ordered ? `${at + 1}.` : "-"} ${item}`).join("\n");
    case "table":
      return [row(block.head), row(block.head.map(() => "---")), ...block.rows.map(row)].join("\n");
    case "code":
      return fence(block.language, block.code);
    case "samples":
      return block.samples
        .map(({ language, code }) => `${LANGUAGES[language].title}:\n\n${fence(LANGUAGES[language].fence, code)}`)
        .join("\n\n");
  }
}

/** Links of a page as addresses of twins: a reader of Markdown follows them to Markdown. */
const linkedTo = (text: string, console: string) =>
  text.replaceAll(/\]\((\/[^)#]*)(#[^)]*)?\)/gu, (_link, path: string, anchor: string = "") => {
    const twin = path === "/docs" || path.startsWith("/docs/") ? `${path}.md` : path;
    return `](${console}${twin}${anchor})`;
  });

/** A text without its marks. */
export const plainText = (text: Inline): string =>
  piecesOf(text)
    .map((piece) => ("href" in piece ? plainText(piece.text) : piece.text))
    .join("");

/** A page as Markdown, without the line about other pages. `console` is the console's base address. */
export function pageMarkdown({ title, lead, blocks }: DocsPage, console: string): string {
  return linkedTo([`# ${title}`, lead, ...blocks.map(markdownOf)].filter((part) => part !== "").join("\n\n"), console);
}
