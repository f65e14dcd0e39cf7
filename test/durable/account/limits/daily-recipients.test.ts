import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { SendCommand } from "../../../../src/model/command.ts";
import { balanceOf, bearer, openWorld, post, sendSms } from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// A test account reaches a set number of recipients in one day, which begins at midnight in India.

/** Noon in India, far ahead of the real clock, so that no alarm rings by itself. */
const NOON_MS = Date.UTC(2040, 0, 10, 6, 30);
const HOUR_MS = 3_600_000;

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: NOON_MS }));
afterEach(() => vi.useRealTimers());

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `+9198765${String(at).padStart(5, "0")}`);

let requests = 0;

/** Sends to this many recipients, where the day has 250. */
async function send(world: World, count: number, more: Partial<SendCommand> = {}) {
  requests += 1;
  const result = await world.stub.send({
    keyId: world.keyId,
    requestId: `req_${requests}`,
    operation: "sms",
    recipients: numbers(count),
    price: { kind: "fixed", units: 1 },
    content: {},
    text: null,
    validityMs: 24 * HOUR_MS,
    daily: { recipients: count, max: 250 },
    ...more,
  });
  if (!result) throw new Error("the account is not open");
  return result;
}

const stored = (world: World) =>
  runInDurableObject(world.stub, (_, { storage: { sql } }) =>
    ["account", "job", "ledger_entry", "idempotency"].map((table) => sql.exec(`SELECT * FROM ${table}`).toArray()),
  );

const refused = (left: number, asked: number, retryAfterSec: number) => ({
  ok: false,
  reason: "daily_recipients",
  asked,
  max: 250,
  left,
  retryAfterSec,
});

it("refuses what exceeds the day, costs and stores nothing, and admits what fits and what comes tomorrow", async () => {
  const world = await openWorld({ mode: "test" });
  expect(await send(world, 200)).toMatchObject({ ok: true });
  const before = await stored(world);
  expect(await send(world, 51)).toMatchObject(refused(50, 51, 12 * 3_600));
  expect(await stored(world)).toEqual(before);
  expect(await send(world, 50)).toMatchObject({ ok: true });
  vi.setSystemTime(NOON_MS + 12 * HOUR_MS - 1);
  expect(await send(world, 1)).toMatchObject(refused(0, 1, 1));
  // Waiting for as long as the refusal says is enough.
  vi.setSystemTime(NOON_MS + 12 * HOUR_MS);
  expect(await send(world, 250)).toMatchObject({ ok: true });
  expect(await send(world, 1)).toMatchObject(refused(0, 1, 24 * 3_600));
});

it("counts the day's jobs after an eviction, and nothing of yesterday", async () => {
  const world = await openWorld({ mode: "test" });
  vi.setSystemTime(NOON_MS - 13 * HOUR_MS);
  await send(world, 240);
  vi.setSystemTime(NOON_MS);
  await send(world, 150);
  await send(world, 1);
  await evictDurableObject(world.stub);
  expect(await send(world, 100)).toMatchObject(refused(99, 100, 12 * 3_600));
  expect(await send(world, 99)).toMatchObject({ ok: true });
});

it("does not count what was refused or rolled back, and a replay not again", async () => {
  const world = await openWorld({ mode: "test" });
  await send(world, 1);
  const once = new Uint8Array(32);
  const idempotency = { key: once, fingerprint: once, template: once };
  const first = await send(world, 200, { idempotency });
  expect(first).toMatchObject({ ok: true, replayed: false });
  expect(await send(world, 200, { idempotency })).toMatchObject({ ok: true, replayed: true });
  const dear = { kind: "fixed" as const, units: 1e9 };
  expect(await send(world, 49, { price: dear })).toMatchObject({ ok: false, reason: "insufficient_balance" });
  await runInDurableObject(world.stub, async (account) => {
    const recipients = numbers(49);
    const order = { keyId: world.keyId, operation: "sms" as const, recipients, content: {}, text: null, validityMs: 1 };
    const price = { kind: "fixed" as const, units: 1 };
    // What comes last in the transaction violates a constraint.
    const unstorable = { key: new Uint8Array(1), fingerprint: once, template: null as unknown as Uint8Array };
    const wrong = { ...order, price, requestId: "req_wrong", idempotency: unstorable };
    await expect(account.send(wrong)).rejects.toThrow("NOT NULL");
  });
  expect(await send(world, 49)).toMatchObject({ ok: true });
  expect(await send(world, 1)).toMatchObject(refused(0, 1, 12 * 3_600));
});

it("is TEST_RECIPIENTS_PER_DAY for test keys, and does not exist for live ones", async () => {
  const [test, live] = [await openWorld({ mode: "test", balance: 40_000 }), await openWorld({ balance: 40_000 })];
  const recipients = Array.from({ length: 10_000 }, (_, at) => String(9_000_000_000 + at));
  const bulk = (world: World) =>
    post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  for (const world of [test, live]) for (let sent = 0; sent < 2; sent++) expect((await bulk(world)).status).toBe(200);
  expect((await sendSms(live)).status).toBe(200);
  const before = await balanceOf(test);
  const reply = await sendSms(test);
  expect(reply.status).toBe(429);
  expect(reply.body).toMatchObject({
    code: "rate_limited",
    error: "Test keys reach 20000 recipients a day, and 0 are left for today; try again in 43200 s.",
  });
  expect(reply.headers.get("retry-after")).toBe("43200");
  // The refused request does not count in the window of a minute either.
  expect(reply.headers.get("ratelimit")).toContain("r=198");
  expect(await balanceOf(test)).toBe(before);
});

it("says that a list is too long for any day", async () => {
  const { failureOf } = await import("../../../../src/http/errors.ts");
  expect(
    failureOf({ ok: false, reason: "daily_recipients", asked: 300, max: 250, left: 250, retryAfterSec: 9 }),
  ).toMatchObject({ code: "invalid_request", param: "recipients", error: expect.stringContaining("at most 250") });
});
