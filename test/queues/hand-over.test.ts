import * as fc from "fast-check";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { handOverDispatch, handOverHistory, pack } from "../../src/queues/hand-over.ts";
import type { DispatchJob } from "../../src/queues/jobs.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(console, "error").mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const job = (seq: number): DispatchJob => ({ kind: "send", account: "acc_x", seqs: [seq] });

const items = (count: number, weight: number) => Array.from({ length: count }, (_, seq) => ({ job: job(seq), weight }));

describe("packing", () => {
  it("keeps every job once and in order, and fills no message beyond its weight", () => {
    const anyWeights = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 60 });
    fc.assert(
      fc.property(anyWeights, (weights) => {
        const messages = pack(
          weights.map((weight, seq) => ({ job: job(seq), weight })),
          20,
        );
        expect(messages.flat()).toEqual(weights.map((_, seq) => job(seq)));
        for (const message of messages) {
          const weight = message.reduce((sum, { seqs: [seq = 0] }) => sum + (weights[seq] ?? 0), 0);
          expect(weight <= 20 || message.length === 1).toBe(true);
        }
      }),
    );
  });

  it("puts twenty single sends into one message, and each job of a bulk into its own", () => {
    expect(pack(items(41, 1), 20).map(({ length }) => length)).toEqual([20, 20, 1]);
    expect(pack(items(3, 100), 20).map(({ length }) => length)).toEqual([1, 1, 1]);
  });
});

/** A queue whose calls end when the test says so, and an isolate's requests that leave jobs for it. */
function openQueue() {
  const calls: { jobs: DispatchJob[][]; end: () => void; fail: (problem: Error) => void }[] = [];
  const queue = {
    sendBatch: (messages: { body: DispatchJob[] }[]) =>
      new Promise<void>((end, fail) => {
        calls.push({ jobs: messages.map(({ body }) => body), end, fail });
      }),
  };
  const at = { ...env, DISPATCH: queue as unknown as Queue, HISTORY: queue as unknown as Queue };
  const carried: Promise<unknown>[] = [];
  const ctx = { waitUntil: (promise: Promise<unknown>) => void carried.push(promise) };
  return {
    calls,
    carried,
    leave: (seq: number) => handOverDispatch(ctx, at, "acc_x", [seq], 1),
    leaveHistory: (seqs: number[]) => handOverHistory(ctx, at, "acc_x", seqs),
    seqsOf: (call: number) => calls[call]?.jobs.flat().flatMap(({ seqs }) => seqs),
  };
}

const turn = () => scheduler.wait(0);

describe("handing over", () => {
  it("sends at once what comes alone", () => {
    const { calls, leave, seqsOf } = openQueue();
    leave(1);
    expect(calls).toHaveLength(1);
    expect(seqsOf(0)).toEqual([1]);
  });

  it("takes along what others left while the queue was busy, in one call that only the first waits for", async () => {
    const { calls, carried, leave, seqsOf } = openQueue();
    for (const seq of [1, 2, 3, 4]) leave(seq);
    expect(calls).toHaveLength(1);
    expect(carried).toHaveLength(1);
    calls[0]?.end();
    await turn();
    expect(calls).toHaveLength(2);
    expect(seqsOf(1)).toEqual([2, 3, 4]);
    expect(calls[1]?.jobs).toHaveLength(1);
    calls[1]?.end();
    await Promise.all(carried);
    leave(5);
    expect(seqsOf(2)).toEqual([5]);
    expect(carried).toHaveLength(2);
  });

  it("goes on after a call that failed: what it held, the accounts' alarms find", async () => {
    const { calls, carried, leave, seqsOf } = openQueue();
    leave(1);
    leave(2);
    calls[0]?.fail(new Error("the queue is away"));
    await turn();
    expect(seqsOf(1)).toEqual([2]);
    calls[1]?.end();
    await expect(Promise.all(carried)).resolves.toHaveLength(1);
  });

  it("is taken over from a request that never came back", () => {
    const { calls, carried, leave, seqsOf } = openQueue();
    leave(1);
    leave(2);
    vi.setSystemTime(Date.now() + 10_001);
    leave(3);
    expect(calls).toHaveLength(2);
    expect(seqsOf(1)).toEqual([2, 3]);
    expect(carried).toHaveLength(2);
  });

  it("is given to the next request after two seconds, and leaves nothing behind", async () => {
    const { calls, carried, leave, seqsOf } = openQueue();
    leave(1);
    leave(2);
    vi.setSystemTime(Date.now() + 2_000);
    calls[0]?.end();
    await turn();
    expect(seqsOf(1)).toEqual([2]);
    // The first request only finishes its last round; this one carries itself.
    leave(3);
    expect(seqsOf(2)).toEqual([3]);
    calls[1]?.end();
    await carried[0];
    leave(4);
    calls[2]?.end();
    await turn();
    expect(seqsOf(3)).toEqual([4]);
  });

  it("names a hundred ended jobs to history in one message", () => {
    const { calls, leaveHistory } = openQueue();
    leaveHistory([]);
    expect(calls).toHaveLength(0);
    leaveHistory(Array.from({ length: 250 }, (_, seq) => seq + 1));
    expect(calls[0]?.jobs.map(({ length }) => length)).toEqual([100, 100, 50]);
  });
});
