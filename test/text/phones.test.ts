import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  asciiDigits,
  countryOf,
  groupedPhone,
  isMobileIn,
  mobileOf,
  phoneOf,
  readPhone,
} from "../../src/text/phones.ts";
import type { PhoneFault, PhoneScope } from "../../src/text/phones.ts";

const A = "9876543210";

const NOTATIONS = [
  A,
  " 98765 43210 ",
  "98765-43210",
  "98765.43210",
  "(98765) 43210",
  "+919876543210",
  "+91 98765 43210",
  "(+91) 98765 43210",
  "+91-98765-43210",
  "+91 (0) 98765 43210",
  "+91 098765 43210",
  "919876543210",
  "91 9876 543 210",
  "00919876543210",
  "0091 98765 43210",
  "09876543210",
  "098765 43210",
  "0919876543210",
  "'9876543210",
  '="9876543210"',
  "9876543210.0",
  "\u200e+91\u00a098765\u201343210\u202c",
  "\u2068+91\u202f98765\u201143210\u2069",
  "\uff0b\uff19\uff11 \uff19\uff18\uff17\uff16\uff15 \uff14\uff13\uff12\uff11\uff10",
  "९८७६५४३२१०",
  "+९१ ९८७६५ ४३२१०",
  "৯৮৭৬৫৪৩২১০",
  "௯௮௭௬௫௪௩௨௧௦",
  "tel:+919876543210",
  "TEL:+91-98765-43210",
  "tel://%2B91%2098765%2043210",
  "sms:9876543210",
];

describe("one number", () => {
  it.each(NOTATIONS)("is recognised as %j, on every field", (text) => {
    expect(mobileOf(text)).toBe(A);
    expect(phoneOf(text)).toBe(`+91${A}`);
    for (const scope of ["mobile", "indian", "person", "texted", "called"] as const) {
      expect(readPhone(text, scope)).toMatchObject({ ok: true, number: `+91${A}` });
    }
  });

  it.each<[string, PhoneFault]>([
    ["", "no_number"],
    [" - \u200e", "no_number"],
    ["98765", "short"],
    ["91987654321", "long"],
    ["98765432101", "long"],
    ["9198765432101", "long"],
    [`+91 ${A}0`, "long"],
    ["1876543210", "not_mobile"],
    ["022 1234 5678", "not_mobile"],
    ["+14155550132", "abroad"],
    ["0014155550132", "abroad"],
    ["98765432lO", "letters"],
    ["98765/43210", "letters"],
    [`${A}, ${A}`, "letters"],
    [`${A} ext. 5`, "letters"],
    [`"${A}`, "letters"],
    [`++91${A}`, "letters"],
    [`tel:${A};ext=5`, "letters"],
    ["9.87654E+09", "rounded"],
    ["0".repeat(200), "long"],
    [`${A}${"a".repeat(200)}`, "letters"],
  ])("is not %j: %s", (text, fault) => expect(readPhone(text, "mobile")).toMatchObject({ ok: false, fault }));

  it("of ten digits is that number, also when it begins with 91", () => {
    expect(mobileOf("9198765432")).toBe("9198765432");
    expect(mobileOf("919198765432")).toBe("9198765432");
    expect(mobileOf("0 91987 65432")).toBe("9198765432");
    expect(mobileOf("919876543219")).toBe("9876543219");
  });

  it("may be a landline where a call is made", () => {
    for (const text of ["2212345678", "022 1234 5678", "+91 22 1234 5678", "912212345678", "०२२ १२३४ ५६७८"]) {
      expect(readPhone(text, "indian")).toEqual({ ok: true, number: "+912212345678", sure: true });
    }
    expect(readPhone("+91 22 1234 5678", "called")).toMatchObject({ ok: true, sure: true });
    expect(readPhone("+91 22 1234 5678", "texted")).toMatchObject({ ok: false, fault: "not_mobile" });
  });
});

describe("a number of any country", () => {
  it.each([
    ["+1 (415) 555-0132", "+14155550132"],
    ["001 415 555 0132", "+14155550132"],
    ["+44 20 7946 0958", "+442079460958"],
    ["+39 (0)6 698 12345", "+390669812345"],
    ["tel:+1-415-555-0132", "+14155550132"],
    ["+१ ४१५ ५५५ ०१३२", "+14155550132"],
    ["919876543210", "+919876543210"],
  ])("is certain as %j", (text, number) => {
    expect(readPhone(text, "called")).toEqual({ ok: true, number, sure: true });
  });

  it.each<[string, PhoneScope, string]>([
    ["9876543210", "texted", "+919876543210"],
    ["9876543210", "called", "+919876543210"],
    ["6505550132", "texted", "+916505550132"],
    ["022 1234 5678", "called", "+912212345678"],
    ["14155550132", "called", "+14155550132"],
    ["4512345678", "texted", "+4512345678"],
    ["447911123456", "texted", "+447911123456"],
    ["+44 (0)20 7946 0958", "called", "+442079460958"],
  ])("is a guess as %j", (text, scope, number) => {
    expect(readPhone(text, scope)).toEqual({ ok: true, number, sure: false });
  });

  it.each<[string, PhoneFault]>([
    ["+999 1234567", "country"],
    ["+0 98765 43210", "country"],
    ["+1 415 555", "length"],
    ["+91 98765", "short"],
    ["0123", "short"],
  ])("is not %j: %s", (text, fault) => {
    expect(readPhone(text, "called")).toMatchObject({ ok: false, fault });
  });

  it("is shown in groups, with its country", () => {
    expect(groupedPhone("+919876543210")).toBe("+91 98765 43210");
    expect(groupedPhone("+14155550132")).toBe("+1 415 555 0132");
    expect(countryOf("+14155550132")).toBe("US");
  });
});

