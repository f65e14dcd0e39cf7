import { describe, expect, it } from "vitest";
import { UNITS_PER_COIN } from "../../src/money/money.ts";
import {
  DEFAULT_RATE_CARD,
  priceAbroad,
  priceIndia,
  priceTts,
  priceVoiceBlock,
  rateCardSchema,
} from "../../src/money/pricing.ts";

const LONG = "a".repeat(154) + "€€€€";
const card = rateCardSchema.parse({
  smsIndia: 2,
  smsAbroad: 7,
  smsByCountry: { GB: 3, US: 0, CN: null, "+881": 40, "+870": null, "+7": null, KZ: 9, "+44": 4 },
  ttsCall: 6,
  voiceCallPer30s: 5,
});

describe("the default card", () => {
  it("has the prices of contract §6", () => {
    expect(DEFAULT_RATE_CARD).toEqual({ smsIndia: 1, smsAbroad: 5, smsByCountry: {}, ttsCall: 2, voiceCallPer30s: 2 });
    expect(priceIndia(DEFAULT_RATE_CARD, "Hello")).toEqual({ segments: 1, units: 1 * UNITS_PER_COIN });
    expect(priceAbroad(DEFAULT_RATE_CARD, "Hello", "US", "1")).toEqual({ segments: 1, units: 5 * UNITS_PER_COIN });
    for (const code of ["870", "878", "881", "882", "883", "979"]) {
      expect(priceAbroad(DEFAULT_RATE_CARD, "Hello", undefined, code), code).toEqual({ segments: 1, units: null });
    }
    expect(priceTts(DEFAULT_RATE_CARD)).toBe(2 * UNITS_PER_COIN);
    expect(priceVoiceBlock(DEFAULT_RATE_CARD)).toBe(2 * UNITS_PER_COIN);
  });
});

describe("prices", () => {
  it("are per segment", () => {
    expect(priceIndia(card, "a".repeat(160))).toEqual({ segments: 1, units: 2 * UNITS_PER_COIN });
    expect(priceIndia(card, LONG)).toEqual({ segments: 2, units: 4 * UNITS_PER_COIN });
    expect(priceIndia(card, "नमस्ते".repeat(20))).toEqual({ segments: 2, units: 4 * UNITS_PER_COIN });
    expect(priceAbroad(card, LONG, "GB", "44")).toEqual({ segments: 2, units: 6 * UNITS_PER_COIN });
  });

  it.each([
    ["a country with a price of its own", "GB", "44", 3],
    ["a country that is free", "US", "1", 0],
    ["a country without a price", "DE", "49", 7],
    ["a country that is not offered", "CN", "86", null],
    ["a network without a country", undefined, "881", 40],
    ["a network that is not offered", undefined, "870", null],
    ["a satellite network without a price", undefined, "883", null],
    ["a code for premium services without a price", undefined, "979", null],
    ["a country whose calling code has a price", "JE", "44", 4],
    ["a country whose calling code is not offered", "RU", "7", null],
    ["a country with a price under a calling code that is not offered", "KZ", "7", 9],
  ])("%s", (_, country, callingCode, coins) => {
    const units = coins === null ? null : coins * UNITS_PER_COIN;
    expect(priceAbroad(card, "Hello", country, callingCode)).toEqual({ segments: 1, units });
  });

  it("are flat for a spoken call, and per started block for a recording", () => {
    expect(priceTts(card)).toBe(6 * UNITS_PER_COIN);
    expect(priceVoiceBlock(card)).toBe(5 * UNITS_PER_COIN);
  });
});

describe("a rate card", () => {
  it.each([
    [{ smsIndia: -1 }],
    [{ smsIndia: 0.5 }],
    [{ smsIndia: "1" }],
    [{ smsAbroad: 10_001 }],
    [{ smsByCountry: { Germany: 1 } }],
    [{ smsByCountry: { de: 1 } }],
    [{ smsByCountry: { "49": 1 } }],
    [{ smsByCountry: { DE: 1.5 } }],
    [{ smsTypo: 1 }],
    [[]],
    [null],
  ])("refuses %j", (wrong) => {
    expect(rateCardSchema.safeParse(wrong).success).toBe(false);
  });
});
