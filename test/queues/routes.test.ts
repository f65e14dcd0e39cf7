import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { carrierSetting } from "../../src/carriers/stored.ts";
import { ACME_SECRET } from "../world/carrier-set.ts";
import { watchAccounts } from "../world/carriers.ts";
import { IN_TURN, NAMES, QUEUED, around, carriersOf, deliver, only, order } from "../world/routed.ts";
import { refOf, route, routed, send, setUpCarriers, takeDown, timelineOf } from "../world/routed.ts";
import { ledgerOf, messagesOf, openWorld, operator } from "../world/world.ts";

// Three carriers and routes to them: choice, and the next carrier under one claim (contract §16.2).

beforeEach(setUpCarriers);
afterEach(takeDown);

const NO = () => new Response(null, { status: 503 });

describe("a single message", () => {
  it("goes on to the next carrier under one claim, one charge and one reference", async () => {
    await route(IN_TURN);
    routed.answers = { acme: NO, bravo: NO };
    const world = await openWorld();
    const entries = (await ledgerOf(world)).length;
    const { ACCOUNT, calls } = watchAccounts();
    await send(world, around({ ACCOUNT }));
    expect(carriersOf()).toEqual(["acme", "bravo", "charlie"]);
    expect(new Set(routed.got.map(({ ref }) => ref)).size).toBe(1);
    expect(calls).toEqual(["send", "report"]);
    expect(await only(world)).toMatchObject({ state: "submitted", carrier: "charlie", attempts: 3 });
    expect(await ledgerOf(world)).toHaveLength(entries + 1);
    expect(await timelineOf(world)).toEqual([
      { state: "queued" },
      { state: "sending", attempt: 1, carrier: "acme" },
      { state: "queued", attempt: 1, carrier: "acme", code: "http_503" },
      { state: "sending", attempt: 2, carrier: "bravo" },
      { state: "queued", attempt: 2, carrier: "bravo", code: "http_503" },
      { state: "sending", attempt: 3, carrier: "charlie" },
      { state: "submitted", attempt: 3, carrier: "charlie" },
    ]);
  });

  it.each([
    ["failed", 400],
    ["unknown", 500],
  ])("ends with the first carrier's word: %s", async (state, status) => {
    await route(IN_TURN);
    routed.answers = { acme: () => new Response(null, { status }) };
    const world = await openWorld();
    await send(world);
    expect(carriersOf()).toEqual(["acme"]);
    expect(await only(world)).toMatchObject({ state, carrier: "acme", attempts: 1 });
    await deliver(world, "single");
    expect(routed.got).toHaveLength(1);
  });

  it("waits for its gap when none takes it, and then begins with the first again", async () => {
    await route(IN_TURN);
    routed.answers = { acme: NO, bravo: NO, charlie: NO };
    const world = await openWorld();
    await send(world);
    expect(await only(world)).toMatchObject({ state: "queued", carrier: "charlie", attempts: 3, refunded: false });
    await deliver(world, "single");
    expect(routed.got).toHaveLength(3);
    routed.answers = {};
    vi.setSystemTime(Date.now() + 60_000);
    await deliver(world, "single");
    expect(carriersOf()).toEqual(["acme", "bravo", "charlie", "acme"]);
    expect(await only(world)).toMatchObject({ state: "submitted", carrier: "acme", attempts: 4 });
    expect((await timelineOf(world))?.at(-1)).toEqual({ state: "submitted", attempt: 4, carrier: "acme" });
  });

  it("is sent by CARRIER where no route fits, and its row says nothing more than before", async () => {
    await route({ ...IN_TURN, to: ["US"] });
    const world = await openWorld();
    await send(world, around({ CARRIER_HTTP_URL: "https://own.example.com/", CARRIER_HTTP_SECRET: ACME_SECRET }));
    expect(carriersOf()).toEqual(["own"]);
    expect(await only(world)).toMatchObject({ state: "submitted", carrier: "http", attempts: 1 });
  });

  it("passes over a carrier whose secrets do not open", async () => {
    await route(IN_TURN);
    await carrierSetting.change(env.RECORDINGS, (set) => ({
      ...set,
      carriers: set.carriers.map((one) => (one.name === "acme" ? { ...one, secrets: { secret: "AAAA" } } : one)),
    }));
    const world = await openWorld();
    await send(world);
    expect(carriersOf()).toEqual(["bravo"]);
    expect((await timelineOf(world))?.slice(1, 4)).toEqual([
      { state: "sending", attempt: 1, carrier: "acme" },
      { state: "queued", attempt: 1, carrier: "acme", code: "not_configured" },
      { state: "sending", attempt: 2, carrier: "bravo" },
    ]);
  });

  it("passes over a carrier that is out, but not where there is no other", async () => {
    await route({ ...IN_TURN, fallback: ["bravo"] });
    routed.permits = { acme: () => ({ state: "out", outMs: 30_000, isLimited: true }) };
    const at = around();
    const later = { ...at, ...QUEUED };
    const [first, second, alone] = [await openWorld(), await openWorld(), await openWorld()];
    await send(first, later);
    await deliver(first, "single", at);
    await send(second, at);
    expect(carriersOf()).toEqual(["bravo", "bravo"]);
    expect(await only(second)).toMatchObject({ state: "submitted", carrier: "bravo", attempts: 1 });
    await route({ carriers: [{ name: "acme", weight: 1 }] });
    await send(alone, around());
    expect(carriersOf().at(-1)).toBe("acme");
  });
});

