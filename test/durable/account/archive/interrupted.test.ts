import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  DAY_MS,
  archive,
  archiveWith,
  linesOf,
  manifestsOf,
  restore,
  ring,
  rowsLeft,
  settle,
  stateOf,
  withBindings,
} from "../../../world/archive.ts";
import { later, receipt, sendDelivered, stopClock } from "../../../world/pass.ts";
import { alarmMs } from "../../../world/pass.ts";
import { balanceOf, ledgerOf, messagesOf, openWorld, sendBulk } from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// A run that ends anywhere loses nothing, doubles nothing, and the next one goes on.

beforeEach(stopClock);
afterEach(() => vi.useRealTimers());

/** An account with some hundreds of old rows, and its ledger and messages. */
async function oldWorld() {
  const world = await openWorld({ balance: 10_000 });
  await sendBulk(world, 1_050);
  await sendDelivered(world, 5);
  await settle(world);
  const known = { ledger: await ledgerOf(world), messages: await messagesOf(world), balance: await balanceOf(world) };
  later(432 * DAY_MS);
  return { world, known };
}

/** What was archived and what is left, put together again, is what there was. */
async function expectAll(world: World, known: Awaited<ReturnType<typeof oldWorld>>["known"]) {
  expect(await balanceOf(world)).toBe(known.balance);
  const lines = await linesOf(world);
  const seqs = lines.map(({ row }) => Number(row["seq"]));
  expect(seqs).toEqual(seqs.map((_, at) => at + 1));
  await restore(world, lines);
  expect(await ledgerOf(world)).toEqual(known.ledger);
  expect(await messagesOf(world)).toEqual(known.messages);
}

/** Ends the run at the nth call of a method of the bucket; `after`: what it does is done. */
function dyingAt(method: "put" | "get", nth: number, after: boolean) {
  let calls = 0;
  const call = async (...args: unknown[]) => {
    calls += 1;
    const run = () => (env.ARCHIVE[method] as (...all: unknown[]) => Promise<unknown>)(...args);
    if (calls !== nth) return run();
    if (after) await run();
    throw new Error("the service died");
  };
  return archiveWith({ [method]: call });
}

const POINTS = [
  ["put", 1, false],
  ["put", 1, true],
  ["get", 1, true],
  ["put", 2, false],
  ["put", 2, true],
  ["get", 2, true],
] as const;

