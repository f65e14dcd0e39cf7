import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { carriersOf, around, deliver, order, route, routed, setUpCarriers, takeDown } from "../world/routed.ts";
import { openWorld } from "../world/world.ts";

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
