import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { bodyOf, consume } from "../world/history-queue.ts";
import { historyOf, settledSeq } from "../world/history.ts";
import { dispatch, follow, messagesOf, openWorld, sendSms } from "../world/world.ts";
import type { World } from "../world/world.ts";

const AWAY = {
  prepare: () => {
    throw new Error("D1 is away");
  },
} as unknown as D1Database;

const failing = async () => {
  throw new Error("this object is away");
};

/** The accounts, of which one fails in these calls. */
function accountsWithout(ill: World, calls: readonly string[]): Env["ACCOUNT"] {
  const getByName = (name: string) => {
    const stub = env.ACCOUNT.getByName(name);
    if (name !== ill.name) return stub;
    return new Proxy(stub, {
      get: (of, call) => (calls.includes(String(call)) ? failing : Reflect.get(of, call)),
    });
  };
  return { getByName } as unknown as Env["ACCOUNT"];
}

async function delivered(count = 1): Promise<World> {
  const world = await openWorld();
  for (let sent = 0; sent < count; sent += 1) await sendSms(world);
  const seqs = (await messagesOf(world)).map(({ seq }) => seq);
  await dispatch(world, seqs);
  await follow(world, seqs);
  return world;
}

it("records what several messages name in one batch of D1, and reports it to each account", async () => {
  const worlds = [await delivered(3), await delivered(2)];
  const batches = vi.spyOn(env.HISTORY_1, "batch");
  const bodies = [bodyOf(worlds[0]!, [2]), bodyOf(worlds[1]!, [2, 3]), bodyOf(worlds[0]!, [3, 4]), { seqs: "what" }];
  expect(await consume(bodies)).toEqual({ taken: ["m0", "m1", "m2", "m3"], again: [] });
  expect(batches).toHaveBeenCalledTimes(1);
  batches.mockRestore();
  for (const world of worlds) {
    expect(await historyOf(world)).toEqual(await messagesOf(world));
    expect(await settledSeq(world)).toBe((await messagesOf(world)).at(-1)?.seq);
  }
});

it("tries only the messages of an account again that does not answer, or cannot be told", async () => {
  for (const call of ["records", "recorded"]) {
    const [well, ill] = [await delivered(), await delivered()];
    const at = { ACCOUNT: accountsWithout(ill, [call]) };
    const result = await consume([bodyOf(well, [2]), bodyOf(ill, [2])], at);
    expect(result).toEqual({ taken: ["m0"], again: ["m1"] });
    expect(await settledSeq(well)).toBe(2);
    expect(await settledSeq(ill)).toBe(0);
    expect(await consume([bodyOf(ill, [2])])).toEqual({ taken: ["m0"], again: [] });
    expect(await settledSeq(ill)).toBe(2);
  }
});

it("leaves a batch in the queue while D1 is away, and gives it back to the accounts after a minute of that", async () => {
  const world = await delivered();
  const told = vi.fn<(recorded: null) => Promise<true>>().mockResolvedValue(true);
  const getByName = (name: string) =>
    new Proxy(env.ACCOUNT.getByName(name), {
      get: (of, call) => (call === "recorded" ? told : Reflect.get(of, call)),
    });
  const at = { HISTORY_1: AWAY, ACCOUNT: { getByName } as unknown as Env["ACCOUNT"] };
  expect(await consume([bodyOf(world, [2])], at, 5)).toEqual({ taken: [], again: ["m0"] });
  expect(told).not.toHaveBeenCalled();
  expect(await consume([bodyOf(world, [2])], at, 6)).toEqual({ taken: ["m0"], again: [] });
  expect(told.mock.calls).toEqual([[null]]);
  const gone = { HISTORY_1: AWAY, ACCOUNT: accountsWithout(world, ["recorded"]) };
  expect(await consume([bodyOf(world, [2])], gone, 6)).toEqual({ taken: [], again: ["m0"] });
  expect(await historyOf(world)).toEqual([]);
});
