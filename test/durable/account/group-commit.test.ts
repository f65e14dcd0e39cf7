import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { GroupCommit } from "../../../src/durable/account/group-commit.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());

/** Counts the turns of the event loop. */
function countTurns() {
  const counted = { passed: 0, going: true, stop: () => void (counted.going = false) };
  void (async () => {
    while (counted.going) {
      await scheduler.wait(0);
      counted.passed += 1;
    }
  })();
  return counted;
}

it("does not delay a call that arrives alone", async () => {
  const turns = new GroupCommit();
  const counted = countTurns();
  for (let call = 0; call < 5; call++) {
    vi.setSystemTime(Date.now() + 5);
    await turns.next();
  }
  counted.stop();
  expect(counted.passed).toBe(0);
});

it("runs any number of calls that arrive close together in one turn", async () => {
  const turns = new GroupCommit();
  await turns.next();
  const counted = countTurns();
  const at: number[] = [];
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      await turns.next();
      at.push(counted.passed);
    }),
  );
  counted.stop();
  expect(at).toHaveLength(100);
  expect(new Set(at).size).toBe(1);
  expect(counted.passed).toBeLessThanOrEqual(1);
});

it("starts another turn for calls that arrive later", async () => {
  const turns = new GroupCommit();
  await turns.next();
  const counted = countTurns();
  const at: number[] = [];
  for (let wave = 0; wave < 3; wave++) {
    const calls = Array.from({ length: 10 }, () => turns.next().then(() => counted.passed));
    const [turn = -1, ...others] = new Set(await Promise.all(calls));
    expect(others).toEqual([]);
    at.push(turn);
  }
  counted.stop();
  expect(new Set(at).size).toBe(3);
});
