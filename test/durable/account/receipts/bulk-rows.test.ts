import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { messageId } from "../../../../src/crypto/ids.ts";
import { Pacer } from "../../../../src/durable/pace/pacer.ts";
import type { News, WorkAsked } from "../../../../src/model/message.ts";
import type { Permits, PermitsAsked, Seen } from "../../../../src/model/pace.ts";
import { tokensFor } from "../../../../src/queues/enqueue.ts";
import { randomOf } from "../../../../torture/random.ts";
import type { Random } from "../../../../torture/random.ts";
import { watchGateway, watchLanes } from "../../../world/carriers.ts";
import { bearer, deliverLane, messagesOf, openWorld, post, runAlarm, sendBulk } from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// What a bulk writes in its account when its receipts come one by one, in random order (ARCHITECTURE.md, "Rows written").

const RECIPIENTS = 1_000;
const MINUTE_MS = 60_000;
/** Messages that a deployed consumer claims at once. */
const CLAIMED = 60;

beforeEach(() => {
  // A day ahead of the real clock, so that no alarm fires by itself.
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.now() + 86_400_000 });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const sizeOf = (value: unknown): number =>
  value instanceof Uint8Array ? value.length : new TextEncoder().encode(String(value)).length;

/** Counts the rows that an account writes from now on, alarms that are set among them, and their bytes. */
async function countWrites({ stub }: World) {
  const counted = { rows: 0, bytes: 0 };
  await runInDurableObject(stub, (_, { storage }) => {
    const { sql } = storage;
    const exec = sql.exec.bind(sql);
    const setAlarm = storage.setAlarm.bind(storage);
    Object.assign(sql, {
      exec(query: string, ...bindings: unknown[]) {
        const cursor = exec(query, ...bindings);
        const found = cursor.toArray();
        counted.rows += cursor.rowsWritten;
        if (cursor.rowsWritten > 0) for (const value of bindings) counted.bytes += sizeOf(value);
        // What is appended to a row writes all of it.
        if (query.includes("||")) {
          const row = exec("SELECT max(length(lines)) AS bytes FROM receipt_journal").one();
          counted.bytes += Number(row["bytes"]);
        }
        return { toArray: () => found, one: () => found[0] };
      },
    });
    Object.assign(storage, {
      setAlarm(time: number) {
        counted.rows += 1;
        return setAlarm(time);
      },
    });
  });
  return counted;
}

/** Has a consumer submit all of the bulk, six at a time: each round reports the claims of the one before. */
async function submitAll({ stub }: World): Promise<void> {
  const claim = { lane: "bulk", max: CLAIMED, carrier: "http", leaseMs: MINUTE_MS } as const;
  let news: News[] = [];
  do {
    const done = await stub.work({ news, follow: false, resubmits: false, claim });
    news = (done?.jobs ?? []).flatMap(({ seq, messages }) =>
      messages.map(({ index, attempt }): News => ({
        seq,
        index,
        kind: "outcome",
        attempt,
        outcome: { kind: "submitted" },
      })),
    );
    vi.setSystemTime(Date.now() + 1_000);
  } while (news.length > 0);
}

/** Receipts for all messages in random order, at random times of a minute; each is answered once it is stored. */
async function receiveAll(world: World, random: Random): Promise<void> {
  const places = (await messagesOf(world)).map(({ seq, index }) => ({ seq, index, order: random() }));
  places.sort((one, other) => one.order - other.order);
  const times = places.map(() => Math.floor(MINUTE_MS * random())).toSorted((one, other) => one - other);
  await runInDurableObject(world.stub, async (account) => {
    const beganMs = Date.now();
    const answers = [];
    for (const [at, { seq, index }] of places.entries()) {
      await vi.advanceTimersByTimeAsync(beganMs + (times[at] ?? 0) - Date.now());
      answers.push(account.report([{ kind: "receipt", seq, index, state: "delivered" }], false));
    }
    await vi.advanceTimersByTimeAsync(2_000);
    await Promise.all(answers);
  });
}

/** The permits of a carrier with this limit, by the logic of the deployed pacing object. */
function paceOf(setPerSec: number, random: Random): Env["PACE"] {
  const pacer = new Pacer(setPerSec, null, random, Date.now());
  const settle = () => {
    pacer.turn(Date.now());
    const wakeMs = pacer.wakeMs(Date.now());
    if (wakeMs !== null) setTimeout(settle, wakeMs - Date.now());
  };
  const pace = {
    take: (asked: PermitsAsked) =>
      new Promise<Permits>((resolve) => {
        pacer.ask(asked, Date.now(), resolve);
        settle();
      }),
    tell: async (seen: Seen) => pacer.saw(seen, Date.now()),
    listen: async () => 0,
  };
  return { getByName: () => pace } as unknown as Env["PACE"];
}

