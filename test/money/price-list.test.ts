import { getCountries, getCountryCallingCode } from "libphonenumber-js/max";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { listedPrice } from "../../src/money/listed-price.ts";
import { priceList } from "../../src/money/price-list.ts";
import { DEFAULT_RATE_CARD, priceAbroad, priceIndia } from "../../src/money/pricing.ts";

// The price that a page shows before the API is called: never a price other than the API's.

const COUNTRIES = getCountries();

it("is the API's price for every country, or `varies` if the calling code alone does not decide", () => {
  const price = fc.option(fc.integer({ min: 0, max: 9 }), { nil: null });
  const key = fc.oneof(
    fc.constantFrom(...COUNTRIES),
    fc.constantFrom(...COUNTRIES).map((c) => `+${getCountryCallingCode(c)}`),
  );
  fc.assert(
    fc.property(
      fc.dictionary(key, price, { maxKeys: 60 }),
      fc.integer({ min: 0, max: 9 }),
      (smsByCountry, smsAbroad) => {
        const card = { ...DEFAULT_RATE_CARD, smsAbroad, smsByCountry };
        const list = priceList(card);
        const unitsOf = (country: (typeof COUNTRIES)[number]) =>
          priceAbroad(card, "x", country, getCountryCallingCode(country)).units;
        for (const country of COUNTRIES) {
          const code = getCountryCallingCode(country);
          const shown = listedPrice(list, `+${code} 5550132`);
          if (code === "91") expect(shown).toBe(priceIndia(card, "x").units);
          else if (shown !== "varies") expect(shown).toBe(unitsOf(country));
          else {
            const sharing = COUNTRIES.filter((other) => getCountryCallingCode(other) === code).map(unitsOf);
            const own = smsByCountry[`+${code}`];
            expect(new Set([...sharing, ...(own === undefined ? [] : [own])]).size).toBeGreaterThan(1);
          }
        }
      },
    ),
    { numRuns: 30 },
  );
});

it("is small as long as the operator has not set prices", () => {
  const never = { "870": null, "878": null, "881": null, "882": null, "883": null, "979": null };
  expect(priceList(DEFAULT_RATE_CARD)).toEqual({ abroad: 50_000, byCode: { ...never, "91": 10_000 } });
  expect(listedPrice(priceList(DEFAULT_RATE_CARD), "+8816 1234")).toBeNull();
  const priced = { ...DEFAULT_RATE_CARD, smsByCountry: { "+881": 40 } };
  expect(listedPrice(priceList(priced), "+8816 1234")).toBe(400_000);
  expect(listedPrice(priceList(DEFAULT_RATE_CARD), "")).toBe(50_000);
  expect(listedPrice(priceList(DEFAULT_RATE_CARD), "0091 98")).toBe(10_000);
});
