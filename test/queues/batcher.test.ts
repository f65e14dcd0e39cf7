import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Outbox } from "../../src/queues/batcher.ts";
import { handOver } from "../../src/queues/hand-over.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(console, "error").mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** An outbox whose calls end when the test says so, and an isolate's requests that leave items. */
function openOutbox(itemsMax = 100) {
  const calls: { items: number[]; end: () => void }[] = [];
  const outbox = new Outbox<number>((items) => new Promise((end) => void calls.push({ items, end })), itemsMax);
  const carried: Promise<unknown>[] = [];
  const ctx = { waitUntil: (promise: Promise<unknown>) => void carried.push(promise) };
  return { calls, carried, leave: (...items: number[]) => outbox.leave(ctx, items) };
}

const turn = () => scheduler.wait(0);

describe("an outbox", () => {
  it("sends at once what comes alone", () => {
    const { calls, leave } = openOutbox();
    leave();
    expect(calls).toHaveLength(0);
    leave(1);
    expect(calls[0]?.items).toEqual([1]);
  });

  it("takes along what others left while it was busy, in one call that only the first request waits for", async () => {
    const { calls, carried, leave } = openOutbox();
    for (const item of [1, 2, 3, 4]) leave(item);
    expect(calls).toHaveLength(1);
    expect(carried).toHaveLength(1);
    calls[0]?.end();
    await turn();
    expect(calls[1]?.items).toEqual([2, 3, 4]);
    calls[1]?.end();
    await Promise.all(carried);
    leave(5);
    expect(calls[2]?.items).toEqual([5]);
    expect(carried).toHaveLength(2);
  });

  it("cuts what is too much for one call", async () => {
    const { calls, leave } = openOutbox(2);
    leave(1, 2, 3, 4, 5);
    for (const call of [0, 1, 2]) {
      calls[call]?.end();
      await turn();
    }
    expect(calls.map(({ items }) => items)).toEqual([[1, 2], [3, 4], [5]]);
  });

  it("is taken over from a request that never came back", () => {
    const { calls, carried, leave } = openOutbox();
    leave(1);
    leave(2);
    vi.setSystemTime(Date.now() + 9_999);
    leave(3);
    expect(calls).toHaveLength(1);
    vi.setSystemTime(Date.now() + 1);
    leave(4);
    expect(calls[1]?.items).toEqual([2, 3, 4]);
    expect(carried).toHaveLength(2);
  });

  it("is given to the next request after two seconds, and leaves nothing behind", async () => {
    const { calls, carried, leave } = openOutbox();
    leave(1);
    leave(2);
    vi.setSystemTime(Date.now() + 2_000);
    calls[0]?.end();
    await turn();
    expect(calls[1]?.items).toEqual([2]);
    // The first request only finishes its last round; this one carries itself.
    leave(3);
    expect(calls[2]?.items).toEqual([3]);
    leave(4);
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

describe("the dispatch queue", () => {
  it("gets a message per job, a hundred in a call, and a call that fails stops no other", async () => {
    const calls: unknown[][] = [];
    const sendBatch = async (messages: { body: unknown }[]) => {
      calls.push(messages.map(({ body }) => body));
      if (calls.length === 1) throw new Error("the queue is away");
    };
    const at = { ...env, DISPATCH: { sendBatch } as unknown as Queue };
    const waits: Promise<unknown>[] = [];
    const seqs = Array.from({ length: 250 }, (_, nth) => nth + 1);
    handOver({ waitUntil: (promise) => void waits.push(promise) }, at, "acc_x", seqs);
    await Promise.all(waits);
    expect(calls.map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(calls.flat()).toEqual(seqs.map((seq) => ({ kind: "send", account: "acc_x", seqs: [seq] })));
  });
});
