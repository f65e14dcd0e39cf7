import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { messageId } from "../../src/crypto/ids.ts";
import type { Lane } from "../../src/model/lane.ts";
import { UNITS_PER_COIN } from "../../src/money/money.ts";
import type { SendJob } from "../../src/queues/jobs.ts";
import { Slots } from "../../src/queues/slots.ts";
import { away, watchAccounts, watchLanes } from "../world/carriers.ts";
import {
  balanceOf,
  deliverLane,
  dispatch,
  ledgerOf,
  messagesOf,
  openWorld,
  runAlarm,
  sendBulk,
  sendSms,
} from "../world/world.ts";
import type { World } from "../world/world.ts";

const HTTP = { CARRIER: "http" };
const LEASE_MS = 30_000;
const DAY_MS = 86_400_000;
/** By then, at the latest, the account has looked at every message under way. */
const PASS_MS = 700_000;

interface Acked {
  explicitAcks: string[];
}

/** References that the gateway received. */
let got: string[] = [];
/** The gateway's answer; by default it accepts everything. */
let gateway: (ref: string) => Response | Promise<Response>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  // Expected problems are logged, too; silence them here.
  vi.spyOn(console, "error").mockReturnValue();
  got = [];
  gateway = () => Response.json({});
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    const body = JSON.parse(await new Response(init?.body ?? null).text()) as { ref: string };
    got.push(body.ref);
    return gateway(body.ref);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Counts how many submissions are open at once, from the call to the answer. */
function watchOpen(): { most: () => number } {
  const fetchOne = vi.mocked(globalThis.fetch).getMockImplementation();
  let open = 0;
  let most = 0;
  vi.mocked(globalThis.fetch).mockImplementation(async (...asked) => {
    open += 1;
    most = Math.max(most, open);
    const answer = fetchOne?.(...asked);
    // Long enough for every other submission that may start to start.
    for (let round = 0; round < 50; round++) await Promise.resolve();
    await answer;
    open -= 1;
    return Response.json({});
  });
  return { most: () => most };
}

const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** Sends one SMS. */
async function sendOne(world: World): Promise<void> {
  expect((await sendSms(world)).status).toBe(200);
}

async function only(world: World) {
  const messages = await messagesOf(world);
  expect(messages).toHaveLength(1);
  return messages[0]!;
}

const deliver = (bodies: unknown[], more: Partial<Env> = {}) => deliverLane(bodies, { ...HTTP, ...more });

const token = (world: World, lane: Lane = "single"): SendJob => ({ kind: "send", account: world.name, lane });

