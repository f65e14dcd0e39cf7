import * as z from "zod";
import { countSegments } from "../text/segments.ts";
import { unitsFromCoins } from "./money.ts";

const PRICE = "A price is a whole number of coins from 0 to 10,000.";
const COUNTRY = "A country is two capital letters (ISO 3166), or + and a calling code.";

const price = z.number(PRICE).int(PRICE).min(0, PRICE).max(10_000, PRICE);

/** What the operator may change without a deploy (contract §6). `null` for a country: not offered. */
export const rateCardSchema = z.strictObject({
  /** Coins per segment to an Indian mobile. */
  smsIndia: price.default(1),
  /** Coins per segment abroad, where `smsByCountry` says nothing. */
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

export type RateCard = z.infer<typeof rateCardSchema>;

/** The card of a deployment whose operator has not written one. */
export const DEFAULT_RATE_CARD: RateCard = rateCardSchema.parse({});

/** A started block of a recording, for which a voice call is billed. */
export const VOICE_BLOCK_MS = 30_000;

const units = (coins: number) => unitsFromCoins(coins) ?? 0;

interface SmsPrice {
  segments: number;
  /** Units per recipient, or null where this country is not offered. */
  units: number | null;
}

/** Price of a text to an Indian mobile. */
export function priceIndia(card: RateCard, text: string): SmsPrice & { units: number } {
  const { segments } = countSegments(text);
  return { segments, units: units(card.smsIndia * segments) };
}

/** Coins per segment to a country, named by its ISO code or, where it has none, by its calling code; null: not offered. */
export function coinsAbroad(card: RateCard, country: string | undefined, callingCode: string): number | null {
  const own = country === undefined ? undefined : card.smsByCountry[country];
  const listed = own === undefined ? card.smsByCountry[`+${callingCode}`] : own;
  return listed === undefined ? card.smsAbroad : listed;
}

/** Price of a text to a country, named by its ISO code, or by its calling code where it has none. */
export function priceAbroad(card: RateCard, text: string, country: string | undefined, callingCode: string): SmsPrice {
  const { segments } = countSegments(text);
  const each = coinsAbroad(card, country, callingCode);
  return { segments, units: each === null ? null : units(each * segments) };
}

/** Price of a call that speaks a text. */
export function priceTts(card: RateCard): number {
  return units(card.ttsCall);
}

/** Price of one started 30 s of a recording. */
export function priceVoiceBlock(card: RateCard): number {
  return units(card.voiceCallPer30s);
}
