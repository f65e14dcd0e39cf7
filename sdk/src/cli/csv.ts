// Tables in text files (RFC 4180), as spreadsheets write them.

/** The delimiters that spreadsheets use, by the language of the system. */
const DELIMITERS = [",", ";", "\t"];

/** The rows of a text; null when a quoted field does not end. */
export function rowsOf(text: string, delimiter: string): string[][] | null {
  const rows: string[][] = [[]];
  // A field, and the mark after it; a quoted one may hold marks and ends of lines, and has its quotes doubled.
  const field = new RegExp(
    `("(?:[^"]|"")*"|[^"${delimiter}\\r\\n][^${delimiter}\\r\\n]*|)(${delimiter}|\\r?\\n|\\r|$)`,
    "uy",
  );
  for (let at = 0; ; at = field.lastIndex) {
    field.lastIndex = at;
    const found = field.exec(text);
    if (found === null) return null;
    const [, value = "", mark = ""] = found;
    rows.at(-1)?.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (mark === "") return rows;
    if (mark !== delimiter) rows.push([]);
  }
}

export type ColumnRead =
  { ok: true; cells: { row: number; value: string }[]; empty: number } | { ok: false; problem: string; hint?: string };

/** The values under a title, and the number of the row that each is in as a spreadsheet counts them. */
export function columnOf(text: string, title: string): ColumnRead {
  const whole = text.replace(/^\uFEFF/u, "");
  const head = whole.split(/\r?\n|\r/u, 1)[0] ?? "";
  const count = (mark: string) => head.split(mark).length;
  const delimiter = DELIMITERS.reduce((best, mark) => (count(mark) > count(best) ? mark : best));
  const rows = rowsOf(whole, delimiter);
  if (rows === null) return { ok: false, problem: "A quoted field of the file does not end, or has text after it." };
  const titles = (rows[0] ?? []).map((cell) => cell.trim());
  const at = titles.findIndex((cell) => cell.toLowerCase() === title.toLowerCase());
  if (at < 0) {
    const hint = titles.length === 0 ? "The file is empty." : `Its first line has: ${titles.join(", ")}.`;
    return { ok: false, problem: `The file has no column ${title}.`, hint };
  }
  const numbered = rows.map((row, place) => ({ row, number: place + 1 })).slice(1);
  // An empty line, such as the one that the last end of line begins, is no row.
  const people = numbered.filter(({ row }) => row.some((cell) => cell.trim() !== ""));
  const cells = people.map(({ row, number }) => ({ row: number, value: (row[at] ?? "").trim() }));
  const filled = cells.filter(({ value }) => value !== "");
  return { ok: true, cells: filled, empty: cells.length - filled.length };
}