describe("a message", () => {
  it("is submitted once, however often, late and together its account's tokens are delivered", async () => {
    const world = await openWorld();
    await sendBulk(world, 3);
    const job = token(world, "bulk");
    const together = await Promise.all([deliver([job, job]), deliver([job]), dispatch(world, [], HTTP)]);
    expect(together.map((result: Acked) => result.explicitAcks.length)).toEqual([2, 1, 3]);
    await dispatch(world, [], HTTP);
    expect(got).toHaveLength(3);
    expect(new Set(got).size).toBe(3);
    expect((await messagesOf(world)).map(({ state }) => state)).toEqual(["submitted", "submitted", "submitted"]);
  });

  it("whose token was lost is found by the alarm, which sends another", async () => {
    const world = await openWorld();
    await sendOne(world);
    const queued = vi.spyOn(env.SINGLE_LANE, "sendBatch").mockResolvedValue(undefined as never);
    later(60_000);
    await runAlarm(world);
    expect(queued.mock.calls.flatMap(([messages]) => [...messages].map(({ body }) => body))).toEqual([token(world)]);
    queued.mockRestore();
    await deliver([token(world)]);
    expect((await only(world)).state).toBe("submitted");
  });

  it("of one lane is not touched by a token of another", async () => {
    const world = await openWorld();
    await sendOne(world);
    await deliver([token(world, "otp"), token(world, "bulk")]);
    expect(got).toEqual([]);
    await deliver([token(world)]);
    expect(got).toHaveLength(1);
  });

  it("is submitted again after a busy answer, under the same reference, when its gap has passed and no sooner", async () => {
    const world = await openWorld();
    await sendOne(world);
    gateway = () => new Response(null, { status: 503, headers: { "retry-after": "60" } });
    await dispatch(world, [], HTTP);
    expect(await only(world)).toMatchObject({ state: "queued", attempts: 1 });
    gateway = () => Response.json({});
    later(59_000);
    await dispatch(world, [], HTTP);
    expect(got).toHaveLength(1);
    later(1_000);
    await dispatch(world, [], HTTP);
    expect(got).toHaveLength(2);
    expect(new Set(got).size).toBe(1);
    expect(await only(world)).toMatchObject({ state: "submitted", attempts: 2 });
  });

  it("past its validity is refunded instead of submitted", async () => {
    const world = await openWorld({ balance: 10 });
    await sendOne(world);
    later(DAY_MS);
    await dispatch(world, [], HTTP);
    expect(got).toEqual([]);
    await runAlarm(world);
    expect(await only(world)).toMatchObject({ state: "failed", errorCode: "validity_ended", refunded: true });
    expect(await balanceOf(world)).toBe(10 * UNITS_PER_COIN);
  });

  it("whose text cannot be opened waits for another attempt: nothing is sent, nothing is lost", async () => {
    const world = await openWorld();
    await sendOne(world);
    const otherSecret = { ...HTTP, SEAL_SECRET: "another-seal-secret-for-this-one-test" };
    expect((await dispatch(world, [], otherSecret)).explicitAcks).toHaveLength(3);
    expect(got).toEqual([]);
    expect(await only(world)).toMatchObject({ state: "queued", attempts: 1, errorCode: "internal_error" });
    later(10_000);
    await dispatch(world, [], HTTP);
    expect(await only(world)).toMatchObject({ state: "submitted", attempts: 2 });
  });
});

describe("a consumer that dies between claim and report", () => {
  it("leaves the message unknown when its lease ends: never sent again, and refunded when the window ends", async () => {
    const world = await openWorld({ balance: 10 });
    await sendOne(world);
    const claim = { lane: "single" as const, max: 1, carrier: "http", leaseMs: LEASE_MS };
    const claimed = await world.stub.work({ news: [], follow: false, resubmits: false, claim });
    expect(claimed?.jobs[0]?.messages).toHaveLength(1);
    // The consumer has died. During its lease no other consumer gets the message, and it is not given up either.
    later(LEASE_MS - 1);
    await runAlarm(world);
    await dispatch(world, [], HTTP);
    expect(await only(world)).toMatchObject({ state: "sending", refunded: false });
    later(PASS_MS);
    await runAlarm(world);
    expect(await only(world)).toMatchObject({ state: "unknown", errorCode: "attempt_interrupted", refunded: false });
    await dispatch(world, [], HTTP);
    expect(got).toEqual([]);
    later(DAY_MS - LEASE_MS - PASS_MS);
    await runAlarm(world);
    expect(await only(world)).toMatchObject({ state: "unknown", refunded: false });
    later(1);
    await runAlarm(world);
    expect(await only(world)).toMatchObject({ state: "unknown", refunded: true });
    await runAlarm(world);
    expect((await ledgerOf(world)).map(({ type }) => type)).toEqual(["credit", "debit", "refund"]);
    expect(await balanceOf(world)).toBe(10 * UNITS_PER_COIN);
    expect(await world.stub.reconcile()).toEqual([]);
  });

  it("or whose report fails, too, on its way into a queue: the gateway is not called again", async () => {
    const world = await openWorld();
    await sendOne(world);
    const { ACCOUNT } = watchAccounts({ report: away });
    vi.spyOn(scheduler, "wait").mockResolvedValue(undefined);
    const { lanes } = watchLanes(away);
    expect((await deliver([token(world)], { ACCOUNT, ...lanes })).explicitAcks).toHaveLength(1);
    await dispatch(world, [], HTTP);
    later(PASS_MS);
    await runAlarm(world);
    await dispatch(world, [], HTTP);
    expect(got).toHaveLength(1);
    expect((await only(world)).state).toBe("unknown");
  });

  it("or whose account is away: its token is delivered again", async () => {
    const world = await openWorld();
    await sendOne(world);
    const { ACCOUNT } = watchAccounts({ work: away });
    const result = await deliver([token(world)], { ACCOUNT });
    expect(result.explicitAcks).toEqual([]);
    expect(result.retryMessages).toHaveLength(1);
    expect((await deliver([token(world)])).explicitAcks).toHaveLength(1);
    expect((await only(world)).state).toBe("submitted");
  });
});

