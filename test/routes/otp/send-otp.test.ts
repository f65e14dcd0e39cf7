import { describe, expect, it } from "vitest";
import { phone, textRule } from "../../world/contract/rules.ts";
import { devanagari } from "../../world/contract/fields.ts";
import { contractSuite } from "../../world/contract.ts";
import { PRODUCT } from "../../../src/config/settings.ts";
import { balanceOf, claim, ledgerOf, messagesOf, openWorld, post } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

const URL_OF_IT = "http://otp.localhost/send-otp";
const OTP = "otp must be a string of 4 to 8 digits.";
const BRAND = "brandName must not contain line breaks or control characters.";

const sendOtp = (world: World, more: object = {}) =>
  post(URL_OF_IT, { apiKey: world.apiKey, phone: "9876543210", otp: "123456", ...more });

contractSuite({
  url: URL_OF_IT,
  method: "POST",
  keyPlaces: ["body", "bearer"],
  body: () => ({ phone: "9876543210", otp: "123456" }),
  rules: {
    phone,
    otp: {
      type: "string",
      required: true,
      accepted: ["0000", "12345678", "00000000"],
      refused: [
        ...["", "123", "123456789", "12 34", "12345a", "-1234", "1234\n", "12.34"].map((value) => ({
          value,
          error: OTP,
        })),
        { ...devanagari(OTP), value: "१२३४५६" },
      ],
    },
    brandName: {
      ...textRule("brandName", 40),
      required: false,
      accepted: ["x", "9876543210", "x".repeat(40), "😀".repeat(40), "दस्तक", "A & B"],
      refused: [
        ...textRule("brandName", 40).refused,
        ...["a\nb", "a\rb", "a\u2028b", "a\u0000b", "a\u0085b"].map((value) => ({ value, error: BRAND })),
      ],
    },
  },
  cost: 0.15,
});

describe("send-otp", () => {
  it("returns the OTP, its cost and the new balance", async () => {
    const world = await openWorld({ balance: 15 });
    const reply = await sendOtp(world, { otp: "001234", brandName: "Chai" });
    expect(reply.body).toEqual({
      success: true,
      message: "The OTP is queued.",
      details: { phone: "9876543210", brand: "Chai", otp_sent: "001234", cost: 0.15, new_balance: 14.85 },
    });
    expect(reply.text).toContain('"cost":0.15,"new_balance":14.85');
  });

  it("uses the service's own name as the brand if none is given", async () => {
    expect((await sendOtp(await openWorld())).body.details.brand).toBe(PRODUCT);
  });

  it.each([
    ["starter", 0.25],
    ["business", 0.2],
    ["premium", 0.15],
  ] as const)("costs what the plan %s says", async (plan, cost) => {
    expect((await sendOtp(await openWorld({ plan, balance: 1 }))).body.details).toMatchObject({
      cost,
      new_balance: Number((1 - cost).toFixed(4)),
    });
  });

  it("the account's own rate overrides the plan's, to four decimals", async () => {
    const world = await openWorld({ balance: 1, otpRate: 0.1234 });
    expect((await sendOtp(world)).body.details).toMatchObject({ cost: 0.1234, new_balance: 0.8766 });
    expect(await balanceOf(world)).toBe(8_766);
  });

  it("100 sends leave no float noise", async () => {
    const world = await openWorld({ balance: 20 });
    const replies = await Promise.all(Array.from({ length: 100 }, () => sendOtp(world)));
    const balances = replies.map((reply) => reply.body.details.new_balance as number).toSorted((a, b) => b - a);
    expect(balances).toEqual(Array.from({ length: 100 }, (_, sent) => (200_000 - 1_500 * (sent + 1)) / 10_000));
    expect(await balanceOf(world)).toBe(50_000);
  });

  it("returns the OTP in the reply, and stores it in no message, ledger entry or plain text", async () => {
    const world = await openWorld();
    const otp = "90817263";
    await sendOtp(world, { otp });
    const [job] = await claim(world, { lane: "otp", carrier: "sim" });
    const seen = JSON.stringify([await messagesOf(world), await ledgerOf(world), job?.content, job?.messages]);
    expect(seen).not.toContain(otp);
    expect(Buffer.from(job?.text ?? []).toString("latin1")).not.toContain(otp);
  });

  it("a refusal does not repeat the OTP", async () => {
    const reply = await sendOtp(await openWorld(), { otp: "98765x" });
    expect(reply.text).not.toContain("98765x");
  });
});
