import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ReceiptBatcher } from "../../../src/durable/account/gather-receipts.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());

function openBatcher(fails: (items: number[]) => boolean = () => false) {
  const applied: number[][] = [];
  const batcher = new ReceiptBatcher((items: number[]) => {
    if (fails(items)) throw new Error("not these");
    applied.push(items);
    return items.length;
  });
  return { applied, batcher };
}

it("applies a single call at once", async () => {
  const { applied, batcher } = openBatcher();
  expect(await batcher.add([1, 2])).toBe(2);
  vi.setSystemTime(Date.now() + 50);
  const second = batcher.add([3]);
  expect(applied).toEqual([[1, 2], [3]]);
  expect(await second).toBe(1);
});

it("applies calls that arrive close together as one, in their order, and returns the result to the first of them", async () => {
  const { applied, batcher } = openBatcher();
  await batcher.add([0]);
  const results = await Promise.all([batcher.add([1]), batcher.add([2, 3]), batcher.add([4])]);
  expect(applied).toEqual([[0], [1, 2, 3, 4]]);
  expect(results).toEqual([4, null, null]);
  expect(await batcher.add([5])).toBe(1);
});

it("isolates failing calls: when a joint turn fails, each call is applied alone", async () => {
  const { applied, batcher } = openBatcher((items) => items.includes(2));
  await batcher.add([0]);
  const results = await Promise.allSettled([batcher.add([1]), batcher.add([2]), batcher.add([3])]);
  expect(applied).toEqual([[0], [1], [3]]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});
