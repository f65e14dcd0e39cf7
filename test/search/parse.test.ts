import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSearch, quoted } from "../../src/search/parse.ts";
import { OPERATORS, SEARCH_LENGTH_MAX } from "../../src/search/terms.ts";
import type { Term } from "../../src/search/terms.ts";
import { faultText } from "../../src/ui/words/search.ts";

// 21 November 2026, 14:30 in India.
const NOW_MS = Date.parse("2026-11-21T09:00:00Z");
const rules = { nowMs: NOW_MS, operators: OPERATORS };
const parse = (text: string) => parseSearch(text, rules);
const india = (text: string) => Date.parse(`${text}+05:30`);

describe("a search", () => {
  it.each<[string, Partial<Term>[]]>([
    ["", []],
    ["   ", []],
    ["98765", [{ on: "word", value: "98765", not: false }]],
    ["-98765", [{ on: "word", value: "98765", not: true }]],
    ["req_AbC  +91", [{ value: "req_AbC" }, { value: "+91" }]],
    ['"two words"', [{ on: "word", value: "two words" }]],
    ['-"kind:sms"', [{ on: "word", value: "kind:sms", not: true }]],
    [String.raw`"a \"b\" \\"`, [{ on: "word", value: String.raw`a "b" \ `.trim() }]],
    ["to:98765", [{ on: "to", digits: "98765", not: false }]],
    ["to:०९८७६५४३२१०", [{ on: "to", digits: "9876543210", not: false }]],
    ["to:+1415", [{ on: "to", digits: "1415", not: false }]],
    ['to:"+91 98765-43210"', [{ on: "to", digits: "919876543210" }]],
    ["kind:sms", [{ on: "kind", operations: ["sms"] }]],
    ["KIND:International", [{ on: "kind", operations: ["sms_international"] }]],
    ["-kind:call", [{ on: "kind", operations: ["tts", "voice"], not: true }]],
    ["kind:sms,otp", [{ on: "kind", operations: ["sms", "otp"] }]],
    ["state:sent", [{ on: "state", states: ["submitted"], refunded: false }]],
    ["state:failed,refunded", [{ on: "state", states: ["failed"], refunded: true }]],
    ["key:key_1a2b3c4d", [{ on: "key", value: "key_1a2b3c4d" }]],
    ['key:"first key"', [{ on: "key", value: "first key" }]],
    ["request:req_x", [{ on: "request", id: "req_x" }]],
    ['text:"a b"', [{ on: "text", value: "a b" }]],
    ["cost:0.25", [{ on: "cost", least: 2_500, most: 2_500 }]],
    ["cost:>1", [{ on: "cost", least: 10_001 }]],
    ["cost:>=0.5", [{ on: "cost", least: 5_000 }]],
    ["cost:<2", [{ on: "cost", least: 0, most: 19_999 }]],
    ["cost:<=₹2", [{ on: "cost", least: 0, most: 20_000 }]],
    ["cost:1..5", [{ on: "cost", least: 10_000, most: 50_000 }]],
    ["after:2026-11-21", [{ on: "after", atMs: india("2026-11-21T00:00") }]],
    ["before:2026-11-21T10:00", [{ on: "before", atMs: india("2026-11-21T10:00") }]],
    ["before:2026-11-21T10:00:30Z", [{ on: "before", atMs: Date.parse("2026-11-21T10:00:30Z") }]],
    ["after:today", [{ on: "after", atMs: india("2026-11-21T00:00") }]],
    ["-after:Yesterday", [{ on: "after", atMs: india("2026-11-20T00:00"), not: true }]],
    ["after:7d", [{ on: "after", atMs: NOW_MS - 7 * 86_400_000 }]],
    ["after:2h", [{ on: "after", atMs: NOW_MS - 7_200_000 }]],
    ["a\u0000b", [{ value: "a" }, { value: "b" }]],
  ])("%j is read as expected", (text, terms) => {
    const read = parse(text);
    expect(read.faults).toEqual([]);
    expect(read.terms).toHaveLength(terms.length);
    expect(read.terms).toMatchObject(terms);
  });

  it.each<[string, string, string]>([
    ["foo:1", "operator", "foo"],
    ["http://x", "operator", "http"],
    ["constructor:1", "operator", "constructor"],
    ["kind:fax", "value", "kind"],
    ["kind:sms,", "value", "kind"],
    ["state:__proto__", "value", "state"],
    ["to:abc", "value", "to"],
    ["to:", "empty", "to"],
    ['key:""', "empty", "key"],
    ["-", "empty", ""],
    ["cost:one", "value", "cost"],
    ["cost:5..1", "value", "cost"],
    ["cost:0.00001", "value", "cost"],
    ["after:2026-02-30", "value", "after"],
    ["after:2026-11-21T25:00", "value", "after"],
    ["before:soon", "value", "before"],
    ['to:"98', "quote", "to"],
    ['"open', "quote", ""],
  ])("%j is reported and ignored", (text, kind, operator) => {
    const { terms, faults } = parse(`98765 ${text}`);
    expect(terms).toMatchObject([{ value: "98765" }]);
    expect(faults).toMatchObject([{ kind, operator }]);
    for (const lang of ["en", "hi"] as const) {
      for (const fault of faults) {
        const sentence = faultText(fault, lang, OPERATORS);
        expect(sentence).toContain(operator === "" ? fault.value : operator);
      }
    }
  });

  it("knows only the operators of its page", () => {
    const { terms, faults } = parseSearch("text:a kind:sms", { nowMs: NOW_MS, operators: ["kind"] });
    expect(terms).toMatchObject([{ on: "kind" }]);
    expect(faults).toMatchObject([{ kind: "operator", operator: "text" }]);
    // The page says why texts are not searched, and where they are.
    for (const fault of faults) {
      expect(faultText(fault, "en", ["kind"])).toContain("Texts are stored encrypted and cannot be searched here");
      expect(faultText(fault, "hi", ["kind"])).toContain("एन्क्रिप्ट");
    }
  });

  it("is limited, in terms and in characters", () => {
    expect(parse("a ".repeat(30)).terms).toHaveLength(20);
    expect(parse("a ".repeat(30)).faults).not.toEqual([]);
    const long = parse("x".repeat(SEARCH_LENGTH_MAX + 1));
    expect(long.faults).toMatchObject([{ kind: "long" }]);
  });

  const typed = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc
      .array(
        fc.constantFrom("-", ":", '"', "\\", " ", ...OPERATORS, "sms", "7d", ">", "..", "1.5", "2026-11-21", "😀", "‮"),
        { maxLength: 20 },
      )
      .map((parts) => parts.join("")),
  );

  it("never throws, and reads every term or reports what is wrong", () => {
    fc.assert(
      fc.property(typed, (text) => {
        const { terms, faults } = parse(text);
        if (text.replaceAll(/\p{Cc}/gu, " ").trim() !== "") expect(terms.length + faults.length).toBeGreaterThan(0);
        for (const fault of faults) expect(faultText(fault, "hi", OPERATORS)).not.toBe("");
      }),
      { numRuns: 2_000 },
    );
  });

  it("takes any quoted value literally", () => {
    const value = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 80 })
      .filter((text) => text.trim() === text && !/\p{Cc}/u.test(text));
    fc.assert(
      fc.property(value, fc.constantFrom("", "text:", "key:", "request:"), (text, operator) => {
        const { terms, faults } = parse(`before:7d ${operator}${quoted(text)} kind:sms`);
        expect(faults).toEqual([]);
        const [, term] = terms;
        expect(terms).toHaveLength(3);
        expect(term?.on === "request" ? term.id : term && "value" in term ? term.value : null).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });
});
