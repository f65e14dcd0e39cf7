import { Bounds } from "./bounds.ts";
import { Comparison } from "./comparison.ts";
import { departure, numbersOf, stepsOf } from "./distance.ts";
import type { Steps } from "./distance.ts";
import { fits, wrongValue } from "./fit.ts";
import { comparable, mostOf, partsOf } from "./template.ts";
import type { Part } from "./template.ts";

// An account's templates, ready for matching (contract §17.2).

/** A template as the account registered it. */
export interface Template {
  templateId: string;
  headers: readonly string[];
  category: string;
  text: string;
}

/** Why no template fits: the nearest one, and what is different. Places are code points of the text, from 0. */
export interface Mismatch {
  /** 630: there are no templates; 633: the text or a value is different; 635: a value is too long or too short. */
  code: 630 | 633 | 635;
  templateId: string | null;
  at: number;
  /** What the template has there: up to 20 characters of its fixed text, or a variable's tag; empty at its end. */
  expected: string;
  /** What the text has there: up to 20 characters; empty at its end. */
  found: string;
  /** Of 635: the most code points that the value may have, and those that it has. */
  limit?: number;
  length?: number;
}

interface Compiled {
  template: Template;
  /** Null where they are made whenever they are needed. */
  parts: readonly Part[] | null;
  /** The fixed text with which it begins, and that with which it ends. */
  head: string;
  tail: string;
  /** The begin of the longest fixed text between them; empty where there is none. */
  middle: string;
  /** How many fixed characters it has. */
  fixed: number;
  /** Made when it is first compared, and kept where the parts are. */
  steps: Steps | null;
}

/**
 * Fixed characters of templates whose parts are kept in memory: more than 10,000 usual templates have. Each takes some
 * twelve bytes, and the object that keeps them has 128 MB for all that it does; of a larger registry the rest is read anew.
 */
const KEPT_MAX = 2_000_000;

/**
 * Blocks of 32 places that are looked at in search of the nearest template: some milliseconds. Usual registries need a
 * part of that; of one that was made to need more, the nearest of those that were compared is told.
 */
export const NEAREST_BLOCKS_MAX = 500_000;

/** Characters that are quoted of a text or template. */
const QUOTED = 20;

/** Characters of a fixed text that are looked for before a template is matched: few templates of 10,000 are left then. */
const SOUGHT = 64;

/** The begin of the longest fixed text that is neither the first part nor the last. */
function middleOf(parts: readonly Part[]): string {
  let longest: readonly string[] = [];
  for (const part of parts.slice(1, -1)) {
    if ("text" in part && part.text.length > longest.length) longest = part.text;
  }
  return longest.slice(0, SOUGHT).join("");
}

const textOf = (part: Part | undefined) => (part && "text" in part ? part.text.join("") : "");

/** Each character of the templates, with its number. */
class Alphabet {
  readonly #numbers = new Map<string, number>();

  get size(): number {
    return this.#numbers.size;
  }

  /** The number of a character, which it gets here. */
  add(char: string): number {
    const number = this.#numbers.get(char) ?? this.#numbers.size;
    this.#numbers.set(char, number);
    return number;
  }

  /** The number of a character; -1 where no template has it. */
  numberOf(char: string): number {
    return this.#numbers.get(char) ?? -1;
  }

  /** How often each character occurs in a text, whose characters have these numbers. */
  countsOf(text: Int32Array): Uint16Array {
    const counts = new Uint16Array(this.size);
    for (const number of text) if (number >= 0) counts[number] = (counts[number] ?? 0) + 1;
    return counts;
  }
}

function knownParts({ text }: Template): readonly Part[] {
  const parts = partsOf(text);
  if ("unknown" in parts) throw new Error("a template with an unknown variable was registered");
  return parts;
}

const partsIn = ({ parts, template }: Compiled): readonly Part[] => parts ?? knownParts(template);

function stepsIn(one: Compiled, alphabet: Alphabet): Steps {
  const steps = one.steps ?? stepsOf(partsIn(one), (char) => alphabet.numberOf(char));
  if (one.parts) one.steps = steps;
  return steps;
}

/** A template, of which the parts are kept where they have up to `room` fixed characters. */
function compiled(template: Template, alphabet: Alphabet, bounds: Bounds, room: number): Compiled {
  const parts = knownParts(template);
  const counts = new Map<number, number>();
  let fixed = 0;
  for (const part of parts) {
    for (const char of "text" in part ? part.text : []) {
      const number = alphabet.add(char);
      counts.set(number, (counts.get(number) ?? 0) + 1);
      fixed += 1;
    }
  }
  bounds.add(
    counts,
    fixed,
    parts.some((part) => "variable" in part),
  );
  return {
    template,
    parts: fixed <= room ? parts : null,
    head: textOf(parts[0]),
    tail: parts.length > 1 ? textOf(parts.at(-1)) : "",
    middle: middleOf(parts),
    fixed,
    steps: null,
  };
}

