import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { departure, distance, numbersOf, stepsOf } from "../../src/dlt/distance.ts";
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

describe("the distance of a text from a template", () => {
  it("is the least number of changes, and the first of them comes as late as it can", () => {
    fc.assert(
      fc.property(pieces, texts, (template, chars) => {
        const { cost, firsts } = ways(plainSteps(template), chars);
        const steps = stepsOf(read(template.join("")));
        expect(distance(steps, numbersOf(chars), Infinity)).toBe(cost);
        expect(distance(steps, numbersOf(chars), cost)).toBe(Infinity);
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
