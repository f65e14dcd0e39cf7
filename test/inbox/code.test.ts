import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { codeIn } from "../../src/inbox/code.ts";
import { otpText } from "../../src/text/otp-text.ts";

describe("a code is found", () => {
  it.each([
    ["Your code is 482913", "482913"],
    ["482913 is your Dastak verification code.", "482913"],
    ["OTP: 0042", "0042"],
    ["Your OTP is 12345678.", "12345678"],
    ["<#> 482913 is your login code\nFA+9qCX9VSu", "482913"],
    ["G-482913 is your Google verification code.", "482913"],
    ["OTP-482913", "482913"],
    ["@example.com #482913 is the code", "482913"],
    ["Use 482913 to sign in to My Shop", "482913"],
    ["Rs 5000 debited. OTP 482913 confirms it.", "482913"],
    ["OTP for INR 2500.00 at AMAZON is 482913", "482913"],
    ["Order 99887: your code is 4711", "4711"],
    ["Your code 4711 is valid for 1200 seconds", "4711"],
    ["Card ending 1234: password 998877", "998877"],
    ["Codes 1111 and 2222 are your codes", "1111"],
    ["आपका कोड 482913 है", "482913"],
    ["आपका ओटीपी 4829 है, किसी को न बताएँ", "4829"],
    ["482913 आपका सत्यापन पिन है", "482913"],
    ["আপনার কোড 482913", "482913"],
    ["உங்கள் குறியீடு 482913", "482913"],
    ["code(482913)", "482913"],
    ["code:482913,", "482913"],
  ])("in %s", (text, code) => {
    expect(codeIn("sms", text)).toBe(code);
  });
});

describe("no code is found", () => {
  it.each([
    "",
    "Hello",
    "Shop opens at 1000",
    "Your code is 123",
    "Your code is 123456789",
    "Your code is abc123456",
    "Call 98765-43210 for your code",
    "Call +919876 for your code",
    "Your code was used at 2026/11/21",
    "Rs.4500 paid, no OTP needed",
    "₹4500 paid, no OTP needed",
    "Your code is valid for 1200 seconds",
    "Order 482913 needs no OTP",
    "encoded 482913",
    "482913 😀",
  ])("in %j", (text) => {
    expect(codeIn("sms", text)).toBeNull();
  });

  it("in a call's text, or when the text cannot be opened", () => {
    expect(codeIn("voice", "code 482913")).toBeNull();
    expect(codeIn("sms", null)).toBeNull();
  });
});

const otp = fc.stringMatching(/^[0-9]{4,8}$/u);

it("the code of an OTP is exact, whatever the brand is called", () => {
  fc.assert(
    fc.property(otp, fc.string({ unit: "grapheme", maxLength: 40 }), (code, brand) => {
      expect(codeIn("otp", otpText(brand, code))).toBe(code);
    }),
  );
  expect(codeIn("otp", otpText("Code 9999 OTP", "0012"))).toBe("0012");
});

it("is found among any words without digits or code words", () => {
  const noise = fc.stringMatching(/^[a-bx-z ,;!]{0,40}$/u);
  fc.assert(
    fc.property(noise, noise, otp, (before, after, code) => {
      expect(codeIn("sms", `${before} your code is ${code} ${after}`)).toBe(code);
    }),
  );
});

it("is a complete run of 4 to 8 digits of the text, for any text", () => {
  const piece = fc.oneof(fc.string({ unit: "grapheme" }), otp, fc.constantFrom("code ", "OTP", "कोड", "-", ".", "Rs "));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join("");
      const code = codeIn("sms", text);
      if (code === null) return;
      expect(code).toMatch(/^[0-9]{4,8}$/u);
      expect(text.split(/[^0-9]/u)).toContain(code);
    }),
  );
});

/** What shows before a number that it is no code, looked for in all of the text before it. */
const OTHER_BEFORE =
  /(?:\b(?:order|ref|txn|invoice|bill|card|ending|ending (?:with|in)|a\/c)[ :#.]{0,3}|[x*•]{2,} ?)$/iu;

it("is refused for the words right before it, however long the text before them is", () => {
  const words = ["order", "ending with", "ENDING in", "ref", "txn", "a/c", "invoıce", "invoice", "bill", "card"];
  const piece = fc.constantFrom(...words, "x", "*", "•", " ", ":", "#", ".", "é", "ſ", "😀", "\uDE00", "re", "encod");
  const sign = fc.constantFrom(" ", ":", "#", ".", "*", "•", "x ", "** ");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.array(sign, { minLength: 1, maxLength: 4 }), (pieces, signs) => {
      const before = [...pieces, ...signs].join("");
      expect(codeIn("sms", `${before}4821 code`)).toBe(OTHER_BEFORE.test(before) ? null : "4821");
    }),
    {
      numRuns: 2_000,
      examples: [
        [["ending with"], [":", "#", "."]],
        [
          ["x", "ending with"],
          [":", "#", "."],
        ],
      ],
    },
  );
});

it("is the number nearest to any code word, at most 60 apart, and the first of equals", () => {
  const piece = fc.constantFrom("code", "OTP", "4821", "593214", "71", "a", "words", "w".repeat(23), "w".repeat(52));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
      const text = pieces.join(" ");
      let best: string | null = null;
      let nearest = 61;
      for (const number of text.matchAll(/\d{4,8}/gu)) {
        for (const word of text.matchAll(/code|OTP/gu)) {
          const [one, other] = number.index < word.index ? [number, word] : [word, number];
          const gap = other.index - one.index - one[0].length;
          if (gap >= nearest) continue;
          nearest = gap;
          [best] = number;
        }
      }
      expect(codeIn("sms", text)).toBe(best);
    }),
    { numRuns: 1_000 },
  );
});

it.each([
  ["numbers", "4821 "],
  ["masked numbers", "xxxx4821 *4821 "],
  ["numbers and code words", "code 4821 "],
])("reads a hostile text of %s in work that grows with its length only", (_, piece) => {
  const work = (times: number) => {
    const test = vi.spyOn(RegExp.prototype, "test");
    const max = vi.spyOn(Math, "max");
    try {
      codeIn("sms", `${piece.repeat(times)}482913`);
      // Characters that are compared with a pattern again, and distances that are measured.
      return test.mock.calls.reduce((sum, [text]) => sum + text.length, 0) + max.mock.calls.length;
    } finally {
      test.mockRestore();
      max.mockRestore();
    }
  };
  const [once, fourTimes] = [work(200), work(800)];
  expect(once).toBeGreaterThan(0);
  expect(fourTimes).toBeLessThanOrEqual(5 * once);
});
