import * as fc from "fast-check";
import { expect, it } from "vitest";
import { countSegments } from "../../src/text/segments.ts";
import { letterName, nameLetters, plainText, unicodeLetters } from "../../src/text/unicode.ts";

// The characters that make a text UCS-2, by name, and their replacements.

const UNASKED = "“Don’t” – wait… ₹5\u00a0only\t•\u200b";

it("names every character that forces UCS-2, once, and none in a GSM-7 text", () => {
  expect(unicodeLetters("a’b’c🙏न")).toEqual(["’", "🙏", "न"]);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(unicodeLetters(text).length > 0).toBe(countSegments(text).encoding === "UCS-2");
    }),
  );
});

it("shows a character's code point and its replacement", () => {
  expect(letterName("’")).toBe("“’”\u00a0U+2019\u00a0→\u00a0“'”");
  expect(letterName("🙏")).toBe("“🙏”\u00a0U+1F64F");
  expect(nameLetters("a’🙏").split(" · ")).toHaveLength(2);
  expect(nameLetters("कखगघचछजझट").endsWith("…")).toBe(true);
  expect(letterName("\u200b")).toBe("“\u200b”\u00a0U+200B\u00a0→\u00a0“”");
});

it("replaces typographic characters from editors, and leaves everything else as it is", () => {
  expect(plainText(UNASKED)).toBe('"Don\'t" - wait... Rs.5 only *');
  expect(countSegments(plainText(UNASKED)).encoding).toBe("GSM-7");
  expect(plainText("नमस्ते 🙏 “hi”")).toBe('नमस्ते 🙏 "hi"');
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const left = unicodeLetters(plainText(text));
      expect(left).toEqual(unicodeLetters(text).filter((letter) => plainText(letter) === letter));
    }),
  );
});
