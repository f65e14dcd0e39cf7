import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { eventId } from "../../../src/crypto/ids.ts";
import { CARRIED_MAX, EVENT_SOCKETS_MAX } from "../../../src/durable/account/events/sockets.ts";
import { FEED, beginEvents, feed, kill, receipt, sendClaimed } from "../../world/events.ts";
import { listen } from "../../world/listener.ts";
import { askEvents, subscribe } from "../../world/subscriber.ts";
import type { Subscription } from "../../world/subscriber.ts";
import { visit } from "../../world/visitor.ts";
import { bearer, call, messagesOf, openWorld, operator, runAlarm, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// The feed of events as programs see it (contract §14).

const DAY_MS = 86_400_000;

afterEach(() => vi.useRealTimers());

/** A world with its feed on. */
async function openFed(more: Parameters<typeof openWorld>[0] = {}): Promise<World> {
  const world = await openWorld(more);
  await beginEvents(world);
  return world;
}

/** Sends an SMS that is submitted; returns its job. */
async function sendSubmitted(world: World): Promise<number> {
  const seq = await sendClaimed(world);
  await world.stub.report([receipt(seq, "submitted")], false);
  return seq;
}

describe("GET /v1/events", () => {
  it("begins at now, and then has each event once, as the contract says", async () => {
    const world = await openWorld();
    expect((await feed(world)).body).toEqual({ success: true, data: [], has_more: false, next: 0 });
    const sent = await sendSms(world);
    const [message] = await messagesOf(world);
    const seq = message?.seq ?? 0;
    await world.stub.work({
      news: [],
      follow: false,
      resubmits: false,
      claim: { lane: "single", max: 1, carrier: "http", leaseMs: 60_000 },
    });
    await world.stub.report([receipt(seq, "submitted")], false);
    await world.stub.report([receipt(seq, "failed", "000")], false);
    const { status, body } = await feed(world, "after=0");
    expect(status).toBe(200);
    const data = {
      message_id: sent.headers.get("x-message-id"),
      request_id: sent.headers.get("x-request-id"),
      operation: "sms",
      to: "+919876543210",
      cost: 1,
      attempts: 1,
    };
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u) as string;
    const id = expect.stringMatching(/^evt_[0-9A-Za-z]{20,24}$/u) as string;
    expect(body).toEqual({
      success: true,
      data: [
        {
          seq: 1,
          id,
          type: "message.submitted",
          at,
          data: { ...data, state: "submitted", error_code: null, refunded: false },
        },
        {
          seq: 2,
          id,
          type: "message.failed",
          at,
          data: { ...data, state: "failed", error_code: "000", refunded: true },
        },
      ],
      has_more: false,
      next: 2,
    });
    expect((await feed(world, "after=0&limit=1")).body).toMatchObject({ data: [{ seq: 1 }], has_more: true, next: 1 });
    expect((await feed(world, "after=2")).body).toMatchObject({ data: [], has_more: false, next: 2 });
    expect((await feed(world)).body).toMatchObject({ data: [], has_more: false, next: 2 });
  });

  it("gives an event one id for ever, whichever secrets the service has", async () => {
    const world = await openFed();
    await sendSubmitted(world);
    const first = (await feed(world, "after=0")).body.data;
    expect(first[0].id).toBe(eventId(world.ref, 1));
    expect(eventId({ ...world.ref, mode: "test" }, 1)).not.toBe(first[0].id);
    expect(eventId(world.ref, 2)).not.toBe(first[0].id);
    await kill(world);
    expect((await feed(world, "after=0")).body.data).toEqual(first);
  });

  it.each([
    ["after", "-1"],
    ["after", "1.5"],
    ["after", "x"],
    ["after", "1"],
    ["limit", "0"],
    ["limit", "501"],
    ["wait", "26"],
    ["wait", "-1"],
    ["wait", "x"],
  ])("refuses %s=%s", async (param, value) => {
    const { status, body } = await feed(await openFed(), `${param}=${value}`);
    expect([status, body.code, body.param]).toEqual([400, "invalid_request", param]);
  });

  it("says where the feed begins when what is asked for is not kept", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
    const world = await openFed();
    await sendSubmitted(world);
    await feed(world, "after=0");
    vi.setSystemTime(Date.now() + 32 * DAY_MS);
    await runAlarm(world);
    const { status, body } = await feed(world, "after=0");
    expect([status, body.success, body.code, body.first]).toEqual([410, false, "events_expired", 2]);
    expect((await feed(world, "after=1")).status).toBe(200);
    expect((await askEvents(world, 0)).status).toBe(410);
  });

  it("waits for the next event, and ends empty when none comes", async () => {
    const world = await openFed();
    const seq = await sendClaimed(world);
    const waiting = feed(world, "after=0&wait=25");
    await vi.waitFor(() => feed(world), 10_000);
    await world.stub.report([receipt(seq, "delivered")], false);
    expect((await waiting).body).toMatchObject({ data: [{ type: "message.delivered" }], next: 1 });
    expect((await feed(world, "after=1&wait=0.02")).body).toMatchObject({ data: [], next: 1 });
  });

  it("answers a request that waits when its object is killed meanwhile", async () => {
    const world = await openFed();
    const waiting = feed(world, "after=0&wait=2");
    await vi.waitFor(() => feed(world), 10_000);
    await kill(world);
    expect(await waiting).toMatchObject({ status: 200, body: { data: [], next: 0 } });
  });

  it("is of the key's account and mode alone, and requires a key", async () => {
    const [mine, other] = [await openFed(), await openFed()];
    await sendSubmitted(other);
    expect((await feed(mine, "after=0")).body.data).toEqual([]);
    expect((await feed(other, "after=0")).body.data).toHaveLength(1);
    const test = env.ACCOUNT.getByName(`${other.ref.accountId}.test`);
    expect(await test.events(null, 1)).toBeNull();
    for (const headers of [{}, bearer("dsk_live_forged"), { cookie: "session=x" }]) {
      expect((await call(FEED, { headers })).status).toBe(401);
      expect((await call(`${FEED}/live`, { headers: { ...headers, upgrade: "websocket" } })).status).toBe(401);
    }
  });

  it("may be read by an account that is suspended", async () => {
    const world = await openFed();
    await sendSubmitted(world);
    await operator("PATCH", `/operator/accounts/${world.ref.accountId}`, { status: "suspended" });
    expect((await feed(world, "after=0")).body.data).toHaveLength(1);
  });
});

