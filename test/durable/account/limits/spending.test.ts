import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import type { SendCommand } from "../../../../src/model/command.ts";
import { NO_RULES } from "../../../../src/model/rules/rules.ts";
import { randomOf } from "../../../../torture/random.ts";
import { balanceOf, bearer, call, claim, messagesOf, openWorld, post, sendSms } from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// What a day may cost (limits/spending.ts): debits of the day, which begins at midnight in India, less their refunds.

/** Noon in India, far ahead of the real clock, so that no alarm rings by itself. */
const NOON_MS = Date.UTC(2040, 0, 10, 6, 30);
const HOUR_MS = 3_600_000;
const COIN = 10_000;

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: NOON_MS }));
afterEach(() => vi.useRealTimers());

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `+9198765${String(at).padStart(5, "0")}`);

let requests = 0;

function commandOf(world: World, count: number, more: Partial<SendCommand> = {}): SendCommand {
  requests += 1;
  return {
    keyId: world.keyId,
    requestId: `req_${requests}`,
    operation: "sms",
    recipients: numbers(count),
    price: { kind: "fixed", units: COIN },
    content: {},
    text: null,
    validityMs: 24 * HOUR_MS,
    ...more,
  };
}

async function send(world: World, count: number, more: Partial<SendCommand> = {}) {
  const result = await world.stub.send(commandOf(world, count, more));
  if (!result) throw new Error("the account is not open");
  return result;
}

const capped = async (coins: number | null, mode: "live" | "test" = "live") => {
  const world = await openWorld({ mode });
  await world.stub.setRules({ dayCap: coins === null ? null : coins * COIN });
  return world;
};

const spentOf = async (world: World) => ((await world.stub.rules())?.spentToday ?? NaN) / COIN;

const refused = (needed: number, left: number, retryAfterSec = 12 * 3_600) => ({
  ok: false,
  reason: "spend_cap",
  needed: needed * COIN,
  left: left * COIN,
  retryAfterSec,
});

/** Fails the first message of a request for good, which refunds it. */
async function failOne(world: World): Promise<void> {
  const [job] = await claim(world, { max: 1, lane: "single" });
  const [message] = job?.messages ?? [];
  if (!job || !message) throw new Error("nothing waits");
  const outcome = { kind: "rejected" as const, code: "no" };
  const { index, attempt } = message;
  await world.stub.report([{ kind: "outcome", seq: job.seq, index, attempt, outcome }], false);
}

it("refuses what would take the day beyond the cap, and costs and stores nothing for it", async () => {
  const world = await capped(10);
  expect(await send(world, 7)).toMatchObject({ ok: true });
  const balance = await balanceOf(world);
  expect(await send(world, 4)).toMatchObject(refused(4, 3));
  expect(await balanceOf(world)).toBe(balance);
  expect(await send(world, 3)).toMatchObject({ ok: true });
  expect(await send(world, 1)).toMatchObject(refused(1, 0));
  // What costs nothing is never beyond it.
  expect(await send(world, 1, { price: { kind: "fixed", units: 0 } })).toMatchObject({ ok: true });
  vi.setSystemTime(NOON_MS + 12 * HOUR_MS - 1);
  expect(await send(world, 1)).toMatchObject(refused(1, 0, 1));
  // Waiting for as long as the refusal says is enough.
  vi.setSystemTime(NOON_MS + 12 * HOUR_MS);
  expect(await send(world, 10)).toMatchObject({ ok: true });
  expect(await send(world, 1)).toMatchObject(refused(1, 0, 24 * 3_600));
});

it("is the lower one of the operator's and the owner's, and says whose it is", async () => {
  const world = await capped(10);
  await world.stub.setRules({ ownDayCap: 4 * COIN });
  expect(await send(world, 5)).toMatchObject({ ...refused(5, 4), cap: 4 * COIN, own: true });
  await world.stub.setRules({ ownDayCap: 40 * COIN });
  expect(await send(world, 11)).toMatchObject({ ...refused(11, 10), own: false });
  await world.stub.setRules({ dayCap: null, ownDayCap: null });
  expect(await send(world, 100)).toMatchObject({ ok: true });
  expect((await world.stub.rules())?.rules).toEqual(NO_RULES);
});

it("is never exceeded by sends at the same moment, which share a commit", async () => {
  const world = await capped(10);
  const commands = Array.from({ length: 25 }, () => commandOf(world, 1));
  const results = await Promise.all(commands.map((command) => world.stub.send(command)));
  expect(results.filter((result) => result?.ok)).toHaveLength(10);
  expect(await spentOf(world)).toBe(10);
});

it("counts the same after an eviction, refunds of the day and scheduled messages with it", async () => {
  const world = await capped(100);
  vi.setSystemTime(NOON_MS - 13 * HOUR_MS);
  await send(world, 60);
  vi.setSystemTime(NOON_MS);
  await send(world, 5, { sendAtMs: NOON_MS + 40 * HOUR_MS });
  for (let sent = 0; sent < 3; sent++) await send(world, 1);
  await failOne(world);
  expect(await spentOf(world)).toBe(7);
  await evictDurableObject(world.stub);
  expect(await spentOf(world)).toBe(7);
  // The refund of what was sent yesterday gives back to yesterday.
  vi.setSystemTime(NOON_MS + 13 * HOUR_MS);
  await send(world, 2);
  await failOne(world);
  expect(await spentOf(world)).toBe(2);
  await evictDurableObject(world.stub);
  expect(await spentOf(world)).toBe(2);
});

