import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { breathe } from "../../src/http/breath.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it("holds requests back until the runtime's timers have run, and then none for 25 ms", async () => {
  const ends: (() => void)[] = [];
  vi.spyOn(scheduler, "wait").mockImplementation(() => new Promise((end) => void ends.push(() => end(undefined))));
  vi.setSystemTime(Date.now() + 60_000);
  const passed: number[] = [];
  const request = (number: number) => breathe().then(() => passed.push(number));
  const first = [request(1), request(2)];
  await Promise.resolve();
  expect(passed).toEqual([]);
  for (const end of ends.splice(0)) end();
  await Promise.all(first);
  expect(passed).toEqual([1, 2]);

  await request(3);
  vi.setSystemTime(Date.now() + 24);
  await request(4);
  expect(ends).toHaveLength(0);
  vi.setSystemTime(Date.now() + 1);
  const next = request(5);
  expect(ends).toHaveLength(1);
  for (const end of ends) end();
  await next;
  expect(passed).toEqual([1, 2, 3, 4, 5]);
});
