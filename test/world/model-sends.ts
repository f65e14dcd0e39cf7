import * as fc from "fast-check";
import { expect } from "vitest";
import type { Lane } from "../../src/model/lane.ts";
import { UNITS_PER_COIN } from "../../src/money/money.ts";
import { LEASE_MS } from "./model.ts";
import type { Asked, Made, Quoted } from "./model-message.ts";
import type { Model } from "./model.ts";
import { bearer, operator, post } from "./world.ts";
import type { Reply, World } from "./world.ts";

// The steps of random histories that order messages or give credit.

/** How long an Idempotency-Key is kept (contract §8). */
const KEY_KEPT_MS = 7 * 86_400_000;

/** A model and what it is compared with. */
export interface Pair {
  model: Model;
  world: World;
}

export interface Step {
  name: string;
  run: (pair: Pair) => Promise<void>;
}

/** Sends with or without a key and a quote, and compares the reply with the model. */
export async function request(
  { model, world }: Pair,
  { key, base, path, body, quote }: Asked & { key: string | null; quote?: Quoted },
  { lane, scenarios, charge }: Made,
): Promise<void> {
  const headers = {
    ...bearer(world.apiKey),
    ...(key !== null && { "idempotency-key": key }),
    ...(quote && { "price-quote": quote.text }),
  };
  const reply = await post(`http://${base}.localhost${path}`, body, headers);
  const remembered = key === null ? undefined : model.done.get(key);
  const known = remembered && model.nowMs < remembered.at + KEY_KEPT_MS ? remembered : undefined;
  const said = path + JSON.stringify(body);
  if (known) {
    expect(reply.status).toBe(known.request === said ? 200 : 422);
    if (known.request === said) expect(reply.text).toBe(known.reply);
    return;
  }
  const at = (body as { sendAt?: string }).sendAt;
  const isQuoted = !quote || (!quote.isUsed && model.nowMs <= quote.untilMs);
  const affordable = model.balance >= charge * scenarios.length;
  expect(reply.status).toBe(isQuoted ? (affordable ? 200 : 403) : 400);
  if (!isQuoted) expect(reply.body).toMatchObject({ code: "invalid_quote", param: "Price-Quote" });
  if (!isQuoted || !affordable) return;
  if (quote) quote.isUsed = true;
  model.send(lane, scenarios, charge, at === undefined ? null : Date.parse(at));
  if (lane !== "otp") expect(reply.body.coins_remaining).toBe(Math.floor(model.balance / UNITS_PER_COIN));
  if (key !== null) model.done.set(key, { request: said, reply: reply.text, at: model.nowMs });
}

const key = fc.option(fc.constantFrom("a", "b", "c"));

export const sends = fc
  .record({ key, scenario: fc.integer({ min: 0, max: 5 }), long: fc.boolean() })
  .map(({ key, scenario, long }): Step => ({
    name: `send(${key}, 0${scenario}, ${long})`,
    run: (pair) => {
      const body = { phone: `700000000${scenario}`, message: long ? "ह".repeat(71) : "Hello" };
      const charge = (long ? 2 : 1) * UNITS_PER_COIN;
      return request(
        pair,
        { key, base: "sms", path: "/send-sms", body },
        { lane: "single", scenarios: [scenario], charge },
      );
    },
  }));

export const otps = fc.record({ key, scenario: fc.integer({ min: 0, max: 5 }) }).map(({ key, scenario }): Step => ({
  name: `otp(${key}, 0${scenario})`,
  run: (pair) => {
    const body = { phone: `700000000${scenario}`, otp: "123456" };
    const charge = pair.model.otpRate;
    return request(pair, { key, base: "otp", path: "/send-otp", body }, { lane: "otp", scenarios: [scenario], charge });
  },
}));

