import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { expectFailure, operatorSuite } from "../../world/operating.ts";
import { DEFAULT_RATE_CARD } from "../../../src/money/pricing.ts";
import { writeRateCard } from "../../../src/sending/rate-card.ts";
import { openWorld, operator, post, sendSms } from "../../world/world.ts";

const PATH = "/operator/rate-card";

afterEach(() => writeRateCard(env.RECORDINGS, DEFAULT_RATE_CARD));

describe("GET and PUT /operator/rate-card", () => {
  operatorSuite("GET", PATH);
  operatorSuite("PUT", PATH);

  it("shows the prices of the contract until others are set", async () => {
    expect((await operator("GET", PATH)).body).toEqual({
      success: true,
      smsIndia: 1,
      smsAbroad: 5,
      smsByCountry: {},
      ttsCall: 2,
      voiceCallPer30s: 2,
    });
  });

  it("changes prices for the next request, without a deploy", async () => {
    const card = { smsIndia: 3, smsAbroad: 9, smsByCountry: { US: 4, GB: null }, ttsCall: 7, voiceCallPer30s: 1 };
    expect((await operator("PUT", PATH, card)).body).toEqual({ success: true, ...card });
    expect((await operator("GET", PATH)).body).toEqual({ success: true, ...card });
    const world = await openWorld();
    expect((await sendSms(world)).body.coins_used).toBe(3);
    const call = { callee: "9876543210", text: "Hello" };
    const spoken = await post("http://tts.localhost/api/tts-call", call, { "x-api-key": world.apiKey });
    expect(spoken.body.coins_used).toBe(7);
  });

  it.each([
    [{ smsIndia: -1 }, "smsIndia"],
    [{ smsIndia: 0.5 }, "smsIndia"],
    [{ smsIndia: "1" }, "smsIndia"],
    [{ ttsCall: 10_001 }, "ttsCall"],
    [{ smsByCountry: { US: 1.5 } }, "smsByCountry.US"],
    [{ smsByCountry: { us: 1 } }, "smsByCountry.us"],
    [{ smsByCountry: 5 }, "smsByCountry"],
    [{ smsIndai: 2 }, "smsIndai"],
  ])("%j is refused, and the reply names the field", async (card, param) => {
    expectFailure(await operator("PUT", PATH, card), 400, "invalid_request", { param });
    expect((await operator("GET", PATH)).body).toMatchObject(DEFAULT_RATE_CARD);
  });
});
