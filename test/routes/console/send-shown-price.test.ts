import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_RATE_CARD } from "../../../src/money/pricing.ts";
import { writeRateCard } from "../../../src/sending/rate-card.ts";
import { hindi, hindiJson, inHindi } from "../../world/hindi.ts";
import { CASES, JSON_TYPE, asJson, fieldOf } from "../../world/send-form.ts";
import { visit } from "../../world/visitor.ts";
import type { Page, Visitor } from "../../world/visitor.ts";
import { balanceOf, ledgerOf, messagesOf, recordingOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// What a form shows is what it costs: the quote of its figures goes with it, and another price is asked about first.

const DEAR = { ...DEFAULT_RATE_CARD, smsIndia: 7, smsAbroad: 50, ttsCall: 9, voiceCallPer30s: 9 };
const SMS = { phone: "9876543210", message: "Hello" };
const COIN = 10_000;

afterEach(async () => {
  vi.useRealTimers();
  await writeRateCard(env.RECORDINGS, DEFAULT_RATE_CARD);
});

const decoded = (text = "") => text.replaceAll("&amp;", "&").replaceAll("&#39;", "'").replaceAll("&quot;", '"');

/** What a page or its figures send along, as the browser posts it. */
const shownIn = (page: Page) => ({ quote: fieldOf(page, "quote") ?? "", shown: fieldOf(page, "shown") ?? "" });

/** Lets a form's figures be shown, and returns the form with them. */
async function checked<F extends Record<string, string>>(
  visitor: Visitor,
  kind: string,
  form: F,
  once = "once_12345678",
) {
  const page = await visitor.submit(`/send/${kind}/check`, { ...form, once, check: "page" });
  return { ...form, once, ...shownIn(page) };
}

/** Quotes expire, and prices change to these meanwhile. */
async function later(card = DEAR): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11 * 60_000 });
  await writeRateCard(env.RECORDINGS, card);
}

/** What was spent of 1,000 coins, in coins, and the number of messages. */
const spent = async (world: World) => [1_000 - (await balanceOf(world)) / COIN, (await messagesOf(world)).length];

