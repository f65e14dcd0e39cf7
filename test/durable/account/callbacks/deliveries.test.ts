import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import twilio from "twilio/lib/webhooks/webhooks.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newKeyId, showKey } from "../../../../src/crypto/api-key.ts";
import { kill } from "../../../world/events.ts";
import {
  SID,
  deliverStates,
  listenForStates,
  report,
  sendCalledBack,
  sendTwilio,
  waitingStates,
} from "../../../world/twilio.ts";
import { deliverAll, happen, makeWebhook } from "../../../world/webhooks.ts";
import { claim, openWorld, runAlarm } from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// Status callbacks (contract §15): each message's states in order at its own address, signed as Twilio signs, at most a few
// tries, and no host in the way of another.

const DAY_MS = 86_400_000;
const HOOK = "https://example.com/status?order=4711";

beforeEach(() => {
  // A day ahead of the real clock, so that no alarm fires by itself.
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.now() + DAY_MS });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms);

/** What leaves for the queue from now on. */
async function watchQueue(world: World): Promise<unknown[]> {
  const sent: unknown[] = [];
  const send = (body: unknown) => Promise.resolve(void sent.push(body));
  await runInDurableObject(world.stub, (object) => {
    const own = object as unknown as { env: Env };
    Object.assign(own.env, { WEBHOOKS: { ...own.env.WEBHOOKS, send } });
  });
  return sent;
}

describe("a status callback", () => {
  it("tells each state in order, with fields and a signature that Twilio's own package takes", async () => {
    const world = await openWorld();
    const told = listenForStates();
    const seq = await sendCalledBack(world, HOOK);
    await report(world, seq, "submitted");
    await deliverStates(world);
    await report(world, seq, "delivered");
    await deliverStates(world);
    expect(told.map(({ status }) => status)).toEqual(["sent", "delivered"]);
    for (const { url, fields, signature } of told) {
      expect(twilio.validateRequest(world.apiKey, signature, url, fields)).toBe(true);
      expect(fields).toMatchObject({ AccountSid: SID, ApiVersion: "2010-04-01", To: "+919876543210", From: "MYSHOP" });
      expect(fields["SmsSid"]).toBe(fields["MessageSid"]);
      expect(fields["SmsStatus"]).toBe(fields["MessageStatus"]);
      expect(fields).not.toHaveProperty("ErrorCode");
    }
    expect(await waitingStates(world)).toEqual([]);
  });

  it("says why a message did not arrive", async () => {
    const world = await openWorld();
    const told = listenForStates();
    const seq = await sendCalledBack(world, HOOK);
    await report(world, seq, "undelivered", "absent_subscriber");
    await deliverStates(world);
    expect(told.map(({ status, fields }) => [status, fields["ErrorCode"]])).toEqual([["undelivered", "30003"]]);
  });

  it("tells what has waited together one after the other, also where the first was refused for good", async () => {
    const world = await openWorld();
    const told = listenForStates(({ status }) => (status === "sent" ? 404 : 200));
    const seq = await sendCalledBack(world, HOOK);
    await report(world, seq, "submitted");
    await report(world, seq, "delivered");
    await deliverStates(world);
    expect(told.map(({ status }) => status)).toEqual(["sent", "delivered"]);
    expect(await waitingStates(world)).toEqual([]);
  });

  it("is not sent for a message without an address", async () => {
    const world = await openWorld();
    const told = listenForStates();
    await sendTwilio(world);
    const [job] = await claim(world);
    await report(world, job?.seq ?? 0, "delivered");
    await deliverStates(world);
    expect(told).toEqual([]);
    expect(await waitingStates(world)).toEqual([]);
  });
});

