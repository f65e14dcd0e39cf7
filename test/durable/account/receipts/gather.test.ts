import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { BATCH_ITEMS_MAX, Gatherer } from "../../../../src/durable/account/receipts/gather.ts";
import { HOLD_MS } from "../../../../src/durable/account/receipts/callers.ts";
import { randomOf } from "../../../../torture/random.ts";

// Arrivals of receipts on a simulated clock.

beforeEach(() => vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

function openGatherer(fails: (items: number[]) => boolean = () => false) {
  const applied: number[][] = [];
  const gatherer = new Gatherer((items: number[]) => {
    if (fails(items)) throw new Error("not these");
    applied.push(items);
  });
  return { applied, gatherer };
}

describe("the gatherer", () => {
  it("applies the first call after quiet at once", async () => {
    const { applied, gatherer } = openGatherer();
    await gatherer.add([1, 2]);
    vi.setSystemTime(Date.now() + HOLD_MS);
    await gatherer.add([3]);
    // A clock that was set back is no reason to wait.
    vi.setSystemTime(Date.now() - 10 * HOLD_MS);
    await gatherer.add([4]);
    expect(applied).toEqual([[1, 2], [3], [4]]);
  });

  it("applies calls that arrive close together as one, in their order, and answers them only then", async () => {
    const { applied, gatherer } = openGatherer();
    await gatherer.add([0]);
    let answered = 0;
    const answers = [[1], [2, 3], [4]].map((items) => gatherer.add(items).then(() => (answered += 1)));
    await Promise.resolve();
    expect({ applied, answered }).toEqual({ applied: [[0]], answered: 0 });
    await vi.advanceTimersByTimeAsync(HOLD_MS);
    await Promise.all(answers);
    expect(applied).toEqual([[0], [1, 2, 3, 4]]);
    expect(answered).toBe(3);
  });

  it("isolates failing calls: when a joint turn fails, each call is applied alone", async () => {
    const { applied, gatherer } = openGatherer((items) => items.includes(2));
    await gatherer.add([0]);
    const calls = Promise.allSettled([gatherer.add([1]), gatherer.add([2]), gatherer.add([3])]);
    await vi.advanceTimersByTimeAsync(HOLD_MS);
    expect(applied).toEqual([[0], [1], [3]]);
    expect((await calls).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("holds no more than a batch in memory: a full batch does not wait", async () => {
    const { applied, gatherer } = openGatherer();
    await gatherer.add([0]);
    const items = Array.from({ length: BATCH_ITEMS_MAX }, (_, at) => at);
    await gatherer.add(items);
    expect(applied).toHaveLength(2);
  });
});

const random = randomOf(String(inject("seed")), "receipts");
const runFor = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Sends receipts at these times, in ms from now, whatever the answers are; returns the writes and the longest wait. */
async function openLoop(times: number[]) {
  const { applied, gatherer } = openGatherer();
  let answered = 0;
  let waitMs = 0;
  const send = async (time: number) => {
    const sentMs = Date.now();
    await gatherer.add([time]);
    answered += 1;
    waitMs = Math.max(waitMs, Date.now() - sentMs);
  };
  for (const time of times) setTimeout(() => void send(time), time);
  await runFor((times.at(-1) ?? 0) + HOLD_MS);
  expect(answered).toBe(times.length);
  expect(applied.flat().toSorted((one, other) => one - other)).toEqual(times);
  return { writes: applied.length, waitMs };
}

/** Connections that send a receipt, wait for its answer, and send the next a round trip later; returns the answers. */
async function closedLoop(connections: number, roundTrip: () => number, ms: number): Promise<number> {
  const { gatherer } = openGatherer();
  const endMs = Date.now() + ms;
  let answered = 0;
  const send = async (): Promise<void> => {
    if (Date.now() >= endMs) return;
    await gatherer.add([1]);
    if (Date.now() < endMs) answered += 1;
    setTimeout(() => void send(), roundTrip());
  };
  for (let at = 0; at < connections; at++) setTimeout(() => void send(), Math.floor(20 * random()));
  await runFor(ms + 2 * HOLD_MS);
  return answered;
}

describe("a gateway that sends its receipts on, whatever the answers are", () => {
  it("causes one write for at least 10 of 16.7 receipts per second, none waiting longer than a second", async () => {
    let atMs = 0;
    const times = Array.from({ length: 1_000 }, () => Math.floor((atMs -= Math.log(1 - random()) * 60)));
    const { writes, waitMs } = await openLoop(times);
    expect(writes).toBeLessThanOrEqual(100);
    expect(waitMs).toBeLessThanOrEqual(HOLD_MS);
  });

  it("is still known after a silence of a moment", async () => {
    // 1.8 s of receipts, then 1.2 s without any.
    const times = Array.from({ length: 1_000 }, () => Math.floor(20 * random()) * 3_000 + Math.floor(1_800 * random()));
    const { writes, waitMs } = await openLoop(times.toSorted((one, other) => one - other));
    expect(writes).toBeLessThanOrEqual(90);
    expect(waitMs).toBeLessThanOrEqual(HOLD_MS);
  });

  it.each([
    ["at once", 0],
    ["within 50 ms", 50],
  ])("causes few writes for a burst of 1,000 %s", async (_, ms) => {
    const { writes } = await openLoop(Array.from({ length: 1_000 }, (__, at) => Math.floor((at * ms) / 1_000)));
    expect(writes).toBeLessThanOrEqual(12);
  });
});

describe("a gateway that waits for each answer", () => {
  const cases = [1, 2, 6, 20].flatMap((connections) => [5, 20, 100].map((ms) => [connections, ms] as const));

  it.each(cases)(
    "with %i connections and a round trip of %i ms reports at least half as fast as if each were written at once",
    async (connections, ms) => {
      const answered = await closedLoop(connections, () => ms, 10_000);
      expect(answered).toBeGreaterThan((connections * 10_000) / ms / 2);
    },
  );

  it.each([1, 2, 6, 20])("with %i connections and round trips of 5 to 100 ms does so, too", async (connections) => {
    const answered = await closedLoop(connections, () => 5 + Math.floor(random() * 96), 20_000);
    expect(answered).toBeGreaterThan((connections * 20_000) / 52.5 / 2);
  });

  it("is not held up for long by connections that left", async () => {
    const { gatherer } = openGatherer();
    const endMs = Date.now() + 10_000;
    let answered = 0;
    const connect = async (untilMs: number): Promise<void> => {
      while (Date.now() < untilMs) {
        await gatherer.add([1]);
        answered += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    // Four of six leave, come back after a second, and so on.
    for (let at = 0; at < 6; at++) {
      for (let beginMs = Date.now(); beginMs < endMs; beginMs += 2_000) {
        setTimeout(() => void connect(beginMs + (at < 4 ? 1_000 : 2_000)), beginMs - Date.now());
      }
    }
    await runFor(12_000);
    expect(answered).toBeGreaterThan((4 * 10_000) / 20 / 2);
  });
});
