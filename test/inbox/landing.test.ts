import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { brokenInbox, inboxOf, landAll, newPhone } from "../world/inbox.ts";
import { away, watchAccounts, watchLanes } from "../world/carriers.ts";
import {
  balanceOf,
  claim,
  deliverLane,
  dispatch,
  follow,
  messagesOf,
  openWorld,
  post,
  runAlarm,
  sendSms,
} from "../world/world.ts";

// The inbox gets every message that the simulator accepted exactly once, even if a component dies in between.

beforeEach(() => vi.spyOn(console, "error").mockReturnValue());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("the delivery of a message to the inbox", () => {
  it("puts every message in once, however often its job is delivered", async () => {
    const world = await openWorld();
    await post(
      "http://sms.localhost/send-bulk-sms",
      { recipients: [newPhone(), newPhone(), newPhone()], message: "Hi" },
      { authorization: `Bearer ${world.apiKey}` },
    );
    await Promise.all([dispatch(world), dispatch(world)]);
    await dispatch(world);
    const landed = await inboxOf(world);
    const sent = await messagesOf(world);
    expect(landed.map(({ to }) => to).toSorted()).toEqual(sent.map(({ to }) => to).toSorted());
    expect(sent.every(({ state }) => state === "submitted")).toBe(true);
    expect(landed.every(({ text, requestId }) => text === "Hi" && requestId === sent[0]?.requestId)).toBe(true);
  });

  it("survives a death between inbox and report: the message is there once, and is not submitted again", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = await openWorld();
    await sendSms(world);
    const [{ seq } = { seq: 0 }] = await messagesOf(world);
    const { ACCOUNT } = watchAccounts({ report: away });
    vi.spyOn(scheduler, "wait").mockResolvedValue(undefined);
    await dispatch(world, [], { ACCOUNT, ...watchLanes(away).lanes });
    expect(await messagesOf(world)).toMatchObject([{ state: "sending" }]);
    expect(await inboxOf(world)).toHaveLength(1);
    vi.setSystemTime(Date.now() + 700_000);
    await runAlarm(world);
    await dispatch(world);
    await follow(world, [seq]);
    expect(await messagesOf(world)).toMatchObject([{ state: "delivered", attempts: 1 }]);
    expect(await inboxOf(world)).toHaveLength(1);
  });

  it("is known not to have happened when the attempt died before it: the message is sent again", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = await openWorld();
    await sendSms(world);
    const [{ seq } = { seq: 0 }] = await messagesOf(world);
    await claim(world, { carrier: "sim", leaseMs: 30_000 });
    vi.setSystemTime(Date.now() + 700_000);
    await runAlarm(world);
    expect(await messagesOf(world)).toMatchObject([{ state: "unknown" }]);
    await follow(world, [seq]);
    await follow(world, [seq]);
    expect(await messagesOf(world)).toMatchObject([{ state: "queued", refunded: false, attempts: 1 }]);
    expect(await inboxOf(world)).toEqual([]);
    vi.setSystemTime(Date.now() + 10_000);
    await dispatch(world);
    expect(await messagesOf(world)).toMatchObject([{ state: "submitted", attempts: 2 }]);
    expect(await inboxOf(world)).toHaveLength(1);
  });

  it.each(["before", "after"] as const)(
    "is retried when the inbox fails %s storing it, and stores it once",
    async (when) => {
      vi.useFakeTimers({ toFake: ["Date"] });
      const world = await openWorld();
      await sendSms(world);
      const { INBOX, asked } = brokenInbox(when);
      await dispatch(world, [], { INBOX });
      expect(asked()).toBe(1);
      expect(await messagesOf(world)).toMatchObject([{ state: "queued", attempts: 1, errorCode: "inbox_unavailable" }]);
      expect(await inboxOf(world)).toHaveLength(when === "before" ? 0 : 1);
      vi.setSystemTime(Date.now() + 10_000);
      await dispatch(world);
      expect(await messagesOf(world)).toMatchObject([{ state: "submitted", attempts: 2 }]);
      expect(await inboxOf(world)).toHaveLength(1);
    },
  );

  it("ends in a refund when it never succeeds, as with any carrier", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = await openWorld();
    const before = await balanceOf(world);
    await sendSms(world);
    const { INBOX } = brokenInbox("before");
    for (let attempt = 0; attempt < 6; attempt++) {
      vi.setSystemTime(Date.now() + 600_000);
      await dispatch(world, [], { INBOX });
    }
    expect(await messagesOf(world)).toMatchObject([{ state: "failed", refunded: true }]);
    expect(await balanceOf(world)).toBe(before);
  });

  it("excludes messages that the simulator did not take, and those of another carrier", async () => {
    const world = await openWorld({ mode: "test" });
    for (const phone of ["7000000001", "7000000005", "7000000002"]) {
      await sendSms(world, { body: { phone } });
    }
    await landAll(world);
    expect((await inboxOf(world)).map(({ to }) => to)).toEqual(["+917000000002"]);

    const live = await openWorld();
    await sendSms(live);
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      await new Response(init?.body ?? null).text();
      return Response.json({});
    });
    await dispatch(live, [], { CARRIER: "http" });
    expect(await messagesOf(live)).toMatchObject([{ state: "submitted" }]);
    expect(await inboxOf(live)).toEqual([]);
  });

  it("handles a batch of several accounts, each with its own inbox entries", async () => {
    const worlds = await Promise.all([openWorld(), openWorld({ mode: "test" }), openWorld()]);
    for (const world of worlds) await sendSms(world, { body: { message: world.name } });
    await deliverLane(worlds.map(({ name }) => ({ kind: "send", account: name, lane: "single" })));
    for (const world of worlds) {
      expect((await inboxOf(world)).map(({ text }) => text)).toEqual([world.name]);
    }
  });
});
