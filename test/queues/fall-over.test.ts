import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PermitsAsked } from "../../src/model/pace.ts";
import { watchPace } from "../world/carriers.ts";
import { IN_TURN, QUEUED, around, carriersOf, deliver, order } from "../world/routed.ts";
import { route, routed, send, setUpCarriers, takeDown } from "../world/routed.ts";
import { messagesOf, openWorld } from "../world/world.ts";

// Messages that one carrier did not take, at the next one (contract §16.2).

beforeEach(setUpCarriers);
afterEach(takeDown);

const NO = () => new Response(null, { status: 503 });

/** An isolate whose carriers' paces record what they are asked for. */
function watched() {
  const asked: { carrier: string; lane: PermitsAsked["lane"] }[] = [];
  const getByName = (carrier: string) =>
    watchPace(({ lane }) => {
      asked.push({ carrier, lane });
      return routed.permits[carrier]?.() ?? {};
    }).PACE.getByName(carrier);
  return { at: around({ PACE: { getByName } as unknown as Env["PACE"] }), asked };
}

describe("messages that fall over to a carrier without a known limit", () => {
  it("take a permit there where they are a bulk's, each one", async () => {
    await route({ ...IN_TURN, fallback: ["bravo"] });
    routed.answers = { acme: NO };
    const [world, { at, asked }] = [await openWorld(), watched()];
    await order(world, ["9876543210", "9876543211", "9876543212"]);
    await deliver(world, "bulk", at);
    expect(carriersOf().filter((name) => name === "bravo")).toHaveLength(3);
    expect(asked.filter(({ carrier }) => carrier === "bravo")).toEqual(
      Array.from({ length: 3 }, () => ({ carrier: "bravo", lane: "bulk" })),
    );
  });

  it("wait for their own gap where it has none for a bulk", async () => {
    await route({ ...IN_TURN, fallback: ["bravo"] });
    routed.answers = { acme: NO };
    routed.permits = { bravo: () => ({ atMs: [], againMs: 9_000 }) };
    const [world, { at }] = [await openWorld(), watched()];
    await order(world, ["9876543210", "9876543211"]);
    await deliver(world, "bulk", at);
    expect(carriersOf()).toEqual(["acme", "acme"]);
    expect((await messagesOf(world)).map(({ state, carrier }) => [state, carrier])).toEqual([
      ["queued", "acme"],
      ["queued", "acme"],
    ]);
  });

  it("take none where they are single", async () => {
    await route({ ...IN_TURN, fallback: ["bravo"] });
    routed.answers = { acme: NO };
    const [world, { at, asked }] = [await openWorld(), watched()];
    await send(world, { ...at, ...QUEUED });
    await deliver(world, "single", at);
    expect(carriersOf()).toEqual(["acme", "bravo"]);
    expect(asked.filter(({ carrier }) => carrier === "bravo")).toEqual([]);
  });
});
