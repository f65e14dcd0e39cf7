import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LANES } from "../../../src/model/lane.ts";
import type { ReceiptState } from "../../../src/model/message.ts";
import { messageId } from "../../../src/crypto/ids.ts";
import { UNITS_PER_COIN } from "../../../src/money/money.ts";
import { signedHeaders } from "../../../src/crypto/webhook-signature.ts";
import { KEY_KEPT_MS, Model } from "../../world/model.ts";
import {
  balanceOf,
  bearer,
  dispatch,
  follow,
  ledgerOf,
  messagesOf,
  openWorld,
  operator,
  post,
  runAlarm,
  claim,
} from "../../world/world.ts";
import type { Reply, World } from "../../world/world.ts";

// Random histories against the plain model in world/model.ts: after every step money, states and ledger must agree.

const COINS = 40;
const DAY_MS = 86_400_000;

beforeEach(() => {
  // A day ahead of the real clock, so that no alarm fires by itself; no jitter, so that the model knows the gaps.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
  vi.spyOn(Math, "random").mockReturnValue(0);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type Command = fc.AsyncCommand<Model, World>;

/** A step without a precondition. */
function step(name: string, run: (model: Model, world: World) => Promise<void>): Command {
  return {
    check: () => true,
    toString: () => name,
    async run(model, world) {
      await run(model, world);
      await agree(model, world);
    },
  };
}

async function agree(model: Model, world: World): Promise<void> {
  const messages = await messagesOf(world);
  expect(messages.map(({ seq, index, state, refunded, charge }) => ({ seq, index, state, refunded, charge }))).toEqual(
    model.messages
      .map(({ seq, index, state, refunded, charge }) => ({ seq, index, state, refunded, charge }))
      .toSorted((one, other) => one.seq - other.seq || one.index - other.index),
  );
  const ledger = await ledgerOf(world);
  expect(ledger.map(({ type, amount }) => `${type} ${amount}`).toSorted()).toEqual(model.entries.toSorted());
  expect(await balanceOf(world)).toBe(model.balance);
  expect(await world.stub.reconcile()).toEqual([]);
  const alarm = await runInDurableObject(world.stub, (_, state) => state.storage.getAlarm());
  if (model.unfinished) expect(alarm).not.toBeNull();
}

/** Sends with or without a key, and compares the reply with the model. */
async function request(
  model: Model,
  world: World,
  key: string | null,
  path: string,
  body: object,
  scenarios: number[],
  charge: number,
): Promise<void> {
  const headers = { ...bearer(world.apiKey), ...(key !== null && { "idempotency-key": key }) };
  const reply = await post(`http://sms.localhost${path}`, body, headers);
  const remembered = key === null ? undefined : model.done.get(key);
  const known = remembered && model.nowMs < remembered.at + KEY_KEPT_MS ? remembered : undefined;
  const asked = path + JSON.stringify(body);
  if (known) {
    expect(reply.status).toBe(known.request === asked ? 200 : 422);
    if (known.request === asked) expect(reply.text).toBe(known.reply);
    return;
  }
  const affordable = model.balance >= charge * scenarios.length;
  expect(reply.status).toBe(affordable ? 200 : 403);
  if (!affordable) return;
  model.send(scenarios, charge);
  expect(reply.body.coins_remaining).toBe(Math.floor(model.balance / UNITS_PER_COIN));
  if (key !== null) model.done.set(key, { request: asked, reply: reply.text, at: model.nowMs });
}

const key = fc.option(fc.constantFrom("a", "b", "c"));

const sends = fc
  .record({ key, scenario: fc.integer({ min: 0, max: 5 }), long: fc.boolean() })
  .map(({ key, scenario, long }) =>
    step(`send(${key}, 0${scenario}, ${long})`, async (model, world) => {
      const body = { phone: `700000000${scenario}`, message: long ? "ह".repeat(71) : "Hello" };
      await request(model, world, key, "/send-sms", body, [scenario], (long ? 2 : 1) * UNITS_PER_COIN);
    }),
  );

const bulks = fc.record({ key, count: fc.constantFrom(1, 3, 20, 120) }).map(({ key, count }) =>
  step(`bulk(${key}, ${count})`, async (model, world) => {
    const recipients = Array.from({ length: count }, (_, at) => `98765${String(at).padStart(5, "0")}`);
    const zeros = recipients.map(() => 0);
    await request(model, world, key, "/send-bulk-sms", { recipients, message: "Hi" }, zeros, UNITS_PER_COIN);
  }),
);

const credits = fc
  .record({ reference: fc.constantFrom("r1", "r2", "r3"), coins: fc.constantFrom(-50, -5, 0.5, 30) })
  .map(({ reference, coins }) =>
    step(`credit(${reference}, ${coins})`, async (model, world) => {
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
    }),
  );

const seqsOf = (model: Model) => [...new Set(model.messages.map((message) => message.seq))];

const dispatches = fc.integer({ min: 1, max: 3 }).map((times) =>
  step(`dispatch x${times}`, async (model, world) => {
    // Parallel redelivery: only the first finds anything to do.
    await Promise.all(Array.from({ length: times }, () => dispatch(world, seqsOf(model))));
    model.dispatch();
  }),
);

const follows = fc.constant(
  step("follow", async (model, world) => {
    await follow(world, seqsOf(model));
    model.follow();
  }),
);

const deaths = fc.constant(
  step("claim and die", async (model, world) => {
    for (const lane of LANES) await claim(world, { lane, max: 1_000, carrier: "sim", leaseMs: 30_000 });
    model.claimAndDie();
  }),
);

const receipts = fc
  .record({
    at: fc.nat(200),
    state: fc.constantFrom<ReceiptState>("submitted", "delivered", "undelivered", "failed"),
    times: fc.integer({ min: 1, max: 2 }),
  })
  .map(({ at, state, times }) =>
    step(`receipt(${at}, ${state}) x${times}`, async (model, world) => {
      const message = model.messages[at % Math.max(1, model.messages.length)];
      if (!message) return;
      const body = JSON.stringify({ ref: messageId(env.KEY_SECRET, world.ref, "sms", message), state });
      for (let sent = 0; sent < times; sent++) {
        const headers = signedHeaders(env.CARRIER_HTTP_SECRET, "id", body, Date.now());
        expect((await post("http://console.localhost/callbacks/http", body, headers)).status).toBe(200);
      }
      model.receipt(message, state);
    }),
  );

const evictions = fc.constant(step("evict", async (_, world) => evictDurableObject(world.stub)));

const alarms = fc.constant(
  step("alarm", async (model, world) => {
    if (await runAlarm(world)) model.alarm();
  }),
);

const waits = fc.constantFrom(3_000, 40_000, 25 * 3_600_000, 25 * 3_600_000, 80 * 3_600_000).map((ms) =>
  step(`wait ${ms}`, async (model) => {
    vi.setSystemTime(Date.now() + ms);
    model.nowMs = Date.now();
  }),
);

it("agrees with a plain model after every step of random histories", { timeout: 180_000 }, async () => {
  // Steps that drive messages forward are drawn more often, so that histories reach the late states.
  const often = [sends, dispatches, receipts, alarms, waits];
  const steps = [...often, ...often, bulks, credits, follows, deaths, evictions];
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 60, size: "max" }), async (commands) => {
      const world = await openWorld({ mode: "test", balance: COINS });
      const model = new Model(COINS * UNITS_PER_COIN, Date.now());
      await fc.asyncModelRun(() => ({ model, real: world }), commands);
    }),
    { numRuns: 50 },
  );
});
