import * as fc from "fast-check";
import { expect, it } from "vitest";
import { figuresOf } from "../../src/text/figures.ts";
import { countSegments } from "../../src/text/segments.ts";
import { plainText, unicodeIn } from "../../src/text/unicode.ts";

// What a text costs, and which characters make it cost more (contract §13).

it("names each character that is not in GSM-7 once, with its first place in code points", () => {
  expect(unicodeIn("🙏 it’s “it’s” \u200b🙏", 160)).toEqual([
    { char: "🙏", codePoint: "U+1F64F", at: 0 },
    { char: "’", codePoint: "U+2019", at: 4, instead: "'" },
    { char: "“", codePoint: "U+201C", at: 7, instead: '"' },
    { char: "”", codePoint: "U+201D", at: 12, instead: '"' },
    { char: "\u200b", codePoint: "U+200B", at: 14, instead: "" },
  ]);
  expect(unicodeIn("abc €[]", 160)).toEqual([]);
  expect(unicodeIn("कखग", 2)).toHaveLength(2);
});

it("counts what is left, and the segments of the text with replacements", () => {
  const text = `It’s ${"a".repeat(100)}`;
  expect(figuresOf(text, 160)).toEqual({
    encoding: "UCS-2",
    characters: 105,
    segments: 2,
    left: 55,
    unicode: [{ char: "’", codePoint: "U+2019", at: 2, instead: "'" }],
    segmentsIfReplaced: 1,
  });
  expect(figuresOf("a".repeat(161), 160)).toMatchObject({ characters: 161, segments: 2, left: -1, unicode: [] });
  expect(figuresOf("🙏".repeat(36), 250)).toMatchObject({
    characters: 36,
    segments: 2,
    left: 214,
    segmentsIfReplaced: 2,
  });
});

it("agrees with the price for any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const { encoding, segments, unicode, segmentsIfReplaced } = figuresOf(text, 10_000);
      expect({ encoding, segments }).toEqual(countSegments(text));
      expect(unicode.length > 0).toBe(encoding === "UCS-2");
      const letters = [...text];
      for (const { char, at, instead = char } of unicode) {
        expect(letters.indexOf(char)).toBe(at);
        expect(plainText(char)).toBe(instead);
      }
      const replaced = letters.map((char) => unicode.find((one) => one.char === char)?.instead ?? char).join("");
      // No character of GSM-7 has a replacement.
      expect(countSegments(replaced).segments).toBe(segmentsIfReplaced);
    }),
  );
});
