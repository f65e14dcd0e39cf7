import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pause, receiptsOf, sendBulk, submitBulk } from "../../../world/bulk.ts";
import { eventsOf, kill } from "../../../world/events.ts";
import {
  deliverAll,
  happen,
  happenTimes,
  hooks,
  makeWebhook,
  receive,
  verify,
  webhookOf,
} from "../../../world/webhooks.ts";
import { openWorld, runAlarm } from "../../../world/world.ts";

// Webhooks from an event to its receiver (contract §14): at least once, in order, signed, and one row for each run.

const DAY_MS = 86_400_000;

beforeEach(() => {
  // A day ahead of the real clock, so that no alarm fires by itself; and no flush but one that a test has run.
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.now() + DAY_MS });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a delivery", () => {
  it("has the event's id, signature and body", async () => {
    const world = await openWorld();
    await happen(world);
    const { id, secret } = await makeWebhook(world);
    const { got } = receive();
    await happen(world, "failed");
    await deliverAll(world);
    const [event] = await eventsOf(world);
    expect(got).toHaveLength(1);
    const [one] = got;
    if (!one || !event) throw new Error("nothing was posted");
    verify(secret, one);
    expect(JSON.parse(one.body)).toEqual({
      type: "message.failed",
      timestamp: new Date(event.at).toISOString(),
      seq: 1,
      data: expect.objectContaining({ operation: "sms", to: "+919876543210", state: "failed" }),
    });
    expect(one.id).toMatch(/^evt_[0-9A-Za-z]+$/u);
    expect(one.body).not.toContain("Hello");
    expect(await webhookOf(world, id)).toMatchObject({ state: "active", acked: 1, last_error: null, next_at: null });
    const { body } = await hooks(world, "GET", `/${id}/attempts`);
    expect(body.data).toEqual([
      { seq: 1, at: expect.any(String), status: 200, ms: 0, error: null, answer: "said 200" },
    ]);
    await deliverAll(world);
    expect(got).toHaveLength(1);
  });

  it("comes in order, again after each failure with the same id, and loses nothing to a kill", async () => {
    const world = await openWorld();
    const { id, secret } = await makeWebhook(world);
    const answers = [200, 500, 429, "broken", "late", 302, 200, 503] as const;
    const { got } = receive((one, nth) => {
      verify(secret, one);
      return answers[nth] ?? 200;
    });
    await happenTimes(world, 6);
    for (let round = 0; round < 12; round += 1) {
      await deliverAll(world);
      if (round % 3 === 0) await kill(world);
      const { next_at: nextAt } = await webhookOf(world, id);
      if (nextAt !== null) vi.setSystemTime(Date.parse(nextAt) + 1);
      else if (round > 8) break;
    }
    const taken = got.filter(({ status }) => status === 200).flatMap(({ seqs }) => seqs);
    expect([...new Set(taken)]).toEqual([1, 2, 3, 4, 5, 6]);
    expect(taken).toEqual(taken.toSorted((a, b) => a - b));
    for (const same of Map.groupBy(got, ({ seqs }) => seqs[0]).values()) {
      expect(new Set(same.map((one) => one.id)).size).toBe(1);
    }
    expect((await webhookOf(world, id)).acked).toBe(6);
  });

  it("is repeated, not lost, where the run is killed before its report", async () => {
    const world = await openWorld();
    await makeWebhook(world);
    const { got } = receive();
    await happenTimes(world, 3);
    const claims = await world.stub.claimEvents();
    expect(claims).toHaveLength(1);
    // The Worker that has the claim dies; no other gets one meanwhile.
    await deliverAll(world);
    expect(got).toHaveLength(0);
    await kill(world);
    await deliverAll(world);
    expect(got.flatMap(({ seqs }) => seqs)).toEqual([1, 2, 3]);
  });

  it("is claimed again after a Worker was lost, and a late report of it changes nothing", async () => {
    const world = await openWorld();
    const { id } = await makeWebhook(world);
    receive();
    await happen(world);
    const [claim] = (await world.stub.claimEvents()) ?? [];
    vi.setSystemTime(Date.now() + 60_000);
    await happen(world);
    const [second] = (await world.stub.claimEvents()) ?? [];
    expect(second?.posts.map(({ events }) => events[0]?.seq)).toEqual([1, 2]);
    const attempt = { seq: 1, at: Date.now(), status: 410, ms: 1, error: "http_410", answer: "" };
    const late = { kind: "live", first: 1, last: 1, through: 1, attempt, retryAfterMs: null } as const;
    await world.stub.ackEvents(id, claim?.lease ?? 0, [late], false);
    expect(await webhookOf(world, id)).toMatchObject({ state: "active", acked: 0 });
  });

  it("has one secret, or two of them during an overlap", async () => {
    const world = await openWorld();
    const { id, secret } = await makeWebhook(world);
    const { body } = await hooks(world, "POST", `/${id}/rotate`, { overlapSeconds: 60 });
    expect(body.secret).not.toBe(secret);
    const { got } = receive();
    await happen(world);
    await deliverAll(world);
    for (const one of [secret, body.secret]) expect(() => verify(one, got[0]!)).not.toThrow();
    vi.setSystemTime(Date.now() + 61_000);
    await happen(world);
    await deliverAll(world);
    expect(() => verify(body.secret, got[1]!)).not.toThrow();
    expect(() => verify(secret, got[1]!)).toThrow();
  });

  it("comes in batches, whose id and events stay the same", async () => {
    const world = await openWorld();
    await makeWebhook(world, { batch: true });
    const { got } = receive((_, nth) => (nth === 0 ? 500 : 200));
    await happenTimes(world, 2);
    await deliverAll(world);
    await happen(world);
    vi.setSystemTime(Date.now() + 10_000);
    await deliverAll(world);
    expect(got.map(({ seqs }) => seqs)).toEqual([[1, 2], [1, 2], [3]]);
    expect(got[1]?.id).toBe(got[0]?.id);
    expect(JSON.parse(got[0]?.body ?? "")).toMatchObject({ type: "batch", data: [{ seq: 1 }, { seq: 2 }] });
  });

  it("has only the types that were asked for, and moves past the others", async () => {
    const world = await openWorld();
    const { id } = await makeWebhook(world, { types: ["message.failed"] });
    const { got } = receive();
    await happen(world);
    await happen(world, "failed");
    await happen(world);
    await deliverAll(world);
    expect(got.map(({ seqs }) => seqs)).toEqual([[2]]);
    expect((await webhookOf(world, id)).acked).toBe(3);
  });

  it("of a large bulk takes 50 to a post and a row to a run", async () => {
    const world = await openWorld();
    const { id } = await makeWebhook(world, { batch: true });
    const { got } = receive();
    await sendBulk(world, 60);
    const places = await submitBulk(world, 60);
    pause();
    await world.stub.report(receiptsOf(places), false);
    await deliverAll(world);
    const seqs = got.flatMap((one) => one.seqs);
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
    expect(Math.max(...got.map((one) => one.seqs.length))).toBe(50);
    expect((await webhookOf(world, id)).acked).toBe(seqs.length);
  });
});

