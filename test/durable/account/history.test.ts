import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { recordGroups as record } from "../../../src/db/history.ts";
import { NAMED_MAX } from "../../../src/durable/account/history/pass.ts";
import { historyOf, settledSeq } from "../../world/history.ts";
import {
  HOUR_MS,
  PASS_MS,
  alarm,
  alarmMs,
  deliver,
  later,
  lateIn,
  receipt,
  recordsOf,
  restingWorld,
  rests,
  revisionsOf,
  sendDelivered,
  seqsIn,
  statesIn,
  stopClock,
} from "../../world/pass.ts";
import { bearer, claim, messagesOf, openWorld, operator, post, recordHistory, sendSms } from "../../world/world.ts";

beforeEach(stopClock);
afterEach(() => vi.useRealTimers());

describe("a row of history", () => {
  it("has the newest state, in any order and number of recordings", async () => {
    const world = await openWorld();
    await sendSms(world);
    const early = { ...world.ref, groups: await recordsOf(world, [2]) };
    await sendDelivered(world);
    const late = { ...world.ref, groups: await recordsOf(world, [2]) };
    for (const changes of [late, early, late, early]) await record(env.HISTORY_1, [changes]);
    expect(await historyOf(world)).toEqual(await messagesOf(world));
    expect(statesIn(await historyOf(world))).toEqual(["delivered", "delivered"]);
  });

  it("is one for a job of a bulk, and one for the single messages of 64 job numbers", async () => {
    const world = await openWorld();
    await sendSms(world);
    const bulk = { recipients: ["9876500001", "9876500002"], message: "Hi" };
    await post("http://sms.localhost/send-bulk-sms", bulk, bearer(world.apiKey));
    await sendSms(world);
    const groups = await recordsOf(world, [2, 3]);
    expect(groups.map(({ kind, seq, messages }) => [kind, seq, messages.length])).toEqual([
      ["singles", 0, 2],
      ["bulk", 3, 2],
    ]);
    await recordHistory(world, [2, 3, 4]);
    expect(await historyOf(world)).toEqual(await messagesOf(world));
  });

  it("records a bulk of 10,000 completely, and the account's name, plan and status", async () => {
    const world = await openWorld({ balance: 10_000 });
    const recipients = Array.from({ length: 10_000 }, (_, at) => `98765${String(at).padStart(5, "0")}`);
    await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
    await recordHistory(world, [...new Set((await messagesOf(world)).map(({ seq }) => seq))]);
    expect(await historyOf(world)).toEqual(await messagesOf(world));
    await operator("PATCH", `/operator/accounts/${world.ref.accountId}`, { status: "suspended" });
    await recordHistory(world, []);
    const row = await env.DB.prepare("SELECT name, plan, status FROM account WHERE account_id = ?")
      .bind(world.ref.accountId)
      .first();
    expect(row).toEqual({ name: "Test", plan: "premium", status: "suspended" });
  });
});

