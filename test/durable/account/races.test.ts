import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { showKey } from "../../../src/crypto/api-key.ts";
import {
  balanceOf,
  bearer,
  call,
  dispatch,
  ledgerOf,
  messagesOf,
  openWorld,
  operator,
  post,
  recordingOf,
  sendSms,
  claim,
} from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// Races in the real runtime: many parallel requests, one consistent result.

it("admits exactly as many of 150 parallel sends as the balance covers", async () => {
  const world = await openWorld({ balance: 37 });
  const replies = await Promise.all(Array.from({ length: 150 }, () => sendSms(world)));
  expect(replies.filter((reply) => reply.status === 200)).toHaveLength(37);
  expect(replies.filter((reply) => reply.body.code === "insufficient_balance")).toHaveLength(113);
  const remaining = replies.flatMap((reply) => (reply.status === 200 ? [reply.body.coins_remaining as number] : []));
  expect(remaining.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 37 }, (_, at) => at));
  expect(await balanceOf(world)).toBe(0);
  expect(await world.stub.reconcile()).toEqual([]);
});

it("admits exactly the plan's limit of parallel requests, even with an eviction in between", async () => {
  const world = await openWorld({ plan: "business" });
  const first = await Promise.all(Array.from({ length: 40 }, () => sendSms(world)));
  expect(first.every((reply) => reply.status === 200)).toBe(true);
  await evictDurableObject(world.stub);
  const balance = () => call("http://sms.localhost/account-balance", { headers: bearer(world.apiKey) });
  const mixed = await Promise.all(Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? sendSms(world) : balance())));
  expect(mixed.filter((reply) => reply.status === 200)).toHaveLength(20);
  expect(mixed.filter((reply) => reply.status === 429)).toHaveLength(20);
  await evictDurableObject(world.stub);
  expect((await sendSms(world)).status).toBe(429);
});

it("makes one send out of 40 parallel requests with one Idempotency-Key", async () => {
  const world = await openWorld();
  const replies = await Promise.all(
    Array.from({ length: 40 }, () => sendSms(world, { headers: { "idempotency-key": "same" } })),
  );
  expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
  expect(replies.filter((reply) => reply.headers.get("idempotent-replayed") === null)).toHaveLength(1);
  expect(await messagesOf(world)).toHaveLength(1);
  expect((await ledgerOf(world)).filter((entry) => entry.type === "debit")).toHaveLength(1);
});

it("refuses every request that begins after a revocation was answered, and none before", async () => {
  const world = await openWorld();
  const key = await operator("POST", `/operator/accounts/${world.ref.accountId}/keys`, { name: "short-lived" });
  const doomed = { ...world, apiKey: key.body.api_key as string };
  const before = await Promise.all(Array.from({ length: 10 }, () => sendSms(doomed)));
  expect(before.every((reply) => reply.status === 200)).toBe(true);
  const during = Array.from({ length: 30 }, () => sendSms(doomed));
  const path = `/operator/accounts/${world.ref.accountId}/keys/${key.body.key_id}`;
  expect((await operator("DELETE", path)).status).toBe(200);
  const after = await Promise.all(Array.from({ length: 30 }, () => sendSms(doomed)));
  expect(after.every((reply) => reply.status === 401)).toBe(true);
  const sent = (await Promise.all(during)).filter((reply) => reply.status === 200).length;
  expect(await messagesOf(world)).toHaveLength(10 + sent);
  // The account's other key still works.
  expect((await sendSms(world)).status).toBe(200);
});

it("sends a bulk completely or not at all, even when several race for the same coins", async () => {
  const world = await openWorld({ balance: 250 });
  const recipients = Array.from({ length: 150 }, (_, at) => `98765${String(at).padStart(5, "0")}`);
  const bulk = () => post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  const replies = await Promise.all([bulk(), bulk(), bulk()]);
  expect(replies.map((reply) => reply.body.success).filter(Boolean)).toHaveLength(1);
  expect(await messagesOf(world)).toHaveLength(150);
  expect(await balanceOf(world)).toBe(100 * 10_000);
});

it("claims each message once, however many consumers run in parallel", async () => {
  const world = await openWorld();
  await Promise.all(Array.from({ length: 10 }, () => sendSms(world)));
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim(world, { carrier: "sim" })));
  expect(claims.flat().flatMap((job) => job.messages)).toHaveLength(10);
});

it("isolates accounts: a key, a message and a recording are accessible only to their own account", async () => {
  const [mine, other] = [await openWorld(), await openWorld()];
  await sendSms(mine);
  await dispatch(other, [2]);
  expect((await messagesOf(mine))[0]?.state).toBe("queued");
  // With the same key id under another account, a valid MAC is refused until that account has such a key.
  const stranger = showKey(env.KEY_SECRET, { ...other.ref, keyId: mine.keyId });
  expect((await sendSms({ ...mine, apiKey: stranger })).status).toBe(401);
  const fileId = await recordingOf(mine);
  const play = ({ apiKey }: World) =>
    post("http://voice.localhost/api/make-voice-call", { callee: "919876543210", fileId }, { "x-api-key": apiKey });
  expect((await play(mine)).status).toBe(200);
  expect((await play(other)).body).toMatchObject({ code: "invalid_request", param: "fileId" });
  expect(await messagesOf(other)).toEqual([]);
});