describe("a receiver that fails", () => {
  it.each<[string, number | Response | "broken" | "late"]>([
    ["answers 500", 500],
    ["redirects", new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } })],
    ["hangs", "late"],
    ["breaks the connection", "broken"],
  ])("that %s gets five tries, with gaps that grow, and no more", async (_, answer) => {
    const world = await openWorld();
    const told = listenForStates(() => (answer instanceof Response ? answer.clone() : answer));
    const seq = await sendCalledBack(world, HOOK);
    await report(world, seq, "delivered");
    const gaps: number[] = [];
    for (let ms = 0; ms < 4 * 3_600_000; ms += 5_000) {
      const before = told.length;
      await deliverStates(world);
      if (told.length > before) gaps.push(ms);
      if ((await waitingStates(world)).length === 0) break;
      // Later the gaps are longer than the steps of this test.
      if (gaps.length >= 2) ms += 60_000 - 5_000;
      pass(gaps.length >= 2 ? 60_000 : 5_000);
    }
    expect(gaps).toHaveLength(5);
    const grown = gaps.slice(1).map((at, nth) => at - (gaps[nth] ?? 0));
    expect(grown).toEqual(grown.toSorted((one, other) => one - other));
    expect(await waitingStates(world)).toEqual([]);
    expect(new Set(told.map(({ token }) => token)).size).toBe(1);
  });

  it("is told the next state only after the one before", async () => {
    const world = await openWorld();
    let status = 503;
    const told = listenForStates(() => status);
    const seq = await sendCalledBack(world, HOOK);
    await report(world, seq, "submitted");
    await deliverStates(world);
    await report(world, seq, "delivered");
    await deliverStates(world);
    expect(told.map((one) => one.status)).toEqual(["sent"]);
    status = 200;
    pass(10_000);
    await deliverStates(world);
    expect(told.map((one) => one.status)).toEqual(["sent", "sent", "delivered"]);
  });

  it("holds up no other one, and is asked once while many messages wait for it", async () => {
    const world = await openWorld();
    const told = listenForStates(({ url }) => (url.includes("dead") ? "late" : 200));
    for (let at = 0; at < 12; at += 1) {
      const seq = await sendCalledBack(world, `https://${at % 2 === 0 ? "dead" : "well"}.example.com/${at}`);
      await report(world, seq, "delivered");
    }
    await deliverStates(world);
    const asked = (host: string) => told.filter(({ url }) => url.includes(host)).length;
    expect([asked("dead"), asked("well")]).toEqual([1, 6]);
    // Nothing more until it has rested.
    await deliverStates(world);
    expect(asked("dead")).toBe(1);
    expect(await waitingStates(world)).toHaveLength(6);
  });

  it("holds up none of the account's webhooks", async () => {
    const world = await openWorld();
    const { id } = await makeWebhook(world);
    const told = listenForStates(({ url }) => (url.includes("dead") ? "late" : 200));
    const seq = await sendCalledBack(world, "https://dead.example.com/");
    await report(world, seq, "delivered");
    await deliverStates(world);
    await happen(world);
    await deliverAll(world);
    expect(told.filter(({ url }) => url.endsWith("/hook"))).toHaveLength(2);
    expect((await world.stub.endpoint(id))?.endpoint.acked).toBe(2);
  });

  it("is given up once it has not answered for hours, however much waits", async () => {
    const world = await openWorld();
    listenForStates(() => "late");
    for (let at = 0; at < 3; at += 1) await report(world, await sendCalledBack(world, HOOK), "delivered");
    await deliverStates(world);
    pass(7 * 3_600_000);
    await deliverStates(world);
    expect(await waitingStates(world)).toEqual([]);
  });
});

describe("what is lost", () => {
  it("is claimed again after a Worker died with it, and reported once where both report", async () => {
    const world = await openWorld();
    const seq = await sendCalledBack(world, HOOK);
    await report(world, seq, "submitted");
    const [first] = (await world.stub.claimCallbacks()) ?? [];
    expect(first?.callbacks).toHaveLength(1);
    expect(await world.stub.claimCallbacks()).toEqual([]);
    await kill(world);
    const [again] = (await world.stub.claimCallbacks()) ?? [];
    await report(world, seq, "delivered");
    const done = { seq, from: first?.callbacks[0]?.from ?? 0, settled: 1, failed: null };
    await world.stub.ackCallbacks("example.com", again?.lease ?? 0, [done], false);
    await world.stub.ackCallbacks("example.com", first?.lease ?? 0, [done], false);
    const told = listenForStates();
    await deliverStates(world);
    expect(told.map(({ status }) => status)).toEqual(["delivered"]);
  });

  it("is named to the queue by the alarm, where the queue lost it and the object was killed", async () => {
    const world = await openWorld();
    listenForStates();
    const seq = await sendCalledBack(world, HOOK);
    await report(world, seq, "submitted");
    await deliverStates(world);
    await runAlarm(world);
    const sent = await watchQueue(world);
    await report(world, seq, "delivered");
    expect(sent).toContainEqual({ callbacks: world.name });
    const alarm = await runInDurableObject(world.stub, (_, { storage }) => storage.getAlarm());
    expect(alarm).toBeLessThanOrEqual(Date.now() + 60_000);
    await kill(world);
    const again = await watchQueue(world);
    pass(120_000);
    expect(await runAlarm(world)).toBe(true);
    expect(again).toContainEqual({ callbacks: world.name });
  });

  it("goes with the account", async () => {
    const world = await openWorld();
    const told = listenForStates();
    await report(world, await sendCalledBack(world, HOOK), "delivered");
    await world.stub.erase();
    await deliverStates(world);
    expect(told).toEqual([]);
  });
});

describe("the key that signs", () => {
  it("is the one that replaced the key that sent, once that has ended; a revoked one signs nothing", async () => {
    const world = await openWorld();
    const told = listenForStates();
    const seqs = [await sendCalledBack(world, HOOK), await sendCalledBack(world, HOOK)];
    const newId = newKeyId(env.KEY_SECRET, "live", null);
    await world.stub.rotateKey(world.keyId, newId, 60_000);
    await report(world, seqs[0] ?? 0, "submitted");
    await deliverStates(world);
    pass(61_000);
    await report(world, seqs[0] ?? 0, "delivered");
    await deliverStates(world);
    const newKey = showKey(env.KEY_SECRET, { ...world.ref, keyId: newId });
    const signs = (key: string) =>
      told.map(({ signature, url, fields }) => twilio.validateRequest(key, signature, url, fields));
    expect(signs(world.apiKey)).toEqual([true, false]);
    expect(signs(newKey)).toEqual([false, true]);
    await world.stub.revokeKey(newId);
    await report(world, seqs[1] ?? 0, "delivered");
    await deliverStates(world);
    expect(told).toHaveLength(2);
    expect(await waitingStates(world)).toEqual([]);
  });
});
