import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PermitsAsked } from "../../src/model/pace.ts";
import { watchPace } from "../world/carriers.ts";
import { around, carriersOf, deliver, order, route, routed, setUpCarriers, takeDown } from "../world/routed.ts";
import { messagesOf, openWorld } from "../world/world.ts";

// Several carriers' messages of one account: none waits for another carrier's permits or answers.

beforeEach(setUpCarriers);
afterEach(takeDown);

/** Far beyond what a loaded machine needs: it ends only a test whose code waits for ever. */
const PATIENCE = { timeout: 20_000 };

const countOf = (name: string) => carriersOf().filter((one) => one === name).length;

const phones = (prefix: string, count: number) => Array.from({ length: count }, (_, nth) => `${prefix}${100 + nth}`);

describe("a carrier whose permits are long in coming", () => {
  it("holds up no other one's messages, those of later claims neither", async () => {
    await route(
      { to: ["+91987"], carriers: [{ name: "acme", weight: 1 }] },
      { carriers: [{ name: "bravo", weight: 1 }] },
    );
    const world = await openWorld();
    await order(world, phones("9876543", 3));
    vi.setSystemTime(Date.now() + 1_000);
    await order(world, phones("7012345", 50));
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const pace = watchPace().PACE.getByName("any");
    const slow = { ...pace, take: async (asked: PermitsAsked) => promise.then(() => pace.take(asked)) };
    const getByName = (name: string) => (name === "acme" ? slow : pace);
    const delivered = deliver(world, "bulk", around({ PACE: { getByName } as unknown as Env["PACE"] }));
    await vi.waitUntil(() => countOf("bravo") === 50, PATIENCE);
    expect(countOf("acme")).toBe(0);
    resolve(undefined);
    await delivered;
    expect(countOf("acme")).toBe(3);
    expect(new Set(routed.got.map(({ ref }) => ref)).size).toBe(53);
    expect((await messagesOf(world)).every(({ state, attempts }) => state === "submitted" && attempts === 1)).toBe(
      true,
    );
  });
});

describe("a message that is at its second carrier, which hangs", () => {
  it("takes no place of the first one's", async () => {
    await route({ carriers: [{ name: "acme", weight: 1 }], fallback: ["bravo"] });
    const world = await openWorld();
    await order(world, phones("9876543", 3));
    const { promise, resolve } = Promise.withResolvers<Response>();
    routed.answers = {
      acme: () => (countOf("acme") === 1 ? new Response(null, { status: 503 }) : Response.json({})),
      bravo: () => promise,
    };
    // A carrier may have half of two places.
    const delivered = deliver(world, "bulk", around({ DISPATCH_CONCURRENCY: "2" }));
    await vi.waitUntil(() => countOf("bravo") === 1 && countOf("acme") === 3, PATIENCE);
    resolve(Response.json({}));
    await delivered;
    expect((await messagesOf(world)).map(({ state, carrier }) => `${state} ${carrier}`).toSorted()).toEqual([
      "submitted acme",
      "submitted acme",
      "submitted bravo",
    ]);
  });
});
