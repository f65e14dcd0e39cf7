import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { journalOf } from "../../../../src/durable/account/receipts/journal.ts";
import type { News, Outcome } from "../../../../src/model/message.ts";
import { balanceOf, bearer, ledgerOf, messagesOf, openWorld, post, runAlarm } from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// Receipts of bulks through the journal, as an account's callers see them: as if each were stored in its job at once.

const rowsIn = (sql: SqlStorage) => sql.exec("SELECT count(*) AS rows FROM receipt_journal").one()["rows"];

const RECIPIENTS = 230;
const CARRIER = "http";
const SECOND = 1_000;

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

async function openPair(): Promise<Pair> {
  const recipients = Array.from({ length: RECIPIENTS }, (_, at) => `98765${String(at).padStart(5, "0")}`);
  const open = async () => {
    const world = await openWorld({ balance: 1_000 });
    await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
    return world;
  };
  return { batched: await open(), single: await open(), claimed: [] };
}

/** A pause after which a call is applied at once. */
const pause = () => vi.setSystemTime(Date.now() + 2 * SECOND);

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
    const claim = { lane: "bulk" as const, max, carrier: CARRIER, leaseMs: 30 * SECOND };
    const { jobs = [] } =
      (await both(pair, ({ stub }) => stub.work({ news: [], follow: false, resubmits: false, claim }))) ?? {};
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
    await both(pair, ({ stub }) => stub.report(news, false));
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

/** Batches of receipts; with `fails`, the transaction that stores the batch is rolled back first, and it is sent again. */
const receipts = fc
  .record({ list: fc.array(receipt, { minLength: 1, maxLength: 15 }), fails: fc.integer({ min: 0, max: 4 }) })
  .map(({ list, fails }) =>
    named(`receipts ${JSON.stringify(list)}${fails === 0 ? " twice" : ""}`, async ({ batched, single }) => {
      const places = (await messagesOf(batched)).map(({ seq, index }) => ({ seq, index }));
      const news = list.flatMap(({ at, state, code }): News[] => {
        const place = places[at];
        return place ? [{ kind: "receipt", ...place, state, ...(code !== undefined && { code }) }] : [];
      });
      if (fails === 0) {
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

/** Claims and submits messages of the bulk, so that they can have receipts. */
async function submit({ stub }: World, max: number): Promise<{ seq: number; index: number }[]> {
  const claim = { lane: "bulk" as const, max, carrier: CARRIER, leaseMs: 30 * SECOND };
  const { jobs = [] } = (await stub.work({ news: [], follow: false, resubmits: false, claim })) ?? {};
  const claimed = jobs.flatMap(({ seq, messages }) => messages.map(({ index, attempt }) => ({ seq, index, attempt })));
  const outcome = { kind: "submitted" } as const;
  await stub.report(
    claimed.map((one) => ({ ...one, kind: "outcome", outcome })),
    false,
  );
  return claimed;
}

const receiptOf = ({ seq, index }: { seq: number; index: number }): News => ({
  kind: "receipt",
  seq,
  index,
  state: "delivered",
});

/** The journal's rows, and the revisions of the jobs' rows. */
const stored = (world: World) =>
  runInDurableObject(world.stub, (_, { storage: { sql } }) => ({
    journal: rowsIn(sql),
    revs: sql
      .exec("SELECT rev FROM job ORDER BY seq")
      .toArray()
      .map(({ rev }) => rev),
  }));

it("is folded by the alarm after ten minutes, which changes nothing for readers", async () => {
  const { batched: world } = await openPair();
  const places = await submit(world, 150);
  pause();
  // Two batches in two jobs, neither of which ends.
  await world.stub.report([...places.slice(0, 3), ...places.slice(100, 102)].map(receiptOf), false);
  pause();
  await world.stub.report([...places.slice(3, 4), ...places.slice(110, 112)].map(receiptOf), false);
  const before = await messagesOf(world);
  expect(before.filter(({ state }) => state === "delivered")).toHaveLength(8);
  const { journal, revs } = await stored(world);
  expect(journal).toBe(1);

  vi.setSystemTime(Date.now() + 500 * SECOND);
  await runAlarm(world);
  expect(await stored(world)).toEqual({ journal, revs });

  vi.setSystemTime(Date.now() + 200 * SECOND);
  await runAlarm(world);
  // Two batches touched the first two jobs.
  expect(await stored(world)).toEqual({ journal: 0, revs: revs.map((rev, at) => Number(rev) + (at < 2 ? 2 : 0)) });
  expect(await messagesOf(world)).toEqual(before);
});

it("leaves a job at once when its row is written: by a receipt that moves money, or when the job ends", async () => {
  const { batched: world } = await openPair();
  const places = await submit(world, RECIPIENTS);
  pause();
  await world.stub.report([...places.slice(0, 3), ...places.slice(100, 103)].map(receiptOf), false);
  const [first, second, last] = [places[0], places[100], places[200]].map((place) => place?.seq ?? 0);
  const journaled = () => runInDurableObject(world.stub, (_, { storage }) => journalOf(storage.sql).oldest(10));
  expect(await journaled()).toEqual([first, second]);

  const balance = await balanceOf(world);
  pause();
  const refused = { ...receiptOf(places[4] ?? { seq: 0, index: 0 }), state: "failed" } as News;
  await world.stub.report([refused], false);
  expect(await balanceOf(world)).toBeGreaterThan(balance);
  expect(await journaled()).toEqual([second]);

  pause();
  const ends = [...places.slice(10, 12), ...places.slice(110, 112), ...places.slice(200)];
  await world.stub.report(ends.map(receiptOf), false);
  expect(await journaled()).toEqual([second, first]);
  const lives = await runInDurableObject(world.stub, (_, { storage: { sql } }) =>
    sql.exec("SELECT lives FROM job WHERE seq = ?", last).one(),
  );
  expect(lives["lives"]).toMatch(/t\d+d\d+/u);
});

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
  { timeout: 120_000 },
  async () => {
    const step = fc.oneof(claims, claims, outcomes, outcomes, receipts, receipts, receipts, receipts, evictions, folds);
    let journaled = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25, size: "max" }), async (steps) => {
        const pair = await openPair();
        // Most of the bulk is at its carrier already, and waits for receipts.
        await both(pair, (world) => submit(world, 150));
        for (const { run } of steps) {
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
          journaled += Number(await runInDurableObject(pair.batched.stub, (_, { storage }) => rowsIn(storage.sql)));
          expect(await pair.batched.stub.reconcile()).toEqual([]);
        }
      }),
      { numRuns: 8 },
    );
    // The property would hold without a journal, too.
    expect(journaled).toBeGreaterThan(10);
  },
);