describe("messages of several carriers", () => {
  const PHONES = Array.from({ length: 60 }, (_, nth) => `98765432${10 + nth}`);

  it("are shared by the weights, each submitted once by two consumers and doubled tokens", async () => {
    await route({ carriers: NAMES.map((name, nth) => ({ name, weight: nth })), fallback: [] });
    const world = await openWorld();
    await order(world, PHONES);
    await Promise.all([deliver(world), deliver(world)]);
    await deliver(world);
    expect(routed.got).toHaveLength(PHONES.length);
    expect(new Set(routed.got.map(({ ref }) => ref)).size).toBe(PHONES.length);
    const counts = Map.groupBy(routed.got, ({ carrier }) => carrier);
    expect([...counts.keys()].toSorted()).toEqual(["bravo", "charlie"]);
    expect(counts.get("charlie")?.length ?? 0).toBeGreaterThan(counts.get("bravo")?.length ?? 0);
    for (const message of await messagesOf(world)) {
      const { carrier } = routed.got.find(({ ref }) => ref === refOf(world, message)) ?? {};
      expect(message).toMatchObject({ state: "submitted", carrier, attempts: 1 });
    }
  });

  it("do not wait for those of a carrier that has no permits", async () => {
    await route(
      { to: ["+91987"], carriers: [{ name: "acme", weight: 1 }] },
      { carriers: [{ name: "bravo", weight: 1 }] },
    );
    routed.permits = { acme: () => ({ atMs: [], againMs: 60_000, isLimited: true }) };
    const [world, at] = [await openWorld(), around()];
    // Those that nothing can be done for stand in front.
    await order(world, PHONES);
    vi.setSystemTime(Date.now() + 1_000);
    await order(world, ["7012345670", "7012345671"]);
    await deliver(world, "bulk", at);
    await deliver(world, "bulk", at);
    expect(carriersOf()).toEqual(["bravo", "bravo"]);
    routed.permits = {};
    vi.setSystemTime(Date.now() + 120_000);
    await deliver(world, "bulk", around());
    expect(carriersOf().filter((name) => name === "acme")).toHaveLength(PHONES.length);
    expect((await messagesOf(world)).every(({ state, attempts }) => state === "submitted" && attempts === 1)).toBe(
      true,
    );
  });

  it("go by the routes that there are when they are claimed", async () => {
    await route({ carriers: [{ name: "acme", weight: 1 }] });
    const world = await openWorld();
    await order(world, ["9876543210", "9876543211"]);
    routed.answers = { acme: NO };
    await deliver(world);
    await route({ carriers: [{ name: "bravo", weight: 1 }] });
    expect((await operator("DELETE", "/operator/carriers/acme")).status).toBe(200);
    vi.setSystemTime(Date.now() + 60_000);
    await deliver(world);
    expect((await messagesOf(world)).map(({ state, carrier }) => [state, carrier])).toEqual([
      ["submitted", "bravo"],
      ["submitted", "bravo"],
    ]);
  });
});
