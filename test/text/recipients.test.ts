import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRecipients } from "../../src/text/recipients.ts";
import type { FaultReason } from "../../src/text/recipients.ts";

const A = "9876543210";
const B = "8765432109";
const C = "7654321098";

const spellings = [
  A,
  " 98765 43210 ",
  "98765-43210",
  "(98765) 43210",
  "+919876543210",
  "+91 98765 43210",
  "+91-98765-43210",
  "919876543210",
  "00919876543210",
  "09876543210",
  "'9876543210",
  "9876543210.0",
  "\u200e+91\u00a098765\u201343210\u202c",
];

describe("a list", () => {
  it.each([
    ["lines", `${A}\n${B}\n${C}`],
    ["Windows line ends and a byte order mark", `\ufeff${A}\r\n${B}\r\n${C}\r\n`],
    ["old Mac line ends", `${A}\r${B}\r${C}`],
    ["commas", `${A}, ${B} ,${C},`],
    ["semicolons and tabs", `${A};${B}\t${C}`],
    ["spaces", `${A} ${B}  ${C}`],
    ["digits of Indian scripts", "९८७६५४३२१०\n+९१ ८७६५४ ३२१०९\n৭৬৫৪৩২১০৯৮"],
    ["links", `tel:+91${A}\ntel:${B}\nTEL:+91-76543-21098`],
    ["quotes", `"${A}","${B}"\n"${C}"`],
    ["blank lines", `\n\n${A}\n \n${B}\n,,\n${C}\n`],
    ["a header", `Phone\n${A}\n${B}\n${C}`],
    ["a header of another column first", `No,Name,Mobile no.\n1,Asha,${A}\n2,Ravi,${B}\n3,Mina,${C}`],
    ["a header in Hindi", `नाम;मोबाइल\nआशा;${A}\nरवि;${B}\nमीना;${C}`],
    ["names without a header", `Asha,${A}\nRavi,${B}\nMina,${C}`],
    ["quoted names with separators and lines in them", `"Rao, Asha",${A}\n"Ravi\nDas; Jr ""R""",${B}\nMina,${C}`],
    ["tabs between quotes, with empty cells", `name\tphone\talternate\n\t"${A}"\t"${C}"\n\t"${B}"\t\nMina\t${C}\t"x"`],
    [
      "an empty cell between quotes and tabs",
      `name\talternate\tphone\n"Asha"\t\t"${A}"\nRavi\t\t${B}\n"Mina"\t"${A}"\t${C}`,
    ],
    ["two columns of numbers under headers", `name,phone,alternate\nAsha,${A},6000000000\nRavi,${B},\nMina,${C},x`],
  ])("is read from %s", (_, text) => {
    expect(readRecipients(text)).toEqual({ numbers: [A, B, C], duplicates: 0, faults: [] });
  });

  it.each<[string, string, FaultReason]>([
    ["short", "98765", "short"],
    ["long", "98765432101", "long"],
    ["a landline", "2234567890", "not_mobile"],
    ["with letters", "98765O43210", "letters"],
    ["words", "hello", "letters"],
    ["abroad", "+14155550132", "abroad"],
    ["rounded by a spreadsheet", "9.87654E+09", "rounded"],
    ["of dashes", "---", "no_number"],
    ["after an unclosed quote", `"${A}`, "letters"],
  ])("names a line that is %s", (_, line, reason) => {
    const read = readRecipients(`${B}\n\n${line}\n${C}`);
    expect(read).toEqual({ numbers: [B, C], duplicates: 0, faults: [{ line: 3, text: line, reason }] });
  });

  it("names a number of another country with 00, and a short one in Devanagari, as they are", () => {
    expect(readRecipients("0014155550132\n९८७६५").faults).toEqual([
      { line: 1, text: "0014155550132", reason: "abroad" },
      { line: 2, text: "९८७६५", reason: "short" },
    ]);
  });

  it("counts repeated numbers, however they are written", () => {
    expect(readRecipients(`${A}\n+91 98765 43210, ${B}\n0${A}`)).toEqual({
      numbers: [A, B],
      duplicates: 2,
      faults: [],
    });
  });

  it("reports a table row without a number, on the right line even after a name with a line break", () => {
    const { numbers, faults } = readRecipients(`name,phone\n"Asha\nRao",${A}\nRavi,\nMina,12`);
    expect(numbers).toEqual([A]);
    expect(faults).toEqual([
      { line: 4, text: "", reason: "no_number" },
      { line: 5, text: "12", reason: "short" },
    ]);
  });

  it("never mistakes a mistyped number for a column of words", () => {
    expect(readRecipients(`${A}, 98765O4321`).faults).toHaveLength(1);
    expect(readRecipients(`${A}, 98765`).faults).toHaveLength(1);
  });

  it("reads ten thousand numbers", () => {
    const many = Array.from({ length: 10_000 }, (_, at) => `98${String(at).padStart(8, "0")}`);
    expect(readRecipients(many.join("\r\n")).numbers).toEqual(many);
  });

  it("finds the column of numbers among the first fifty", () => {
    const row = (column: number) => `Asha Rao${",x".repeat(column - 2)},${A}`;
    expect(readRecipients(row(50)).numbers).toEqual([A]);
    // Beyond them each cell must be a number.
    expect(readRecipients(row(51)).faults).toHaveLength(50);
  });

  it("reads 50,000 lines, and of a longer list names the line from which it was not read", () => {
    const lines = `${A}\n`.repeat(50_000);
    expect(readRecipients(`${lines}\n \n`)).toEqual({ numbers: [A], duplicates: 49_999, faults: [] });
    expect(readRecipients(`${lines}${B}\n${C}`)).toEqual({
      numbers: [A],
      duplicates: 49_999,
      faults: [{ line: 50_001, text: "", reason: "unread" }],
    });
  });

  it.each(['"', '"\n""\n', '"a""\n', '"",', '"x', "\ufeff\u202e", "9,"])("reads a megabyte of %j", (piece) => {
    expect(readRecipients(piece.repeat(300_000)).numbers).toEqual([]);
  });
});

