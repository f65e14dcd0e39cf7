import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { IN_TURN, deliver, only, order, receipt, refOf } from "../world/routed.ts";
import { route, routed, send, setUpCarriers, takeDown, timelineOf } from "../world/routed.ts";
import { claim, messagesOf, openWorld, runAlarm } from "../world/world.ts";

// Whose receipts count where a message may go to several carriers, and what is known after a kill (contract §16.2).

beforeEach(setUpCarriers);
afterEach(takeDown);

const NO = () => new Response(null, { status: 503 });

describe("receipts", () => {
  it("count where their carrier was tried, and nowhere else", async () => {
    await route(IN_TURN);
    routed.answers = { acme: NO };
    const world = await openWorld();
    await send(world);
    const { ref } = routed.got[0] ?? { ref: "" };
    await receipt("charlie", ref, "failed");
    expect(await only(world)).toMatchObject({ state: "submitted", refunded: false });
    await receipt("acme", ref, "undelivered");
    expect(await only(world)).toMatchObject({ state: "undelivered" });
    await receipt("bravo", ref);
    expect(await only(world)).toMatchObject({ state: "delivered", carrier: "bravo" });
    expect((await timelineOf(world))?.slice(-2)).toEqual([
      { state: "undelivered", carrier: "acme" },
      { state: "delivered", carrier: "bravo" },
    ]);
  });

  it("that come before the answer to their submission are kept, and count then", async () => {
    await route(IN_TURN);
    routed.answers = {
      acme: NO,
      bravo: async (ref) => {
        await receipt("bravo", ref);
        await receipt("charlie", ref, "failed");
        expect(await only(world)).toMatchObject({ state: "sending" });
        return Response.json({});
      },
    };
    const world = await openWorld();
    await send(world);
    expect(await only(world)).toMatchObject({ state: "delivered", carrier: "bravo", refunded: false });
    expect((await timelineOf(world))?.slice(-2)).toEqual([
      { state: "submitted", attempt: 2, carrier: "bravo" },
      { state: "delivered", carrier: "bravo" },
    ]);
  });

  it("of the first carrier count at once: nothing more is written than without routes", async () => {
    await route(IN_TURN);
    routed.answers = { acme: async (ref) => (await receipt("acme", ref), Response.json({})) };
    const world = await openWorld();
    await send(world);
    expect(await only(world)).toMatchObject({ state: "delivered", carrier: "acme", rev: 2 });
  });
});

/** A message whose consumer is gone: its claim said where it might go, and no report came. */
async function lost(plan: string[], dedupes: string[] = []) {
  const world = await openWorld();
  await order(world, ["9876543210", "9876543211"]);
  const [job] = await claim(world, { lane: "bulk", plan, dedupes });
  expect(job?.messages).toHaveLength(2);
  vi.setSystemTime(Date.now() + 600_000);
  await runAlarm(world);
  expect((await messagesOf(world)).map(({ state }) => state)).toEqual(["unknown", "unknown"]);
  return world;
}

describe("a consumer that dies", () => {
  it("leaves its messages unknown: none gets them again, and any carrier of the plan may tell", async () => {
    await route(IN_TURN);
    const world = await lost(["acme", "bravo"], ["acme", "bravo"]);
    await deliver(world);
    expect(routed.got).toEqual([]);
    const [first, second] = await messagesOf(world);
    if (!first || !second) throw new Error("there are two messages");
    await receipt("charlie", refOf(world, first));
    await receipt("bravo", refOf(world, first));
    await receipt("acme", refOf(world, second), "undelivered");
    expect(await messagesOf(world)).toMatchObject([
      { state: "delivered", carrier: "bravo" },
      { state: "undelivered", carrier: "acme" },
    ]);
    // Now it is known who had them: the other one never did.
    await receipt("bravo", refOf(world, second));
    expect((await messagesOf(world))[1]).toMatchObject({ state: "undelivered" });
  });

  it("leaves them to be submitted again where only one could get them, which recognises references", async () => {
    await route({ carriers: [{ name: "acme", weight: 1 }] });
    const world = await lost(["acme"], ["acme"]);
    const jobs = await claim(world, { lane: "bulk", plan: ["acme", "bravo"], dedupes: ["acme", "bravo"] });
    expect(jobs[0]?.messages.map(({ only: name }) => name)).toEqual(["acme", "acme"]);
    expect(await claim(world, { lane: "bulk", plan: ["acme", "bravo"], dedupes: [] })).toEqual([]);
  });

  it("whose report comes late ends the doubt, once", async () => {
    const world = await lost(["acme", "bravo"]);
    const [first] = await messagesOf(world);
    const tried = [
      { carrier: "acme", at: Date.now(), code: "http_503" },
      { carrier: "bravo", at: Date.now() },
    ];
    const offered = { tried, follow: false, resubmits: false };
    const place = { seq: first?.seq ?? 0, index: 0, attempt: 1 };
    const news = [{ kind: "outcome" as const, ...place, outcome: { kind: "submitted" as const }, offered }];
    await world.stub.report(news, false);
    const told = await only(world);
    expect(told).toMatchObject({ state: "submitted", carrier: "bravo" });
    await world.stub.report(news, false);
    expect(await only(world)).toEqual(told);
  });
});
