import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newAccountId } from "../../../../src/crypto/ids.ts";
import { Journal, RECEIPTS_MAX } from "../../../../src/durable/account/receipts/journal.ts";
import { MIGRATIONS } from "../../../../src/durable/account/schema.ts";
import type { Message } from "../../../../src/durable/account/message/states.ts";
import { migrate } from "../../../../src/durable/migrate.ts";
import type { News, Outcome } from "../../../../src/model/message.ts";
import { balanceOf, bearer, ledgerOf, messagesOf, openWorld, post, runAlarm } from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

/** Runs on the storage of an unopened object: only its SQL matters here. */
function onFreshStorage<T>(work: (sql: SqlStorage) => T): Promise<T> {
  const stub = env.ACCOUNT.getByName(newAccountId(env.KEY_SECRET, null));
  return runInDurableObject(stub, (_, state) => {
    migrate(state.storage.sql, MIGRATIONS);
    return work(state.storage.sql);
  });
}

const rowsIn = (sql: SqlStorage) => sql.exec("SELECT count(*) AS rows FROM receipt_journal").one()["rows"];

const sent = (): Message => ({ to: "9876500000", state: "submitted", attempts: 1, rev: 3, log: [["submitted", 5]] });
const jobOf = (seq: number) => ({ seq, rev: 3, messages: [sent(), sent(), sent()] });

describe("the journal", () => {
  it("gives a job its receipts, and one revision more for each batch of them", async () => {
    await onFreshStorage((sql) => {
      const journal = new Journal(sql);
      journal.append([
        100,
        1_000,
        [
          [7, [[0, "d"]]],
          [8, [[1, "n", "absent"]]],
        ],
      ]);
      journal.append([200, 1_000, [[7, [[2, "d"]]]]]);
      for (const read of [journal, new Journal(sql)]) {
        const merged = read.merge(jobOf(7));
        expect(merged.rev).toBe(5);
        expect(merged.messages.map(({ state, rev }) => [state, rev])).toEqual([
          ["delivered", 4],
          ["submitted", 3],
          ["delivered", 5],
        ]);
        expect(read.merge(jobOf(8)).messages[1]).toMatchObject({
          code: "absent",
          log: [
            ["submitted", 5],
            ["undelivered", 100],
          ],
        });
        const other = jobOf(9);
        expect(read.merge(other)).toBe(other);
      }
    });
  });

  it("changes nothing in a job whose row has its receipts already, as after a crash", async () => {
    await onFreshStorage((sql) => {
      new Journal(sql).append([
        100,
        1_000,
        [
          [
            7,
            [
              [0, "d"],
              [1, "s"],
            ],
          ],
        ],
      ]);
      const written = new Journal(sql).merge(jobOf(7));
      expect(new Journal(sql).merge(written)).toBe(written);
    });
  });

  it("appends to few rows, and removes each once the rows of its jobs are written", async () => {
    await onFreshStorage((sql) => {
      const journal = new Journal(sql);
      for (let at = 0; at < 400; at++)
        journal.append([
          at,
          1_000,
          [
            [at, [[0, "d"]]],
            [at + 1, [[1, "d"]]],
          ],
        ]);
      const rows = Number(rowsIn(sql));
      expect(rows).toBeGreaterThan(2);
      expect(rows).toBeLessThan(10);
      expect(journal.oldest(3)).toEqual([0, 1, 2]);
      for (const seq of journal.oldest(200)) journal.drop(seq);
      expect(Number(rowsIn(sql))).toBeLessThan(rows);
      for (const seq of journal.oldest(1_000)) journal.drop(seq);
      // The last row waits for the next receipts, which take its place.
      expect(rowsIn(sql)).toBe(1);
      journal.append([900, 1_000, [[7, [[2, "d"]]]]]);
      expect(new Journal(sql).oldest(10)).toEqual([7]);
      journal.drop(7);
      journal.trim();
      expect(rowsIn(sql)).toBe(0);
      expect(journal.foldAtMs).toBeNull();
      journal.append([950, 1_000, [[8, [[2, "d"]]]]]);
      expect(new Journal(sql).oldest(10)).toEqual([8]);
    });
  });

  it("is full at its limit, and when its oldest receipts are due follows from their time", async () => {
    await onFreshStorage((sql) => {
      const journal = new Journal(sql);
      expect(journal.foldAtMs).toBeNull();
      const receipts = Array.from({ length: RECEIPTS_MAX / 2 }, (): [number, "d"] => [0, "d"]);
      journal.append([5_000, 1_000, [[1, receipts]]]);
      expect(journal.isFull).toBe(false);
      expect(journal.foldAtMs).toBe(605_000);
      journal.append([6_000, 1_000, [[2, receipts]]]);
      expect(journal.isFull).toBe(true);
      journal.drop(1);
      expect(journal.isFull).toBe(false);
      expect(journal.foldAtMs).toBe(606_000);
    });
  });
});

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
    for (const { seq, messages } of jobs)
      for (const { index, attempt } of messages) pair.claimed.push({ seq, index, attempt });
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
  state: fc.constantFrom("delivered", "delivered", "delivered", "undelivered", "submitted", "failed"),
  code: fc.option(fc.constantFrom("000", "अनुपस्थित"), { nil: undefined }),
});

/** Batches of receipts; with `fails`, the transaction that stores the batch is rolled back first, and it is sent again. */
const receipts = fc
  .record({ list: fc.array(receipt, { minLength: 1, maxLength: 40 }), fails: fc.integer({ min: 0, max: 4 }) })
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
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30, size: "max" }), async (steps) => {
        const pair = await openPair();
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
      { numRuns: 15 },
    );
    // The property would hold without a journal, too.
    expect(journaled).toBeGreaterThan(0);
  },
);