describe("the pass", () => {
  it("names what is over once, ten minutes after the first message, and rests when it is recorded", async () => {
    const world = await restingWorld();
    const sentMs = Date.now();
    await sendDelivered(world);
    later(PASS_MS / 2 - 5_000);
    // It rings for a token that the test held back, and is set again for the pass.
    expect(await alarm(world)).toEqual([]);
    expect(await alarmMs(world)).toBe(sentMs + PASS_MS);
    await sendDelivered(world, 3);
    later(PASS_MS / 2 + 5_000);
    const named = await alarm(world);
    expect(named).toEqual([{ account: world.name, seqs: [2, 3, 4, 5] }]);
    await deliver(world, named);
    expect(await settledSeq(world)).toBe(5);
    expect(await historyOf(world)).toEqual(await messagesOf(world));
    // One alarm more looks for the answer, which is there.
    expect(await alarmMs(world)).toBe(Date.now() + PASS_MS);
    later(PASS_MS);
    expect(await alarm(world)).toEqual([]);
    expect(await rests(world)).toBe(true);
  });

  it("stops at a young open message, and records an old one as it is, with its deadline in the index", async () => {
    const world = await restingWorld({ mode: "test" });
    const sentMs = Date.now();
    // The simulator never delivers to this number.
    await sendSms(world, { body: { phone: "7000000003" } });
    await sendDelivered(world);
    later(PASS_MS - 60_000);
    await sendSms(world, { body: { phone: "7000000003" } });
    await sendDelivered(world);
    later(60_000);
    const named = await alarm(world);
    expect(seqsIn(named)).toEqual([2, 3]);
    await deliver(world, named);
    expect(await settledSeq(world)).toBe(3);
    // The two that follow are read from the account, and looked at when the open one is old enough.
    expect(await alarmMs(world)).toBe(sentMs + 2 * PASS_MS - 60_000);
    expect(statesIn(await historyOf(world))).toEqual(["submitted", "delivered", "submitted", "delivered"]);
    const dueOf = (seq: number) =>
      runInDurableObject(world.stub, (_, { storage }) =>
        storage.sql.exec("SELECT due_at FROM job WHERE seq = ?", seq).one(),
      );
    expect((await dueOf(2))["due_at"]).toBeGreaterThan(Date.now());
    expect(await dueOf(4)).toEqual({ due_at: null });
    later(PASS_MS);
    // Whether the carrier is asked again about the first one is not at issue here.
    expect(seqsIn(await alarm(world)).filter((seq) => seq > 3)).toEqual([4, 5]);
    expect((await dueOf(4))["due_at"]).toBeGreaterThan(Date.now());
  });

  it("finds what is missing after an eviction too, and what was named but never recorded", async () => {
    const world = await restingWorld();
    await sendDelivered(world, 2);
    await evictDurableObject(world.stub);
    later(PASS_MS);
    expect(seqsIn(await alarm(world))).toEqual([2, 3]);
    // The queue message is lost, and no other change comes: the alarm that looks for the answer names it again.
    await evictDurableObject(world.stub);
    later(PASS_MS);
    expect(seqsIn(await alarm(world))).toEqual([2, 3]);
    // Lost again. The next change makes the next pass, which names all of it.
    await evictDurableObject(world.stub);
    later(HOUR_MS);
    await sendDelivered(world);
    later(PASS_MS);
    expect(seqsIn(await alarm(world))).toEqual([2, 3, 4]);
    // Lost again, and nothing changes any more: the next reader wakes the object, which sets the alarm.
    await evictDurableObject(world.stub);
    later(HOUR_MS);
    await world.stub.view();
    const dueMs = await alarmMs(world);
    expect(dueMs).not.toBeNull();
    later((dueMs ?? 0) - Date.now());
    const named = await alarm(world);
    expect(seqsIn(named)).toEqual([2, 3, 4]);
    await deliver(world, named);
    expect(await settledSeq(world)).toBe(4);
    await evictDurableObject(world.stub);
    later(PASS_MS);
    expect(await alarm(world)).toEqual([]);
    expect(await rests(world)).toBe(true);
  });

  it("names a profile that history does not have", async () => {
    const world = await openWorld();
    later(PASS_MS);
    expect(await alarm(world)).toEqual([{ account: world.name, seqs: [], profile: true }]);
    await recordHistory(world, []);
    await world.stub.amend({ plan: "business" });
    later(PASS_MS);
    expect(await alarm(world)).toEqual([{ account: world.name, seqs: [], profile: true }]);
    // An answer for the revision before comes again, and late.
    await world.stub.recorded({ historyDb: 1, jobs: [], profileRev: 1 });
    await world.stub.amend({ plan: "premium" });
    later(PASS_MS);
    expect(await alarm(world)).toEqual([{ account: world.name, seqs: [], profile: true }]);
    await recordHistory(world, []);
    later(PASS_MS);
    expect(await alarm(world)).toEqual([]);
  });

  it("names again after a pause when the queue did not take it", async () => {
    const world = await restingWorld();
    await sendDelivered(world);
    later(PASS_MS);
    expect(await alarm(world, true)).toEqual([]);
    expect(await alarmMs(world)).toBe(Date.now() + PASS_MS);
    later(PASS_MS);
    expect(seqsIn(await alarm(world))).toEqual([2]);
  });

  it("tries again with growing gaps while D1 is away, and looks after deadlines meanwhile", async () => {
    const world = await restingWorld();
    await sendSms(world);
    await claim(world, { lane: "single", max: 1, carrier: "http", leaseMs: 60_000 });
    later(PASS_MS);
    let named = await alarm(world);
    expect(statesIn(await messagesOf(world))).toEqual(["unknown"]);
    const gaps: number[] = [];
    while (gaps.length < 12) {
      expect(seqsIn(named)).toEqual([2]);
      await world.stub.recorded(null);
      const since = Date.now();
      // Other work rings the alarm in between, which names nothing.
      do {
        later(((await alarmMs(world)) ?? 0) - Date.now());
        named = await alarm(world);
      } while (named.length === 0);
      gaps.push(Date.now() - since);
    }
    expect(gaps).toEqual(gaps.toSorted((one, other) => one - other));
    expect(gaps[0]).toBe(PASS_MS);
    expect(gaps.at(-1)).toBe(2 * HOUR_MS);
    await deliver(world, named);
    expect(await settledSeq(world)).toBe(2);
  });

  it("looks at and names a long history in bounded slices and numbers", async () => {
    const world = await restingWorld();
    await sendDelivered(world);
    const last = NAMED_MAX + 600;
    await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
      const columns =
        "request_id, operation, balance_after, charge, created_at, expires_at, content, messages, lives, rev";
      sql.exec(
        `WITH RECURSIVE n(seq) AS (SELECT 3 UNION ALL SELECT seq + 1 FROM n WHERE seq < ?)
         INSERT INTO job (seq, ${columns}) SELECT n.seq, ${columns} FROM n JOIN job WHERE job.seq = 2`,
        last,
      );
    });
    later(PASS_MS);
    const named = await alarm(world);
    expect(seqsIn(named)).toEqual(Array.from({ length: NAMED_MAX }, (_, at) => at + 2));
    expect(named.every(({ seqs }) => seqs.length <= 100)).toBe(true);
    // The rest follows when these are recorded, in whatever order the answers come.
    const answers = [];
    for (const { seqs } of named.toReversed()) answers.push(await revisionsOf(world, seqs));
    for (const jobs of answers.slice(0, -1)) await world.stub.recorded({ historyDb: 1, jobs, profileRev: null });
    expect(await settledSeq(world)).toBe(0);
    await world.stub.recorded({ historyDb: 1, jobs: answers.at(-1) ?? [], profileRev: null });
    expect(await settledSeq(world)).toBe(NAMED_MAX + 1);
    later(1_000);
    const rest = await alarm(world);
    expect(seqsIn(rest)).toEqual(Array.from({ length: 599 }, (_, at) => NAMED_MAX + 2 + at));
  }, 60_000);

  it("names bulk jobs in smaller messages than single ones, and late jobs after the others", async () => {
    const world = await restingWorld({ balance: 10_000 });
    const recipients = Array.from({ length: 4_500 }, (_, at) => `98765${String(at).padStart(5, "0")}`);
    await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
    await claim(world, { lane: "bulk", max: 60, carrier: "http", leaseMs: 2 * PASS_MS });
    await receipt(world, 2, "undelivered");
    for (let sent = 0; sent < 3; sent += 1) await sendSms(world);
    later(PASS_MS);
    const named = await alarm(world);
    expect(named.map(({ seqs }) => seqs.length)).toEqual([20, 20, 8]);
    await deliver(world, named);
    expect(await settledSeq(world)).toBe(49);
    await receipt(world, 2, "delivered");
    expect(await lateIn(world)).toEqual([2]);
    await sendSms(world);
    later(PASS_MS);
    const next = await alarm(world);
    expect(next.map(({ seqs }) => seqs)).toEqual([[50], [2]]);
    await deliver(world, next);
    expect(await lateIn(world)).toEqual([]);
    expect(await historyOf(world)).toEqual(await messagesOf(world));
  });
});

it("holds up no other job where one cannot be read", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const world = await restingWorld();
  await sendDelivered(world, 3);
  await runInDurableObject(world.stub, (_, { storage }) => {
    storage.sql.exec("UPDATE job SET messages = 'broken' WHERE seq = 3");
  });
  later(PASS_MS);
  const named = await alarm(world);
  expect(seqsIn(named)).toEqual([2, 3, 4]);
  await deliver(world, named);
  expect((await historyOf(world)).map(({ seq }) => seq)).toEqual([2, 4]);
  expect(await settledSeq(world)).toBe(4);
});