export const bulks = fc.record({ key, count: fc.constantFrom(2, 3, 20, 120) }).map(({ key, count }): Step => ({
  name: `bulk(${key}, ${count})`,
  run: (pair) => {
    const recipients = Array.from({ length: count }, (_, at) => `98765${String(at).padStart(5, "0")}`);
    const body = { recipients, message: "Hi" };
    const sent = { lane: "bulk" as const, scenarios: recipients.map(() => 0), charge: UNITS_PER_COIN };
    return request(pair, { key, base: "sms", path: "/send-bulk-sms", body }, sent);
  },
}));

/** Orders for later, in one job or two; the gaps are such that other steps fall before, between and after their times. */
export const laters = fc
  .record({
    key,
    count: fc.constantFrom(1, 3, 120),
    afterMs: fc.constantFrom(1_000, 600_000, 3_600_000, 30 * 86_400_000),
  })
  .map(({ key, count, afterMs }): Step => ({
    name: `later(${key}, ${count}, ${afterMs})`,
    run: (pair) => {
      const sendAt = new Date(pair.model.nowMs + afterMs).toISOString();
      const asked = { key, base: "sms" };
      if (count === 1) {
        const body = { phone: "7000000000", message: "Hi", sendAt };
        const sent = { lane: "single" as const, scenarios: [0], charge: UNITS_PER_COIN };
        return request(pair, { ...asked, path: "/send-sms", body }, sent);
      }
      const recipients = Array.from({ length: count }, (_, at) => `98765${String(at).padStart(5, "0")}`);
      const body = { recipients, message: "Hi", sendAt };
      const sent = { lane: "bulk" as const, scenarios: recipients.map(() => 0), charge: UNITS_PER_COIN };
      return request(pair, { ...asked, path: "/send-bulk-sms", body }, sent);
    },
  }));

/** A message's place in its account. */
export const placeOf = ({ seq, index }: { seq: number; index: number }) => `${seq}.${index}`;

/** A message that the invocation which stores it submits itself: stored as claimed. */
export const takes = fc.constantFrom<Lane>("otp", "single").map((lane): Step => ({
  name: `take(${lane})`,
  run: async ({ model, world }) => {
    if (model.balance < UNITS_PER_COIN) return;
    const [to, requestId] = ["+919876500000", `req_${model.nextSeq}`];
    const order = { operation: lane === "otp" ? "otp" : "sms", content: {}, text: null } as const;
    const done = await world.stub.send({
      ...order,
      recipients: [to],
      keyId: world.keyId,
      requestId,
      price: { kind: "fixed", units: UNITS_PER_COIN },
      validityMs: lane === "otp" ? 300_000 : 86_400_000,
      take: { carrier: "sim", leaseMs: LEASE_MS, resubmits: model.resubmits },
    });
    expect(done?.ok).toBe(true);
    for (const message of model.send(lane, [0], UNITS_PER_COIN)) model.held.push(model.claim(message));
    if (!done?.ok) return;
    expect(done.claimed.flatMap(({ seq, messages }) => messages.map(({ index }) => placeOf({ seq, index })))).toEqual(
      model.held.slice(-1).map(({ message }) => placeOf(message)),
    );
  },
}));

export const credits = fc
  .record({ reference: fc.constantFrom("r1", "r2", "r3"), coins: fc.constantFrom(-50, -5, 0.5, 30) })
  .map(({ reference, coins }): Step => ({
    name: `credit(${reference}, ${coins})`,
    run: async ({ model, world }) => {
      const path = `/operator/accounts/${world.ref.accountId}/credits?mode=test`;
      const reply: Reply = await operator("POST", path, { amount: coins, reference });
      const known = model.credits.get(reference);
      if (known !== undefined) expect(reply.status).toBe(known === coins ? 200 : 422);
      else if (model.balance + coins * UNITS_PER_COIN < 0) expect(reply.status).toBe(403);
      else {
        expect(reply.status).toBe(200);
        model.credits.set(reference, coins);
        model.credit(coins * UNITS_PER_COIN);
      }
    },
  }));
