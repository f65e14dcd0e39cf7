import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Difference } from "../../../src/model/account.ts";
import { addDelivered, isUnverified, recountAll, recountPages } from "../../world/recount.ts";
import { sendBulk, submitBulk, receiptsOf } from "../../world/bulk.ts";
import { openWorld, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// A recount in pages: each reads a bounded number of rows, what happens between them makes no difference, and what
// belongs together is compared however far apart it is.

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());

/** Rows that one page may read: some 500, the rows that it looks up included, and the last job's messages. */
const ROWS_MAX = 1_300;

const tamper = (world: World, query: string) =>
  runInDurableObject(world.stub, (_, { storage }) => {
    storage.sql.exec(query);
  });

const kindsOf = (differences: readonly Difference[]) => [...new Set(differences.map(({ kind }) => kind))];

describe("a page", () => {
  it("reads a bounded number of rows of an account with 100,000 jobs, and writes none", async () => {
    const world = await openWorld({ plan: "premium", balance: 2_000_000 });
    await addDelivered(world, 100_000);
    const { differences, pages } = await recountPages(world);
    expect(differences).toEqual([]);
    expect(Math.max(...pages.map(({ read }) => read))).toBeLessThan(ROWS_MAX);
    expect(pages.length).toBeGreaterThan(100_000 / ROWS_MAX);
    expect(pages.every(({ written }) => written === 0)).toBe(true);
  });

  it("reads a bounded number of rows of a bulk that failed as a whole, and of its refunds", async () => {
    const world = await openWorld({ plan: "premium", balance: 20_000 });
    await sendBulk(world, 3_000);
    for (let taken = 0; taken < 3_000;) {
      const places = await submitBulk(world, 500);
      await world.stub.report(receiptsOf(places, "failed"), false);
      taken += places.length;
    }
    const { differences, pages } = await recountPages(world);
    expect(differences).toEqual([]);
    expect(Math.max(...pages.map(({ read }) => read))).toBeLessThan(ROWS_MAX);
  });

  it("needs the cursor of the page before", async () => {
    const world = await openWorld();
    for (const cursor of ["", "x", "1.2.3", "1.2.3.4.5.6.7", "1.1.1.1.1.1e3"]) {
      expect(await world.stub.recount({ cursor, full: true })).toBe("unreadable");
    }
  });
});

describe("between two pages", () => {
  it("sends, receipts and refunds make no difference", async () => {
    const world = await openWorld({ plan: "premium", balance: 100_000 });
    await sendBulk(world, 1_000);
    const early = await submitBulk(world, 1_000);
    await addDelivered(world, 2_500);
    let page = 0;
    const between = async () => {
      await sendSms(world);
      await sendBulk(world, 120);
      // Messages that the recount has passed long ago, and messages that are still before it.
      await world.stub.report(receiptsOf(early.slice(page * 40, page * 40 + 40), "failed"), false);
      await world.stub.report(receiptsOf(await submitBulk(world, 30), page % 2 === 0 ? "failed" : "delivered"), false);
      page += 1;
    };
    expect(await recountAll(world, { eachPage: between })).toEqual([]);
    expect(page).toBeGreaterThan(10);
    expect(await recountAll(world)).toEqual([]);
  });

  it("credits and payments make no difference", async () => {
    const world = await openWorld({ plan: "premium", balance: 1_000 });
    await addDelivered(world, 2_000, 1);
    let page = 0;
    const between = async () => {
      const order = { orderId: `ord_${page}`, paymentRef: "pay", creditUnits: 5_000_000, plan: "premium" as const };
      await world.stub.settlePayment(order);
      await world.stub.refundPayment({ ...order, refundedPaise: 70, amountPaise: 100 });
      await world.stub.credit({ amount: 10, reference: `c${page}`, requestId: "req_c" });
      page += 1;
    };
    expect(await recountAll(world, { eachPage: between })).toEqual([]);
    expect(page).toBeGreaterThan(3);
  });
});

/** An account with a bulk whose messages all failed, whose refunds are far from them. */
async function farRefunds(): Promise<World> {
  const world = await openWorld({ plan: "premium", balance: 10_000 });
  await sendBulk(world, 200);
  const places = await submitBulk(world, 200);
  await addDelivered(world, 1_500, 1);
  await world.stub.report(receiptsOf(places.slice(0, 150), "failed"), false);
  expect(await recountAll(world)).toEqual([]);
  return world;
}

