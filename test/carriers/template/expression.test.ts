import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SUBJECT_MAX, checkedExpression, expressionOf } from "../../../src/carriers/template/expression.ts";

/** What JavaScript's own engine finds. */
function expected(source: string, text: string) {
  const found = new RegExp(source, "su").exec(text);
  return found && { group: found[1] };
}

const letter = fc.constantFrom(
  "a",
  "b",
  "c",
  " ",
  ".",
  "\\d",
  "\\s",
  "\\w",
  "[ab]",
  "[^a]",
  "[a-c\\d]",
  "\\.",
  "é",
  "👍",
);
const assertion = fc.constantFrom("^", "$", "\\b", "\\B");
const sign = fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{2,}", "{0,2}");
const lazy = fc.constantFrom("", "", "?");

const { tree: source } = fc.letrec<{ tree: string; atom: string; part: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: "small" },
    letter,
    tie("tree").map((one) => `(?:${one})`),
  ),
  part: fc.oneof(
    tie("atom"),
    fc.tuple(tie("atom"), sign, lazy).map((three) => three.join("")),
    assertion,
  ),
  tree: fc
    .array(fc.array(tie("part"), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((all) => all.map((parts) => parts.join("")).join("|")),
}));

const grouped = fc.tuple(source, source, source).map(([before, of, after]) => `(?:${before})(${of})(?:${after})`);
const subject = fc.string({ unit: fc.constantFrom(..."aabbc1 .é", "👍", "\n"), maxLength: 14 });

describe("an expression finds what JavaScript's own finds", () => {
  it.each([
    ["without a group", source],
    ["with one", grouped],
  ])("%s", (_, sources) => {
    let read = 0;
    fc.assert(
      fc.property(sources, subject, (one, text) => {
        const expression = expressionOf(one);
        if (typeof expression === "string") return;
        read += 1;
        expect(expression.find(text)).toEqual(expected(one, text));
      }),
      { numRuns: 3_000 },
    );
    expect(read).toBeGreaterThan(100);
  });

  it.each([
    ["^success \\| [0-9]+ \\| (\\S+)", "success | 919876543210 | 35627-328", "35627-328"],
    ['"id"\\s*:\\s*"([^"]+)"', '{"id" : "4711"}', "4711"],
    ["ID=(\\w{4,8})\\b", "OK ID=abc12345 ", "abc12345"],
    ["(?:OK|Sent)\\W+(.+?)(?:,|$)", "Sent: 17,18", "17"],
    ["\\x41\\u0042(.)", "xABC", "C"],
  ])("%s in %s: %s", (one, text, group) => {
    expect(checkedExpression(one).find(text)).toEqual({ group });
    expect(expected(one, text)).toEqual({ group });
  });
});

const find = (before: number) => checkedExpression("OK").find(`${" ".repeat(before)}OK`);

describe("an expression that would stall JavaScript's own engine", () => {
  it.each(["(?:a+)+$", "(?:a|a)*b$", "(?:a|aa)+$", "(?:.*a){12}$", "a*a*a*a*a*a*b", "(?:\\w+\\s?)+$"])(
    "%s is answered in steps of the text's length",
    (one) => {
      // JavaScript's engine needs longer than the age of the universe for most of them.
      expect(checkedExpression(one).find(`${"a".repeat(SUBJECT_MAX)}!`)).toSatisfy(
        (found) => found === null || typeof found === "object",
      );
      expect(checkedExpression(one).find(`${"a".repeat(1_000)}!`)).toBeNull();
    },
  );

  it("reads only the beginning of a text", () => {
    expect(find(SUBJECT_MAX - 2)).not.toBeNull();
    expect(find(SUBJECT_MAX - 1)).toBeNull();
  });
});

describe("what cannot be read is refused when it is set up", () => {
  it.each([
    "",
    "a".repeat(201),
    "(a)(b)",
    "(a)+",
    "(?:a*)*",
    "(?:a|)+",
    "^*",
    "(?=a)",
    "(?<=a)b",
    "(?<name>a)",
    "(a)\\1",
    "\\p{L}",
    "a{51}",
    "a{2,1}",
    "(?:(?:a{50}){50}){50}",
    "a{",
    "a**",
    "(a",
    "a)",
    "[a",
    "[z-a]",
    "a]",
    "}",
    "\\",
    `${"(?:".repeat(12)}a${")".repeat(12)}`,
  ])("%s", (one) => {
    expect(expressionOf(one)).toBeTypeOf("string");
  });
});
