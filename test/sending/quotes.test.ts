import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import type { SendKind } from "../../src/model/operations.ts";
import { DEFAULT_RATE_CARD } from "../../src/money/pricing.ts";
import type { RateCard } from "../../src/money/pricing.ts";
import { writeRateCard } from "../../src/sending/rate-card.ts";
import { preflight, sendOf } from "../world/quotes.ts";
import { balanceOf, openWorld, recordingOf } from "../world/world.ts";
import type { World } from "../world/world.ts";

// What a preflight says is what the send does, for random requests of every operation: the price, also where rate card and
// OTP rate change in between, or the very failure.

afterEach(() => writeRateCard(env.RECORDINGS, DEFAULT_RATE_CARD));

const unit = fc.constantFrom("a", "Z", "€", "[", "’", "ह", "क्ष", "é", "ü", "🙏", "👩‍👩‍👧", "\n", "₹", "\u200b");
const text = (max: number) => fc.array(unit, { maxLength: max }).map((units) => units.join(""));

const mobile = fc.constantFrom(
  "9876543210",
  "9876543211",
  "6000000000",
  "7000000000",
  "1",
  "+919876543210",
  "5876543210",
);
const abroad = fc.constantFrom(
  "+14155550132",
  "+447911123456",
  "+919876543210",
  "+911122334455",
  "+881612345678",
  "+99",
  "1",
);
const dialled = fc.constantFrom("14155550132", "919876543210", "911122334455", "5");
const senderId = fc.constantFrom(undefined, null, "SHOP", "", "a b-c");

/** A request, made in an account that has these recordings. */
type Asked = { kind: SendKind; fields: Record<string, unknown>; durationMs?: number };

const asked: fc.Arbitrary<Asked> = fc.oneof(
  fc.record({ phone: mobile, message: text(170), senderId }).map((fields) => ({ kind: "sms" as const, fields })),
  fc
    .record({ recipients: fc.array(mobile, { maxLength: 6 }), message: text(80), senderId })
    .map((fields) => ({ kind: "bulk" as const, fields })),
  fc
    .record({ phone: abroad, message: text(80), isFlash: fc.constantFrom(true, false, undefined, "yes") })
    .map((fields) => ({ kind: "international" as const, fields })),
  fc
    .record({
      phone: mobile,
      otp: fc.constantFrom("0000", "12345678", "123"),
      brandName: fc.option(text(42), { nil: undefined }),
    })
    .map((fields) => ({ kind: "otp" as const, fields })),
  fc
    .record({ callee: mobile, text: text(255), language: fc.constantFrom("HI", undefined, "XX") })
    .map((fields) => ({ kind: "tts" as const, fields })),
  fc
    .record({ callee: dialled, durationMs: fc.integer({ min: 1, max: 600_000 }) })
    .map(({ callee, durationMs }) => ({ kind: "voice" as const, fields: { callee }, durationMs })),
);

const coins = fc.integer({ min: 0, max: 60 });
const card: fc.Arbitrary<RateCard> = fc.record({
  smsIndia: coins,
  smsAbroad: coins,
  smsByCountry: fc.record({ US: fc.option(coins), "+44": fc.option(coins) }),
  ttsCall: coins,
  voiceCallPer30s: coins,
});

const world = fc.record({
  mode: fc.constantFrom("live" as const, "test" as const),
  balance: fc.constantFrom(3, 1_000),
  rates: fc.tuple(fc.constantFrom(0.15, 0.1234, 0), fc.constantFrom(9, 0.2)),
});

async function fieldsOf(at: World, { fields, durationMs }: Asked): Promise<Record<string, unknown>> {
  return durationMs === undefined ? fields : { ...fields, fileId: await recordingOf(at, durationMs) };
}

/** A hundred and fifty accounts and a thousand requests take fifteen seconds, and twenty times that on a busy machine. */
const SLOW_MS_MAX = 300_000;

it(
  "charges what it quoted, whatever the prices are by then, and refuses as it said",
  async () => {
    const outcomes = { send: 0, refuse: 0 };
    await fc.assert(
      fc.asyncProperty(asked, world, card, card, async (request, { mode, balance, rates }, before, after) => {
        await writeRateCard(env.RECORDINGS, before);
        const at = await openWorld({ mode, balance, otpRate: rates[0] });
        const fields = await fieldsOf(at, request);
        const { body } = await preflight(at, request.kind, fields);
        const had = await balanceOf(at);
        outcomes[body.would as "send" | "refuse"] += 1;
        if (body.would === "refuse") {
          const refused = await sendOf(at, request.kind, fields);
          const [problem] = body.problems;
          const { code, error, param = null, hint } = refused.body;
          expect({ code, error, param, hint }).toEqual({ ...problem, hint: problem.hint });
          expect([body.quote, await balanceOf(at)]).toEqual([null, had]);
          return;
        }
        await writeRateCard(env.RECORDINGS, after);
        await at.stub.amend({ otpRate: rates[1] * 10_000, plan: "starter" });
        const [now] = (await preflight(at, request.kind, fields)).body.problems;
        const sent = await sendOf(at, request.kind, fields, { quote: body.quote });
        // A quote is a price, not a permission: the new card may not price the country any more.
        if (now?.code === "country_not_allowed") {
          expect(sent.body.code).toBe("country_not_allowed");
          expect(await balanceOf(at)).toBe(had);
          return;
        }
        expect(sent.body).toMatchObject({ success: true });
        expect((had - (await balanceOf(at))) / 10_000).toBeCloseTo(body.cost, 6);
        expect((await balanceOf(at)) / 10_000).toBeCloseTo(body.balance_after, 6);
        expect((await sendOf(at, request.kind, fields, { quote: body.quote })).body.code).toBe("invalid_quote");
        expect(await at.stub.reconcile()).toEqual([]);
      }),
      { numRuns: 150 },
    );
    expect(Math.min(outcomes.send, outcomes.refuse), "both were tried").toBeGreaterThan(10);
  },
  SLOW_MS_MAX,
);
