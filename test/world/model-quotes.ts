import * as fc from "fast-check";
import { expect } from "vitest";
import { UNITS_PER_COIN } from "../../src/money/money.ts";
import type { Quotable, Quoted } from "./model-message.ts";
import { request } from "./model-sends.ts";
import type { Pair, Step } from "./model-sends.ts";
import { bearer, post } from "./world.ts";

// The steps of random histories that ask for a price, and that send with a quote.

/** How long a quote is good for (contract §13). */
const QUOTE_MS = 600_000;

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `98765${String(at).padStart(5, "0")}`);

/** Longer than a history, so that a quote for later ends before its time. */
const LATER_MS = 170 * 86_400_000;

/** What prices are asked for. */
function quotables({ model }: Pair): Record<string, Quotable> {
  const phone = "7000000000";
  const charge = UNITS_PER_COIN;
  const sms = { operation: "sms", base: "sms", path: "/send-sms", lane: "single", scenarios: [0], charge } as const;
  const bulk = { ...sms, operation: "bulk", path: "/send-bulk-sms", lane: "bulk" } as const;
  const sendAt = new Date(model.nowMs + LATER_MS).toISOString();
  return {
    short: { ...sms, body: { phone, message: "Hello" } },
    long: { ...sms, body: { phone, message: "ह".repeat(71) }, charge: 2 * charge },
    later: { ...sms, body: { phone, message: "Hi", sendAt } },
    bulk: { ...bulk, body: { recipients: numbers(20), message: "Hi" }, scenarios: numbers(20).map(() => 0) },
    otp: {
      ...sms,
      operation: "otp",
      base: "otp",
      path: "/send-otp",
      body: { phone, otp: "123456" },
      lane: "otp",
      charge: model.otpRate,
    },
  };
}

const KINDS = ["short", "long", "later", "bulk", "otp"];

/** Asks for a price. Where the balance does not reach, there is no quote. */
async function askPrice(pair: Pair, kind: string): Promise<void> {
  const { model, world } = pair;
  const asked = quotables(pair)[kind];
  if (!asked) throw new Error(`there is no ${kind}`);
  const { operation, body, charge, scenarios } = asked;
  const reply = await post("http://console.localhost/v1/preflight", { operation, ...body }, bearer(world.apiKey));
  const isPaid = model.balance >= charge * scenarios.length;
  const untilMs = model.nowMs + QUOTE_MS;
  expect(reply.body).toMatchObject({
    would: isPaid ? "send" : "refuse",
    cost: (charge * scenarios.length) / UNITS_PER_COIN,
    quote: isPaid ? expect.any(String) : null,
    quote_until: isPaid ? new Date(untilMs).toISOString() : null,
  });
  if (isPaid) model.quotes.push({ asked, text: String(reply.body.quote), untilMs, isUsed: false });
}

export const prices = fc.constantFrom(...KINDS).map((kind): Step => ({
  name: `price(${kind})`,
  run: (pair) => askPrice(pair, kind),
}));

/** Sends another text with a quote: refused before the account is asked, so that no key makes a difference. */
async function sendOther({ world }: Pair, { asked, text }: Quoted): Promise<void> {
  const body = { ...asked.body, ...(asked.lane === "otp" ? { otp: "654321" } : { message: "Other" }) };
  const headers = { ...bearer(world.apiKey), "price-quote": text };
  const reply = await post(`http://${asked.base}.localhost${asked.path}`, body, headers);
  expect([reply.status, reply.body.code]).toEqual([400, "invalid_quote"]);
}

/** Sends once or twice with a quote: a new one, or one that was asked for at any time and may have expired or be used. */
export const quotedSends = fc
  .record({
    kind: fc.option(fc.constantFrom(...KINDS), { freq: 1 }),
    at: fc.constantFrom(0, 0, 0, 1, 4),
    key: fc.option(fc.constantFrom("a", "b", "c"), { freq: 1 }),
    times: fc.constantFrom(1, 2),
    other: fc.integer({ min: 0, max: 4 }).map((drawn) => drawn === 0),
  })
  .map(({ kind, at, key, times, other }): Step => ({
    name: `quoted(${kind}, ${at}, ${key}, ${times}, ${other})`,
    run: async (pair) => {
      const { quotes } = pair.model;
      if (kind !== null) await askPrice(pair, kind);
      const quote = quotes.at(-1 - (at % Math.max(1, quotes.length)));
      if (!quote) return;
      if (other) await sendOther(pair, quote);
      for (let sent = 0; sent < times; sent += 1) await request(pair, { ...quote.asked, key, quote }, quote.asked);
    },
  }));

/** Changes what a one-time password costs; what was quoted stays. */
export const rates = fc.constantFrom(0.15, 0.1, 0.2).map((coins): Step => ({
  name: `rate(${coins})`,
  run: async ({ model, world }) => {
    model.otpRate = coins * UNITS_PER_COIN;
    await world.stub.amend({ otpRate: model.otpRate });
  },
}));
