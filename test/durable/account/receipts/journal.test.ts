import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newAccountId } from "../../../../src/crypto/ids.ts";
import { Journal, RECEIPTS_MAX } from "../../../../src/durable/account/receipts/journal.ts";
import { MIGRATIONS } from "../../../../src/durable/account/schema.ts";
import type { Message } from "../../../../src/durable/account/message/states.ts";
import { migrate } from "../../../../src/durable/migrate.ts";

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
      for (let at = 0; at < 400; at++) {
        journal.append([
          at,
          1_000,
          [
            [at, [[0, "d"]]],
            [at + 1, [[1, "d"]]],
          ],
        ]);
      }
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
