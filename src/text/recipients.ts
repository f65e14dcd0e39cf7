import { mobileOf, readPhone } from "./phones.ts";
import type { PhoneFault } from "./phones.ts";

// Reads Indian mobile numbers from pasted text or CSV.

/** Why a cell is not a number. */
export type FaultReason = PhoneFault | "unread";

/** Lines that are read: five for each recipient that one request may have. */
export const LINES_MAX = 50_000;

/** Columns in which numbers are looked for: more than an export of contacts has. */
const COLUMNS_MAX = 50;

interface Fault {
  /** Counted from 1, as in an editor. */
  line: number;
  /** The cell as it was written. */
  text: string;
  reason: FaultReason;
}

export interface Recipients {
  /** Ten digits each, once, in the order of their first appearance. */
  numbers: string[];
  /** How many numbers repeat an earlier one. */
  duplicates: number;
  faults: Fault[];
}

interface Row {
  line: number;
  cells: string[];
}

/**
 * A cell in quotes that end where the cell ends (RFC 4180), or everything up to the next separator. A tab is a
 * separator, so the whitespace around the quotes excludes it.
 */
const CELL = /[^\S\n\t]*"([^"]*(?:""[^"]*)*)"[^\S\n\t]*(?=[,;\t\n]|$)|[^,;\t\n]*/y;

/** The rows with something in them, and the line at which the reading ended, or null where it read everything. */
function rowsOf(source: string): { rows: Row[]; unread: number | null } {
  const text = source.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  const rows: Row[] = [];
  let line = 1;
  let row: Row = { line, cells: [] };
  for (CELL.lastIndex = 0; ;) {
    const found = CELL.exec(text);
    const end = CELL.lastIndex;
    const quoted = found?.[1];
    row.cells.push((quoted?.replaceAll('""', '"') ?? found?.[0] ?? "").trim());
    line += (quoted?.split("\n").length ?? 1) - 1;
    if (end >= text.length || text[end] === "\n") {
      if (row.cells.some((cell) => cell !== "")) rows.push(row);
      line += 1;
      row = { line, cells: [] };
    }
    if (end >= text.length) return { rows, unread: null };
    if (line > LINES_MAX) return { rows, unread: text.slice(end).trim() === "" ? null : line };
    CELL.lastIndex = end + 1;
  }
}

/** Names of the column of numbers; the second pattern is used only when no column matches the first. */
const HEADERS = [/phone|mobile|msisdn|whatsapp|फ़ोन|फोन|मोबाइल/iu, /^(?:numbers?|contacts?|recipients?|to|नंबर)$/iu];

function headerOf(cells: string[] = []): number {
  if (cells.some((cell) => mobileOf(cell) !== null)) return -1;
  const places = HEADERS.map((name) => cells.findIndex((cell) => name.test(cell)));
  return places.find((place) => place >= 0) ?? -1;
}

/** Whether a cell next to a number is words, and not a mistyped number. */
const isWords = (cell: string) => /\p{L}/u.test(cell) && cell.replace(/\D/g, "").length < 5;

/**
 * The column of numbers in a table without a header: the first in which at least half of the filled cells are numbers.
 * Each cell is looked at once, so that a table of many columns costs no more than a list of the same length.
 */
function columnOf(rows: Row[]): number {
  const filled: number[] = Array.from({ length: COLUMNS_MAX }, () => 0);
  const good = filled.slice();
  for (const { cells } of rows) {
    for (const [column, cell] of cells.slice(0, COLUMNS_MAX).entries()) {
      if (cell === "") continue;
      filled[column] = (filled[column] ?? 0) + 1;
      if (mobileOf(cell) !== null) good[column] = (good[column] ?? 0) + 1;
    }
  }
  return good.findIndex((count, column) => count > 0 && count * 2 >= (filled[column] ?? 0));
}

/** Cells that should be numbers: one column of a table, or every cell of a list. */
function candidates(rows: Row[]): Row[] {
  const header = headerOf(rows[0]?.cells);
  const table = rows.some(({ cells }) => cells.filter(Boolean).length > 1 && cells.some(isWords));
  const column = header >= 0 ? header : table ? columnOf(rows) : -1;
  if (column < 0) return rows.map(({ line, cells }) => ({ line, cells: cells.filter((cell) => cell !== "") }));
  return rows.slice(header >= 0 ? 1 : 0).map(({ line, cells }) => ({ line, cells: [cells[column] ?? ""] }));
}

/** The numbers in a cell: one, or several with spaces between them; or why it is none. */
function numbersIn(cell: string): string[] | FaultReason {
  const whole = readPhone(cell, "mobile");
  if (whole.ok) return [whole.number.slice(3)];
  const parts = cell.split(/\s+/).map(mobileOf);
  const good = parts.filter((part) => part !== null);
  return good.length < parts.length ? whole.fault : good;
}

/**
 * Reads a list or a table of Indian mobiles. Never throws: each cell that is not a number is a fault with its line. Of a
 * list of more than LINES_MAX lines, the first fault is `unread`, and the lines after them were not read.
 */
export function readRecipients(text: string): Recipients {
  const numbers = new Set<string>();
  const { rows, unread } = rowsOf(text);
  const faults: Fault[] = unread === null ? [] : [{ line: unread, text: "", reason: "unread" }];
  let found = 0;
  for (const { line, cells } of candidates(rows)) {
    for (const cell of cells) {
      const good = numbersIn(cell);
      if (typeof good === "string") {
        faults.push({ line, text: cell, reason: good });
        continue;
      }
      found += good.length;
      for (const number of good) numbers.add(number);
    }
  }
  return { numbers: [...numbers], duplicates: found - numbers.size, faults };
}
