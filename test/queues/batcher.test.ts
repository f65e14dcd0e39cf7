import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Lane } from "../../src/model/lane.ts";
import { Batcher, WAITING_MAX } from "../../src/queues/batcher.ts";
import type { Rules } from "../../src/queues/batcher.ts";
import { handOver } from "../../src/queues/hand-over.ts";
import type { SendJob } from "../../src/queues/jobs.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(console, "error").mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A batcher whose calls end only when the test ends them; `add` adds items as a request of the isolate would. */
function openBatcher(itemsMax = 100, rules: Partial<Rules<number>> = {}) {
  const calls: { items: number[]; end: () => void }[] = [];
  const take = (items: number[]) => new Promise<void>((end) => void calls.push({ items, end }));
  const batcher = new Batcher<number>(take, { itemsMax, ...rules });
  const carried: Promise<unknown>[] = [];
  const ctx = { waitUntil: (promise: Promise<unknown>) => void carried.push(promise) };
  return { calls, carried, add: (...items: number[]) => batcher.add(ctx, items) };
}

const turn = () => scheduler.wait(0);

describe("a batcher", () => {
  it("sends a single item at once", () => {
    const { calls, add } = openBatcher();
    add();
    expect(calls).toHaveLength(0);
    add(1);
    expect(calls[0]?.items).toEqual([1]);
  });

  it("sends items that other requests added meanwhile in one call, for which only the first waits", async () => {
    const { calls, carried, add } = openBatcher();
    for (const item of [1, 2, 3, 4]) add(item);
    expect(calls).toHaveLength(1);
    expect(carried).toHaveLength(1);
    calls[0]?.end();
    await turn();
    expect(calls[1]?.items).toEqual([2, 3, 4]);
    calls[1]?.end();
    await Promise.all(carried);
    add(5);
    expect(calls[2]?.items).toEqual([5]);
    expect(carried).toHaveLength(2);
  });

  it("splits items that are too many for one call", async () => {
    const { calls, add } = openBatcher(2);
    add(1, 2, 3, 4, 5);
    for (const call of [0, 1, 2]) {
      calls[call]?.end();
      await turn();
    }
    expect(calls.map(({ items }) => items)).toEqual([[1, 2], [3, 4], [5]]);
  });

  it("is taken over by the next request when a call has not returned for ten seconds", () => {
    const { calls, carried, add } = openBatcher();
    add(1);
    add(2);
    vi.setSystemTime(Date.now() + 9_999);
    add(3);
    expect(calls).toHaveLength(1);
    vi.setSystemTime(Date.now() + 1);
    add(4);
    expect(calls[1]?.items).toEqual([2, 3, 4]);
    expect(carried).toHaveLength(2);
  });

  it("is handed to the next request after two seconds, and leaves no item behind", async () => {
    const { calls, carried, add } = openBatcher();
    add(1);
    add(2);
    vi.setSystemTime(Date.now() + 2_000);
    calls[0]?.end();
    await turn();
    expect(calls[1]?.items).toEqual([2]);
    // The first request only finishes its current call; this request now sends for itself.
    add(3);
    expect(calls[2]?.items).toEqual([3]);
    add(4);
    calls[1]?.end();
    await carried[0];
    calls[2]?.end();
    await turn();
    expect(calls[3]?.items).toEqual([4]);
    calls[3]?.end();
    await Promise.all(carried);
    expect(calls).toHaveLength(4);
  });
});

describe("a batcher that is full", () => {
  it("drops excess items, and reports their number", async () => {
    const told: number[] = [];
    const { calls, add } = openBatcher(WAITING_MAX, { dropped: (items) => void told.push(items) });
    add(0);
    const items = Array.from({ length: WAITING_MAX + 2 }, (_, at) => at + 1);
    add(...items);
    add(-1);
    calls[0]?.end();
    await turn();
    expect(calls[1]?.items).toEqual(items.slice(0, WAITING_MAX));
    expect(told).toEqual([3]);
    // It has room again.
    add(-2);
    calls[1]?.end();
    await turn();
    expect(calls[2]?.items).toEqual([-2]);
    expect(told).toEqual([3]);
  });

  it("counts the messages in its items, not the items", async () => {
    const { calls, add } = openBatcher(100, { messagesIn: (item) => item });
    add(WAITING_MAX);
    add(WAITING_MAX - 1, 2, 1, 1);
    calls[0]?.end();
    await turn();
    expect(calls[1]?.items).toEqual([WAITING_MAX - 1, 1]);
  });
});