describe("a form with figures", () => {
  it.each(Object.keys(CASES) as (keyof typeof CASES)[])(
    "of %s costs what they said, whatever the price is by then",
    async (kind) => {
      const { visitor, world } = await visit({ balance: 1_000 });
      const form = await checked(visitor, kind, CASES[kind].form);
      expect(form.quote).toMatch(/^quote_/u);
      await writeRateCard(env.RECORDINGS, DEAR);
      await world.stub.amend({ otpRate: 9_000 });
      const { body, status } = await asJson(visitor, `/send/${kind}`, form);
      expect([status, body.success]).toEqual([200, true]);
      const [coins = 0] = await spent(world);
      expect(Math.round(coins * COIN)).toBe(Number(form.shown));
      expect(await world.stub.reconcile()).toEqual([]);
    },
  );

  it("of a recording costs what they said", async () => {
    const { visitor, world } = await visit({ balance: 1_000 });
    const form = await checked(visitor, "voice", { callee: "919876543210", fileId: await recordingOf(world, 31_000) });
    await writeRateCard(env.RECORDINGS, DEAR);
    await visitor.submit("/send/voice", form);
    expect(await spent(world)).toEqual([4, 1]);
  });

  it("asks once more where the price has changed and the quote has expired, with both prices and all that was typed", async () => {
    const { visitor, world } = await visit({ balance: 1_000 });
    const form = await checked(visitor, "sms", { ...SMS, message: "Chai & 'samosa'", senderId: "SHOP" });
    await later();
    const asked = await visitor.submit("/send/sms", form);
    expect(asked.status).toBe(400);
    expect(asked.text).toContain("you were shown ₹1.00, and it costs ₹7.00 now");
    expect(await spent(world)).toEqual([0, 0]);
    expect(asked.text).toMatch(/<textarea[^>]*name="message"[^>]*>Chai &amp; &#39;samosa&#39;</u);
    expect(["phone", "senderId", "once"].map((name) => decoded(fieldOf(asked, name)))).toEqual([
      form.phone,
      form.senderId,
      form.once,
    ]);
    const again = shownIn(asked);
    expect(again.shown).toBe(String(7 * COIN));
    expect((await visitor.submit("/send/sms", { ...form, ...again })).status).toBe(200);
    expect(await spent(world)).toEqual([7, 1]);
    expect(await ledgerOf(world)).toHaveLength(2);
  });

  it("asks as well where the price has fallen", async () => {
    const { visitor, world } = await visit({ balance: 1_000 });
    await writeRateCard(env.RECORDINGS, DEAR);
    const form = await checked(visitor, "sms", SMS);
    await later(DEFAULT_RATE_CARD);
    expect((await visitor.submit("/send/sms", form)).text).toContain("you were shown ₹7.00, and it costs ₹1.00 now");
    expect(await spent(world)).toEqual([0, 0]);
  });

  it("asks nothing where the quote has expired and the price is the same", async () => {
    const { visitor, world } = await visit({ balance: 1_000 });
    const form = await checked(visitor, "sms", SMS);
    await later(DEFAULT_RATE_CARD);
    expect((await visitor.submit("/send/sms", form)).status).toBe(200);
    expect(await spent(world)).toEqual([1, 1]);
  });

  it.each([
    ["a longer text", { message: "€".repeat(81) }, "₹2.00"],
    ["Unicode", { message: "न".repeat(71) }, "₹2.00"],
  ])("asks where %s than was checked costs more", async (_, more, price) => {
    const { visitor, world } = await visit({ balance: 1_000 });
    const form = { ...(await checked(visitor, "sms", SMS)), ...more };
    const asked = await visitor.submit("/send/sms", form);
    expect([asked.status, asked.text.includes(`you were shown ₹1.00, and it costs ${price} now`)]).toEqual([400, true]);
    expect(await spent(world)).toEqual([0, 0]);
    expect((await visitor.submit("/send/sms", { ...form, message: "Hello, too" })).status).toBe(200);
    expect(await spent(world)).toEqual([1, 1]);
  });

  it("tells the script both prices, and the quote to agree with", async () => {
    const { visitor, world } = await visit({ balance: 1_000 });
    const part = await visitor.submit("/send/bulk/check", { recipients: "9876543210\n9876543211", message: "Hi" });
    const form = { recipients: "9876543210\n9876543211", message: "Hi", once: "once_12345678", ...shownIn(part) };
    expect(form.shown).toBe(String(2 * COIN));
    await later();
    const asked = await visitor.submit("/send/bulk", form, JSON_TYPE);
    expect(asked.status).toBe(400);
    expect(JSON.parse(asked.text)).toMatchObject({
      code: "invalid_quote",
      error: expect.stringContaining("shown ₹2.00, and it costs ₹14.00 now"),
    });
    const agreed = { quote: asked.headers.get("price-quote") ?? "", shown: asked.headers.get("price-units") ?? "" };
    expect(await spent(world)).toEqual([0, 0]);
    expect((await visitor.submit("/send/bulk", { ...form, ...agreed }, JSON_TYPE)).status).toBe(200);
    expect(await spent(world)).toEqual([14, 2]);
  });

  it("is sent once, however often it is posted, also after its quote has expired", async () => {
    const { visitor, world } = await visit({ balance: 1_000 });
    const form = await checked(visitor, "sms", SMS);
    expect((await visitor.submit("/send/sms", form)).status).toBe(200);
    await later();
    const again = await visitor.submit("/send/sms", form);
    expect([again.status, again.text.includes("This form was already sent")]).toEqual([200, true]);
    expect(await spent(world)).toEqual([1, 1]);
  });

  it("keeps the price that it showed while its number is asked about", async () => {
    const { visitor, world } = await visit({ balance: 1_000 });
    const form = await checked(visitor, "sms", { ...SMS, phone: "98765" });
    const refused = await visitor.submit("/send/sms", { ...form, quote: "quote_1", shown: "10000" });
    expect([refused.status, shownIn(refused)]).toEqual([400, { quote: "quote_1", shown: "10000" }]);
    expect(await spent(world)).toEqual([0, 0]);
  });

  it("takes what is no quote for none", async () => {
    const { visitor, world } = await visit({ balance: 1_000 });
    const form = { ...SMS, quote: "quote_1\r\nX-Api-Key: other", shown: "10000" };
    expect((await visitor.submit("/send/sms", form)).status).toBe(200);
    expect((await visitor.submit("/send/sms", { ...form, quote: "quote_other", shown: "1e9" })).status).toBe(200);
    expect(await spent(world)).toEqual([2, 2]);
  });

  it("without any is sent as before", async () => {
    const { visitor, world } = await visit({ balance: 1_000 });
    expect((await visitor.submit("/send/sms", { ...SMS, message: "€".repeat(81) })).status).toBe(200);
    expect(await spent(world)).toEqual([2, 1]);
  });

  it("asks in Hindi on a Hindi page", async () => {
    const { visitor } = inHindi(await visit({ balance: 1_000 }));
    const form = await checked(visitor, "sms", { phone: "9876543210", message: "नमस्ते" });
    await later();
    hindi(await visitor.submit("/send/sms", form), 400);
    hindiJson(await visitor.submit("/send/sms", form, JSON_TYPE), 400);
  });
});
