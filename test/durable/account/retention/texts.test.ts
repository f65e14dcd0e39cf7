import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { seal, unseal } from "../../../../src/crypto/seal.ts";
import { newAccountId, randomId } from "../../../../src/crypto/ids.ts";
import { MIGRATIONS } from "../../../../src/durable/account/schema.ts";
import { migrate } from "../../../../src/durable/migrate.ts";
import { HOUR_MS, alarm, alarmMs, later, restingWorld, rests, sendDelivered, stopClock } from "../../../world/pass.ts";
import { claim, openWorld, recordHistory, runAlarm, sendBulk, sendSms } from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// Texts are forgotten TEXT_DAYS after the end of their day, by deleting the key of the day.

const DAY_MS = 24 * HOUR_MS;

beforeEach(stopClock);
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const sqlOf = <T>(world: World, work: (sql: SqlStorage) => T) =>
  runInDurableObject(world.stub, (_, { storage }) => work(storage.sql));

const keysIn = (world: World) => sqlOf(world, (sql) => sql.exec("SELECT * FROM text_key").toArray().length);
const jobsIn = (world: World) => sqlOf(world, (sql) => JSON.stringify(sql.exec("SELECT * FROM job").toArray()));
const storedTexts = (world: World) =>
  sqlOf(world, (sql) =>
    sql
      .exec("SELECT text FROM job ORDER BY seq")
      .toArray()
      .map(({ text }) => text && new Uint8Array(text as ArrayBuffer)),
  );

/** The text of a message as its page gets it; null where it was forgotten. */
async function textOf(world: World, seq: number): Promise<string | null> {
  const sealed = (await world.stub.messageDetail({ seq, index: 0 }))?.text ?? null;
  return sealed && unseal(env.SEAL_SECRET, world.name, sealed);
}

/** Runs alarms until this time, each when it is due; returns their number. */
async function ringUntil(world: World, untilMs: number): Promise<number> {
  let rung = 0;
  for (let dueMs = await alarmMs(world); dueMs !== null && dueMs <= untilMs; dueMs = await alarmMs(world)) {
    vi.setSystemTime(Math.max(dueMs, Date.now()));
    await alarm(world);
    rung += 1;
  }
  vi.setSystemTime(untilMs);
  return rung;
}

