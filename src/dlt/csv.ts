// Reads CSV as portals and spreadsheets write it (RFC 4180): commas, semicolons or tabs, quotes, any line end.

/** A row, and the line of the file on which it begins, from 1. */
export interface Row {
  line: number;
  cells: string[];
}

const SEPARATORS = [",", ";", "\t"] as const;

/** Cells that are kept of a row: no portal has so many columns, and a file may be nothing but separators. */
const CELLS_MAX = 500;

/** The separator of a file: the one that its first line has most of, outside of quotes. */
function separatorOf(text: string): string {
  const counts = SEPARATORS.map(() => 0);
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (char === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (char === "\n" || char === "\r") break;
    const nth = SEPARATORS.findIndex((one) => one === char);
    if (nth !== -1) counts[nth] = (counts[nth] ?? 0) + 1;
  }
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** One cell from `at` on: its text, and the place behind it. A quote that nothing closes ends with the file. */
function cellAt(text: string, at: number, separator: string): { cell: string; end: number } {
  if (text[at] !== '"') {
    let end = at;
    while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end += 1;
    return { cell: text.slice(at, end), end };
  }
  let cell = "";
  let from = at + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return { cell: cell + text.slice(from), end: text.length };
    cell += text.slice(from, quote);
    if (text[quote + 1] !== '"') {
      // What a broken writer puts behind the closing quote belongs to the cell.
      const rest = cellAt(text, quote + 1, separator);
      return text[quote + 1] === undefined ? { cell, end: quote + 1 } : { cell: cell + rest.cell, end: rest.end };
    }
    cell += '"';
    from = quote + 2;
  }
}

const linesIn = (text: string) => text.split(/\r\n|\r|\n/u).length - 1;

/** The rows of a file, with or without a byte order mark; lines with nothing on them are none. */
export function* rowsOf(file: string): Generator<Row> {
  const text = file.replace(/^\uFEFF/u, "");
  const separator = separatorOf(text);
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const begin = at;
    const cells: string[] = [];
    for (;;) {
      const { cell, end } = cellAt(text, at, separator);
      if (cells.length < CELLS_MAX) cells.push(cell);
      at = end;
      if (text[at] !== separator) break;
      at += 1;
    }
    if (text[at] === "\r" && text[at + 1] === "\n") at += 1;
    at += 1;
    if (cells.length > 1 || cells[0]?.trim() !== "") yield { line, cells };
    line += linesIn(text.slice(begin, at));
  }
}