/** A batcher with a delay; `pass` ends its next wait, with the clock set to the end of that wait. */
function openDelayed() {
  const waits: { ms: number; endsMs: number; end: () => void }[] = [];
  const wait = (ms: number) => new Promise<void>((end) => void waits.push({ ms, endsMs: Date.now() + ms, end }));
  const pass = async () => {
    const next = waits.shift();
    vi.setSystemTime(Math.max(Date.now(), next?.endsMs ?? 0));
    next?.end();
    await turn();
  };
  return { ...openBatcher(2, { delayMs: 1_000, wait }), waits, pass };
}

describe("a batcher with a delay", () => {
  it("sends each item when its delay is over, in one request that waits for all of them", async () => {
    const { calls, carried, add, pass, waits } = openDelayed();
    add(1, 2, 3);
    vi.setSystemTime(Date.now() + 400);
    add(4);
    expect(calls).toHaveLength(0);
    expect(carried).toHaveLength(1);
    expect(waits.map(({ ms }) => ms)).toEqual([1_000]);
    await pass();
    calls[0]?.end();
    await turn();
    calls[1]?.end();
    await turn();
    expect(calls.map(({ items }) => items)).toEqual([[1, 2], [3]]);
    expect(waits.map(({ ms }) => ms)).toEqual([400]);
    await pass();
    calls[2]?.end();
    await Promise.all(carried);
    expect(calls[2]?.items).toEqual([4]);
  });

  it("is handed to the next request after two seconds, and still sends the items that were added before", async () => {
    const { calls, carried, add, pass } = openDelayed();
    add(1);
    vi.setSystemTime(Date.now() + 900);
    add(2);
    // The timer fires late, as in a busy runtime.
    vi.setSystemTime(Date.now() + 1_500);
    add(3);
    await pass();
    expect(calls[0]?.items).toEqual([1, 2]);
    add(4);
    expect(carried).toHaveLength(2);
    calls[0]?.end();
    await turn();
    await pass();
    await pass();
    for (const call of calls) call.end();
    await Promise.all(carried);
    expect(calls.map(({ items }) => items)).toEqual(expect.arrayContaining([[1, 2], [3], [4]]));
    expect(calls).toHaveLength(3);
  });

  it("waits no longer than the delay when the clock is set back", async () => {
    const { calls, add, pass, waits } = openDelayed();
    add(1);
    vi.setSystemTime(Date.now() + 500);
    add(2);
    await pass();
    vi.setSystemTime(Date.now() - 3_600_000);
    calls[0]?.end();
    await turn();
    expect(waits.map(({ ms }) => ms)).toEqual([1_000]);
  });
});

describe("the queue of a lane", () => {
  it("gets a hundred tokens per call, and a failed call does not stop the others", async () => {
    const calls: unknown[][] = [];
    const sendBatch = async (messages: { body: unknown }[]) => {
      calls.push(messages.map(({ body }) => body));
      if (calls.length === 1) throw new Error("the queue is away");
    };
    const at = { ...env, SINGLE_LANE: { sendBatch } as unknown as Queue };
    const waits: Promise<unknown>[] = [];
    const tokens = Array.from({ length: 250 }, (_, nth): SendJob => {
      return { kind: "send", account: `acc_${nth}`, lane: "single" };
    });
    handOver({ waitUntil: (promise) => void waits.push(promise) }, at, "single", tokens);
    await Promise.all(waits);
    expect(calls.map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(calls.flat()).toEqual(tokens);
  });

  it("gets one token of an account for many single messages, and all of a bulk's", async () => {
    const sent: unknown[] = [];
    const queue = { sendBatch: async (messages: { body: unknown }[]) => void sent.push(...messages) };
    const waits: Promise<unknown>[] = [];
    const send = (lane: Lane) => {
      const body: SendJob = { kind: "send", account: "acc_1", lane };
      const at = { ...env, SINGLE_LANE: { ...queue }, BULK_LANE: { ...queue } } as unknown as Env;
      handOver({ waitUntil: (promise) => void waits.push(promise) }, at, lane, [body, body, body]);
      return { body };
    };
    const [single, bulk] = [send("single"), send("bulk")];
    await Promise.all(waits);
    expect(sent).toEqual([single, bulk, bulk, bulk]);
  });
});