const dayEndMs = () => (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS;

/** A resting account with three delivered messages, which history has. */
async function sentWorld(): Promise<World> {
  const world = await restingWorld();
  await sendDelivered(world, 3);
  await recordHistory(world, [2, 3, 4]);
  return world;
}

describe("the texts of a day", () => {
  it("are forgotten after TEXT_DAYS, also of an account at rest, and no job is rewritten for it", async () => {
    const world = await sentWorld();
    const endMs = dayEndMs();
    await ringUntil(world, Date.now() + DAY_MS);
    expect(await rests(world)).toBe(true);
    await evictDurableObject(world.stub);
    expect(await textOf(world, 3)).toBe("Hello");
    const before = await jobsIn(world);
    await ringUntil(world, endMs + 30 * DAY_MS - 1);
    expect(await textOf(world, 3)).toBe("Hello");
    expect(await ringUntil(world, endMs + 30 * DAY_MS)).toBe(1);
    expect(await Promise.all([2, 3, 4].map((seq) => textOf(world, seq)))).toEqual([null, null, null]);
    expect(await keysIn(world)).toBe(0);
    expect(await jobsIn(world)).toBe(before);
    // All that is left of the account's work is done.
    expect(await alarmMs(world)).toBeNull();
  });

  it("are forgotten without those of the next day, with at most one alarm a day", async () => {
    const world = await sentWorld();
    const endMs = dayEndMs();
    vi.setSystemTime(endMs + HOUR_MS);
    await sendDelivered(world, 1);
    await recordHistory(world, [5]);
    expect(await keysIn(world)).toBe(2);
    await ringUntil(world, endMs + 29 * DAY_MS);
    expect(await ringUntil(world, endMs + 30 * DAY_MS)).toBe(1);
    expect([await textOf(world, 4), await textOf(world, 5)]).toEqual([null, "Hello"]);
    expect(await ringUntil(world, endMs + 31 * DAY_MS)).toBe(1);
    expect(await textOf(world, 5)).toBeNull();
  });

  it("are forgotten on time, although a clock ran ahead when the key was made", async () => {
    const world = await restingWorld();
    const nowMs = Date.now();
    later(400 * DAY_MS);
    await sendDelivered(world, 1);
    vi.setSystemTime(nowMs);
    await sendDelivered(world, 1);
    await recordHistory(world, [2, 3]);
    expect(await keysIn(world)).toBe(2);
    const endMs = dayEndMs();
    await ringUntil(world, endMs + 30 * DAY_MS);
    expect([await textOf(world, 2), await textOf(world, 3)]).toEqual(["Hello", null]);
  });
});

describe("a stored text", () => {
  it("holds nothing of what the Worker sealed, and a consumer gets just that", async () => {
    const world = await openWorld();
    const text = await seal(env.SEAL_SECRET, world.name, "Hello");
    const order = { operation: "sms" as const, price: { kind: "fixed" as const, units: 1 }, content: {}, text };
    const recipients = Array.from({ length: 150 }, (_, at) => `+9198765${String(at).padStart(5, "0")}`);
    const caller = { keyId: world.keyId, validityMs: DAY_MS };
    await world.stub.send({ ...order, ...caller, requestId: randomId("req"), recipients });
    const take = { carrier: "http", leaseMs: 60_000 };
    const single = { ...order, ...caller, recipients: ["+919876543210"], take };
    const requestId = randomId("req");
    const first = await world.stub.send({ ...single, requestId });
    expect(first?.ok === true && first.claimed.map((job) => job.text)).toEqual([text]);
    const stored = await storedTexts(world);
    expect(stored).toHaveLength(3);
    const piece = Buffer.from(text.subarray(1, 9));
    expect(stored.map((one) => Buffer.from(one as Uint8Array).includes(piece))).toEqual([false, false, false]);
    // One request's jobs share one text; another request has its own.
    expect(stored[0]).toEqual(stored[1]);
    expect(stored[2]).not.toEqual(stored[0]);
    await evictDurableObject(world.stub);
    const claimed = await claim(world, { lane: "bulk", max: 150 });
    expect(claimed.map((job) => job.text)).toEqual([text, text]);
  });

  it("can be read after the transaction that made its day's key was rolled back", async () => {
    const world = await openWorld();
    const text = await seal(env.SEAL_SECRET, world.name, "Hello");
    const order = { operation: "sms" as const, content: {}, text, keyId: world.keyId, validityMs: DAY_MS };
    const to = { recipients: ["+919876543210"] };
    // A negative charge violates a constraint, after the text was wrapped.
    const wrong = { ...order, ...to, requestId: "req_wrong", price: { kind: "fixed" as const, units: -1 } };
    await runInDurableObject(world.stub, async (account) => {
      await expect(account.send(wrong)).rejects.toThrow("CHECK");
    });
    expect(await keysIn(world)).toBe(0);
    await sendSms(world);
    await evictDurableObject(world.stub);
    expect(await textOf(world, 2)).toBe("Hello");
  });

  it("that was forgotten makes no empty message: nothing of it is claimed, and its validity refunds it", async () => {
    const world = await openWorld();
    await sendBulk(world, 2);
    await sendSms(world);
    await sqlOf(world, (sql) => sql.exec("DELETE FROM text_key"));
    await evictDurableObject(world.stub);
    expect(await claim(world)).toEqual([]);
    expect(await claim(world, { lane: "bulk" })).toEqual([]);
    later(DAY_MS);
    await runAlarm(world);
    expect((await world.stub.view())?.balance).toBe(1_000 * 10_000);
  });
});

/** Stores jobs of an older version, one an hour, the last of them an hour ago. */
async function oldJobs(world: World, count: number): Promise<void> {
  const text = await seal(env.SEAL_SECRET, world.name, "Hello");
  await sqlOf(world, (sql) => {
    const columns = "request_id, operation, debit, balance_after, charge, expires_at, content, messages, lives, rev";
    for (let at = 0; at < count; at++) {
      const createdAt = Date.now() - (count - at) * HOUR_MS;
      sql.exec(
        `INSERT INTO job (seq, created_at, text, ${columns}) SELECT ?, ?, ?, ${columns} FROM job WHERE seq = 2`,
        10 + at,
        createdAt,
        text,
      );
    }
    sql.exec("UPDATE account SET settled_seq = ?1, forgotten_seq = 9, keyless_seq = ?1", 9 + count);
  });
}

const textsLeft = (world: World) =>
  sqlOf(world, (sql) => sql.exec("SELECT count(*) AS n FROM job WHERE seq >= 10 AND text IS NOT NULL").one()["n"]);

describe("texts from before there were keys", () => {
  it("are forgotten too, day by day, in slices", async () => {
    const world = await restingWorld();
    await sendDelivered(world, 1);
    await oldJobs(world, 1_000);
    expect(await textOf(world, 11)).toBe("Hello");
    await evictDurableObject(world.stub);
    await world.stub.ping();
    later(HOUR_MS);
    await runAlarm(world);
    // Those of whole days that are over by 30 days.
    const over = await sqlOf(world, (sql) =>
      Number(
        sql
          .exec(
            "SELECT count(*) AS n FROM job WHERE seq >= 10 AND (CAST(created_at / ?1 AS INTEGER) + 1) * ?1 + 30 * ?1 <= ?2",
            DAY_MS,
            Date.now(),
          )
          .one()["n"],
      ),
    );
    expect(over).toBeGreaterThan(200);
    expect(await textsLeft(world)).toBe(1_000 - over);
    expect(await textOf(world, 10)).toBeNull();
    expect(await textOf(world, 1_009)).toBe("Hello");
    const from = Date.now();
    const rung = await ringUntil(world, from + 32 * DAY_MS);
    expect(await textsLeft(world)).toBe(0);
    expect(rung).toBeLessThan(40);
    expect(await sqlOf(world, (sql) => sql.exec("SELECT forgotten_seq, keyless_seq FROM account").one())).toEqual({
      forgotten_seq: 1_009,
      keyless_seq: 1_009,
    });
  });

  it("are those of the jobs that the migration finds", async () => {
    // An object that was never opened has no tables.
    const stub = env.ACCOUNT.getByName(newAccountId(env.KEY_SECRET, null));
    await runInDurableObject(stub, (_, { storage: { sql } }) => {
      migrate(sql, MIGRATIONS.slice(0, 5));
      const row = "(1, 'a', 'active', 'starter', 1, 1)";
      sql.exec(`INSERT INTO account (id, name, status, plan, created_at, rev) VALUES ${row}`);
      sql.exec(`INSERT INTO job (seq, request_id, operation, balance_after, charge, created_at, expires_at, content,
        messages, rev) VALUES (7, 'r', 'sms', 0, 0, 1, 2, '{}', '[]', 1)`);
      migrate(sql, MIGRATIONS);
      expect(sql.exec("SELECT forgotten_seq, keyless_seq FROM account").one()).toEqual({
        forgotten_seq: 0,
        keyless_seq: 7,
      });
    });
  });
});
