import { rateCardSchema } from "../money/pricing.ts";
import type { RateCard } from "../money/pricing.ts";

// The rate card as a form: four prices, and one country per line.

/** Prices that have a form field each. */
export const CARD_PRICES = ["smsIndia", "smsAbroad", "ttsCall", "voiceCallPer30s"] as const;

/** Prices that one entry of the audit trail shows; of more it gives the number. */
const CHANGES_MAX = 40;

type CardPrice = (typeof CARD_PRICES)[number];

/** Every price of a card, by its name or country; null is not offered. */
const pricesOf = (card: RateCard): Record<string, number | null> => ({
  ...Object.fromEntries(CARD_PRICES.map((name) => [name, card[name]])),
  ...card.smsByCountry,
});

/** A price as it is typed; `…` for a country that is not on the card. */
const priceText = (prices: Record<string, number | null>, name: string): string =>
  Object.hasOwn(prices, name) ? String(prices[name] ?? "-") : "…";

/** What differs between two cards, as the audit trail records it: each changed price, `before → after`. */
export function cardChanges(before: RateCard | null, after: RateCard): Record<string, string> {
  const [old, fresh] = [before ? pricesOf(before) : {}, pricesOf(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  const changed = names.filter((name) => priceText(old, name) !== priceText(fresh, name));
  const shown = changed
    .slice(0, CHANGES_MAX)
    .map((name) => [name, `${priceText(old, name)} → ${priceText(fresh, name)}`]);
  return Object.fromEntries([...shown, ...(changed.length > CHANGES_MAX ? [["count", String(changed.length)]] : [])]);
}

/** What is wrong with a typed rate card. */
export type CardFault = { price: CardPrice } | { line: number } | { twice: string };

const COUNTRY_LINE = /^([A-Z]{2}|\+[0-9]{1,3})\s+([0-9]{1,5}|-)$/u;

/** The countries of a card as lines: `US 3`, `+44 4`, `KP -`. */
export function countryLines(card: RateCard): string {
  return Object.entries(card.smsByCountry)
    .map(([country, price]) => `${country} ${price ?? "-"}`)
    .toSorted()
    .join("\n");
}

function readCountries(text: string): Pick<RateCard, "smsByCountry"> | { fault: CardFault } {
  const countries = new Map<string, number | null>();
  for (const [index, line] of text.split(/\r?\n/u).entries()) {
    if (line.trim() === "") continue;
    const [, country, price] = COUNTRY_LINE.exec(line.trim()) ?? [];
    if (country === undefined) return { fault: { line: index + 1 } };
    if (countries.has(country)) return { fault: { twice: country } };
    const coins = price === "-" ? null : Number(price);
    const known = rateCardSchema.safeParse({ smsByCountry: { [country]: coins } });
    if (!known.success) return { fault: { line: index + 1 } };
    countries.set(country, coins);
  }
  return { smsByCountry: Object.fromEntries(countries) };
}

/** Reads a typed rate card, or returns its first fault. */
export function readCard(form: Record<string, string>): { card: RateCard } | { fault: CardFault } {
  const prices: Partial<Record<CardPrice, number>> = {};
  for (const name of CARD_PRICES) {
    const typed = form[name]?.trim() ?? "";
    const price = rateCardSchema.shape[name].safeParse(/^[0-9]+$/u.test(typed) ? Number(typed) : Number.NaN);
    if (!price.success) return { fault: { price: name } };
    prices[name] = price.data;
  }
  const countries = readCountries(form["countries"] ?? "");
  return "fault" in countries ? countries : { card: rateCardSchema.parse({ ...prices, ...countries }) };
}
