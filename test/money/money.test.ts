import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COINS_MAX, UNITS_PER_COIN, coins, unitsFromCoins, wholeCoins } from "../../src/money/money.ts";

const anyUnits = fc.integer({ min: -COINS_MAX * UNITS_PER_COIN, max: COINS_MAX * UNITS_PER_COIN });

/** The amount, written by string arithmetic instead of floats. */
function written(units: number): string {
  const digits = String(Math.abs(units)).padStart(5, "0");
  const fraction = digits.slice(-4).replace(/0+$/u, "");
  return `${units < 0 ? "-" : ""}${digits.slice(0, -4)}${fraction && `.${fraction}`}`;
}

describe("coins", () => {
  it("writes every amount without float noise", () => {
    expect(JSON.stringify(coins(148_500))).toBe("14.85");
    expect(JSON.stringify(coins(1))).toBe("0.0001");
    fc.assert(
      fc.property(anyUnits, (units) => {
        expect(JSON.stringify(coins(units))).toBe(written(units));
      }),
    );
  });

  it("converts back to the same units", () => {
    fc.assert(
      fc.property(anyUnits, (units) => {
        expect(unitsFromCoins(coins(units))).toBe(units);
      }),
    );
  });
});

describe("unitsFromCoins", () => {
  it.each([
    [0, 0],
    [-0, 0],
    [0.1, 1_000],
    [0.15, 1_500],
    [1.0001, 10_001],
    [14.85, 148_500],
    [-3.5, -35_000],
    [COINS_MAX, COINS_MAX * UNITS_PER_COIN],
    [-COINS_MAX, -COINS_MAX * UNITS_PER_COIN],
  ])("%d coins are %d units", (amount, units) => {
    expect(unitsFromCoins(amount)).toBe(units);
  });

  it.each([0.000_01, 1.000_05, 0.1 + 0.2, COINS_MAX + 0.0001, -COINS_MAX - 1, Number.NaN, Infinity, -Infinity, 1e300])(
    "refuses %d",
    (amount) => {
      expect(unitsFromCoins(amount)).toBeNull();
    },
  );

  it("refuses any fifth decimal", () => {
    const fine = fc.tuple(fc.integer({ min: 0, max: 9_999_999 }), fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(fine, ([units, tenth]) => {
        expect(unitsFromCoins((units * 10 + tenth) / 100_000)).toBeNull();
      }),
    );
  });
});

describe("wholeCoins", () => {
  it("rounds down", () => {
    expect([0, 1, 9_999, 10_000, 10_001, 19_999, 148_500].map(wholeCoins)).toEqual([0, 0, 0, 1, 1, 1, 14]);
  });
});
