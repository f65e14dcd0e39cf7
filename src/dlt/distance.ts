import type { Part } from "./template.ts";

// How far a text is from a template: the fewest characters to change, put in or leave out, variables being free
// (contract §17.2). Each fixed character of the template is one row of the usual table; a variable lets the text go on at
// no cost, which is a running minimum.

/** The steps of a template: the number of each fixed character, or VARIABLE. */
export type Steps = Int32Array;

/** The step of a variable. */
export const VARIABLE = -1;

/** A character as a number, which is compared faster: its code point, or its place in an alphabet. */
export type NumberOf = (char: string) => number;

const codePointOf: NumberOf = (char) => char.codePointAt(0) ?? 0;

/** A text as numbers. */
export const numbersOf = (chars: readonly string[], numberOf = codePointOf): Int32Array =>
  Int32Array.from(chars, numberOf);

/** The steps of a template. */
export const stepsOf = (parts: readonly Part[], numberOf = codePointOf): Steps =>
  Int32Array.from(parts.flatMap((part) => ("text" in part ? part.text.map(numberOf) : [VARIABLE])));

/** The next row: costs up to each place of the text, after one more step; `next` is overwritten. */
function advance(step: number, chars: Int32Array, row: Uint16Array, next: Uint16Array): void {
  if (step === VARIABLE) {
    let least = 0xffff;
    for (let at = 0; at < row.length; at += 1) {
      least = Math.min(least, row[at] ?? 0);
      next[at] = least;
    }
    return;
  }
  for (let at = 0; at < row.length; at += 1) {
    let cost = (row[at] ?? 0) + 1;
    if (at > 0) {
      const changed = (row[at - 1] ?? 0) + (chars[at - 1] === step ? 0 : 1);
      cost = Math.min(cost, changed, (next[at - 1] ?? 0) + 1);
    }
    next[at] = cost;
  }
}

const firstRow = (length: number) => Uint16Array.from({ length: length + 1 }, (_, at) => at);

/** Where a text departs from a template. */
export interface Departure {
  /** The place in the text, from 0. */
  at: number;
  /** The place in the template's steps. */
  step: number;
}

/**
 * The first character to change, put in or leave out, of the cheapest way to make the template of the text; of equal ways
 * the one that goes right the longest. Null where there is none.
 */
export function departure(steps: Steps, chars: Int32Array): Departure | null {
  const length = chars.length;
  // From the ends: the cost of making the rest of the template of the rest of the text.
  const back = chars.toReversed();
  const rows = [firstRow(length)];
  for (const step of steps.toReversed()) {
    const row = new Uint16Array(length + 1);
    advance(step, back, rows.at(-1) ?? row, row);
    rows.push(row);
  }
  const costOf = (step: number, at: number) => rows[steps.length - step]?.[length - at] ?? 0;
  const total = costOf(0, 0);
  if (total === 0) return null;
  // Every state that is reached without a change on a cheapest way: each has a cost of `total`.
  let reached = new Uint8Array(length + 1);
  reached[0] = 1;
  let found: Departure = { at: 0, step: 0 };
  for (let nth = 0; nth <= steps.length; nth += 1) {
    const step = steps[nth];
    const next = new Uint8Array(length + 1);
    let isBehind = false;
    for (let at = 0; at <= length; at += 1) {
      isBehind ||= reached[at] === 1;
      if (reached[at] === 1 && at >= found.at) found = { at, step: nth };
      if (step === VARIABLE) {
        // A variable goes on from the first place that is reached to each one behind it.
        if (isBehind && costOf(nth + 1, at) === total) next[at] = 1;
      } else if (reached[at] === 1 && chars[at] === step && costOf(nth + 1, at + 1) === total) next[at + 1] = 1;
    }
    reached = next;
  }
  return found;
}