describe("a receiver that refuses", () => {
  it("gets an event that it refused apart, and the others meanwhile", async () => {
    const world = await openWorld();
    const { id } = await makeWebhook(world);
    let isRefused = true;
    const { got } = receive(({ seqs }) => (seqs[0] === 2 && isRefused ? 404 : 200));
    await happenTimes(world, 3);
    await deliverAll(world);
    expect(got.map(({ seqs, status }) => [seqs[0], status])).toEqual([
      [1, 200],
      [2, 404],
      [3, 200],
    ]);
    expect(await webhookOf(world, id)).toMatchObject({ acked: 3, state: "active" });
    isRefused = false;
    vi.setSystemTime(Date.now() + 10_000);
    await runAlarm(world);
    await deliverAll(world);
    expect(got.at(-1)).toMatchObject({ seqs: [2], status: 200, id: got[1]?.id });
    await deliverAll(world);
    expect(got).toHaveLength(4);
  });

  it("with a 4xx for a batch gets its events one by one", async () => {
    const world = await openWorld();
    await makeWebhook(world, { batch: true });
    const { got } = receive(({ seqs }) => (seqs.length > 1 ? 413 : 200));
    await happenTimes(world, 3);
    await deliverAll(world);
    expect(got.map(({ seqs }) => seqs)).toEqual([[1, 2, 3], [1], [2], [3]]);
  });

  it.each([
    ["a 4xx", 413, 1],
    ["three 5xx", 503, 3],
  ])("a batch with %s gets of its events only those that it asked for", async (_, status, times) => {
    const world = await openWorld();
    const { id } = await makeWebhook(world, { batch: true, types: ["message.delivered"] });
    const { got } = receive(({ seqs }) => (seqs.length > 1 && seqs[0] === 1 ? status : 200));
    await happen(world);
    await happen(world, "failed");
    await happen(world);
    for (let tried = 0; tried < times; tried += 1) {
      await deliverAll(world);
      if (tried === 0) await happen(world);
      vi.setSystemTime(Date.now() + DAY_MS / 4);
    }
    await deliverAll(world);
    const taken = got.filter((one) => one.status === 200).flatMap((one) => one.seqs);
    expect(taken.toSorted((one, other) => one - other)).toEqual([1, 3, 4]);
    expect((await webhookOf(world, id)).acked).toBe(4);
  });

  it("is posted to no more after a 410, and has an event that says so", async () => {
    const world = await openWorld();
    const { id } = await makeWebhook(world);
    const { got } = receive(() => 410);
    await happenTimes(world, 2);
    await deliverAll(world);
    vi.setSystemTime(Date.now() + DAY_MS);
    await deliverAll(world);
    expect(got).toHaveLength(1);
    expect(await webhookOf(world, id)).toMatchObject({ state: "disabled", last_error: "disabled_gone", acked: 0 });
    const events = await eventsOf(world);
    expect(events.at(-1)).toMatchObject({ type: "webhook.disabled", data: { webhook_id: id, reason: "gone" } });
  });

  it("goes on from where it stopped once it is enabled, or from now", async () => {
    const world = await openWorld();
    const one = await makeWebhook(world);
    const { got } = receive();
    await hooks(world, "PATCH", `/${one.id}`, { state: "disabled" });
    await happenTimes(world, 2);
    await deliverAll(world);
    expect(got).toHaveLength(0);
    await hooks(world, "PATCH", `/${one.id}`, { state: "active" });
    await deliverAll(world);
    expect(got.map(({ seqs }) => seqs[0])).toEqual([1, 2]);
    await hooks(world, "PATCH", `/${one.id}`, { state: "disabled" });
    await happen(world);
    await hooks(world, "PATCH", `/${one.id}`, { state: "active", skip: true });
    await happen(world);
    await deliverAll(world);
    expect(got.map(({ seqs }) => seqs[0])).toEqual([1, 2, 4]);
  });

  it("does not hold up another endpoint of the account", async () => {
    const world = await openWorld();
    const slow = await makeWebhook(world, { url: "https://slow.example.com/" });
    const good = await makeWebhook(world, { url: "https://good.example.com/" });
    receive((_, nth) => (nth % 2 === 0 ? 500 : 200));
    await happen(world);
    await deliverAll(world);
    const states = await Promise.all([slow, good].map(({ id }) => webhookOf(world, id)));
    expect(new Set(states.map(({ state }) => state))).toEqual(new Set(["active", "waiting"]));
  });

  it("is tried again by the alarm and the queue", async () => {
    const world = await openWorld();
    await makeWebhook(world);
    receive(() => 500);
    await happen(world);
    await deliverAll(world);
    const sent = vi.spyOn(env.WEBHOOKS, "send");
    vi.setSystemTime(Date.now() + 10_000);
    expect(await runAlarm(world)).toBe(true);
    expect(sent.mock.calls).toEqual([[{ webhooks: world.name }]]);
  });
});
