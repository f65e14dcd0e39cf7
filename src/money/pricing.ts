import * as z from "zod";
import { countSegments } from "../text/segments.ts";
import { unitsFromCoins } from "./money.ts";

const PRICE = "A price is a whole number of coins from 0 to 10,000.";
const COUNTRY = "A country is two capital letters (ISO 3166), or + and a calling code.";

const price = z.number(PRICE).int(PRICE).min(0, PRICE).max(10_000, PRICE);

// The operator's rate card, and the prices that follow from it.

/** The prices that the operator can change without a deploy (contract §6). `null` for a country: not offered there. */
export const rateCardSchema = z.strictObject({
  /** Coins per segment to an Indian mobile. */
  smsIndia: price.default(1),
  /** Coins per segment to countries that are missing from `smsByCountry`. */
  smsAbroad: price.default(5),
  /** Coins per segment by ISO 3166 country code or, where that is absent, by `+` and the calling code. */
  smsByCountry: z
    .record(z.string().regex(/^([A-Z]{2}|\+[0-9]{1,3})$/u, COUNTRY), price.nullable(), COUNTRY)
    .default({}),
  /** Coins per call that speaks a text. */
  ttsCall: price.default(2),
  /** Coins per started 30 s of a recording. */
  voiceCallPer30s: price.default(2),
});

/** A card as it is stored, maybe by a newer version: fields that this one does not know are left out. */
export const storedCardSchema = z.object(rateCardSchema.shape);

export type RateCard = z.infer<typeof rateCardSchema>;

/** The prices of a deployment whose operator has not written a rate card. */
export const DEFAULT_RATE_CARD: RateCard = rateCardSchema.parse({});

/** A voice call is billed per started block of its recording. */
export const VOICE_BLOCK_MS = 30_000;

const units = (coins: number) => unitsFromCoins(coins) ?? 0;

interface SmsPrice {
  segments: number;
  /** Units per recipient, or null where SMS to this country are not offered. */
  units: number | null;
}

/** Price of a text to an Indian mobile. */
export function priceIndia(card: RateCard, text: string): SmsPrice & { units: number } {
  const { segments } = countSegments(text);
  return { segments, units: units(card.smsIndia * segments) };
}

/**
 * Calling codes that belong to no country: satellite networks, and services at the caller's cost (ITU-T E.164). One SMS
 * to them costs a multiple of any country's, so they have no price until the rate card gives them one.
 */
export const UNPRICED: ReadonlySet<string> = new Set(["870", "878", "881", "882", "883", "979"]);

/** Coins per segment to a country, by its ISO code, else its calling code, else the default; null: not offered. */
export function coinsAbroad(card: RateCard, country: string | undefined, callingCode: string): number | null {
  const own = country === undefined ? undefined : card.smsByCountry[country];
  const listed = own === undefined ? card.smsByCountry[`+${callingCode}`] : own;
  if (listed !== undefined) return listed;
  return UNPRICED.has(callingCode) ? null : card.smsAbroad;
}

/** Price of a text to a country: by its ISO code, else by its calling code, else the default price abroad. */
export function priceAbroad(card: RateCard, text: string, country: string | undefined, callingCode: string): SmsPrice {
  const { segments } = countSegments(text);
  const each = coinsAbroad(card, country, callingCode);
  return { segments, units: each === null ? null : units(each * segments) };
}

/** Price of a call that speaks a text, in units. */
export function priceTts(card: RateCard): number {
  return units(card.ttsCall);
}

/** Price of one started 30 s of a recording, in units. */
export function priceVoiceBlock(card: RateCard): number {
  return units(card.voiceCallPer30s);
}
