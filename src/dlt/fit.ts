import { leastOf, mostOf } from "./template.ts";
import type { Part, Tag, Variable } from "./template.ts";

// Whether a text fits a template, and where it first departs from it, as sets of places in the text: after each part of
// the template, the places up to which the text may have been used. That takes time linear in the text for each part,
// whatever stands in it: no expression that backtracks.

/** Places in a text, from 0 to its length: 1 where the text can be used up to there. */
type Places = Uint8Array;

/** How strictly a variable's value is judged. */
type Rule = "strict" | "any_length" | "free";

const START: (length: number) => Places = (length) => {
  const places = new Uint8Array(length + 1);
  places[0] = 1;
  return places;
};

/** The places behind a fixed text that stands at one of `from`. */
function behindText(text: readonly string[], chars: readonly string[], from: Places): Places {
  const to = new Uint8Array(from.length);
  for (let at = 0; at + text.length <= chars.length; at += 1) {
    if (from[at] === 1 && text.every((char, nth) => chars[at + nth] === char)) to[at + text.length] = 1;
  }
  return to;
}

/** The places behind a value of which each character is right and the length is between `least` and `most`. */
function behindRun(
  allows: (char: string) => boolean,
  [least, most]: readonly [number, number],
  chars: readonly string[],
  from: Places,
): Places {
  const to = new Uint8Array(from.length);
  // How many of `from` are before each place: what begins between two places is then a difference.
  const before = new Uint32Array(from.length + 1);
  for (let at = 0; at < from.length; at += 1) before[at + 1] = (before[at] ?? 0) + (from[at] ?? 0);
  let run = 0;
  for (let at = 0; at < from.length; at += 1) {
    if (at > 0 && !allows(chars[at - 1] ?? "")) run = at;
    const [first, last] = [Math.max(run, at - most), at - least];
    if (last >= first && (before[last + 1] ?? 0) > (before[first] ?? 0)) to[at] = 1;
  }
  return to;
}

/** The places behind a value with a form of its own, which begins at one of `from`. */
function behindWhole(endsOf: NonNullable<Tag["ends"]>, chars: readonly string[], from: Places): Places {
  const to = new Uint8Array(from.length);
  for (let at = 0; at < from.length; at += 1) {
    if (from[at] === 1) for (const end of endsOf(chars, at)) to[end] = 1;
  }
  return to;
}

function behindVariable(variable: Variable, rule: Rule, chars: readonly string[], from: Places): Places {
  const { tag } = variable;
  if (rule === "free") return behindRun(() => true, [0, Infinity], chars, from);
  if (tag.ends) return behindWhole(tag.ends, chars, from);
  const most = rule === "strict" ? mostOf(variable) : Infinity;
  return behindRun(tag.allows, [leastOf(variable), most], chars, from);
}

const behind = (part: Part, rule: Rule, chars: readonly string[], from: Places): Places =>
  "text" in part ? behindText(part.text, chars, from) : behindVariable(part.variable, rule, chars, from);

/** The places before each part, in order, and after the last one. */
function forward(parts: readonly Part[], rule: Rule, chars: readonly string[]): Places[] {
  const all = [START(chars.length)];
  for (const part of parts) all.push(behind(part, rule, chars, all.at(-1) ?? START(chars.length)));
  return all;
}

/** Whether a text, in code points, fits the parts of a template. */
export function fits(parts: readonly Part[], chars: readonly string[]): boolean {
  let places = START(chars.length);
  for (const part of parts) {
    places = behind(part, "strict", chars, places);
    if (!places.includes(1)) return false;
  }
  return places[chars.length] === 1;
}

/** A value that is wrong in a text that otherwise fits: its first wrong character, or its begin where it is too long. */
export interface WrongValue {
  kind: "type" | "length";
  at: number;
  variable: Variable;
  /** Code points, of a value of the wrong length. */
  length?: number;
}

/** Turns a template or a text around, so that the places after each part are found as those before it. */
const turned = (parts: readonly Part[]): Part[] =>
  parts.toReversed().map((part) => ("text" in part ? { text: part.text.toReversed() } : part));

/** For each part, the places from which the rest of the text can be the rest of the template, that part not included. */
function rests(parts: readonly Part[], chars: readonly string[]): Places[] {
  const found = forward(turned(parts), "free", chars.toReversed());
  return found
    .map((places) => places.toReversed())
    .toReversed()
    .slice(1);
}

/** What is wrong with a value that begins at `begin`, where the rest of the text fits from one of `ends` on. */
function wrongAt(variable: Variable, begin: number, chars: readonly string[], ends: Places): WrongValue | null {
  const { tag } = variable;
  const ownEnds = tag.ends && new Set(tag.ends(chars, begin));
  let right = begin;
  while (right < chars.length && tag.allows(chars[right] ?? "")) right += 1;
  for (let end = begin; end <= chars.length; end += 1) {
    if (ends[end] !== 1) continue;
    if (end > right) return { kind: "type", at: right, variable };
    const length = end - begin;
    if (length > mostOf(variable) || length < leastOf(variable)) return { kind: "length", at: begin, variable, length };
    if (ownEnds?.has(end) === false) return { kind: "type", at: begin, variable };
  }
  return null;
}

/**
 * The first value that is wrong in a text whose fixed parts all fit: of equal ways the one that goes right the longest
 * (contract §17.2). Null where a fixed part does not fit, or all of it does.
 */
export function wrongValue(parts: readonly Part[], chars: readonly string[]): WrongValue | null {
  const right = forward(parts, "strict", chars);
  const after = rests(parts, chars);
  let found: WrongValue | null = null;
  for (const [nth, part] of parts.entries()) {
    if (!("variable" in part)) continue;
    const [begins, ends] = [right[nth], after[nth]];
    if (!begins || !ends) continue;
    for (let begin = 0; begin <= chars.length; begin += 1) {
      const wrong = begins[begin] === 1 ? wrongAt(part.variable, begin, chars, ends) : null;
      if (wrong && (!found || wrong.at > found.at)) found = wrong;
    }
  }
  return found;
}