/** Messages by their references. */
async function placesOf(world: World) {
  const messages = await messagesOf(world);
  return new Map(
    messages.map(({ operation, seq, index }) => {
      const place = { seq, index };
      return [messageId(env.KEY_SECRET, world.ref, operation, place), place];
    }),
  );
}

/**
 * Has deployed consumers submit the bulk, each with a token of its own, at a gateway that answers within 20 to 150 ms. Each
 * message's receipt comes within a minute after that. All of it is in the object, so that only the clock's timers count.
 */
async function deliverAll(world: World, setPerSec: number, random: Random): Promise<void> {
  const places = await placesOf(world);
  await runInDurableObject(world.stub, async (account) => {
    const { lanes, sent } = watchLanes();
    const pause = scheduler.wait.bind(scheduler);
    const wait = vi.spyOn(scheduler, "wait");
    wait.mockImplementation((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
    const open = new Set<Promise<unknown>>();
    const after = (ms: number, work: () => Promise<unknown>) => {
      const done = scheduler
        .wait(ms)
        .then(work)
        .finally(() => open.delete(done));
      open.add(done);
    };
    watchGateway().answer = async (ref) => {
      await scheduler.wait(20 + 130 * random());
      const place = places.get(ref);
      if (!place) throw new Error("the gateway got an unknown reference");
      const news: News[] = [{ kind: "receipt", ...place, state: "delivered" }];
      after(MINUTE_MS * random(), () => account.report(news, false));
      return Response.json({});
    };
    const stub = {
      work: async (asked: WorkAsked) => account.work(asked),
      report: (news: News[], follow: boolean) => account.report(news, follow),
    };
    const ACCOUNT = { getByName: () => stub } as unknown as Env["ACCOUNT"];
    const at = { CARRIER: "http", DISPATCH_CONCURRENCY: "6", ...lanes, ACCOUNT, PACE: paceOf(setPerSec, random) };
    sent.push(...tokensFor(world.name, "bulk", RECIPIENTS).map((body) => ({ body })));
    while (open.size > 0 || sent.length > 0) {
      for (const { body, delaySeconds = 0 } of sent.splice(0)) {
        after(delaySeconds * 1_000, () => deliverLane([body], at));
      }
      // Whatever does not depend on the clock has its turn before the next timer.
      await pause(0);
      await vi.advanceTimersToNextTimerAsync();
    }
    wait.mockRestore();
  });
}

it.each([
  ["20 a second", 20],
  ["no limit", Infinity],
])(
  "writes at most 200 rows and 2 MB for a bulk of 1,000 by deployed consumers at %s",
  async (_, setPerSec) => {
    const random = randomOf(String(inject("seed")), `bulk rows ${setPerSec}`);
    const world = await openWorld({ balance: 2_000 });
    const counted = await countWrites(world);
    await sendBulk(world, RECIPIENTS);
    await deliverAll(world, setPerSec, random);
    expect((await messagesOf(world)).every(({ state }) => state === "delivered")).toBe(true);
    vi.setSystemTime(Date.now() + 11 * MINUTE_MS);
    await runAlarm(world);
    expect(counted.rows).toBeLessThanOrEqual(200);
    expect(counted.bytes).toBeLessThanOrEqual(2_000_000);
  },
  60_000,
);

it("writes at most 200 rows and 2 MB for a bulk of 1,000 whose receipts come one by one over a minute", async () => {
  const random = randomOf(String(inject("seed")), "bulk rows");
  const world = await openWorld({ balance: 2_000 });
  const counted = await countWrites(world);
  const recipients = Array.from({ length: RECIPIENTS }, (_, at) => `98765${String(at).padStart(5, "0")}`);
  await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  await submitAll(world);
  await receiveAll(world, random);
  expect((await messagesOf(world)).every(({ state }) => state === "delivered")).toBe(true);
  // The pass of the alarm that writes what is left in the journal into its jobs.
  vi.setSystemTime(Date.now() + 11 * MINUTE_MS);
  await runAlarm(world);
  expect(counted.rows).toBeLessThanOrEqual(200);
  expect(counted.bytes).toBeLessThanOrEqual(2_000_000);
  await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
    expect(sql.exec("SELECT * FROM receipt_journal").toArray()).toEqual([]);
  });
});
