import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { News, Outcome } from "../../../../src/model/message.ts";
import { pause, sendBulk, storedBulk, submitBulk } from "../../../world/bulk.ts";
import { balanceOf, claim, ledgerOf, messagesOf, openWorld, runAlarm } from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// Random histories of receipts of bulks: an account's callers see them as if each were stored in its job at once.

const RECIPIENTS = 230;
const SECOND = 1_000;
const TIME_MAX_MS = 120 * SECOND;

beforeEach(() => {
  // A day ahead of the real clock, so that no alarm fires by itself; no jitter, so that both accounts agree.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
  vi.spyOn(Math, "random").mockReturnValue(0);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Two accounts with the same bulk: one gets receipts in batches, the other has each stored in its job at once. */
interface Pair {
  batched: World;
  single: World;
  claimed: { seq: number; index: number; attempt: number }[];
}

async function openBulk(): Promise<World> {
  const world = await openWorld({ balance: 1_000 });
  await sendBulk(world, RECIPIENTS);
  return world;
}

const openPair = async (): Promise<Pair> => ({ batched: await openBulk(), single: await openBulk(), claimed: [] });

const both = async <T>(pair: Pair, work: (world: World) => Promise<T>): Promise<T> => {
  const result = await work(pair.batched);
  await work(pair.single);
  return result;
};

/** Reports these receipts in a transaction that is rolled back at its end. */
async function reportInVain({ stub }: World, news: News[]): Promise<void> {
  await runInDurableObject(stub, async (account, { storage }) => {
    const transactionSync = storage.transactionSync.bind(storage);
    Object.assign(storage, {
      transactionSync: <T>(work: () => T): T =>
        transactionSync(() => {
          work();
          throw new Error("the disk is full");
        }),
    });
    await expect(account.report(news, false)).rejects.toThrow("the disk is full");
    Object.assign(storage, { transactionSync });
  });
}

/** Stores each of these receipts in its job's row, one by one. */
async function storeEach({ stub }: World, news: News[]): Promise<void> {
  await runInDurableObject(stub, (account) => {
    for (const item of news) account.work({ news: [item], follow: false, resubmits: false, claim: null });
  });
}

type Step = (pair: Pair) => Promise<void>;

const named = (name: string, run: Step): { run: Step; toString: () => string } => ({ run, toString: () => name });

const claims = fc.integer({ min: 10, max: 60 }).map((max) =>
  named(`claim ${max}`, async (pair) => {
    const jobs = await both(pair, (world) => claim(world, { lane: "bulk", max, leaseMs: 30 * SECOND }));
    pair.claimed.push(...jobs.flatMap(({ seq, messages }) => messages.map((one) => ({ ...one, seq }))));
  }),
);

const outcome = fc.constantFrom<Outcome[]>(
  { kind: "submitted" },
  { kind: "submitted" },
  { kind: "submitted" },
  { kind: "rejected", code: "http_400" },
  { kind: "unknown", code: "timeout" },
  { kind: "not_accepted", code: "http_503" },
);

const outcomes = fc.array(fc.tuple(fc.nat(), outcome), { minLength: 1, maxLength: 60 }).map((list) =>
  named(`outcomes ${list.map(([, { kind }]) => kind[0]).join("")}`, async (pair) => {
    const news = list.flatMap(([at, result]): News[] => {
      const one = pair.claimed[at % Math.max(1, pair.claimed.length)];
      return one ? [{ ...one, kind: "outcome", outcome: result }] : [];
    });
    await both(pair, async ({ stub }): Promise<unknown> => stub.report(news, false));
  }),
);

const receipt = fc.record({
  at: fc.nat({ max: RECIPIENTS - 1 }),
  state: fc.oneof(
    { weight: 12, arbitrary: fc.constant("delivered" as const) },
    { weight: 4, arbitrary: fc.constantFrom("undelivered" as const, "submitted" as const) },
    { weight: 1, arbitrary: fc.constant("failed" as const) },
  ),
  code: fc.option(fc.constantFrom("000", "अनुपस्थित"), { nil: undefined }),
});

/** Batches of receipts; where `isRolledBack`, the transaction that stores them is rolled back at first, and they are sent again. */
const receipts = fc
  .record({ list: fc.array(receipt, { minLength: 1, maxLength: 15 }), isRolledBack: fc.boolean() })
  .map(({ list, isRolledBack }) =>
    named(`receipts ${JSON.stringify(list)}${isRolledBack ? " twice" : ""}`, async ({ batched, single }) => {
      const places = (await messagesOf(batched)).map(({ seq, index }) => ({ seq, index }));
      const news = list.flatMap(({ at, state, code }): News[] => {
        const place = places[at];
        return place
          ? [{ kind: "receipt", ...place, state, carrier: "http", ...(code !== undefined && { code }) }]
          : [];
      });
      if (isRolledBack) {
        const before = await messagesOf(batched);
        await reportInVain(batched, news);
        expect(await messagesOf(batched)).toEqual(before);
        pause();
      }
      await batched.stub.report(news, false);
      await storeEach(single, news);
    }),
  );

const evictions = fc.constant(named("evict", async ({ batched }) => evictDurableObject(batched.stub)));

const folds = fc.constantFrom(40 * SECOND, 700 * SECOND, 25 * 3_600 * SECOND).map((ms) =>
  named(`wait ${ms}, alarm`, async (pair) => {
    vi.setSystemTime(Date.now() + ms);
    await both(pair, runAlarm);
  }),
);

const shown = async (world: World) => ({
  // A revision counts batches, so only it differs.
  messages: (await messagesOf(world)).map(({ rev: _rev, requestId: _id, keyId: _key, ...message }) => message),
  entries: (await ledgerOf(world))
    .map(({ type, amount, message }) => JSON.stringify([type, amount, message]))
    .toSorted(),
  balance: await balanceOf(world),
});

it(
  "makes no difference: histories of batches, failures, evictions and folds end as if each receipt were stored at once",
  { timeout: TIME_MAX_MS },
  async () => {
    const step = fc.oneof(claims, claims, outcomes, outcomes, receipts, receipts, receipts, receipts, evictions, folds);
    let journaled = 0;
    await fc.assert(
      fc.asyncProperty(receipts, fc.array(step, { minLength: 10, maxLength: 25, size: "max" }), async (first, more) => {
        const pair = await openPair();
        // Most of the bulk is at its carrier already, and waits for receipts.
        await both(pair, (world) => submitBulk(world, 150));
        for (const { run } of [first, ...more]) {
          pause();
          const revs = new Map((await messagesOf(pair.batched)).map((one) => [`${one.seq}.${one.index}`, one]));
          await run(pair);
          const now = await shown(pair.batched);
          expect(now).toEqual(await shown(pair.single));
          for (const one of await messagesOf(pair.batched)) {
            const before = revs.get(`${one.seq}.${one.index}`);
            // History keeps the highest revision: it rises with every change, and never falls.
            if (before && before.state !== one.state) expect(one.rev).toBeGreaterThan(before.rev);
            else expect(one.rev).toBeGreaterThanOrEqual(before?.rev ?? 0);
          }
          journaled += (await storedBulk(pair.batched)).journal;
          expect(await pair.batched.stub.reconcile()).toEqual([]);
        }
      }),
      // Counterexamples are made shorter only for as long as the test has: its clock is every test's.
      { numRuns: 8, interruptAfterTimeLimit: TIME_MAX_MS - 20 * SECOND, markInterruptAsFailure: true },
    );
    // The property would hold without a journal, too.
    expect(journaled).toBeGreaterThan(10);
  },
);