describe("a batch", () => {
  it("drops messages that are not jobs, and processes the rest", async () => {
    const world = await openWorld();
    await sendOne(world);
    const poison = [null, "send", 7, [], {}, { kind: "explode", account: world.name, lane: "otp" }];
    const bodies = [...poison, { kind: "send", account: world.name, seqs: [-1] }, token(world)];
    const result = await deliver(bodies);
    expect(result.explicitAcks).toHaveLength(bodies.length);
    expect(result.retryMessages).toEqual([]);
    expect((await only(world)).state).toBe("submitted");
  });

  it("acknowledges jobs of unopened accounts and empty jobs, and opens no account for them", async () => {
    const stranger = { kind: "send", account: "acc_0000000000A", lane: "bulk" };
    const follow = { ...stranger, kind: "follow", seqs: [1] };
    const report = { ...stranger, kind: "report", news: [], follow: false, resubmits: false };
    const result = await deliver([stranger, follow, { ...follow, seqs: [] }, report]);
    expect(result.explicitAcks).toHaveLength(4);
    expect(await env.ACCOUNT.getByName("acc_0000000000A").view()).toBeNull();
    expect(got).toEqual([]);
  });

  it("never exceeds its limit of parallel submissions over all accounts, and uses it fully", async () => {
    const worlds = await Promise.all([openWorld(), openWorld(), openWorld()]);
    for (const world of worlds) await sendBulk(world, 120);
    const { most } = watchOpen();
    await deliver(
      worlds.map((world) => token(world, "bulk")),
      { DISPATCH_CONCURRENCY: "7" },
    );
    expect(got).toHaveLength(360);
    expect(new Set(got).size).toBe(360);
    expect(most()).toBe(7);
  });

  it("does not let a large account with a slow gateway hold up a small one", async () => {
    const [large, small] = [await openWorld(), await openWorld()];
    await sendBulk(large, 100);
    await sendOne(small);
    const slow = Promise.withResolvers<Response>();
    gateway = () => (got.length <= 10 ? slow.promise : Response.json({}));
    const slots = vi.spyOn(Slots.prototype, "take");
    const delivered = deliver([token(large, "bulk"), token(small)], { DISPATCH_CONCURRENCY: "10" });
    // The large account came first and has all ten slots; then both wait.
    await vi.waitUntil(() => got.length === 10 && slots.mock.calls.length === 3);
    slow.resolve(Response.json({}));
    await delivered;
    expect(got).toHaveLength(101);
    const { seq, index } = await only(small);
    const place = got.indexOf(messageId(env.KEY_SECRET, small.ref, "sms", { seq, index }));
    expect(place).toBeGreaterThanOrEqual(0);
    expect(place).toBeLessThan(20);
  });

  it("is not blocked by a submission that hangs: the other slots go on at once", async () => {
    const [slow, quick] = [await openWorld(), await openWorld()];
    await sendBulk(slow, 2);
    await sendOne(quick);
    const hanging = Promise.withResolvers<Response>();
    const [{ seq, index } = { seq: 0, index: 0 }] = await messagesOf(slow);
    const first = messageId(env.KEY_SECRET, slow.ref, "sms", { seq, index });
    gateway = (ref) => (ref === first ? hanging.promise : Response.json({}));
    const delivered = deliver([token(slow, "bulk"), token(quick)], { DISPATCH_CONCURRENCY: "2" });
    await vi.waitUntil(() => got.length === 3);
    expect((await messagesOf(slow)).map(({ state }) => state)).toEqual(["sending", "sending"]);
    hanging.resolve(Response.json({}));
    await delivered;
    expect((await messagesOf(slow)).map(({ state }) => state)).toEqual(["submitted", "submitted"]);
  });
});
