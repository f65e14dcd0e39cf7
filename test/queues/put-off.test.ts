import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { watchAccounts, watchLanes } from "../world/carriers.ts";
import { carriersOf, around, deliver, order, route, routed, setUpCarriers, takeDown } from "../world/routed.ts";
import { openWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";

// Messages whose carrier has no permits are put off, so that others behind them can go.

beforeEach(setUpCarriers);
afterEach(takeDown);

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

describe("messages without a permit of their carrier", () => {
  it("can be claimed again within four seconds where it is only paced", async () => {
    await route({ carriers: [{ name: "acme", weight: 1 }] });
    const world = await openWorld();
    await order(world, ["9876543210", "9876543211"]);
    routed.permits = { acme: () => ({ atMs: [], againMs: 60_000, isLimited: true }) };
    await deliver(world);
    routed.permits = {};
    await deliver(world, "bulk", around());
    expect(carriersOf()).toEqual([]);
    pass(4_000);
    await deliver(world, "bulk", around());
    expect(carriersOf()).toEqual(["acme", "acme"]);
  });

  it("wait for the end of a silence that it asked for", async () => {
    await route({ carriers: [{ name: "acme", weight: 1 }] });
    const world = await openWorld();
    await order(world, ["9876543210", "9876543211"]);
    routed.permits = { acme: () => ({ atMs: [], againMs: 20_000, quietMs: 20_000, isLimited: true }) };
    await deliver(world);
    routed.permits = {};
    pass(19_000);
    await deliver(world, "bulk", around());
    expect(carriersOf()).toEqual([]);
    pass(5_000);
    await deliver(world, "bulk", around());
    expect(carriersOf()).toEqual(["acme", "acme"]);
  });
});

describe("a message that is claimed again at once though it was put off", () => {
  it("is no first one: the consumer's slice ends, and its token goes to the end of the queue", async () => {
    await route({ carriers: [{ name: "acme", weight: 1 }] });
    const world = await openWorld();
    await order(world, ["9876543210"]);
    routed.permits = { acme: () => ({ atMs: [], againMs: 60_000, isLimited: true }) };
    let claims = 0;
    const { ACCOUNT } = watchAccounts({
      // As for a message whose outcome is unknown, which an account gives out again.
      work: async (...[asked]: Parameters<World["stub"]["work"]>) => {
        claims += 1;
        pass(1_000);
        const messages = [{ index: 0, to: "+919876543210", attempt: claims, only: "acme" }];
        const shared = { seq: 2, carrier: "acme", requestId: "r", operation: "sms" as const, content: {}, text: null };
        expect(asked.news).toHaveLength(claims === 1 ? 0 : 1);
        return { jobs: [{ ...shared, messages }], againMs: 0 };
      },
      report: async () => true,
    });
    const { lanes, sent } = watchLanes();
    await deliver(world, "bulk", around({ ACCOUNT, ...lanes }));
    expect(claims).toBeLessThan(10);
    expect(sent).toMatchObject([{ body: { kind: "send", account: world.name } }]);
  });
});
