import type { EntryType, LineKind, Totals } from "../model/archive.ts";

// A file of the archive has one line for each row, in the order of their numbers, and no number is left out.

/** A line: a row of one of the account's tables, as it was stored, without the text. */
export interface Line {
  kind: LineKind;
  row: Readonly<Record<string, string | number | null>>;
}

/** The line as it is written. */
export const writeLine = ({ kind, row }: Line): string => `${JSON.stringify({ kind, row })}\n`;

/** The inverse of `writeLine`; throws for what is no line, without a word of it: it may contain numbers. */
export function readLine(text: string): Line {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Error("a line that is no JSON");
  }
  const { kind, row } = parsed as Partial<Line>;
  if ((kind !== "job" && kind !== "ledger_entry") || typeof row !== "object") throw new Error("a line of no kind");
  return { kind, row };
}

const numberIn = ({ row }: Line, column: string): number => {
  const value = row[column];
  if (typeof value !== "number") throw new Error(`the column ${column} of a line is no number`);
  return value;
};

/** What a line adds to the ledger; null for a job that is no debit. */
function entryOf(line: Line): { type: EntryType; amount: number } | null {
  if (line.kind === "job") {
    return line.row["debit"] === null ? null : { type: "debit", amount: 0 - numberIn(line, "debit") };
  }
  const { type } = line.row;
  if (type !== "refund" && type !== "credit" && type !== "adjustment") throw new Error("a line of no type");
  return { type, amount: numberIn(line, "amount") };
}

/** Adds lines up, and checks that each continues the one before it. */
export class Tally {
  #totals: Totals;

  /** `after`: the last number before the first line, and the balance there, in units. */
  constructor(after: { seq: number; balance: number }) {
    this.#totals = {
      first: after.seq + 1,
      last: after.seq,
      lines: { job: 0, ledger_entry: 0 },
      units: { debit: 0, refund: 0, credit: 0, adjustment: 0 },
      balanceBefore: after.balance,
      balanceAfter: after.balance,
    };
  }

  /** Adds a line; throws where a number is missing, or the balance is not the one before and the amount. */
  add(line: Line): void {
    const totals = this.#totals;
    const seq = numberIn(line, "seq");
    if (seq !== totals.last + 1) throw new Error(`line ${seq} follows line ${totals.last}`);
    const entry = entryOf(line);
    const balance = totals.balanceAfter + (entry?.amount ?? 0);
    if (balance !== numberIn(line, "balance_after")) throw new Error(`line ${seq} does not continue the balance`);
    totals.last = seq;
    totals.balanceAfter = balance;
    totals.lines[line.kind] += 1;
    if (entry) totals.units[entry.type] += entry.amount;
  }

  /** What the lines so far add up to. */
  get totals(): Totals {
    return structuredClone(this.#totals);
  }
}
