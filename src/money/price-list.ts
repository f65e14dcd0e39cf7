import { getCountries, getCountryCallingCode } from "libphonenumber-js/max";
import type { PriceList } from "./listed-price.ts";
import { UNITS_PER_COIN } from "./money.ts";
import { UNPRICED, coinsAbroad } from "./pricing.ts";
import type { RateCard } from "./pricing.ts";

// The rate card by calling code, small enough for a page, so that the browser can show a price before the API is
// called.

/** Prices abroad by calling code, in units: those that differ from the default. India's own price is always listed. */
export function priceList(card: RateCard): PriceList {
  const prices = new Map<string, Set<number | null>>();
  const note = (code: string, coins: number | null) => {
    prices.set(code, (prices.get(code) ?? new Set()).add(coins === null ? null : coins * UNITS_PER_COIN));
  };
  for (const code of UNPRICED) note(code, coinsAbroad(card, undefined, code));
  if (Object.keys(card.smsByCountry).length > 0) {
    for (const country of getCountries()) {
      const code = getCountryCallingCode(country);
      note(code, coinsAbroad(card, country, code));
    }
    for (const [key, coins] of Object.entries(card.smsByCountry)) if (key.startsWith("+")) note(key.slice(1), coins);
  }
  const abroad = card.smsAbroad * UNITS_PER_COIN;
  const byCode: PriceList["byCode"] = {};
  for (const [code, found] of prices) {
    const [only = null] = found;
    if (found.size > 1) byCode[code] = "varies";
    else if (only !== abroad) byCode[code] = only;
  }
  byCode["91"] = card.smsIndia * UNITS_PER_COIN;
  return { abroad, byCode };
}
