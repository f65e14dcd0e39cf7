import { describe, expect, it } from "vitest";
import { infobipLanguage, LOCALE_NAMES, speechOf, VOICES } from "../../src/voices/voices.ts";

const ACCENTS = ["91", "1", "44", "61"];
/** The languages of text-to-speech at Infobip (infobip.com/docs/voice-and-video), as far as they are ours. */
const INFOBIP = ["en-in", "en", "en-gb", "en-au", "hi", "te", "ta", "kn", "ml", "bn", "gu", "mr-in"];

describe("the table of voices", () => {
  it("has two different voices everywhere", () => {
    for (const { google } of Object.values(VOICES)) expect(google.female).not.toBe(google.male);
  });

  it("has Infobip's languages, of which Punjabi is none", () => {
    expect(LOCALE_NAMES.map((locale) => VOICES[locale].infobip).filter((one) => one !== null)).toEqual(INFOBIP);
    expect(infobipLanguage(speechOf({ language: "PA" }))).toBeNull();
  });
});

describe("how a call is spoken", () => {
  it("is Indian English by a woman at her own rate where the caller says nothing", () => {
    expect(speechOf({})).toEqual({ locale: "en-IN", gender: "female", rate: 1 });
  });

  it("follows the accent in English, and only there", () => {
    expect(ACCENTS.map((accent) => speechOf({ accent }).locale)).toEqual(["en-IN", "en-US", "en-GB", "en-AU"]);
    expect(ACCENTS.map((accent) => speechOf({ language: "TA", accent }).locale)).toEqual(Array(4).fill("ta-IN"));
  });

  it("has the gender and the rate that were asked for", () => {
    expect(speechOf({ language: "HI", gender: 1, rate: 0.8 })).toEqual({ locale: "hi-IN", gender: "male", rate: 0.8 });
    expect(speechOf({ gender: 2 }).gender).toBe("female");
  });
});
