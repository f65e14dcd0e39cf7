import * as fc from "fast-check";
import { expect, it } from "vitest";
import { countSegments, letterName, nameLetters, plainText, unicodeLetters } from "../../src/text/segments.ts";

// What makes a text Unicode, by name, and what can stand for it.

const UNASKED = "“Don’t” – wait… ₹5\u00a0only\t•\u200b";

it("names every character that forces Unicode, once, and none where GSM-7 does", () => {
  expect(unicodeLetters("a’b’c🙏न")).toEqual(["’", "🙏", "न"]);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(unicodeLetters(text).length > 0).toBe(countSegments(text).encoding === "UCS-2");
    }),
  );
});

it("says where a character is found, and what can stand for it", () => {
  expect(letterName("’")).toBe("“’”\u00a0U+2019\u00a0→\u00a0“'”");
  expect(letterName("🙏")).toBe("“🙏”\u00a0U+1F64F");
  expect(nameLetters("a’🙏").split(" · ")).toHaveLength(2);
  expect(nameLetters("कखगघचछजझट").endsWith("…")).toBe(true);
  expect(letterName("\u200b")).toBe("“\u200b”\u00a0U+200B\u00a0→\u00a0“”");
});

it("writes plainly what editors put in unasked, and leaves all else as it is", () => {
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
