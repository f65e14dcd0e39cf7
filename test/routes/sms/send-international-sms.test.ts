import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { devanagari } from "../../world/contract/fields.ts";
import { message, sendAt, senderId } from "../../world/contract/rules.ts";
import { contractSuite } from "../../world/contract.ts";
import { DEFAULT_RATE_CARD } from "../../../src/money/pricing.ts";
import { writeRateCard } from "../../../src/sending/rate-card.ts";
import { bearer, claim, messagesOf, openWorld, post } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

const URL_OF_IT = "http://sms.localhost/send-international-sms";
const SHAPE = "phone must be + and 7 to 15 digits with the country code, such as +14155550132.";
const LENGTH = "phone has a length that is not possible in its country.";
const LANDLINE = "phone is an Indian landline, which cannot receive an SMS.";

const send = (world: World, phone: string, more: object = {}) =>
  post(URL_OF_IT, { phone, message: "Hello", ...more }, bearer(world.apiKey));

contractSuite({
  url: URL_OF_IT,
  method: "POST",
  keyPlaces: ["bearer", "body"],
  body: () => ({ phone: "+14155550132", message: "Hello" }),
  rules: {
    sendAt,
    phone: {
      type: "string",
      required: true,
      // The shortest existing numbers have seven digits with their country code: Niue, +683 and four.
      accepted: ["+447400123456", "+6834002", "+971501234567", "+919876543210", "+8613912345678"],
      refused: [
        { value: "", error: SHAPE },
        { value: "14155550132", error: SHAPE, hint: "Send +14155550132." },
        { value: "0014155550132", error: SHAPE },
        { value: "+014155550132", error: SHAPE },
        { value: "+123456", error: SHAPE },
        { value: "+1234567890123456", error: SHAPE },
        { value: "+1 415 555 0132", error: SHAPE },
        { value: "+14155550132 ", error: SHAPE },
        { value: "+14155550132\n", error: SHAPE },
        { value: "+1415555013a", error: SHAPE },
        devanagari(SHAPE, "+"),
        { value: "+9991234567", error: "phone has a country code that does not exist." },
        { value: "+21012345678", error: "phone has a country code that does not exist." },
        { value: "+1415555013", error: LENGTH },
        { value: "+141555501322", error: LENGTH },
        { value: "+911123456789", error: LANDLINE },
        { value: "+912212345678", error: LANDLINE },
      ],
    },
    message,
    isFlash: { type: "boolean", required: false, accepted: [true, false], refused: [] },
    senderId,
  },
  cost: 5,
});

describe("send-international-sms", () => {
  afterEach(() => writeRateCard(env.RECORDINGS, DEFAULT_RATE_CARD));

  it("answers as send-sms does, and stores the flash flag", async () => {
    const world = await openWorld();
    const reply = await send(world, "+14155550132", { isFlash: true, message: "x".repeat(160) });
    expect(reply.text).toBe('{"success":true,"message":"The SMS is queued.","coins_used":5,"coins_remaining":995}');
    const [job] = await claim(world, { carrier: "sim" });
    expect(job?.content).toEqual({ flash: true });
    expect(await messagesOf(world)).toMatchObject([{ operation: "sms_international", to: "+14155550132" }]);
  });

  it("is not a flash SMS by default", async () => {
    const world = await openWorld();
    await send(world, "+14155550132", { senderId: "DASTAK" });
    const [job] = await claim(world, { carrier: "sim" });
    expect(job?.content).toEqual({ flash: false, sender: "DASTAK" });
  });

  it("charges every segment", async () => {
    const world = await openWorld();
    expect((await send(world, "+447400123456", { message: "क".repeat(71) })).body).toMatchObject({
      message: "The SMS is queued in 2 segments.",
      coins_used: 10,
    });
  });

  it("a +91 mobile number is priced and routed as domestic", async () => {
    const world = await openWorld();
    expect((await send(world, "+919876543210")).body.coins_used).toBe(1);
    expect(await messagesOf(world)).toMatchObject([{ operation: "sms", to: "+919876543210", charge: 10_000 }]);
  });

  it("prices by country", async () => {
    const world = await openWorld();
    await writeRateCard(env.RECORDINGS, { ...DEFAULT_RATE_CARD, smsAbroad: 7, smsByCountry: { US: 3, "+881": 40 } });
    expect((await send(world, "+14155550132")).body.coins_used).toBe(3);
    expect((await send(world, "+14165550132")).body.coins_used, "Canada shares +1, not the price").toBe(7);
    expect((await send(world, "+881612345678")).body.coins_used, "a code without a country").toBe(40);
  });

  it("a country that is not offered: 403, after the account's status and before its balance", async () => {
    await writeRateCard(env.RECORDINGS, { ...DEFAULT_RATE_CARD, smsByCountry: { GB: null } });
    const world = await openWorld({ plan: "starter", balance: 0 });
    const reply = await send(world, "+447400123456");
    expect(reply.status).toBe(403);
    expect(reply.body).toMatchObject({ code: "permission_denied", error: "SMS to +44 (GB) is not offered." });
    expect(reply.headers.get("ratelimit")).toBe('"starter";r=9;t=60');
    const satellite = await send(world, "+881612345678");
    expect(satellite.status).toBe(403);
    expect(satellite.body.error).toBe("SMS to +881 (no country) is not offered.");
    await world.stub.amend({ status: "suspended" });
    expect((await send(world, "+447400123456")).body.code).toBe("account_suspended");
  });
});
