import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fits } from "../../src/dlt/fit.ts";
import { Registry } from "../../src/dlt/registry.ts";
import type { Mismatch, Template } from "../../src/dlt/registry.ts";
import { partsOf } from "../../src/dlt/template.ts";
import { codePoints } from "../../src/text/code-points.ts";
import { CORPUS } from "./corpus.ts";

const registry = new Registry(CORPUS);

const of = (...all: string[]) =>
  new Registry(
    all.map((text, nth) => ({ templateId: `110716000000000000${nth}`, headers: ["ACMEIN"], category: "otp", text })),
  );

const mismatch = (from: Registry, text: string): Mismatch => {
  const found = from.match(text);
  if ("template" in found) throw new Error(`it fits ${found.template.text}`);
  return found.mismatch;
};

/** A value that each tag allows, of a chosen length. */
const VALUES: Readonly<Record<string, string>> = {
  var: "Asha K.",
  numeric: "482913",
  num: "7",
  number: "20",
  alphanumeric: "AB12/CD-9",
  alp: "अमित (HR)",
  url: "https://acme.example/t/9",
  urlott: "https://acme.example/ott",
  urg: "https://gov.example/9",
  uro: "https://acme.example/o",
  cbn: "+91 98765-43210",
  email: "asha@acme.example",
};

