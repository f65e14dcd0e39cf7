import { comparable } from "./template.ts";
import { rowsOf } from "./csv.ts";
import { faultOfTemplate } from "./rules.ts";
import type { Category, Header, RegisteredTemplate } from "./rules.ts";

// Templates as the operators' portals export them, as CSV (contract §17.3): the columns have other names in each, and a
// spreadsheet may have been at them.

/** What one kind of column may be called; case, spaces, `_` and `-` do not matter. */
const NAMES = {
  id: ["Template ID", "DLT Template ID", "DLT ID", "Content Template ID"],
  text: ["Template Content", "Template Message", "Content", "Message"],
  headers: ["Header", "Headers", "Sender ID"],
  category: ["Template Type", "Communication Type", "Category", "Type"],
  status: ["Status", "Template Status"],
} as const;

type Column = keyof typeof NAMES;

const plain = (name: string) => name.toLowerCase().replaceAll(/[\s_-]/gu, "");

const CATEGORY_WORDS: Readonly<Record<string, Category>> = {
  transactional: "transactional",
  serviceimplicit: "service_implicit",
  serviceexplicit: "service_explicit",
  promotional: "promotional",
  otp: "otp",
  si: "service_implicit",
  se: "service_explicit",
};

/**
 * Rows that a file may have below its first: five times what a registry holds. Each row that is wrong is answered with a
 * sentence, and a file of 5 MiB could have millions.
 */
const ROWS_MAX = 50_000;

const LIVE = ["approved", "registered", "active"];

/** What an id becomes in a spreadsheet: the digits are lost. */
const ROUNDED = /^\d(?:[.,]\d+)?e\+?\d+$/iu;

export interface ImportError {
  line: number;
  column: string;
  error: string;
}

/** What a file has: rows that are templates, rows that were left out, and rows that are wrong. */
export interface Imported {
  templates: RegisteredTemplate[];
  skipped: { line: number; reason: string }[];
  errors: ImportError[];
}

/** Where each column is, by the first row; or the sentence that says which one is missing. */
function columnsOf(cells: readonly string[]): Partial<Record<Column, number>> | { missing: string } {
  const given = cells.map(plain);
  const found: Partial<Record<Column, number>> = {};
  for (const column of Object.keys(NAMES) as Column[]) {
    const places = NAMES[column].map((name) => given.indexOf(plain(name))).filter((at) => at !== -1);
    if (places[0] !== undefined) found[column] = places[0];
  }
  for (const column of ["id", "text", "headers"] as const) {
    if (found[column] === undefined) return { missing: `The file has no column ${NAMES[column].join(" or ")}.` };
  }
  return found;
}

/** The category of a row; undefined where its word is none. */
function categoryOf(word: string): Category | undefined {
  return word.trim() === "" ? "service_implicit" : CATEGORY_WORDS[plain(word)];
}

const isLive = (status: string) => status.trim() === "" || LIVE.some((word) => plain(status).startsWith(word));

/**
 * Reads a file. Good rows are taken though others are wrong; without an id, text or header column there are none, and of
 * a file with too many rows none is taken.
 */
export function readTemplates(file: string): Imported | { missing: string } | { tooMany: string } {
  const rows = rowsOf(file);
  const first = rows.next();
  const columns = columnsOf(first.done ? [] : first.value.cells);
  if ("missing" in columns) return columns;
  const found: Imported = { templates: [], skipped: [], errors: [] };
  const seen = new Map<string, number>();
  let count = 0;
  for (const { line, cells } of rows) {
    count += 1;
    if (count > ROWS_MAX) return { tooMany: `The file has more than ${ROWS_MAX.toLocaleString("en-US")} rows.` };
    const cell = (column: Column) => (columns[column] === undefined ? "" : (cells[columns[column]] ?? ""));
    const wrong = (column: Column, error: string) => found.errors.push({ line, column: NAMES[column][0], error });
    if (!isLive(cell("status"))) {
      found.skipped.push({ line, reason: `Its status is ${cell("status").trim()}.` });
      continue;
    }
    const templateId = cell("id").trim().replace(/^'/u, "");
    const category = categoryOf(cell("category"));
    const text = comparable(cell("text").replaceAll(/<br\s*\/?>/giu, "\n"));
    const headers = [
      ...new Set(
        cell("headers")
          .split(/[,;|]/u)
          .map((one) => one.trim()),
      ),
    ].filter((one) => one !== "");
    if (ROUNDED.test(templateId)) {
      wrong("id", `${templateId} is what a spreadsheet made of the id; export it again, or format the column as text.`);
      continue;
    }
    const earlier = seen.get(templateId);
    if (earlier !== undefined) {
      wrong("id", `The id stands on line ${earlier} already.`);
      continue;
    }
    if (!category) {
      wrong("category", `${cell("category").trim()} is no category.`);
      continue;
    }
    const template = { templateId, headers, category, text };
    const fault = faultOfTemplate(template);
    if (fault) {
      wrong(fault.field, fault.error);
      continue;
    }
    seen.set(templateId, line);
    found.templates.push(template);
  }
  return found;
}

/** The headers that these templates need beside those that are registered, each with its first template's category. */
export function newHeaders(templates: readonly RegisteredTemplate[], known: readonly Header[]): Header[] {
  const names = new Set(known.map(({ header }) => header));
  const added: Header[] = [];
  for (const { headers, category } of templates) {
    for (const header of headers) {
      if (names.has(header)) continue;
      names.add(header);
      added.push({ header, category });
    }
  }
  return added;
}