it("holds where the clock is set back over midnight, in memory and after an eviction", async () => {
  const world = await capped(10);
  const midnight = NOON_MS + 12 * HOUR_MS;
  vi.setSystemTime(midnight - 60_000);
  await send(world, 4);
  vi.setSystemTime(midnight + 5_000);
  await send(world, 6);
  vi.setSystemTime(midnight - 30_000);
  expect(await send(world, 7)).toMatchObject({ ok: false, left: 6 * COIN });
  await send(world, 6);
  vi.setSystemTime(midnight + 10_000);
  expect(await send(world, 5)).toMatchObject({ ok: false, left: 4 * COIN });
  await evictDurableObject(world.stub);
  expect(await send(world, 5)).toMatchObject({ ok: false, left: 4 * COIN });
  expect(await send(world, 4)).toMatchObject({ ok: true });
});

it.each([
  ["was set back by 20 hours", -20 * HOUR_MS],
  ["was set back by a day", -24 * HOUR_MS],
  ["jumped ahead by 30 days", 30 * 24 * HOUR_MS],
])("forgets no spending of the day where the clock %s, whatever was sent meanwhile", async (_, byMs) => {
  const world = await capped(10);
  const at = NOON_MS + 12 * HOUR_MS + 60_000;
  vi.setSystemTime(at);
  for (let sent = 0; sent < 3; sent++) await send(world, 2);
  vi.setSystemTime(at + byMs);
  // Many more jobs than before, so that a search for the day's first job meets these.
  for (let sent = 0; sent < 10; sent++) await send(world, 1);
  expect(await send(world, 1)).toMatchObject({ ok: false, left: 0 });
  vi.setSystemTime(at + HOUR_MS);
  expect(await spentOf(world)).toBe(6);
  expect(await send(world, 5)).toMatchObject({ ok: false, left: 4 * COIN });
  await evictDurableObject(world.stub);
  expect(await spentOf(world)).toBe(6);
  expect(await send(world, 4)).toMatchObject({ ok: true });
  expect(await send(world, 1)).toMatchObject({ ok: false, left: 0 });
  // The other day is as full as it was.
  vi.setSystemTime(at + byMs);
  expect(await spentOf(world)).toBe(10);
});

it("answers a replay although the day is full, and counts neither it nor what is rolled back", async () => {
  const world = await capped(10);
  const once = new Uint8Array(32);
  const idempotency = { key: once, fingerprint: once, template: once };
  await send(world, 10, { idempotency });
  expect(await send(world, 10, { idempotency })).toMatchObject({ ok: true, replayed: true });
  await world.stub.setRules({ dayCap: 12 * COIN });
  await runInDurableObject(world.stub, async (account) => {
    const unstorable = { key: new Uint8Array(1), fingerprint: once, template: null as unknown as Uint8Array };
    await expect(account.send(commandOf(world, 2, { idempotency: unstorable }))).rejects.toThrow("NOT NULL");
  });
  expect(await spentOf(world)).toBe(10);
  expect(await send(world, 2)).toMatchObject({ ok: true });
});

it("is told by the API, in a preflight and in the list of what was refused", async () => {
  const world = await openWorld();
  await world.stub.setRules({ dayCap: 2 * COIN });
  const headers = { "idempotency-key": "one" };
  const first = await sendSms(world, { headers });
  await sendSms(world);
  const reply = await sendSms(world);
  expect(reply.status).toBe(403);
  expect(reply.headers.get("retry-after")).toBe("43200");
  expect(reply.body).toMatchObject({
    code: "spend_cap_reached",
    error: "This costs 1 coins, and 0 are left of the 2 that today may cost; the day ends in 43200 s.",
    hint: "Ask the operator to raise the cap.",
  });
  expect((await sendSms(world, { headers })).text).toBe(first.text);
  const asked = { operation: "sms", phone: "9876543210", message: "Hi" };
  const { body } = await post("http://console.localhost/v1/preflight", asked, bearer(world.apiKey));
  expect(body).toMatchObject({ would: "refuse", quote: null, problems: [{ code: "spend_cap_reached" }] });
  await vi.waitFor(async () => {
    const list = await call("http://console.localhost/v1/refusals", { headers: bearer(world.apiKey) });
    expect(list.body.data).toMatchObject([{ code: "spend_cap_reached", status: 403 }]);
  });
  expect(await messagesOf(world)).toHaveLength(2);
});

it("never lets the day's debits, less refunds, exceed it, whatever comes in which order", async () => {
  const random = randomOf(String(inject("seed")), "spending");
  const world = await capped(20);
  let day = 0;
  for (let step = 0; step < 120; step++) {
    const what = random();
    if (what < 0.6) await send(world, 1 + Math.floor(random() * 6));
    else if (what < 0.75) await failOne(world).catch(() => undefined);
    else if (what < 0.85) await evictDurableObject(world.stub);
    else if (what < 0.93) vi.setSystemTime(Date.now() + Math.floor((random() - 0.3) * 600_000));
    else if (day < 2) {
      day += 1;
      vi.setSystemTime(NOON_MS + day * 24 * HOUR_MS);
    }
    const [inMemory, stored] = [
      await spentOf(world),
      await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
        const startMs = Math.floor((Date.now() + 5.5 * HOUR_MS) / (24 * HOUR_MS)) * 24 * HOUR_MS - 5.5 * HOUR_MS;
        const { spent } = sql
          .exec<{ spent: number }>(
            `SELECT (SELECT coalesce(sum(debit), 0) FROM job WHERE created_at >= ?1 AND created_at < ?1 + 86400000)
               - (SELECT coalesce(sum(amount), 0) FROM ledger_entry e JOIN job j ON j.seq = e.job_seq
                   WHERE type = 'refund' AND j.created_at >= ?1 AND j.created_at < ?1 + 86400000) AS spent`,
            startMs,
          )
          .one();
        return spent / COIN;
      }),
    ];
    expect(inMemory, `step ${step}`).toBe(stored);
    expect(stored).toBeLessThanOrEqual(20);
  }
});