const filled = ({ text }: Template) => text.replaceAll(/\{#(\w+)#\}/gu, (_, word: string) => VALUES[word] ?? "");

describe("a text that was made of its template", () => {
  it.each(CORPUS.map((template) => [template.templateId, template] as const))("fits %s", (_, template) => {
    const found = registry.match(filled(template), template.headers[0]);
    expect("template" in found && found.template.templateId).toBe(template.templateId);
  });

  it("fits whatever its line breaks and its form of Unicode are", () => {
    const lines = of("Café {#var#}\nThanks");
    expect(lines.match("Cafe\u0301 Asha\r\nThanks")).toHaveProperty("template");
  });
});

/** Places of the fixed characters of a template, in code points. */
function fixedPlaces(text: string): number[] {
  const variables = [...text.matchAll(/\{#\w+#\}/gu)].map(({ index, 0: tag }) => {
    const begin = codePoints(text.slice(0, index));
    return [begin, begin + tag.length] as const;
  });
  return [...text].flatMap((_, at) => (variables.some(([begin, end]) => at >= begin && at < end) ? [] : [at]));
}

/** What happens to a fixed character. */
const CHANGES: Readonly<Record<string, (chars: string[], at: number) => string[]>> = {
  changed: (chars, at) => chars.with(at, "§"),
  "left out": (chars, at) => chars.toSpliced(at, 1),
  doubled: (chars, at) => chars.toSpliced(at, 0, chars[at] ?? ""),
};

describe.each(Object.entries(CHANGES))("a text of which one fixed character was %s", (_, change) => {
  it("fits only where a variable can have it, and otherwise the reply says what is different", () => {
    let told = 0;
    for (const template of CORPUS) {
      for (const at of fixedPlaces(template.text)) {
        const text = filled({ ...template, text: change([...template.text], at).join("") });
        const found = registry.match(text);
        if ("template" in found) {
          expect(found.template.text).toMatch(/\{#var#\}|\{#alp|\{#url|\{#ur[go]#|\{#cbn/u);
          continue;
        }
        told += 1;
        const { code, found: quote, at: place } = found.mismatch;
        expect(code).toBe(633);
        expect([...text].slice(place, place + 20).join("")).toBe(quote);
      }
    }
    expect(told).toBeGreaterThan(600);
  });
});

describe("the nearest template", () => {
  const one = of("Dear {#var#}, your OTP is {#numeric#}. - Acme");

  it.each<[string, string, Partial<Mismatch>]>([
    [
      "a fixed character that is another",
      "Dear Asha, your 0TP is 1234. - Acme",
      { at: 16, expected: "OTP is ", found: "0TP is 1234. - Acme" },
    ],
    [
      "a character of a value that its tag does not allow",
      "Dear Asha, your OTP is 12a4. - Acme",
      { at: 25, expected: "{#numeric#}", found: "a4. - Acme" },
    ],
    ["an end that is missing", "Dear Asha, your OTP is 1234. - Acm", { at: 34, expected: "e", found: "" }],
    ["an end that is too much", "Dear Asha, your OTP is 1234. - Acme!", { at: 35, expected: "", found: "!" }],
    [
      "another case",
      "dear Asha, your OTP is 1234. - Acme",
      { at: 0, expected: "Dear ", found: "dear Asha, your OTP " },
    ],
    [
      "an empty value that must have a digit",
      "Dear Asha, your OTP is . - Acme",
      { code: 635, at: 23, expected: "{#numeric#}", length: 0 },
    ],
    [
      "a value that is too long, counted in code points",
      `Dear ${"👍".repeat(31)}, your OTP is 1234. - Acme`,
      { code: 635, at: 5, expected: "{#var#}", limit: 30, length: 31 },
    ],
  ])("says of %s", (_, text, told) => {
    expect(mismatch(one, text)).toMatchObject({ code: 633, ...told });
  });

  it("adds up the lengths of variables side by side", () => {
    const two = of("Hi {#var#}{#var#}!");
    expect(two.match(`Hi ${"x".repeat(60)}!`)).toHaveProperty("template");
    expect(mismatch(two, `Hi ${"x".repeat(61)}!`)).toMatchObject({ code: 635, at: 3, limit: 60, length: 61 });
  });

  it("is the one with the fewest differences, whatever stands before it", () => {
    const several = of("Your parcel {#var#} is lost", "Your parcel {#var#} has left", "{#var#} parcel");
    expect(mismatch(several, "Your parcel 12 hes left")).toMatchObject({ templateId: "1107160000000000001", at: 16 });
  });

  it("is none where there are no templates", () => {
    expect(mismatch(of(), "Hello")).toMatchObject({ code: 630, templateId: null });
  });
});

describe("of several templates that fit", () => {
  const several = new Registry([
    { templateId: "1107160000000000001", headers: ["OTHERS"], category: "otp", text: "Your code is {#var#}" },
    { templateId: "1107160000000000002", headers: ["ACMEIN"], category: "otp", text: "Your {#var#} is {#var#}" },
    { templateId: "1107160000000000003", headers: ["ACMEIN"], category: "otp", text: "{#var#} is {#var#}" },
  ]);

  it.each([
    ["ACMEIN", "1107160000000000002"],
    ["OTHERS", "1107160000000000001"],
    [undefined, "1107160000000000001"],
  ])("the one with the header %s, then the one with most fixed text", (header, id) => {
    expect(several.match("Your code is 12", header)).toMatchObject({ template: { templateId: id } });
  });
});

describe("any text", () => {
  it("is matched, and what is said of it is in the text and the template", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 160 }),
        fc.nat(CORPUS.length - 1),
        fc.nat(60),
        (random, nth, cut) => {
          const text = filled(CORPUS[nth]!).slice(0, cut) + random;
          const found = registry.match(text.toWellFormed());
          if ("template" in found) return;
          const { at, found: quote, expected, code } = found.mismatch;
          const chars = [...text.toWellFormed().replaceAll("\r\n", "\n").normalize("NFC")];
          expect(chars.slice(at, at + 20).join("")).toBe(quote);
          expect([633, 635]).toContain(code);
          expect([...expected].length).toBeLessThanOrEqual(20);
          const { text: own } = CORPUS.find(({ templateId }) => templateId === found.mismatch.templateId)!;
          expect(own).toContain(expected);
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** A text of 1,000 characters that no other one has. */
const distinct = (nth: number) =>
  Array.from({ length: 1_000 }, (_, at) => String.fromCodePoint(0xf0000 + nth * 1_000 + at)).join("");

it("the nearest template is found among more characters than a number of 16 bits counts", () => {
  const many = of(...Array.from({ length: 66 }, (_, nth) => distinct(nth)), "zz{#var#}");
  const near = mismatch(many, distinct(65).replace(String.fromCodePoint(0xf0000 + 65_100), "z"));
  expect(near).toMatchObject({ templateId: "11071600000000000065", at: 100 });
});

describe("an address in a text", () => {
  it.each([
    ["a@b.in", true],
    ["asha.k+1@mail.acme.example", true],
    ["@b.in", false],
    ["a@b", false],
    ["a@b.", false],
    ["a@.in", false],
    ["a@b..in", false],
    ["a@b.in.", false],
    ["a@b@c.in", false],
    ["a b@c.in", false],
    ["a@b.in ", false],
  ])("is one as its form says: %j", (address, isOne) => {
    expect("template" in of("Mail {#email#}!").match(`Mail ${address}!`)).toBe(isOne);
  });

  it("can end where the next one begins", () => {
    expect(of("{#email#}{#email#}.").match("a@b.cod@e.com.")).toHaveProperty("template");
    expect(of("{#email#}{#email#}.").match("a@b.co@e.com.")).toHaveProperty("template");
    expect(of("{#email#}{#email#}.").match("a@b.c@e.com.")).toHaveProperty("mismatch");
  });

  it("is found in the time that reading it takes, however many a template has", () => {
    const asked: number[] = [];
    const chars = new Proxy([..."a@b.cd".repeat(26)], {
      get: (all, key) => {
        if (typeof key === "string" && /^\d+$/u.test(key)) asked.push(Number(key));
        return Reflect.get(all, key) as unknown;
      },
    });
    const parts = partsOf(`${"{#email#}".repeat(20)}!`);
    if ("unknown" in parts) throw new Error(parts.unknown);
    expect(fits(parts, chars)).toBe(false);
    // Up to the second @ for each place where one may begin, and for each variable.
    expect(asked.length).toBeLessThan(20 * chars.length * 50);
  });
});
