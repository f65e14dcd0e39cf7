import { describe, expect, it } from "vitest";
import { devanagari } from "../../world/contract/fields.ts";
import { sendAt, textRule } from "../../world/contract/rules.ts";
import { contractSuite } from "../../world/contract.ts";
import { claim, messagesOf, openWorld, post } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

const URL_OF_IT = "http://tts.localhost/api/tts-call";
const LANGUAGES = ["EN", "HI", "TE", "TA", "KN", "ML", "BN", "GU", "MR", "PA"];
const CALLEE = "callee must be exactly 10 digits of an Indian number, without country code or 0.";
const LANGUAGE = `language must be one of ${LANGUAGES.join(", ")}.`;
const ACCENT = 'accent must be one of the strings "91" (Indian), "1" (US), "44" (UK), "61" (Australian).';
const GENDER = "ssmlGender must be 1 (male) or 2 (female).";
const RATE = "speakingRate must be a number from 0.5 to 2.0.";

const speak = (world: World, more: object = {}) =>
  post(URL_OF_IT, { callee: "9876543210", text: "Hello", ...more }, { "x-api-key": world.apiKey });

const refusedAs = (error: string) => (value: unknown) => ({ value, error });

contractSuite({
  url: URL_OF_IT,
  method: "POST",
  keyPlaces: ["x-api-key"],
  body: () => ({ callee: "9876543210", text: "Your order is on its way." }),
  rules: {
    sendAt,
    callee: {
      type: "string",
      required: true,
      accepted: ["6000000000", "1123456789", "2212345678", "9999999999"],
      refused: [
        ...["", "112345678", "11234567890", "0112345678", "98765abcde"].map(refusedAs(CALLEE)),
        { value: "+919876543210", error: CALLEE, hint: "Send 9876543210." },
        { value: "919876543210", error: CALLEE, hint: "Send 9876543210." },
        { ...devanagari(CALLEE), hint: "Send 9876543210." },
      ],
    },
    text: textRule("text", 250),
    language: {
      type: "string",
      required: false,
      accepted: LANGUAGES,
      refused: ["", "en", "HI ", "EN-IN", "OR", "FR"].map(refusedAs(LANGUAGE)),
    },
    accent: {
      type: "string",
      required: false,
      accepted: ["91", "1", "44", "61"],
      refused: ["", "+91", "091", "2", "९१", "IN"].map(refusedAs(ACCENT)),
    },
    ssmlGender: { type: "number", required: false, accepted: [1, 2], refused: [0, 3, 1.5, -1].map(refusedAs(GENDER)) },
    speakingRate: {
      type: "number",
      required: false,
      accepted: [0.5, 0.8, 1, 1.2, 1.234, 2],
      refused: [0.49, 2.01, 0, -1, 1e9].map(refusedAs(RATE)),
    },
  },
  cost: 2,
});

describe("tts-call", () => {
  it("queues a call with the defaults of the contract", async () => {
    const world = await openWorld();
    const reply = await speak(world);
    expect(reply.text).toBe('{"success":true,"message":"The call is queued.","coins_used":2,"coins_remaining":998}');
    expect(await messagesOf(world)).toMatchObject([{ operation: "tts", to: "+919876543210", charge: 20_000 }]);
    const [job] = await claim(world, { carrier: "sim" });
    expect(job?.content).toEqual({ language: "EN", accent: "91", gender: 2, rate: 1 });
  });

  it("passes the chosen voice on", async () => {
    const world = await openWorld();
    await speak(world, { callee: "1123456789", language: "HI", accent: "44", ssmlGender: 1, speakingRate: 0.8 });
    const [job] = await claim(world, { carrier: "sim" });
    expect(job?.content).toEqual({ language: "HI", accent: "44", gender: 1, rate: 0.8 });
    expect(job?.messages).toMatchObject([{ to: "+911123456789" }]);
  });

  it("a speaking rate that overflows to infinity is refused", async () => {
    const world = await openWorld();
    const reply = await post(URL_OF_IT, '{"callee":"9876543210","text":"x","speakingRate":1e999}', {
      "x-api-key": world.apiKey,
    });
    expect(reply.body).toMatchObject({ code: "invalid_request", param: "speakingRate", error: RATE });
  });
});
