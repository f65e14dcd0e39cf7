import { evictDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { bearer, call, openWorld, operator, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// The rate window of a whole account: what counts, and that storage holds everything that memory does.

afterEach(() => vi.useRealTimers());

const balance = (world: World) => call("http://sms.localhost/account-balance", { headers: bearer(world.apiKey) });

const remaining = (reply: { headers: Headers }) => Number(/r=(\d+)/u.exec(reply.headers.get("ratelimit") ?? "")?.[1]);

it("counts sends, balances and refusals once each, even after evictions", async () => {
  const world = await openWorld({ plan: "business", balance: 3 });
  let left = 60;
  for (let round = 0; round < 3; round++) {
    expect(remaining(await sendSms(world))).toBe((left -= 1));
    expect(remaining(await balance(world))).toBe((left -= 1));
    await evictDurableObject(world.stub);
  }
  const refused = await sendSms(world);
  expect(refused.status).toBe(403);
  expect(remaining(refused)).toBe((left -= 1));
  await evictDurableObject(world.stub);
  expect(remaining(await balance(world))).toBe((left -= 1));
});

it("does not count edge refusals, a revoked key, a replay or a 429", async () => {
  const world = await openWorld({ plan: "starter" });
  const keyed = { headers: { "idempotency-key": "k" } };
  expect(remaining(await sendSms(world, keyed))).toBe(9);
  await sendSms(world, { body: { phone: "1" } });
  await sendSms({ ...world, apiKey: `${world.apiKey}x` });
  const keys = `/operator/accounts/${world.ref.accountId}/keys`;
  const revoked = await operator("POST", keys, { name: "revoked" });
  expect((await operator("DELETE", `${keys}/${revoked.body.key_id}`)).status).toBe(200);
  expect((await sendSms({ ...world, apiKey: revoked.body.api_key })).status).toBe(401);
  expect(remaining(await sendSms(world, keyed))).toBe(9);
  for (let sent = 0; sent < 9; sent++) await sendSms(world);
  vi.useFakeTimers({ toFake: ["Date"] });
  const early = await sendSms(world);
  expect(early.status).toBe(429);
  for (let tried = 0; tried < 5; tried++) await sendSms(world);
  vi.setSystemTime(Date.now() + Number(early.headers.get("retry-after")) * 1_000);
  expect((await sendSms(world)).status).toBe(200);
});

it("recovers within a minute after the clock is set back, however often memory is lost", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 7_200_000 });
  const world = await openWorld({ plan: "starter" });
  for (let sent = 0; sent < 10; sent++) await sendSms(world);
  vi.setSystemTime(Date.now() - 7_200_000);
  expect((await sendSms(world)).status).toBe(429);
  for (let step = 0; step < 3; step++) {
    await evictDurableObject(world.stub);
    expect((await sendSms(world)).status).toBe(429);
    vi.setSystemTime(Date.now() + 19_000);
  }
  vi.setSystemTime(Date.now() + 4_000);
  await evictDurableObject(world.stub);
  expect((await sendSms(world)).status).toBe(200);
});

it("follows a change of plan on the next request", async () => {
  const world = await openWorld({ plan: "starter" });
  for (let sent = 0; sent < 10; sent++) await sendSms(world);
  expect((await sendSms(world)).status).toBe(429);
  await operator("PATCH", `/operator/accounts/${world.ref.accountId}`, { plan: "business" });
  expect((await sendSms(world)).headers.get("ratelimit-policy")).toBe('"business";q=60;w=60');
});
