import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_RATE_CARD } from "../../../src/money/pricing.ts";
import { writeRateCard } from "../../../src/sending/rate-card.ts";
import { expectFailure } from "../../world/operating.ts";
import { preflight, quoteOf, sendOf } from "../../world/quotes.ts";
import { balanceOf, messagesOf, openWorld, recordingOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

const SMS = { phone: "9876543210", message: "Hello" };
const DEAR = { ...DEFAULT_RATE_CARD, smsIndia: 7, smsAbroad: 50, ttsCall: 9, voiceCallPer30s: 9 };

afterEach(async () => {
  vi.useRealTimers();
  await writeRateCard(env.RECORDINGS, DEFAULT_RATE_CARD);
});

/** Expects that a quote is refused, and that nothing was sent or spent. */
async function expectRefused(world: World, sending: ReturnType<typeof sendOf>): Promise<void> {
  const before = await balanceOf(world);
  expectFailure(await sending, 400, "invalid_quote", { param: "Price-Quote" });
  expect(await balanceOf(world)).toBe(before);
}

/** Quotes that the account remembers. */
const usedBy = (world: World) =>
  runInDurableObject(world.stub, (_, { storage }) => storage.sql.exec("SELECT * FROM quote_used").toArray().length);

describe("Price-Quote", () => {
  it("keeps a price that has changed since, once", async () => {
    const world = await openWorld();
    const quote = await quoteOf(world, "sms", SMS);
    await writeRateCard(env.RECORDINGS, DEAR);
    const sent = await sendOf(world, "sms", { ...SMS, phone: "9876543211" }, { quote });
    expect(sent.body).toMatchObject({ success: true, coins_used: 1, coins_remaining: 999 });
    await expectRefused(world, sendOf(world, "sms", SMS, { quote }));
    expect((await sendOf(world, "sms", SMS)).body.coins_used).toBe(7);
    expect(await world.stub.reconcile()).toEqual([]);
  });

  it("keeps an OTP's rate, and the price of a recording", async () => {
    const world = await openWorld({ otpRate: 0.25 });
    const otp = { phone: "9876543210", otp: "4821" };
    const call = { callee: "919876543210", fileId: await recordingOf(world, 61_000) };
    const quotes = { otp: await quoteOf(world, "otp", otp), voice: await quoteOf(world, "voice", call) };
    await world.stub.amend({ otpRate: 9_000 });
    await writeRateCard(env.RECORDINGS, DEAR);
    expect((await sendOf(world, "otp", otp, { quote: quotes.otp })).body.details.cost).toBe(0.25);
    expect((await sendOf(world, "voice", call, { quote: quotes.voice })).body.coins_used).toBe(6);
    expect(await world.stub.reconcile()).toEqual([]);
  });

  it("keeps its promise where the country is not offered any more", async () => {
    const world = await openWorld();
    const sms = { phone: "+14155550132", message: "Hi" };
    const quote = await quoteOf(world, "international", sms);
    await writeRateCard(env.RECORDINGS, { ...DEAR, smsByCountry: { US: null } });
    expect((await sendOf(world, "international", sms)).status).toBe(403);
    expect((await sendOf(world, "international", sms, { quote })).body.coins_used).toBe(5);
  });

  it("is for the country of the number that is dialled, whatever zeros stand before that number", async () => {
    const world = await openWorld();
    const [sms, zeros] = [
      { phone: "+61412345678", message: "Hi" },
      { phone: "+6100412345678", message: "Hi" },
    ];
    await writeRateCard(env.RECORDINGS, { ...DEFAULT_RATE_CARD, smsByCountry: { AU: 20 } });
    const quote = await quoteOf(world, "international", zeros);
    expect((await sendOf(world, "international", sms, { quote })).body.coins_used).toBe(20);
    expect((await sendOf(world, "international", zeros)).body.coins_used).toBe(20);
    expect((await messagesOf(world)).map(({ to }) => to)).toEqual([sms.phone, sms.phone]);
    await writeRateCard(env.RECORDINGS, { ...DEFAULT_RATE_CARD, smsByCountry: { AU: null } });
    expect((await preflight(world, "international", zeros)).body).toMatchObject({ would: "refuse", quote: null });
    expectFailure(await sendOf(world, "international", zeros), 403, "permission_denied");
  });

  it.each([
    ["another text", "sms", SMS, "sms", { ...SMS, message: "Hello!" }],
    ["another operation", "sms", SMS, "international", { phone: "+919876543210", message: "Hello" }],
    [
      "more recipients",
      "bulk",
      { recipients: ["9876543210"], message: "Hi" },
      "bulk",
      { recipients: ["9876543210", "9876543211"], message: "Hi" },
    ],
    [
      "another country",
      "international",
      { phone: "+14155550132", message: "Hi" },
      "international",
      { phone: "+447700900123", message: "Hi" },
    ],
    [
      "flash",
      "international",
      { phone: "+14155550132", message: "Hi" },
      "international",
      { phone: "+14155550132", message: "Hi", isFlash: true },
    ],
    ["another code", "otp", { phone: "9876543210", otp: "1234" }, "otp", { phone: "9876543210", otp: "1235" }],
    ["another spoken text", "tts", { callee: "9876543210", text: "Hi" }, "tts", { callee: "9876543210", text: "Ho" }],
  ] as const)("is refused for %s", async (_, kind, quoted, other, sent) => {
    const world = await openWorld();
    const quote = await quoteOf(world, kind, quoted);
    await expectRefused(world, sendOf(world, other, sent, { quote }));
    expect((await sendOf(world, kind, quoted, { quote })).status).toBe(200);
  });

  it("is refused for another recording, and fits any other field", async () => {
    const world = await openWorld();
    const [one, other] = [await recordingOf(world, 1_000), await recordingOf(world, 2_000)];
    const call = { callee: "919876543210", fileId: one };
    const quote = await quoteOf(world, "voice", call);
    await expectRefused(world, sendOf(world, "voice", { ...call, fileId: other }, { quote }));
    expect((await sendOf(world, "voice", { ...call, callee: "918876543210" }, { quote })).status).toBe(200);
    const sms = await quoteOf(world, "sms", SMS);
    expect((await sendOf(world, "sms", { ...SMS, senderId: "SHOP" }, { quote: sms })).status).toBe(200);
  });

  it("is refused altered, malformed, expired, and for another account or mode", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const [world, stranger] = [await openWorld(), await openWorld()];
    const twin = await openWorld({ mode: "test" });
    const quote = await quoteOf(world, "sms", SMS);
    for (const wrong of [`${quote.slice(0, -1)}${quote.endsWith("A") ? "B" : "A"}`, "", "x", quote.toUpperCase()]) {
      await expectRefused(world, sendOf(world, "sms", SMS, { quote: wrong }));
    }
    await expectRefused(stranger, sendOf(stranger, "sms", SMS, { quote }));
    await expectRefused(twin, sendOf(twin, "sms", SMS, { quote }));
    vi.setSystemTime(Date.now() + 600_001);
    await expectRefused(world, sendOf(world, "sms", SMS, { quote }));
    expect(await usedBy(world)).toBe(0);
  });

  it("is valid to its last moment", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = await openWorld();
    const quote = await quoteOf(world, "sms", SMS);
    vi.setSystemTime(Date.now() + 600_000);
    expect((await sendOf(world, "sms", SMS, { quote })).status).toBe(200);
  });

  it("serves one of several sends at once; the others cost nothing", async () => {
    const world = await openWorld();
    const quote = await quoteOf(world, "sms", SMS);
    const sends = await Promise.all(Array.from({ length: 8 }, () => sendOf(world, "sms", SMS, { quote })));
    const codes = sends.map(({ body }) => String(body.code ?? "sent")).toSorted();
    expect(codes).toEqual([...Array.from({ length: 7 }, () => "invalid_quote"), "sent"]);
    expect(await balanceOf(world)).toBe(9_990_000);
    expect(await world.stub.reconcile()).toEqual([]);
  });

  it("is replayed with its Idempotency-Key, with the quote or without it, also once it has expired", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = await openWorld();
    const quote = await quoteOf(world, "sms", SMS);
    await writeRateCard(env.RECORDINGS, DEAR);
    const first = await sendOf(world, "sms", SMS, { quote, once: "order-1" });
    vi.setSystemTime(Date.now() + 3_600_000);
    for (const more of [{ quote, once: "order-1" }, { once: "order-1" }]) {
      const again = await sendOf(world, "sms", SMS, more);
      expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"]);
    }
    await expectRefused(world, sendOf(world, "sms", SMS, { quote, once: "order-2" }));
    expect(await balanceOf(world)).toBe(9_990_000);
  });

  it("is not used up by a send that is refused", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = await openWorld({ plan: "starter", balance: 1 });
    const quote = await quoteOf(world, "sms", SMS);
    const codeOf = async () => (await sendOf(world, "sms", SMS, { quote })).body.code;
    expect((await sendOf(world, "sms", { ...SMS, message: "Other" })).status).toBe(200);
    expect(await codeOf()).toBe("insufficient_balance");
    await world.stub.credit({ amount: 20_000, reference: "r", requestId: "req_1" });
    await world.stub.amend({ status: "suspended" });
    expect(await codeOf()).toBe("account_suspended");
    await world.stub.amend({ status: "active" });
    for (let count = 3; count < 10; count += 1) {
      await world.stub.balance({ keyId: world.keyId, requestId: "req_1" });
    }
    expect(await codeOf()).toBe("rate_limited");
    vi.setSystemTime(Date.now() + 60_000);
    expect((await sendOf(world, "sms", SMS, { quote })).body).toMatchObject({ success: true, coins_used: 1 });
    await expectRefused(world, sendOf(world, "sms", SMS, { quote }));
  });

  it("works for what is sent later, whose time it does not fix", async () => {
    const world = await openWorld();
    const quote = await quoteOf(world, "sms", SMS);
    await writeRateCard(env.RECORDINGS, DEAR);
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const sent = await sendOf(world, "sms", { ...SMS, sendAt }, { quote });
    expect(sent.body).toMatchObject({ coins_used: 1, message: expect.stringMatching(/scheduled/u) });
  });

  it("is forgotten an hour after its end, by the next use", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = await openWorld();
    const use = async () => {
      expect((await sendOf(world, "sms", SMS, { quote: await quoteOf(world, "sms", SMS) })).status).toBe(200);
    };
    await use();
    await use();
    expect(await usedBy(world)).toBe(2);
    vi.setSystemTime(Date.now() + 600_000 + 3_600_001);
    await use();
    expect(await usedBy(world)).toBe(1);
  });
});