describe("a run that ends early", () => {
  it.each(POINTS)("at %s %i of the bucket (done: %s) is repeated", async (method, nth, after) => {
    const { world, known } = await oldWorld();
    await withBindings(world, { ARCHIVE: dyingAt(method, nth, after) });
    await archive(world);
    expect(await stateOf(world)).toMatchObject({ archive_failures: 1, checkpoint_seq: 0 });
    expect(await ledgerOf(world)).toEqual(known.ledger);
    await evictDurableObject(world.stub);
    const { archive_at: nextAt } = await stateOf(world);
    vi.setSystemTime(Number(nextAt));
    await ring(world);
    await archive(world);
    await drain(world);
    expect(await stateOf(world)).toMatchObject({ archive_failures: 0, archive_problem: null });
    expect((await rowsLeft(world)).jobs).toEqual([]);
    await expectAll(world, known);
  });

  it("while it deletes goes on deleting, by transactions that never divide a request", async () => {
    const { world, known } = await oldWorld();
    await world.stub.archive();
    // The third transaction of the deletion fails.
    await failAt(world, "DELETE FROM job", 1);
    await archive(world);
    expect(await stateOf(world)).toMatchObject({ archive_failures: 1, checkpoint_seq: 0 });
    expect(await manifestsOf(world)).toHaveLength(1);
    expect(await ledgerOf(world)).toEqual(known.ledger);
    await evictDurableObject(world.stub);
    await drain(world);
    expect((await manifestsOf(world)).map(({ last }) => last)).toEqual([known.ledger.at(-1)?.seq]);
    await expectAll(world, known);
  });

  it("notes nothing where a late receipt came while the file was written, and writes it again", async () => {
    const { world } = await oldWorld();
    let calls = 0;
    await receiptable(world, 13);
    await runInDurableObject(world.stub, (account) => {
      const put = async (...args: [string, string]) => {
        calls += 1;
        if (calls === 1) await account.report([{ kind: "receipt", seq: 13, index: 0, state: "delivered" }], false);
        return env.ARCHIVE.put(...args);
      };
      Object.assign(account, { env: { ...env, ARCHIVE: archiveWith({ put } as Partial<R2Bucket>) } });
    });
    await archive(world);
    await settle(world);
    later(2 * DAY_MS);
    await archive(world);
    expect(calls).toBeGreaterThan(2);
    const line = (await linesOf(world)).find(({ row }) => row["seq"] === 13);
    expect(line?.row["lives"]).toMatch(/d\d+/u);
  });

  it("leaves what a noted file holds as it is, whatever is reported before it is deleted", async () => {
    const { world } = await oldWorld();
    await receiptable(world, 13);
    await world.stub.archive();
    await failAt(world, "DELETE FROM job", 1);
    await archive(world);
    const before = await messagesOf(world);
    expect(await receipt(world, 13, "delivered")).toBe(true);
    expect(await messagesOf(world)).toEqual(before);
    await evictDurableObject(world.stub);
    expect(await receipt(world, 13, "delivered")).toBe(true);
    expect(await messagesOf(world)).toEqual(before);
    await drain(world);
    expect(await receipt(world, 13, "delivered")).toBe(true);
    expect(await messagesOf(world)).toEqual([]);
  });

  it("waits longer after each failure", async () => {
    const { world } = await oldWorld();
    const away = archiveWith({ put: () => Promise.reject(new Error("R2 is away")) });
    await world.stub.archive();
    const gaps: number[] = [];
    for (let failures = 1; failures <= 9; failures += 1) {
      await withBindings(world, { ARCHIVE: away });
      vi.setSystemTime(Number((await stateOf(world)).archive_at));
      await ring(world);
      const state = await world.stub.archive();
      expect(state).toMatchObject({ failures, problem: "R2 is away" });
      gaps.push((state?.nextAt ?? 0) - Date.now());
      expect(await alarmMs(world)).toBeLessThanOrEqual(state?.nextAt ?? 0);
    }
    expect(gaps.map((gap) => gap / 60_000)).toEqual([10, 20, 40, 80, 160, 320, 640, 1_280, 1_440]);
  });
});

/** Rings until the run is over. */
async function drain(world: World): Promise<void> {
  await withBindings(world, {});
  for (let rings = 0; rings < 50; rings += 1) {
    const { archive_at: nextAt } = await stateOf(world);
    if (nextAt === null) return;
    vi.setSystemTime(Math.max(Date.now(), Number(nextAt)));
    await ring(world);
  }
  throw new Error("the run does not end");
}

/** Lets the nth statement of a kind throw. */
async function failAt(world: World, statement: string, nth: number): Promise<void> {
  await runInDurableObject(world.stub, (_, { storage }) => {
    const exec = storage.sql.exec.bind(storage.sql);
    let calls = 0;
    Object.assign(storage.sql, {
      exec(query: string, ...bindings: unknown[]) {
        if (query.startsWith(statement)) calls += 1;
        if (query.startsWith(statement) && calls === nth) throw new Error("the storage failed");
        return exec(query, ...bindings);
      },
    });
  });
}

/** Makes the only message of a job unconfirmed, so that a late receipt changes it; and history has that. */
async function receiptable(world: World, seq: number): Promise<void> {
  await runInDurableObject(world.stub, (_, { storage }) => {
    storage.sql.exec(`UPDATE job SET lives = '[[0],[[1,1,"s1t2c3"]]]', rev = rev + 1 WHERE seq = ?`, seq);
  });
  await settle(world);
}
