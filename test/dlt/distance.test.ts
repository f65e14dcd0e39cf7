import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Comparison } from "../../src/dlt/comparison.ts";
import { departure, numbersOf, stepsOf } from "../../src/dlt/distance.ts";
import { fits } from "../../src/dlt/fit.ts";
import { partsOf } from "../../src/dlt/template.ts";
import type { Part } from "../../src/dlt/template.ts";

/** Few characters, so that templates and texts are often alike. */
const pieces = fc.array(fc.constantFrom("a", "b", "क", "{#var#}", "{#num#}", "1", "👍"), { maxLength: 7 });
const texts = fc.array(fc.constantFrom("a", "b", "क", "1", "👍"), { maxLength: 7 });

const read = (template: string): Part[] => {
  const parts = partsOf(template);
  if ("unknown" in parts) throw new Error(parts.unknown);
  return parts;
};

/** A template's pieces, side by side or not, as characters; null for a variable. */
const plainSteps = (given: readonly string[]) => given.map((one) => (one.startsWith("{#") ? null : one));

/** The cheapest way and all places of its first change, by the definition and nothing else. */
function ways(steps: readonly (string | null)[], chars: readonly string[]) {
  const known = new Map<string, { cost: number; firsts: Set<number> }>();
  const best = (nth: number, at: number): { cost: number; firsts: Set<number> } => {
    const name = `${nth} ${at}`;
    const found = known.get(name);
    if (found) return found;
    const options: { cost: number; firsts: Set<number> }[] = [];
    const edit = (to: { cost: number }) => options.push({ cost: to.cost + 1, firsts: new Set([at]) });
    if (nth === steps.length && at === chars.length) options.push({ cost: 0, firsts: new Set() });
    const step = steps[nth];
    if (nth < steps.length && step === null) {
      options.push(best(nth + 1, at));
      if (at < chars.length) options.push(best(nth, at + 1));
    } else {
      if (nth < steps.length && at < chars.length && step === chars[at]) options.push(best(nth + 1, at + 1));
      if (nth < steps.length && at < chars.length && step !== chars[at]) edit(best(nth + 1, at + 1));
      if (nth < steps.length) edit(best(nth + 1, at));
      if (at < chars.length) edit(best(nth, at + 1));
    }
    const cost = Math.min(...options.map((one) => one.cost));
    const firsts = new Set(options.filter((one) => one.cost === cost).flatMap((one) => [...one.firsts]));
    const result = { cost, firsts };
    known.set(name, result);
    return result;
  };
  return best(0, 0);
}

/** The numbers of the characters that templates have; another one is -1. */
const ALPHABET = ["a", "b", "क", "👍", "1"];
const numberOf = (char: string) => ALPHABET.indexOf(char);

const compare = (chars: readonly string[]) => new Comparison(numbersOf(chars, numberOf), ALPHABET.length);

/** The least number of changes, by the usual table, place by place; null is a variable. */
function changes(steps: readonly (string | null)[], chars: readonly string[]): number {
  let row = [...Array(chars.length + 1).keys()];
  for (const step of steps) {
    const next: number[] = [];
    for (const [at, cost] of row.entries()) {
      const put = next[at - 1] ?? Infinity;
      const changed = (row[at - 1] ?? Infinity) + (chars[at - 1] === step ? 0 : 1);
      next.push(step === null ? Math.min(cost, put) : Math.min(cost + 1, put + 1, changed));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Templates and texts of several blocks; texts are often made of the template, and have what no template has. */
const long = fc
  .array(fc.constantFrom("a", "b", "क", "{#var#}", "1"), { maxLength: 120, size: "max" })
  .chain((template) => {
    const fixed = template.filter((one) => !one.startsWith("{#"));
    const char = fc.constantFrom("a", "b", "क", "x", "1");
    const edits = fc.array(fc.tuple(fc.nat(140), fc.nat(3), fc.array(char, { maxLength: 40 })), { maxLength: 5 });
    const near = edits.map((list) => {
      const chars: string[] = [...fixed];
      for (const [at, left, put] of list) chars.splice(at % (chars.length + 1), left, ...put);
      return chars;
    });
    return fc.tuple(fc.constant(template), fc.oneof(near, fc.array(char, { maxLength: 130, size: "max" })));
  });

describe("the distance of a text from a template", () => {
  it("is that of the usual table, over the bounds of blocks and beyond what templates have", () => {
    fc.assert(
      fc.property(long, fc.nat(60), ([template, chars], limit) => {
        const steps = stepsOf(read(template.join("")), numberOf);
        const cost = changes(plainSteps(template), chars);
        const comparison = compare(chars);
        expect(comparison.distance(steps, Infinity)).toBe(cost);
        expect(comparison.distance(steps, limit)).toBe(cost < limit ? cost : Infinity);
        expect(comparison.distance(steps, cost + 1)).toBe(cost);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is the least number of changes, and the first of them comes as late as it can", () => {
    fc.assert(
      fc.property(pieces, texts, (template, chars) => {
        const { cost, firsts } = ways(plainSteps(template), chars);
        const steps = stepsOf(read(template.join("")));
        const numbered = stepsOf(read(template.join("")), numberOf);
        expect(compare(chars).distance(numbered, Infinity)).toBe(cost);
        expect(compare(chars).distance(numbered, cost)).toBe(Infinity);
        expect(departure(steps, numbersOf(chars))?.at ?? null).toBe(cost === 0 ? null : Math.max(...firsts));
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("whether a text fits a template", () => {
  it("is what an expression says that tries every way", () => {
    fc.assert(
      fc.property(pieces, texts, (template, chars) => {
        const source = template
          .map((one) => (one === "{#var#}" ? String.raw`[\s\S]{0,30}` : one === "{#num#}" ? "[0-9]{1,30}" : one))
          .join("");
        expect(fits(read(template.join("")), chars)).toBe(new RegExp(`^${source}$`, "u").test(chars.join("")));
      }),
      { numRuns: 3_000 },
    );
  });
});