/** The better of two templates that serve a text alike: one that has the header, then the one with most fixed text. */
function isBetter(one: Compiled, other: Compiled, header: string | undefined): boolean {
  const has = ({ template }: Compiled) => header !== undefined && template.headers.includes(header);
  if (has(one) !== has(other)) return has(one);
  return one.fixed > other.fixed;
}

const quoted = (chars: readonly string[], at: number) => chars.slice(at, at + QUOTED).join("");

/** What a template has at one of its steps. */
function expectedAt(parts: readonly Part[], step: number): string {
  let left = step;
  for (const part of parts) {
    const size = "text" in part ? part.text.length : 1;
    if (left < size) return "text" in part ? quoted(part.text, left) : part.variable.written;
    left -= size;
  }
  return "";
}

/** Templates that were compiled once, and match many texts. */
export class Registry {
  readonly #all: readonly Compiled[];
  readonly #alphabet = new Alphabet();
  readonly #bounds = new Bounds();
  readonly #work = { places: 0, blocks: 0 };

  /**
   * What was looked at so far: places of texts, once for each part of a template that they might fit, and blocks of 32
   * places, once for each step of a template that might be the nearest.
   */
  get work(): { readonly places: number; readonly blocks: number } {
    return { ...this.#work };
  }

  /** Templates with known variables only (`partsOf`); throws on others. */
  constructor(templates: readonly Template[]) {
    let room = KEPT_MAX;
    this.#all = templates.map((template) => {
      const one = compiled(template, this.#alphabet, this.#bounds, room);
      if (one.parts) room -= one.fixed;
      return one;
    });
  }

  /** The template that a text fits, or what is different from the nearest one. */
  match(given: string, header?: string): { template: Template } | { mismatch: Mismatch } {
    const template = this.find(given, header);
    return template ? { template } : { mismatch: this.#mismatch([...comparable(given)], header) };
  }

  /** The template that a text fits, or null. */
  find(given: string, header?: string): Template | null {
    const text = comparable(given);
    const chars = [...text];
    let best: Compiled | null = null;
    for (const one of this.#all) {
      if (one.fixed > chars.length || !text.startsWith(one.head) || !text.endsWith(one.tail)) continue;
      if (!text.includes(one.middle) || (best && !isBetter(one, best, header))) continue;
      const parts = partsIn(one);
      this.#work.places += parts.length * (chars.length + 1);
      if (fits(parts, chars)) best = one;
    }
    return best?.template ?? null;
  }

  #mismatch(chars: readonly string[], header: string | undefined): Mismatch {
    const nearest = this.#nearest(chars, header);
    if (!nearest) return { code: 630, templateId: null, at: 0, expected: "", found: quoted(chars, 0) };
    const { template } = nearest;
    const parts = partsIn(nearest);
    const { templateId } = template;
    const wrong = wrongValue(parts, chars);
    if (wrong) {
      const { at, kind, length, variable } = wrong;
      const about = { templateId, at, expected: variable.written, found: quoted(chars, at) };
      return kind === "type"
        ? { code: 633, ...about }
        : { code: 635, ...about, limit: mostOf(variable), length: length ?? 0 };
    }
    const { at, step } = departure(stepsOf(parts), numbersOf(chars)) ?? { at: 0, step: 0 };
    return { code: 633, templateId, at, expected: expectedAt(parts, step), found: quoted(chars, at) };
  }

  /**
   * The template with the fewest differences. Only those are compared that can have fewer than the best one so far, and
   * up to NEAREST_BLOCKS_MAX.
   */
  #nearest(chars: readonly string[], header: string | undefined): Compiled | null {
    const text = numbersOf(chars, (char) => this.#alphabet.numberOf(char));
    const counts = this.#alphabet.countsOf(text);
    const byBound = this.#bounds.of(counts, chars.length);
    const comparison = new Comparison(text, this.#alphabet.size);
    let best: { one: Compiled; distance: number } | null = null;
    const until = this.#work.blocks + NEAREST_BLOCKS_MAX;
    for (const [least, all = []] of byBound.entries()) {
      if (best && least > best.distance) break;
      for (const nth of all) {
        const one = this.#all[nth];
        if (!one) continue;
        if (best && this.#work.blocks > until) return best.one;
        const limit = best ? best.distance + 1 : Infinity;
        const found = comparison.distance(stepsIn(one, this.#alphabet), limit, this.#work);
        if (found === Infinity) continue;
        if (!best || found < best.distance || isBetter(one, best.one, header)) best = { one, distance: found };
      }
    }
    return best?.one ?? null;
  }
}
