// What the program writes: JSON for programs, aligned text for people.

/** Where it writes to, and in which form. */
export interface OutputOptions {
  json: boolean;
  color: boolean;
  /** Columns of the terminal. */
  width: number;
  write: (text: string) => void;
}

const COLORS = { dim: 2, bold: 1, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Color = keyof typeof COLORS;

/** A column of a table. */
export interface Column<Row> {
  title: string;
  of: (row: Row) => string;
  color?: (row: Row) => Color | undefined;
  right?: true;
  /** Left out first where the terminal is narrow. */
  spare?: true;
  /** Never cut: it is to be copied. */
  whole?: true;
}

/** The gap between two columns, and the least width to which the last one is cut. */
const [GAP, LAST_MIN] = ["  ", 12];

const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

// Emoji, and the scripts whose letters fill two cells of a terminal.
const WIDE = /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60]/u;

/** Marks that stand above, below or within a letter; those beside it, as in Devanagari, fill a cell. */
const NARROW = /\p{Mn}|\p{Me}|\p{Cf}/u;

/** How many cells of a terminal a text fills, or at most fills. */
export function cells(text: string): number {
  let count = 0;
  for (const letter of text) count += WIDE.test(letter) ? 2 : NARROW.test(letter) ? 0 : 1;
  return count;
}

/** A text of at most so many cells. */
export function cut(text: string, width: number): string {
  if (cells(text) <= width) return text;
  let [kept, used] = ["", 0];
  for (const { segment } of letters.segment(text)) {
    used += cells(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** A text of one line that no terminal takes for a command: a message may hold any character. */
export const plain = (text: string | number | null | undefined): string =>
  String(text ?? "").replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, " ");

const pad = (text: string, width: number, right?: boolean) => {
  const gap = " ".repeat(Math.max(0, width - cells(text)));
  return right ? gap + text : text + gap;
};

/** Words on lines of at most so many cells, each begun with `indent`. */
export function wrapped(text: string, width: number, indent = ""): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && cells(last) + 1 + cells(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(indent + word);
  }
  return lines.join("\n");
}

export class Output {
  readonly json: boolean;
  readonly width: number;
  readonly #options: OutputOptions;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.json = options.json;
    this.width = options.width;
  }

  /** One result: an object on one line for programs, or this text for people. */
  show(data: object, text: string | (() => string)): void {
    if (this.json) return this.text(JSON.stringify(data));
    this.text(typeof text === "string" ? text : text());
  }

  /** Lines as they are, in both forms. */
  text(text: string): void {
    this.#options.write(`${text}\n`);
  }

  /** A text in a colour, where there are colours. */
  paint(color: Color | undefined, text: string): string {
    return this.#options.color && color !== undefined ? `\u001B[${COLORS[color]}m${text}\u001B[0m` : text;
  }

  /** Lines of which each begins with a name. */
  facts(pairs: readonly (readonly [name: string, value: string | undefined])[]): string {
    const known = pairs.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== "");
    const width = Math.max(...known.map(([name]) => name.length)) + GAP.length;
    return known
      .map(([name, value]) => {
        const text = wrapped(plain(value), this.width, " ".repeat(width)).slice(width);
        return this.paint("dim", pad(name, width)) + text;
      })
      .join("\n");
  }

  /** Rows under titles, within the terminal's width: spare columns are left out, and the last one is cut. */
  table<Row>(all: readonly Column<Row>[], rows: readonly Row[]): string {
    let columns = all;
    let widths = widthsOf(columns, rows);
    while (sumOf(widths) > this.width && columns.some(({ spare }) => spare)) {
      const dropped = columns.findLastIndex(({ spare }) => spare);
      columns = columns.filter((_column, at) => at !== dropped);
      widths = widthsOf(columns, rows);
    }
    const last = columns.length - 1;
    const lastWidth = Math.max(LAST_MIN, this.width - sumOf([...widths.slice(0, last), 0]));
    const cellOf = (text: string, at: number) => {
      const { right, whole } = columns[at] ?? {};
      if (at === last && !right) return whole ? text : cut(text, lastWidth);
      return pad(text, widths[at] ?? 0, right);
    };
    const titles = columns.map(({ title }, at) => cellOf(title, at)).join(GAP);
    const lines = rows.map((row) =>
      columns.map(({ of, color }, at) => this.paint(color?.(row), cellOf(plain(of(row)), at))).join(GAP),
    );
    return [this.paint("dim", titles), ...lines].map((line) => line.trimEnd()).join("\n");
  }
}

/** The width of each column, as its title and its rows fill it. */
function widthsOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): number[] {
  return columns.map(({ title, of }) => Math.max(title.length, ...rows.map((row) => cells(plain(of(row))))));
}

/** The width of columns side by side. */
const sumOf = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);

const two = (number: number) => String(number).padStart(2, "0");

/** An ISO time as people here read it: `2026-11-22 16:07:31` of this machine's zone. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return plain(iso);
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** The colour of a message's state. */
export function stateColor(state: string): Color | undefined {
  if (state === "delivered") return "green";
  if (["undelivered", "failed"].includes(state)) return "red";
  return ["unconfirmed", "unknown", "cancelled"].includes(state) ? "yellow" : undefined;
}
