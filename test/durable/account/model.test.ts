import { runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { UNITS_PER_COIN } from "../../../src/money/money.ts";
import { Model } from "../../world/model.ts";
import * as orders from "../../world/model-sends.ts";
import { prices, quotedSends, rates } from "../../world/model-quotes.ts";
import type { Pair, Step } from "../../world/model-sends.ts";
import * as steps from "../../world/model-steps.ts";
import { balanceOf, ledgerOf, messagesOf, openWorld } from "../../world/world.ts";

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

/** The alarm never sets itself for the very moment. */
const SOON_MS = 1_000;

/** Compares all that can be seen. `before` holds each message's revision and what was seen with it. */
async function agree({ model, world }: Pair, before: Map<string, { rev: number; content: string }>): Promise<void> {
  const messages = await messagesOf(world);
  expect(
    messages.map(({ seq, index, state, refunded, charge, attempts }) => ({
      seq,
      index,
      state,
      refunded,
      charge,
      attempts,
    })),
  ).toEqual(
    model.messages
      .map((message) => {
        const { seq, index, refunded, charge, claims, released } = message;
        return { seq, index, state: model.stateOf(message), refunded, charge, attempts: claims - released };
      })
      .toSorted((one, other) => one.seq - other.seq || one.index - other.index),
  );
  for (const { seq, index, rev, refunded, attempts, errorCode, sendAt, ...life } of messages) {
    const place = `${seq}.${index}`;
    // That the time of an order has come is no change: every reader knows it from the order.
    const state = life.state === "scheduled" ? "queued" : life.state;
    const timeline = life.timeline.filter((one) => one.state !== "queued" || one.at !== sendAt);
    const content = JSON.stringify({ state, refunded, attempts, errorCode, timeline });
    const known = before.get(place);
    // Every change has a higher revision, or history and the live list would keep the older one.
    if (known && known.content !== content) expect(rev, place).toBeGreaterThan(known.rev);
    before.set(place, { rev, content });
  }
  const ledger = await ledgerOf(world);
  expect(ledger.map(({ type, amount }) => `${type} ${amount}`).toSorted()).toEqual(model.entries.toSorted());
  expect(await balanceOf(world)).toBe(model.balance);
  expect(await world.stub.reconcile()).toEqual([]);
  const alarm = await runInDurableObject(world.stub, (_, state) => state.storage.getAlarm());
  const { alarmAtMost } = model;
  if (alarmAtMost !== null) expect(alarm ?? Infinity).toBeLessThanOrEqual(alarmAtMost + SOON_MS);
}

type Real = Pair & { before: Map<string, { rev: number; content: string }> };

/** A step as fast-check runs it; the model is changed with the account, since what is claimed decides what comes next. */
const command = ({ name, run }: Step): fc.AsyncCommand<object, Real> => ({
  check: () => true,
  toString: () => name,
  async run(_, real) {
    await run(real);
    await agree(real, real.before);
  },
});

it("agrees with a plain model after every step of random histories", { timeout: 240_000 }, async () => {
  const { sends, otps, bulks, takes, laters, credits } = orders;
  const { rounds, reports, dispatches, receipts, floods, alarms, waits, lapses, follows, deaths, evictions } = steps;
  const { takeBacks } = steps;
  // Steps that drive messages forward are drawn more often, so that histories reach the late states.
  const often = [sends, takes, rounds, dispatches, receipts, alarms, waits];
  const all = [
    ...often,
    ...often,
    rounds,
    reports,
    reports,
    lapses,
    otps,
    bulks,
    laters,
    laters,
    takeBacks,
    takeBacks,
    prices,
    prices,
    quotedSends,
    quotedSends,
    rates,
    floods,
    credits,
    follows,
    deaths,
    evictions,
  ];
  const commands = fc.commands(
    all.map((one) => one.map(command)),
    { maxCommands: 60, size: "max" },
  );
  await fc.assert(
    fc.asyncProperty(commands, fc.boolean(), async (history, resubmits) => {
      const world = await openWorld({ mode: "test", balance: COINS });
      const model = new Model(COINS * UNITS_PER_COIN, Date.now(), resubmits);
      await fc.asyncModelRun(() => ({ model: {}, real: { model, world, before: new Map() } }), history);
    }),
    { numRuns: 50 },
  );
});