describe("GET /v1/events/live", () => {
  it("sends what was missed, and then each event, in order", async () => {
    const world = await openFed();
    const seqs = [await sendSubmitted(world), await sendSubmitted(world)];
    await feed(world);
    const [all, later, now] = [await subscribe(world, 0), await subscribe(world, 1), await subscribe(world)];
    expect((await all.until(2)).map(({ seq }) => seq)).toEqual([1, 2]);
    for (const seq of seqs) await world.stub.report([receipt(seq, "delivered")], false);
    expect((await all.until(4)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect((await later.until(3)).map(({ seq }) => seq)).toEqual([2, 3, 4]);
    expect((await now.until(2)).map(({ seq }) => seq)).toEqual([3, 4]);
    expect(all.got).toEqual((await feed(world, "after=0")).body.data);
  });

  it("is closed when its key is revoked, which that socket is not told any more", async () => {
    const world = await openFed();
    const { body } = await operator("POST", `/operator/accounts/${world.ref.accountId}/keys`, {
      mode: "live",
      name: "B",
    });
    const [own, other] = [await subscribe(world), await subscribe({ apiKey: body.api_key })];
    await operator("DELETE", `/operator/accounts/${world.ref.accountId}/keys/${body.key_id}`);
    expect((await own.until(1)).map(({ type }) => type)).toEqual(["key.revoked"]);
    expect(await other.closed).toEqual({ code: 1008 });
    expect(own.got[0]?.data).toEqual({ key_id: body.key_id, name: "B" });
    expect(other.got).toEqual([]);
  });

  it("carries a bounded number of events, after which its client comes back", async () => {
    const world = await openFed({ balance: 100_000 });
    const notes = Array.from({ length: CARRIED_MAX + 10 }, (_, at) => at);
    await runInDurableObject(world.stub, (account) => {
      for (const at of notes) account.credit({ amount: 1, reference: `gift-${at}`, requestId: "req_1" });
    });
    const first = await subscribe(world, 0);
    expect(await first.closed).toEqual({ code: 4000 });
    expect(first.got).toHaveLength(CARRIED_MAX);
    const second = await subscribe(world, first.got.at(-1)?.seq);
    expect((await second.until(10)).map(({ seq }) => seq)).toEqual(notes.slice(-10).map((at) => at + 1));
  });

  it("takes only WebSockets, and a bounded number of them; the console's feed is another", async () => {
    const { visitor, world } = await visit();
    const page = await listen(visitor);
    await page.next();
    const sockets: Subscription[] = [];
    for (let at = 0; at < EVENT_SOCKETS_MAX; at += 1) sockets.push(await subscribe(world));
    expect((await askEvents(world)).status).toBe(409);
    expect((await askEvents(world, undefined, { upgrade: "" })).status).toBe(400);
    expect((await askEvents(world, 7)).status).toBe(400);
    const seq = await sendSubmitted(world);
    const [event] = await (sockets[0] as Subscription).until(1);
    expect(event).toMatchObject({ seq: 1, type: "message.submitted" });
    // The page gets jobs, and no event.
    const news = await page.until(({ jobs }) => jobs.some(({ states }) => states[0]?.state === "submitted"));
    expect(news.jobs[0]?.seq).toBe(seq);
    sockets[0]?.close();
    await vi.waitFor(async () => expect((await askEvents(world)).status).toBe(101), 10_000);
  });
});