describe("any decoration", () => {
  const mobile = fc.integer({ min: 6_000_000_000, max: 9_999_999_999 }).map(String);
  const prefix = fc.constantFrom("", "0", "91", "+91", "0091", "091", "+91 (0)", "(+91)", "tel:+91", "tel:", "'");
  const between = fc.constantFrom(
    "",
    "",
    "",
    " ",
    "-",
    ".",
    "\u00a0",
    "\u2011",
    "\u200e",
    "\u202f",
    "\u2060",
    ")",
    "(",
  );
  const zero = fc.constantFrom(0x30, 0x0966, 0x09e6, 0x0ae6, 0x0be6, 0x0c66, 0x0660, 0xff10);
  const decorated = fc.record({
    number: mobile,
    prefix,
    marks: fc.array(between, { minLength: 11, maxLength: 11 }),
    zero,
    around: fc.constantFrom("", " ", "\n", "\u202a", "\ufeff"),
  });
  type Decorated = typeof decorated extends fc.Arbitrary<infer T> ? T : never;

  const write = (digits: string, { prefix: before, marks, zero: from, around }: Decorated) => {
    const written = [...digits].map(
      (digit, at) => marks[at % marks.length] + String.fromCodePoint(from + Number(digit)),
    );
    return `${around}${before}${written.join("")}${around}`;
  };

  it("is read as the number that it decorates", () => {
    fc.assert(
      fc.property(decorated, (one) => {
        const text = write(one.number, one);
        expect(mobileOf(text)).toBe(one.number);
        expect(phoneOf(text)).toBe(`+91${one.number}`);
        for (const scope of ["texted", "called"] as const) {
          expect(readPhone(text, scope)).toMatchObject({ ok: true, number: `+91${one.number}` });
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("with a digit too few or too many never yields a mobile", () => {
    fc.assert(
      fc.property(decorated, fc.nat({ max: 10 }), fc.nat({ max: 9 }), (one, at, digit) => {
        const { number } = one;
        const place = Math.min(at, 9);
        for (const wrong of [
          number.slice(0, place) + number.slice(place + 1),
          number.slice(0, at) + digit + number.slice(at),
        ]) {
          const read = mobileOf(write(wrong, one));
          // Only a 0 in front turns eleven digits into a number with its trunk prefix.
          if (wrong.length === 11 && wrong.startsWith("0")) expect([null, number]).toContain(read);
          else expect(read).toBeNull();
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("never leaves a digit out: what is read ends with all that was typed after the prefix", () => {
    const text = fc
      .array(fc.constantFrom(..."0123456789", "+", " ", "-", "(", ")", ".", "९", "\u200e", "/", "a", "e"), {
        maxLength: 20,
      })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.constantFrom("mobile", "indian", "person", "texted", "called"), (typed, scope) => {
        const read = readPhone(typed, scope);
        if (!read.ok) return;
        const digits = asciiDigits(typed)
          .replace(/\(0\)/u, "")
          .replaceAll(/[^0-9]/gu, "");
        expect(read.number).toMatch(/^\+[1-9]\d{6,14}$/u);
        const national = read.number.startsWith("+91") ? read.number.slice(3) : read.number.slice(1);
        if (read.sure) expect(digits.endsWith(national) || /\.0/u.test(typed)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it("never throws, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const read = readPhone(text, "called");
        expect(read.ok ? read.number : read.fault).not.toBe("");
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a mobile in a listed country", () => {
  it.each([
    ["an Indian mobile", "+919876543210", ["IN"], true],
    ["a British mobile", "+447400123456", ["IN", "GB"], true],
    ["an American number, which may be a mobile or a landline", "+14155550132", ["US"], true],
    ["an Indian mobile where India is not listed", "+919876543210", ["GB"], false],
    ["a country that is not listed", "+447400123456", ["IN"], false],
    ["Canada, which shares +1 with the United States", "+14165550132", ["US"], false],
    ["a British landline", "+442079460958", ["GB"], false],
    ["a British personal number at a premium", "+447012345678", ["GB"], false],
    ["an American premium number", "+19005550123", ["US"], false],
    ["a Jamaican number where the United States are listed", "+18765550123", ["US"], false],
    ["an Indian landline", "+912212345678", ["IN"], false],
    ["Inmarsat", "+870773111632", ["IN", "US", "GB"], false],
    ["universal personal numbers", "+878101234567890", ["IN", "US", "GB"], false],
    ["Iridium", "+881612345678", ["IN", "US", "GB"], false],
    ["international networks", "+8821612345678", ["IN", "US", "GB"], false],
    ["iNum", "+883510012345678", ["IN", "US", "GB"], false],
    ["international premium rate", "+979123456789", ["IN", "US", "GB"], false],
    ["international shared cost", "+80812345678", ["IN", "US", "GB"], false],
    ["international freephone", "+80012345678", ["IN", "US", "GB"], false],
  ] as const)("%s", (_, phone, countries, may) => {
    expect(isMobileIn(phone, countries)).toBe(may);
  });
});
