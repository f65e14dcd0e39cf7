import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fits, wrongValue } from "../../src/dlt/fit.ts";
import { NEAREST_BLOCKS_MAX, Registry } from "../../src/dlt/registry.ts";
import { VARIABLES_MAX, faultOfText } from "../../src/dlt/rules.ts";
import { partsOf } from "../../src/dlt/template.ts";
import type { Part } from "../../src/dlt/template.ts";

// Templates and texts that are made to take long: what is counted are steps, not time.

const read = (template: string): Part[] => {
  const parts = partsOf(template);
  if ("unknown" in parts) throw new Error(parts.unknown);
  return parts;
};

/** Characters, and how often one of them was read. */
function counted(chars: readonly string[]): { chars: readonly string[]; reads: () => number } {
  let reads = 0;
  const seen = new Proxy(chars, {
    get: (all, key) => {
      if (typeof key === "string" && /^\d+$/u.test(key)) reads += 1;
      return Reflect.get(all, key) as unknown;
    },
  });
  return { chars: seen, reads: () => reads };
}

/** Reads of a text and of the fixed texts of a template, while it is matched and its wrong value is found. */
function readsOf(template: string, text: string): number {
  const own = counted([...text]);
  const fixed: (() => number)[] = [];
  const parts = read(template).map((part) => {
    if (!("text" in part)) return part;
    const seen = counted(part.text);
    fixed.push(seen.reads);
    return { text: seen.chars };
  });
  fits(parts, own.chars);
  wrongValue(parts, own.chars);
  return fixed.reduce((sum, reads) => sum + reads(), own.reads());
}

const TAGS = ["{#var#}", "{#num#}", "{#alp#}", "{#url#}", "{#cbn#}", "{#email#}"];
const pieces = fc.constantFrom("a", "aa", "ab", "aaaaaaab", "1", "@", ".", "a@a.a", ...TAGS);
const template = fc.tuple(fc.array(pieces, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 8 }));
const text = fc.tuple(
  fc.array(fc.constantFrom("a", "b", "1", "@", ".", "a@a.a", " "), { minLength: 1, maxLength: 6 }),
  fc.integer({ min: 1, max: 60 }),
);

/** Most reads for each part and each character of the text or the part. */
const READS_MAX = 8;

/** At most so many reads: each part reads the text and itself, and fixed texts are read once more to be turned. */
const mostReads = (parts: readonly Part[], length: number) =>
  READS_MAX *
  parts.reduce((sum, part) => sum + length + 1 + ("text" in part ? part.text.length : 0), parts.length + length);

describe("the steps of a match", () => {
  it("are linear in text and template for each part, whatever repeats in them", () => {
    fc.assert(
      fc.property(template, text, ([some, times], [chars, lengths]) => {
        const whole = some.join("").repeat(times);
        const given = chars.join("").repeat(lengths);
        expect(readsOf(whole, given)).toBeLessThanOrEqual(mostReads(read(whole), [...given].length));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [
      "one letter after a variable",
      (size: number) => `{#url#}${"a".repeat(size / 2)}b`,
      (size: number) => "a".repeat(size),
    ],
    ["a value that any end could have", () => "{#num#}{#url#}", (size: number) => "a".repeat(size)],
    ["addresses", () => "{#email#}{#email#}!", (size: number) => "a@b.cd".repeat(size / 6)],
    ["an address without a mark", () => "{#url#}{#email#}!", (size: number) => "a".repeat(size)],
    ["marks alone", () => "{#url#}{#email#}!", (size: number) => "@".repeat(size)],
  ])("double where both do: %s", (_, templateOf, textOf) => {
    const [one, two] = [readsOf(templateOf(600), textOf(600)), readsOf(templateOf(1_200), textOf(1_200))];
    expect(two).toBeLessThan(2.2 * one);
  });
});

const TEMPLATES = 10_000;
const LENGTH = 160;

const registryOf = (textOf: (nth: number) => string) =>
  new Registry(
    Array.from({ length: TEMPLATES }, (_, nth) => ({
      templateId: String(1_107_160_000_000 + nth),
      headers: ["ACMEIN"],
      category: "otp",
      text: textOf(nth),
    })),
  );

const nthOf = (nth: number) => String(nth).padStart(4, "0");

/** Each has 10,000 templates, and a text that fits none. */
const REGISTRIES: [string, (nth: number) => string, string][] = [
  ["heads that are alike", (nth) => `${"a".repeat(100)}{#num#}${nthOf(nth)}b`, "a".repeat(LENGTH)],
  ["tails that are alike", (nth) => `{#var#}${nthOf(nth)}${"a".repeat(100)}`, `b${"a".repeat(LENGTH - 1)}`],
  ["many variables", (nth) => `${"{#url#}a".repeat(VARIABLES_MAX)}${nthOf(nth)}`, "a1".repeat(LENGTH / 2)],
  [
    "letters of the text in another order",
    (nth) => `{#num#}${"ba".repeat(70)}{#num#}${"ab".repeat(nth % 5)}`,
    "ab".repeat(80),
  ],
];

describe.each(REGISTRIES)("a registry of 10,000 templates with %s", (_, textOf, given) => {
  it("is searched in a bounded number of steps, and says which one is near", () => {
    expect(faultOfText(textOf(0))).toBeNull();
    const registry = registryOf(textOf);
    expect(registry.find(given)).toBeNull();
    expect(registry.work.places).toBeLessThanOrEqual(TEMPLATES * (2 * VARIABLES_MAX + 1) * (LENGTH + 1));
    const before = registry.work;
    const found = registry.match(given);
    expect("mismatch" in found && found.mismatch.templateId).toMatch(/^11071600\d{5}$/u);
    // The template that is being compared at the end is compared to its end.
    expect(registry.work.places).toBe(2 * before.places);
    expect(registry.work.blocks).toBeLessThanOrEqual(NEAREST_BLOCKS_MAX + 1_000 * (LENGTH / 32));
  });
});

it("a usual registry of 10,000 templates is searched in a few steps, and its nearest template is the nearest", () => {
  const words = ["shipped", "packed", "delivered", "returned", "delayed"];
  const registry = registryOf((nth) => `Dear {#var#}, order ${nthOf(nth)} was ${words[nth % 5]} on {#var#}. - Acme`);
  const text = (nth: string) => `Dear Asha, order ${nth} was ${words[Number(nth) % 5]} on 5 May. - Acme`;
  expect(registry.find(text("4711"))).toMatchObject({ templateId: "1107160004711" });
  // Beside the one that fits, few have the text between its variables.
  expect(registry.work.places).toBeLessThan(1_000 * 5 * LENGTH);
  const near = registry.match(text("4711").replace("Dear", "Deer"));
  expect("mismatch" in near && near.mismatch).toMatchObject({ templateId: "1107160004711", at: 2 });
  expect(registry.work.blocks).toBeLessThan(NEAREST_BLOCKS_MAX / 5);
});

it("a template has at most 30 variables, side by side or not", () => {
  expect(faultOfText(`${"{#var#}".repeat(VARIABLES_MAX)}a`)).toBeNull();
  expect(faultOfText(`${"{#var#}".repeat(VARIABLES_MAX + 1)}a`)).toBe("The text must have at most 30 variables.");
  expect(faultOfText("{#var#}a".repeat(VARIABLES_MAX + 1))).toBe("The text must have at most 30 variables.");
});
