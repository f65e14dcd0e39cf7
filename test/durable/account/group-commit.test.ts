import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { GroupCommit } from "../../../src/durable/account/group-commit.ts";
import type { SendCommand } from "../../../src/model/command.ts";
import { openWorld } from "../../world/world.ts";

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

/** A quote of its own for each number. */
const quote = (at: number) => ({ id: new Uint8Array(22).fill(at), untilMs: Date.now() + 60_000, units: 1 });

it("lets sends with a time or a quote share one turn with all others", async () => {
  const world = await openWorld({ balance: 1_000 });
  const order = (at: number, more: Partial<SendCommand> = {}): SendCommand => ({
    keyId: world.keyId,
    requestId: `req_${at}`,
    operation: "sms",
    recipients: ["+919876543210"],
    price: { kind: "fixed", units: 1 },
    content: {},
    text: null,
    validityMs: 3_600_000,
    ...more,
  });
  await runInDurableObject(world.stub, async (account) => {
    expect(await account.send(order(0))).toMatchObject({ ok: true });
    const counted = countTurns();
    const sends = Array.from({ length: 90 }, async (_, at) => {
      const done = await (at % 3 === 0
        ? account.send(order(at))
        : at % 3 === 1
          ? account.sendLater(order(at, { sendAtMs: Date.now() + 60_000 }))
          : account.sendQuoted(order(at, { quote: quote(at) })));
      return { ok: done?.ok, turn: counted.passed };
    });
    const done = await Promise.all(sends);
    counted.stop();
    expect(new Set(done.map(({ turn }) => turn)).size).toBe(1);
    // The window of a minute has its end among them.
    expect(done.some(({ ok }) => ok)).toBe(true);
  });
});
