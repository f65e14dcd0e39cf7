import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import type { News } from "../../../../src/model/message.ts";
import { randomOf } from "../../../../torture/random.ts";
import type { Random } from "../../../../torture/random.ts";
import { bearer, messagesOf, openWorld, post, runAlarm } from "../../../world/world.ts";
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

afterEach(() => vi.useRealTimers());

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
