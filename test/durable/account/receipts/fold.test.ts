import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RECEIPTS_MAX, forgetJournal, journalOf } from "../../../../src/durable/account/receipts/journal.ts";
import { pause, receiptsOf, sendBulk, storedBulk, submitBulk } from "../../../world/bulk.ts";
import type { Place } from "../../../world/bulk.ts";
import { listen } from "../../../world/listener.ts";
import { visit } from "../../../world/visitor.ts";
import { balanceOf, claim, messagesOf, openWorld, runAlarm } from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// When receipts of bulks go into the journal, and when they leave it for their jobs' rows.

const MINUTE_MS = 60_000;

beforeEach(() => {
  // A day ahead of the real clock, so that no alarm fires by itself.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A bulk of 230 in three jobs, of which this many messages are at their carrier. */
async function openBulk(submitted: number): Promise<{ world: World; places: Place[] }> {
  const world = await openWorld();
  await sendBulk(world, 230);
  const places = await submitBulk(world, submitted);
  pause();
  return { world, places };
}

/** The jobs with receipts in the journal, and for how long. */
const journaled = ({ stub }: World) => runInDurableObject(stub, (_, { storage }) => journalOf(storage.sql).oldest(10));

const delivered = async (world: World) => (await messagesOf(world)).filter(({ state }) => state === "delivered").length;

it("writes receipts into their jobs after ten minutes, which changes nothing for readers", async () => {
  const { world, places } = await openBulk(150);
  // Two batches in two jobs, neither of which ends.
  await world.stub.report(receiptsOf([...places.slice(0, 3), ...places.slice(100, 102)]), false);
  pause();
  await world.stub.report(receiptsOf([...places.slice(3, 4), ...places.slice(110, 112)]), false);
  const before = await messagesOf(world);
  expect(await delivered(world)).toBe(8);
  const { journal, revs } = await storedBulk(world);
  expect(journal).toBe(1);

  vi.setSystemTime(Date.now() + 8 * MINUTE_MS);
  await runAlarm(world);
  expect(await storedBulk(world)).toEqual({ journal, revs });

  vi.setSystemTime(Date.now() + 3 * MINUTE_MS);
  await runAlarm(world);
  // Two batches touched the first two jobs.
  expect(await storedBulk(world)).toEqual({ journal: 0, revs: revs.map((rev, at) => rev + (at < 2 ? 2 : 0)) });
  expect(await messagesOf(world)).toEqual(before);
});

it("writes a job at once where a receipt moves money, and where the job ends", async () => {
  const { world, places } = await openBulk(230);
  await world.stub.report(receiptsOf([...places.slice(0, 3), ...places.slice(100, 103)]), false);
  const [first, second, last] = [places[0], places[100], places[200]].map((place) => place?.seq);
  expect(await journaled(world)).toEqual([first, second]);

  const balance = await balanceOf(world);
  pause();
  await world.stub.report(receiptsOf(places.slice(4, 5), "failed"), false);
  expect(await balanceOf(world)).toBeGreaterThan(balance);
  expect(await journaled(world)).toEqual([second]);

  pause();
  const ends = [...places.slice(10, 12), ...places.slice(110, 112), ...places.slice(200)];
  await world.stub.report(receiptsOf(ends), false);
  expect(await journaled(world)).toEqual([second, first]);
  const query = "SELECT lives FROM job WHERE seq = ?";
  const { lives } = await runInDurableObject(world.stub, (_, { storage: { sql } }) => sql.exec(query, last ?? 0).one());
  expect(lives).toMatch(/t\d+d\d+/u);
});

it("sends what receipts in the journal changed to the live feed at once", async () => {
  const { visitor, world } = await visit();
  await sendBulk(world, 150);
  const places = await submitBulk(world, 150);
  const listener = await listen(visitor);
  await listener.next();
  pause();
  await world.stub.report(receiptsOf([...places.slice(0, 3), ...places.slice(120, 122)]), false);
  expect((await storedBulk(world)).journal).toBe(1);
  const { jobs } = await listener.next();
  expect(jobs.map(({ states }) => states.find(({ state }) => state === "delivered")?.count)).toEqual([3, 2]);
});

it("marks jobs that history has recorded already as changed", async () => {
  const { world, places } = await openBulk(230);
  await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
    sql.exec("UPDATE account SET settled_seq = ?", places[200]?.seq ?? 0);
  });
  await world.stub.report(receiptsOf([...places.slice(0, 3), ...places.slice(100, 103)]), false);
  expect((await storedBulk(world)).journal).toBe(1);
  await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
    const late = sql.exec("SELECT seq FROM job WHERE late = 1 ORDER BY seq").toArray();
    expect(late.map(({ seq }) => seq)).toEqual([places[0]?.seq, places[100]?.seq]);
  });
});

