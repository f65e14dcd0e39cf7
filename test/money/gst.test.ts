import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amountInWords, financialYear, numberInWords, taxBetween } from "../../src/money/gst.ts";
import { GST_STATES } from "../../src/money/gstin.ts";

const anyPrice = fc.integer({ min: 0, max: 10_000_000_000 });
const anyPercent = fc.integer({ min: 0, max: 4_000 }).map((hundredths) => hundredths / 100);
const anyState = fc.constantFrom(...GST_STATES.map(({ code }) => code));

describe("GST in a price", () => {
  it("is computed to the paisa: the parts add up, halves are equal, and no part is off by a whole paisa", () => {
    fc.assert(
      fc.property(anyPrice, anyPercent, anyState, anyState, (total, percent, seller, place) => {
        const { taxablePaise, lines } = taxBetween(total, percent, seller, place);
        const taxes = lines.map(({ paise }) => paise);
        expect(taxablePaise + taxes.reduce((sum, paise) => sum + paise, 0)).toBe(total);
        for (const paise of [taxablePaise, ...taxes]) {
          expect(Number.isSafeInteger(paise)).toBe(true);
          expect(paise).toBeGreaterThanOrEqual(0);
        }
        if (seller === place) {
          expect(lines.map(({ name }) => name)).toEqual(["CGST", expect.stringMatching(/^(?:SGST|UTGST)$/u)]);
          expect(taxes[0]).toBe(taxes[1]);
        } else {
          expect(lines.map(({ name }) => name)).toEqual(["IGST"]);
        }
        for (const line of lines) {
          const exact = (total * line.percent) / (100 + percent);
          expect(Math.abs(line.paise - exact)).toBeLessThanOrEqual(0.5 + 1e-6);
        }
        expect(lines.reduce((sum, line) => sum + line.percent, 0)).toBeCloseTo(percent, 10);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [49_900, "29", "29", 42_288, [3_806, 3_806]],
    [199_900, "29", "29", 169_406, [15_247, 15_247]],
    [199_900, "29", "27", 169_407, [30_493]],
    [999_900, "29", "07", 847_373, [152_527]],
  ])("%i paise from %s to %s", (total, seller, place, taxable, taxes) => {
    const { taxablePaise, lines } = taxBetween(total, 18, seller, place);
    expect(taxablePaise).toBe(taxable);
    expect(lines.map(({ paise }) => paise)).toEqual(taxes);
  });

  it("is UTGST in a union territory without a legislature, SGST in one with", () => {
    expect(taxBetween(100, 18, "04", "04").lines.map(({ name }) => name)).toEqual(["CGST", "UTGST"]);
    expect(taxBetween(100, 18, "07", "07").lines.map(({ name }) => name)).toEqual(["CGST", "SGST"]);
  });
});

describe("the financial year", () => {
  it.each([
    ["2027-03-31T23:59:59.999+05:30", "26-27"],
    ["2027-04-01T00:00:00.000+05:30", "27-28"],
    ["2027-03-31T18:29:59.999Z", "26-27"],
    ["2027-03-31T18:30:00.000Z", "27-28"],
    ["2026-12-31T23:00:00.000Z", "26-27"],
    ["2099-04-01T00:00:00.000+05:30", "99-00"],
  ])("of %s is %s", (time, year) => {
    expect(financialYear(Date.parse(time))).toBe(year);
  });
});

describe("amounts in words", () => {
  it.each([
    [0, "Zero"],
    [15, "Fifteen"],
    [20, "Twenty"],
    [99, "Ninety-Nine"],
    [100, "One Hundred"],
    [101, "One Hundred One"],
    [1_999, "One Thousand Nine Hundred Ninety-Nine"],
    [99_999, "Ninety-Nine Thousand Nine Hundred Ninety-Nine"],
    [100_000, "One Lakh"],
    [1_23_456, "One Lakh Twenty-Three Thousand Four Hundred Fifty-Six"],
    [1_00_00_000, "One Crore"],
    [12_34_56_789, "Twelve Crore Thirty-Four Lakh Fifty-Six Thousand Seven Hundred Eighty-Nine"],
    [1_23_45_67_89_000, "Twelve Thousand Three Hundred Forty-Five Crore Sixty-Seven Lakh Eighty-Nine Thousand"],
  ])("%i", (value, words) => {
    expect(numberInWords(value)).toBe(words);
  });

  it("contain rupees, and paise if there are any", () => {
    expect(amountInWords(49_900)).toBe("Rupees Four Hundred Ninety-Nine Only");
    expect(amountInWords(49_905)).toBe("Rupees Four Hundred Ninety-Nine and Five Paise Only");
  });

  it("differ for different numbers", () => {
    const pairs = fc.tuple(fc.integer({ min: 0, max: 2_000_000_000 }), fc.integer({ min: 0, max: 2_000_000_000 }));
    fc.assert(fc.property(pairs, ([one, other]) => (numberInWords(one) === numberInWords(other)) === (one === other)));
  });
});
