import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { messageId } from "../../src/crypto/ids.ts";
import { UNITS_PER_COIN } from "../../src/money/money.ts";
import { consumeDispatch } from "../../src/queues/dispatch.ts";
import {
  balanceOf,
  bearer,
  dispatch,
  ledgerOf,
  messagesOf,
  openWorld,
  post,
  runAlarm,
  sendSms,
} from "../world/world.ts";
import type { World } from "../world/world.ts";

const HTTP = { CARRIER: "http" };
const LEASE_MS = 30_000;
const DAY_MS = 86_400_000;

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

/** Sends to this many numbers in one request; returns its jobs. */
async function sendBulk(world: World, count: number): Promise<number[]> {
  const recipients = Array.from({ length: count }, (_, at) => String(9_000_000_000 + at));
  const reply = await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  expect(reply.status).toBe(200);
  return [...new Set((await messagesOf(world)).map(({ seq }) => seq))];
}

/** Sends one SMS; returns its job. */
async function sendOne(world: World): Promise<number> {
  expect((await sendSms(world)).status).toBe(200);
  return (await messagesOf(world))[0]!.seq;
}

async function only(world: World) {
  const messages = await messagesOf(world);
  expect(messages).toHaveLength(1);
  return messages[0]!;
}

/** Delivers these bodies in one batch, valid or not. */
async function deliver(bodies: unknown[], at: object = { ...env, ...HTTP }) {
  const messages = bodies.map((body, id) => ({ id: `m${id}`, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch("dastak-dispatch", messages);
  await consumeDispatch(batch, at as Env, createExecutionContext());
  return getQueueResult(batch, createExecutionContext());
}

const sendJob = (world: World, seqs: number[]) => ({ kind: "send", account: world.name, seqs });

describe("a job", () => {
  it("is submitted once, however often it is delivered", async () => {
    const world = await openWorld();
    const seqs = await sendBulk(world, 3);
    const job = sendJob(world, [...seqs, ...seqs]);
    const together = await Promise.all([deliver([job, job]), deliver([job]), dispatch(world, seqs, HTTP)]);
    expect(together.map((result: Acked) => result.explicitAcks.length)).toEqual([2, 1, 1]);
    await dispatch(world, seqs, HTTP);
    expect(got).toHaveLength(3);
    expect(new Set(got).size).toBe(3);
    expect((await messagesOf(world)).map(({ state }) => state)).toEqual(["submitted", "submitted", "submitted"]);
  });

  it("is submitted again after a busy answer, under the same reference, when its gap has passed and no sooner", async () => {
    const world = await openWorld();
    const seq = await sendOne(world);
    gateway = () => new Response(null, { status: 503, headers: { "retry-after": "60" } });
    await dispatch(world, [seq], HTTP);
    expect(await only(world)).toMatchObject({ state: "queued", attempts: 1 });
    gateway = () => Response.json({});
    later(59_000);
    await dispatch(world, [seq], HTTP);
    expect(got).toHaveLength(1);
    later(1_000);
    await dispatch(world, [seq], HTTP);
    expect(got).toHaveLength(2);
    expect(new Set(got).size).toBe(1);
    expect(await only(world)).toMatchObject({ state: "submitted", attempts: 2 });
  });

  it("past its validity is refunded instead of submitted", async () => {
    const world = await openWorld({ balance: 10 });
    const seq = await sendOne(world);
    later(DAY_MS);
    await dispatch(world, [seq], HTTP);
    expect(got).toEqual([]);
    await runAlarm(world);
    expect(await only(world)).toMatchObject({ state: "failed", errorCode: "validity_ended", refunded: true });
    expect(await balanceOf(world)).toBe(10 * UNITS_PER_COIN);
  });

  it("whose text cannot be opened waits for another attempt: nothing is sent, nothing is lost", async () => {
    const world = await openWorld();
    const seq = await sendOne(world);
    const otherSecret = { ...HTTP, SEAL_SECRET: "another-seal-secret-for-this-one-test" };
    expect((await dispatch(world, [seq], otherSecret)).explicitAcks).toHaveLength(1);
    expect(got).toEqual([]);
    expect(await only(world)).toMatchObject({ state: "queued", attempts: 1, errorCode: "internal_error" });
    later(10_000);
    await dispatch(world, [seq], HTTP);
    expect(await only(world)).toMatchObject({ state: "submitted", attempts: 2 });
  });
});

describe("a consumer that dies between claim and report", () => {
  it("leaves the message unknown when its lease ends: never sent again, and refunded when the window ends", async () => {
    const world = await openWorld({ balance: 10 });
    const seq = await sendOne(world);
    const claimed = (await world.stub.claim([seq], 1, "http", LEASE_MS)) ?? [];
    expect(claimed[0]?.messages).toHaveLength(1);
    // The consumer has died. During its lease no other consumer gets the message, and it is not given up either.
    later(LEASE_MS - 1);
    await runAlarm(world);
    await dispatch(world, [seq], HTTP);
    expect(await only(world)).toMatchObject({ state: "sending", refunded: false });
    later(1);
    await runAlarm(world);
    expect(await only(world)).toMatchObject({ state: "unknown", errorCode: "attempt_interrupted", refunded: false });
    await dispatch(world, [seq], HTTP);
    expect(got).toEqual([]);
    later(DAY_MS - LEASE_MS - 1);
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

  it("or whose report fails: the batch is redelivered, and the gateway is not called again", async () => {
    const world = await openWorld();
    const seq = await sendOne(world);
    const deaf = {
      getByName: () => ({
        claim: (...asked: Parameters<World["stub"]["claim"]>) => world.stub.claim(...asked),
        report: vi.fn(() => Promise.reject(new Error("the object is away"))),
      }),
    };
    const result = await deliver([sendJob(world, [seq])], { ...env, ...HTTP, ACCOUNT: deaf });
    expect(result.explicitAcks).toEqual([]);
    expect(result.retryMessages).toHaveLength(1);
    await dispatch(world, [seq], HTTP);
    later(LEASE_MS);
    await runAlarm(world);
    await dispatch(world, [seq], HTTP);
    expect(got).toHaveLength(1);
    expect((await only(world)).state).toBe("unknown");
  });

  it("or whose report succeeds only at the third try: nothing is lost", async () => {
    const world = await openWorld();
    const seq = await sendOne(world);
    let tries = 0;
    const shaky = {
      getByName: () => ({
        claim: (...asked: Parameters<World["stub"]["claim"]>) => world.stub.claim(...asked),
        report: async (...news: Parameters<World["stub"]["report"]>) => {
          tries += 1;
          if (tries < 3) throw new Error("the object is away");
          return world.stub.report(...news);
        },
      }),
    };
    const result = await deliver([sendJob(world, [seq])], { ...env, ...HTTP, ACCOUNT: shaky });
    expect(result.explicitAcks).toHaveLength(1);
    expect((await only(world)).state).toBe("submitted");
  });
});

describe("a batch", () => {
  it("drops messages that are not jobs, and processes the rest", async () => {
    const world = await openWorld();
    const seq = await sendOne(world);
    const poison = [null, "send", 7, [], {}, { kind: "explode", account: world.name, seqs: [1] }];
    const bodies = [...poison, { kind: "send", account: world.name, seqs: [-1] }, sendJob(world, [seq])];
    const result = await deliver(bodies);
    expect(result.explicitAcks).toHaveLength(bodies.length);
    expect(result.retryMessages).toEqual([]);
    expect((await only(world)).state).toBe("submitted");
  });

  it("acknowledges jobs of unopened accounts and empty jobs, and opens no account for them", async () => {
    const stranger = { kind: "send", account: "acc_0000000000A", seqs: [1] };
    const result = await deliver([stranger, { ...stranger, kind: "follow" }, { ...stranger, seqs: [] }]);
    expect(result.explicitAcks).toHaveLength(3);
    expect(await env.ACCOUNT.getByName("acc_0000000000A").view()).toBeNull();
    expect(got).toEqual([]);
  });

  it("never exceeds its limit of parallel submissions over all accounts, and uses it fully", async () => {
    const worlds = await Promise.all([openWorld(), openWorld(), openWorld()]);
    const jobs = await Promise.all(worlds.map(async (world) => sendJob(world, await sendBulk(world, 120))));
    const { most } = watchOpen();
    await deliver(jobs, { ...env, ...HTTP, DISPATCH_CONCURRENCY: "7" });
    expect(got).toHaveLength(360);
    expect(new Set(got).size).toBe(360);
    expect(most()).toBe(7);
  });

  it("does not let a large account with a slow gateway hold up a small one", async () => {
    const [large, small] = [await openWorld(), await openWorld()];
    const jobs = [sendJob(large, await sendBulk(large, 100)), sendJob(small, [await sendOne(small)])];
    await deliver(jobs, { ...env, ...HTTP, DISPATCH_CONCURRENCY: "10" });
    expect(got).toHaveLength(101);
    // The large account came first and gets the first ten slots; the next ones are shared.
    const { seq, index } = await only(small);
    const place = got.indexOf(messageId(env.KEY_SECRET, small.ref, "sms", { seq, index }));
    expect(place).toBeGreaterThanOrEqual(0);
    expect(place).toBeLessThan(20);
  });

  it("is not blocked by a submission that hangs: the other slots go on at once", async () => {
    const [slow, quick] = [await openWorld(), await openWorld()];
    const jobs = [sendJob(slow, await sendBulk(slow, 2)), sendJob(quick, [await sendOne(quick)])];
    const hanging = Promise.withResolvers<Response>();
    gateway = () => (got.length === 1 ? hanging.promise : Response.json({}));
    const delivered = deliver(jobs, { ...env, ...HTTP, DISPATCH_CONCURRENCY: "2" });
    await vi.waitUntil(() => got.length === 3);
    expect((await messagesOf(slow)).map(({ state }) => state)).toEqual(["sending", "sending"]);
    hanging.resolve(Response.json({}));
    await delivered;
    expect((await messagesOf(slow)).map(({ state }) => state)).toEqual(["submitted", "submitted"]);
  });
});