it("holds no more receipts than its limit: beyond it, each job is written", async () => {
  const { world, places } = await openBulk(230);
  // Twice as many as the limit, in so many jobs that one turn cannot fold them; there are none with these numbers.
  await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
    const jobs = Array.from({ length: 400 }, (__, at) => [
      10_000 + at,
      Array.from({ length: RECEIPTS_MAX / 200 }, (___, index) => [index, "d"]),
    ]);
    const line = JSON.stringify([Date.now(), 1_000, jobs]);
    sql.exec("INSERT INTO receipt_journal (segment, lines) VALUES (1, ?)", line);
    forgetJournal(sql);
  });
  const { revs } = await storedBulk(world);
  await world.stub.report(receiptsOf([...places.slice(0, 3), ...places.slice(100, 103)]), false);
  expect(await storedBulk(world)).toEqual({ journal: 1, revs: revs.map((rev, at) => rev + (at < 2 ? 1 : 0)) });
  // Each call makes some room, and then there is enough.
  for (let at = 0; at < 5; at++) {
    pause();
    await world.stub.report(receiptsOf(places.slice(10 + at, 11 + at)), false);
  }
  const before = await storedBulk(world);
  pause();
  await world.stub.report(receiptsOf([...places.slice(20, 23), ...places.slice(120, 123)]), false);
  expect((await storedBulk(world)).revs).toEqual(before.revs);
  expect(await delivered(world)).toBe(17);
});

it("is not held up by a job that cannot be written", async () => {
  const { world, places } = await openBulk(230);
  await world.stub.report(receiptsOf([...places.slice(0, 3), ...places.slice(100, 103)]), false);
  const contentOf = (content: string) =>
    runInDurableObject(world.stub, (_, { storage: { sql } }) => {
      sql.exec("UPDATE job SET content = ? WHERE seq = ?", content, places[0]?.seq ?? 0);
    });
  const { revs } = await storedBulk(world);
  await contentOf("no JSON");
  vi.setSystemTime(Date.now() + 11 * MINUTE_MS);
  await runAlarm(world);
  expect(await storedBulk(world)).toEqual({ journal: 1, revs: revs.map((rev, at) => rev + (at === 1 ? 1 : 0)) });

  await contentOf("{}");
  vi.setSystemTime(Date.now() + 11 * MINUTE_MS);
  await runAlarm(world);
  expect(await storedBulk(world)).toEqual({ journal: 0, revs: revs.map((rev, at) => rev + (at < 2 ? 1 : 0)) });
  expect(await delivered(world)).toBe(6);
});

it("keeps its receipts when the sweep of their job is rolled back", async () => {
  const { world } = await openBulk(0);
  const jobs = await claim(world, { lane: "bulk", max: 230 });
  const places = jobs.flatMap(({ seq, messages }) => messages.map(({ index, attempt }) => ({ seq, index, attempt })));
  const unknown = { kind: "unknown", code: "timeout" } as const;
  await world.stub.report(
    places.map((place) => ({ ...place, kind: "outcome", outcome: unknown })),
    false,
  );
  vi.setSystemTime(Date.now() + 24 * 60 * MINUTE_MS - 5_000);
  await world.stub.report(receiptsOf([...places.slice(0, 3), ...places.slice(100, 103)]), false);
  expect(await delivered(world)).toBe(6);
  // The windows end, and the refunds fail after the rows of the jobs were written.
  vi.setSystemTime(Date.now() + MINUTE_MS);
  await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql);
    vi.spyOn(sql, "exec").mockImplementation((query, ...bindings) => {
      if (query.includes("INTO ledger_entry")) throw new Error("the disk is full");
      return exec(query, ...bindings);
    });
  });
  await runAlarm(world);
  vi.restoreAllMocks();
  expect((await messagesOf(world)).filter(({ refunded }) => refunded)).toEqual([]);
  expect(await delivered(world)).toBe(6);
});