describe("any text", () => {
  const line = fc.oneof(
    fc.constantFrom(...spellings).map((text) => ({ text, kind: "number" })),
    fc.constantFrom("", "  ", "\t").map((text) => ({ text, kind: "blank" })),
    fc
      .constantFrom("98765", "hello", "+14155550132", "2234567890", "1e5", "🙏")
      .map((text) => ({ text, kind: "fault" })),
    fc.integer({ min: 6_000_000_000, max: 9_999_999_999 }).map((n) => ({ text: String(n), kind: "number" })),
  );

  it("consists of numbers, repetitions, blanks and reported faults, each on its own line", () => {
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom("\n", "\r\n", "\r"), (lines, end) => {
        const { numbers, duplicates, faults } = readRecipients(lines.map(({ text }) => text).join(end));
        const of = (kind: string) => lines.flatMap((one, at) => (one.kind === kind ? [at + 1] : []));
        expect(numbers.length + duplicates).toBe(of("number").length);
        expect(faults.map((fault) => fault.line)).toEqual(of("fault"));
        expect(new Set(numbers).size).toBe(numbers.length);
      }),
    );
  });

  it("never throws, and yields nothing but Indian mobile numbers", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc
        .array(fc.constantFrom('"', ",", ";", "\t", "\n", "\r", "9876543210", "phone", "a", " ", "+91", "\0"))
        .map((p) => p.join("")),
    );
    fc.assert(
      fc.property(text, (given) => {
        const { numbers, faults } = readRecipients(given);
        for (const number of numbers) expect(number).toMatch(/^[6-9][0-9]{9}$/u);
        const lines = given.split(/\r\n?|\n/u).length;
        for (const fault of faults) expect(fault.line).toBeLessThanOrEqual(lines);
      }),
      { numRuns: 1_000 },
    );
  });
});