describe("a difference is found", () => {
  it.each<[string, string, string[]]>([
    ["a refund that the message does not have", "UPDATE job SET lives = NULL WHERE seq = 2", ["refund"]],
    [
      "a refund that the ledger does not have",
      "UPDATE ledger_entry SET reference = 'refund:2.9999' WHERE reference = 'refund:2.7'",
      ["refund"],
    ],
    ["a refund of another amount", "UPDATE job SET charge = charge + 1 WHERE seq = 3", ["refund", "debit"]],
    ["a debit that differs from its messages", "UPDATE job SET charge = charge + 1 WHERE seq = 900", ["debit"]],
    ["a bulk with a job less", "DELETE FROM job WHERE seq = 3", ["refund", "debit"]],
    [
      "an entry that is missing",
      "DELETE FROM ledger_entry WHERE reference = 'refund:2.9'",
      ["refund", "ledger", "balance"],
    ],
    ["a balance in the middle", "UPDATE job SET balance_after = balance_after + 1 WHERE seq = 700", ["ledger"]],
    [
      "a receipt of a message that is missing",
      'INSERT INTO receipt_journal VALUES (9, \'[1,1,[[2,[[100,"d"]]],[99999,[[0,"d"]]]]]\')',
      ["journal"],
    ],
    ["a line of the journal that cannot be read", "INSERT INTO receipt_journal VALUES (9, '[1,')", ["journal"]],
  ])("%s", async (_, query, kinds) => {
    const world = await farRefunds();
    await tamper(world, query);
    const found = kindsOf(await recountAll(world));
    for (const kind of kinds) expect(found).toContain(kind);
  });

  it("in a bulk of 10,000, which spans pages, once and for its request", async () => {
    const world = await openWorld({ plan: "premium", balance: 20_000 });
    await sendBulk(world, 10_000);
    const { differences, pages } = await recountPages(world);
    expect(differences).toEqual([]);
    // Its 100 rows are few, and their messages are many.
    expect(pages.length).toBeGreaterThan(1);
    await tamper(world, "UPDATE job SET charge = charge + 1 WHERE seq = 60");
    expect(await recountAll(world)).toMatchObject([{ kind: "debit" }]);
  });
});

describe("a recount that begins where the last one ended", () => {
  it("reads only what is new, and all of it where all is asked for", async () => {
    const world = await openWorld({ plan: "premium", balance: 10_000 });
    await addDelivered(world, 3_000);
    await tamper(world, "UPDATE account SET settled_seq = 3001");
    expect(await recountAll(world, { full: false })).toEqual([]);
    await sendSms(world);
    const again = await recountPages(world, { full: false });
    expect(again.differences).toEqual([]);
    expect(again.pages.length).toBe(1);
    expect(again.pages[0]?.read).toBeLessThan(50);
    await tamper(world, "UPDATE job SET charge = charge + 1 WHERE seq = 900");
    expect(await recountAll(world, { full: false })).toEqual([]);
    expect(await recountAll(world)).toMatchObject([{ kind: "debit" }]);
  });

  it("never begins after a message that is open, or after a difference", async () => {
    const world = await openWorld({ plan: "premium", balance: 10_000 });
    await sendBulk(world, 20);
    await addDelivered(world, 1_500, 1);
    expect(await recountAll(world, { full: false })).toEqual([]);
    // The bulk was open: what goes wrong with it later is found.
    await tamper(world, "UPDATE job SET charge = charge + 1 WHERE seq = 2");
    expect(await recountAll(world, { full: false })).toMatchObject([{ kind: "debit" }]);
    await tamper(world, "UPDATE account SET settled_seq = 1502");
    for (const _ of [1, 2]) expect(await recountAll(world, { full: false })).toMatchObject([{ kind: "debit" }]);
    await tamper(world, "UPDATE job SET charge = charge - 1 WHERE seq = 2");
    expect(await recountAll(world, { full: false })).toEqual([]);
    expect(await isUnverified(world)).toBe(false);
  });

  it("begins at the checkpoint where the account was archived up to there", async () => {
    const world = await openWorld({ plan: "premium", balance: 10_000 });
    await sendBulk(world, 300);
    await addDelivered(world, 1_200, 1);
    const first = await world.stub.recount({ cursor: null, full: true });
    if (first === null || first === "unreadable" || first.next === null) throw new Error("no second page");
    // All of the bulk but its last job, and some entries more than the page had.
    for (const seq of [3, 900]) {
      await tamper(
        world,
        `UPDATE account SET checkpoint_seq = ${seq},
           checkpoint_balance = (SELECT balance_after FROM job WHERE seq = ${seq})`,
      );
      await tamper(world, `DELETE FROM job WHERE seq <= ${seq}`);
      expect(await recountAll(world)).toEqual([]);
      expect(await recountAll(world, { cursor: first.next })).toEqual([]);
    }
    await tamper(world, "UPDATE account SET checkpoint_balance = checkpoint_balance + 1");
    expect(kindsOf(await recountAll(world))).toContain("ledger");
  });
});
