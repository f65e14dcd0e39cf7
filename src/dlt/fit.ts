import { leastOf, mostOf } from "./template.ts";
import type { Part, Tag, Variable } from "./template.ts";

// Whether a text fits a template, and where it first departs from it, as sets of places in the text: after each part of
// the template, the places up to which the text may have been used. Each part takes steps linear in the text and in the
// part, whatever stands in them: no expression that backtracks, and no place that is looked at once for each other one.

/** Places in a text, from 0 to its length: 1 where the text can be used up to there. */
type Places = Uint8Array;

/** How strictly a variable's value is judged. */
type Rule = "strict" | "any_length" | "free";

const START: (length: number) => Places = (length) => {
  const places = new Uint8Array(length + 1);
  places[0] = 1;
  return places;
};

/** For each place in a text, the most characters that end there and begin the text as well (Knuth, Morris and Pratt). */
function bordersOf(text: readonly string[]): Uint16Array {
  const borders = new Uint16Array(text.length);
  for (let at = 1, size = 0; at < text.length; at += 1) {
    while (size > 0 && text[at] !== text[size]) size = borders[size - 1] ?? 0;
    if (text[at] === text[size]) size += 1;
    borders[at] = size;
  }
  return borders;
}

/** The places behind a fixed text that stands at one of `from`: reads each character once. */
function behindText(text: readonly string[], chars: readonly string[], from: Places): Places {
  const to = new Uint8Array(from.length);
  const first = from.indexOf(1);
  const end = Math.min(chars.length, from.lastIndexOf(1) + text.length);
  if (first === -1 || first + text.length > end) return to;
  const borders = bordersOf(text);
  for (let at = first, size = 0; at < end; at += 1) {
    const char = chars[at];
    while (size > 0 && text[size] !== char) size = borders[size - 1] ?? 0;
    if (text[size] === char) size += 1;
    if (size < text.length) continue;
    to[at + 1] = from[at + 1 - size] ?? 0;
    size = borders[size - 1] ?? 0;
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
  const [earliest, latest] = [from.indexOf(1), from.lastIndexOf(1)];
  if (earliest === -1) return to;
  // How many of `from` are before each place: what begins between two places is then a difference.
  const before = new Uint32Array(from.length + 1);
  let run = earliest;
  for (let at = earliest; at < from.length; at += 1) {
    before[at + 1] = (before[at] ?? 0) + (from[at] ?? 0);
    if (at > earliest && !allows(chars[at - 1] ?? "")) run = at;
    const [first, last] = [Math.max(run, at - most), at - least];
    // No value that begins at one of `from` goes on to here.
    if (first > latest) break;
    if (last >= first && (before[last + 1] ?? 0) > (before[first] ?? 0)) to[at] = 1;
  }
  return to;
}

/** The places behind a value with a form of its own, which begins at one of `from`. */
function behindWhole(endsOf: NonNullable<Tag["ends"]>, chars: readonly string[], from: Places): Places {
  const to = new Uint8Array(from.length);
  let mark = -1;
  for (let at = 0; at < from.length; at += 1) {
    // What begins before the same mark ends at the same places.
    if (from[at] !== 1 || at < mark) continue;
    const found = endsOf(chars, at);
    mark = found.mark;
    for (const end of found.ends) to[end] = 1;
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

/** For each place the first one of `places` from there on; the length of the list where there is none. */
function nextOf(places: Places): Uint32Array {
  const next = new Uint32Array(places.length + 1).fill(places.length);
  for (let at = places.length - 1; at >= 0; at -= 1) next[at] = places[at] === 1 ? at : (next[at + 1] ?? 0);
  return next;
}

/** For each place how far a value from there on has only characters that it may have. */
function rightFrom(allows: Tag["allows"], chars: readonly string[]): Uint32Array {
  const right = new Uint32Array(chars.length + 1).fill(chars.length);
  for (let at = chars.length - 1; at >= 0; at -= 1) right[at] = allows(chars[at] ?? "") ? (right[at + 1] ?? 0) : at;
  return right;
}

/** For a tag with a form of its own: the first of `ends` from a place on at which a value from there cannot end. */
function wrongEnds(endsOf: NonNullable<Tag["ends"]>, chars: readonly string[], ends: Uint32Array) {
  const after = (at: number) => ends[at] ?? ends.length;
  let block = { begin: -1, mark: -1, wrong: 0 };
  return (begin: number): number => {
    if (begin < block.begin || begin >= block.mark) {
      const found = endsOf(chars, begin);
      const own = new Set(found.ends);
      let wrong = after(found.mark + 1);
      while (own.has(wrong)) wrong = after(wrong + 1);
      block = { begin, mark: found.mark, wrong };
    }
    const first = after(begin);
    return first <= block.mark ? first : block.wrong;
  };
}

/** Says of a place what is wrong with a value that begins there, where the rest of the text fits from one of `after` on. */
function wrongFrom(variable: Variable, chars: readonly string[], after: Places): (begin: number) => WrongValue | null {
  const { tag } = variable;
  const [least, most] = [leastOf(variable), mostOf(variable)];
  const ends = nextOf(after);
  const right = rightFrom(tag.allows, chars);
  const ofForm = tag.ends && wrongEnds(tag.ends, chars, ends);
  return (begin) => {
    const until = right[begin] ?? begin;
    const first = ends[begin] ?? ends.length;
    // Ends at which the value is right are passed over at once.
    const isRight = first <= until && first - begin >= least && first - begin <= most;
    const end = ofForm ? ofForm(begin) : isRight ? (ends[Math.min(until, begin + most) + 1] ?? ends.length) : first;
    if (end > chars.length) return null;
    if (end > until) return { kind: "type", at: until, variable };
    return ofForm
      ? { kind: "type", at: begin, variable }
      : { kind: "length", at: begin, variable, length: end - begin };
  };
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
    const wrongAt = wrongFrom(part.variable, chars, ends);
    for (let begin = 0; begin <= chars.length; begin += 1) {
      const wrong = begins[begin] === 1 ? wrongAt(begin) : null;
      if (wrong && (!found || wrong.at > found.at)) found = wrong;
    }
  }
  return found;
}
