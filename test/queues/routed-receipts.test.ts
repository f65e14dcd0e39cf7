import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ACME_SECRET } from "../world/carrier-set.ts";
import { IN_TURN, around, carriersOf, deliver, only, order, receipt, refOf } from "../world/routed.ts";
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
    await receipt("bravo", ref, "undelivered");
    expect(await only(world)).toMatchObject({ state: "undelivered", carrier: "bravo" });
  });

  it.each(["submitted", "undelivered", "failed"])(
    "count for nothing where their carrier refused: %s",
    async (state) => {
      await route(IN_TURN);
      routed.answers = { acme: NO };
      const world = await openWorld();
      await send(world);
      const { ref } = routed.got[0] ?? { ref: "" };
      const taken = await only(world);
      await receipt("acme", ref, state);
      expect(await only(world)).toEqual(taken);
      await receipt("bravo", ref);
      expect(await only(world)).toMatchObject({ state: "delivered", carrier: "bravo", refunded: false });
    },
  );

  it("count where a carrier refused and delivered all the same, and are told to be its", async () => {
    await route(IN_TURN);
    routed.answers = { acme: NO };
    const world = await openWorld();
    await send(world);
    await receipt("acme", routed.got[0]?.ref ?? "");
    expect(await only(world)).toMatchObject({ state: "delivered", refunded: false });
    expect((await timelineOf(world))?.slice(-2)).toEqual([
      { state: "submitted", attempt: 2, carrier: "bravo" },
      { state: "delivered", carrier: "acme" },
    ]);
  });

  it.each([
    ["refuses then", NO, { state: "delivered", carrier: "bravo", refunded: false }],
    ["takes it", () => Response.json({}), { state: "failed", carrier: "acme", refunded: true }],
  ])("of a failure wait for the answer: the first carrier %s", async (_, answer, end) => {
    await route(IN_TURN);
    routed.answers = {
      acme: async (ref) => (await receipt("acme", ref, "failed"), answer()),
      bravo: async (ref) => (await receipt("bravo", ref), Response.json({})),
    };
    const world = await openWorld();
    await send(world);
    expect(await only(world)).toMatchObject(end);
  });

  it("of a carrier that refused in an earlier round end no later attempt but by delivery", async () => {
    await route(IN_TURN);
    routed.answers = { acme: NO, bravo: NO, charlie: NO };
    const world = await openWorld();
    await send(world);
    vi.setSystemTime(Date.now() + 60_000);
    routed.answers = {
      acme: NO,
      bravo: async (ref) => {
        await receipt("acme", ref, "failed");
        expect(await only(world)).toMatchObject({ state: "sending" });
        return Response.json({});
      },
    };
    await deliver(world, "single");
    expect(await only(world)).toMatchObject({ state: "submitted", carrier: "bravo", refunded: false });
  });

  it("that come before the answer count where the routes were removed meanwhile", async () => {
    await route(IN_TURN);
    routed.answers = { acme: NO, bravo: NO, charlie: NO };
    const world = await openWorld();
    await send(world);
    await route();
    vi.setSystemTime(Date.now() + 60_000);
    const own = { CARRIER_HTTP_URL: "https://own.example.com/", CARRIER_HTTP_SECRET: ACME_SECRET };
    routed.answers = {
      own: async () => {
        const { seq, index } = await only(world);
        await world.stub.report([{ kind: "receipt", seq, index, state: "delivered", carrier: "http" }], false);
        return Response.json({});
      },
    };
    await deliver(world, "single", around(own));
    expect(carriersOf().at(-1)).toBe("own");
    expect(await only(world)).toMatchObject({ state: "delivered", carrier: "http" });
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
    // It is believed to have had it, unless the other one says that it delivered it.
    await receipt("bravo", refOf(world, second), "failed");
    expect((await messagesOf(world))[1]).toMatchObject({ state: "undelivered", refunded: false });
    await receipt("bravo", refOf(world, second));
    expect((await messagesOf(world))[1]).toMatchObject({ state: "delivered", carrier: "bravo", refunded: false });
    expect((await timelineOf(world, 1))?.slice(-2)).toEqual([
      { state: "undelivered", carrier: "acme" },
      { state: "delivered", carrier: "bravo" },
    ]);
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
    expect(told).toMatchObject({ state: "submitted", carrier: "bravo", attempts: 2 });
    expect(await timelineOf(world)).toEqual(ALL_TOLD);
    await world.stub.report(news, false);
    expect(await only(world)).toEqual(told);
  });

  it("whose report comes after a receipt still tells of the carriers before", async () => {
    const world = await lost(["acme", "bravo"]);
    const first = await only(world);
    await receipt("bravo", refOf(world, first));
    const tried = [
      { carrier: "acme", at: Date.now(), code: "http_503" },
      { carrier: "bravo", at: Date.now() },
    ];
    const place = { seq: first.seq, index: 0, attempt: 1 };
    const offered = { tried, follow: false, resubmits: false };
    const news = [{ kind: "outcome" as const, ...place, outcome: { kind: "submitted" as const }, offered }];
    await world.stub.report(news, false);
    expect(await only(world)).toMatchObject({ state: "delivered", carrier: "bravo", attempts: 2, refunded: false });
    expect(await timelineOf(world)).toEqual([...ALL_TOLD.slice(0, -1), { state: "delivered", carrier: "bravo" }]);
    const told = await only(world);
    await world.stub.report(news, false);
    expect(await only(world)).toEqual(told);
  });

  it("leaves its receipts to be believed: who has a message, before who has it no more", async () => {
    const world = await openWorld();
    await order(world, ["9876543210", "9876543211"]);
    const [job] = await claim(world, { lane: "bulk", plan: ["acme", "bravo"], dedupes: [] });
    const early = (index: number, carrier: string, state: "delivered" | "undelivered" | "failed" | "submitted") =>
      world.stub.report([{ kind: "receipt", seq: job?.seq ?? 0, index, state, carrier }], false);
    await early(0, "acme", "failed");
    await early(0, "bravo", "delivered");
    await early(1, "acme", "undelivered");
    await early(1, "bravo", "submitted");
    expect((await messagesOf(world)).map(({ state }) => state)).toEqual(["sending", "sending"]);
    vi.setSystemTime(Date.now() + 600_000);
    await runAlarm(world);
    expect(await messagesOf(world)).toMatchObject([
      { state: "delivered", carrier: "bravo", refunded: false },
      { state: "submitted", carrier: "bravo", refunded: false },
    ]);
  });
});

/** What an attempt was, whose report came after its lease: every carrier that was tried. */
const ALL_TOLD = [
  { state: "queued" },
  { state: "sending", attempt: 1, carrier: "acme" },
  { state: "queued", attempt: 1, carrier: "acme", code: "http_503" },
  { state: "sending", attempt: 2, carrier: "bravo" },
  { state: "unknown", attempt: 2, carrier: "bravo", code: "attempt_interrupted" },
  { state: "submitted", carrier: "bravo" },
];
