import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { KEPT_MAX } from "../../src/durable/inbox-rows.ts";
import type { Caught, InboxFilter, InboxMessage } from "../../src/durable/inbox-types.ts";
import type { Inbox } from "../../src/durable/inbox.ts";
import { randomId } from "../../src/ids.ts";
import { waitFor } from "../../src/inbox.ts";
import { consumeDispatch } from "../../src/queues/dispatch.ts";
import { seal } from "../../src/seal.ts";
import { DEPLOYED_SIM, brokenInbox, land, landAll, localInbox, newPhone } from "../inbox.ts";
import { balanceOf, dispatch, follow, messagesOf, openWorld, post, runAlarm, sendSms } from "../world.ts";
import type { World } from "../world.ts";

// What the inbox promises: everything that is submitted stands in it once, sealed, and a wait ends when it comes.

beforeEach(() => vi.spyOn(console, "error").mockReturnValue());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const ofWorld = (world: World): InboxFilter => ({ account: world.name });

async function inboxOf(world: World): Promise<InboxMessage[]> {
  return (await localInbox().list(ofWorld(world), {}, KEPT_MAX)) ?? [];
}

/** An inbox that only this test knows. */
function freshInbox(): { name: string; stub: DurableObjectStub<Inbox> } {
  const name = randomId("acc");
  return { name, stub: env.INBOX.getByName(name) };
}

function caught(account: string, text: string, to = "+919876543210"): Caught {
  return {
    account,
    requestId: randomId("req"),
    operation: "sms",
    content: {},
    text: seal(env.SEAL_SECRET, account, text),
    messages: [{ ref: randomId("msg"), to }],
  };
}

const died = () => Promise.reject(new Error("died"));

describe("landing", () => {
  it("puts every message in once, however often its job is delivered", async () => {
    const world = await openWorld();
    await post(
      "http://sms.localhost/send-bulk-sms",
      { recipients: [newPhone(), newPhone(), newPhone()], message: "Hi" },
      { authorization: `Bearer ${world.apiKey}` },
    );
    const seqs = [...new Set((await messagesOf(world)).map(({ seq }) => seq))];
    await Promise.all([dispatch(world, seqs), dispatch(world, [...seqs, ...seqs])]);
    await dispatch(world, seqs);
    const landed = await inboxOf(world);
    const sent = await messagesOf(world);
    expect(landed.map(({ to }) => to).toSorted()).toEqual(sent.map(({ to }) => to).toSorted());
    expect(sent.every(({ state }) => state === "submitted")).toBe(true);
    expect(landed.every(({ text, requestId }) => text === "Hi" && requestId === sent[0]?.requestId)).toBe(true);
  });

  it("survives a death between inbox and report: the message stands there once, and leaves no second time", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = await openWorld();
    await sendSms(world);
    const [{ seq } = { seq: 0 }] = await messagesOf(world);
    const dies = {
      getByName: (name: string) => {
        const stub = env.ACCOUNT.getByName(name);
        const claim = (...asked: Parameters<typeof stub.claim>) => stub.claim(...asked);
        return { claim, report: died };
      },
    };
    await dispatch(world, [seq], { ACCOUNT: dies } as unknown as Record<string, string>);
    expect(await messagesOf(world)).toMatchObject([{ state: "sending" }]);
    expect(await inboxOf(world)).toHaveLength(1);
    vi.setSystemTime(Date.now() + 60_000);
    await runAlarm(world);
    await dispatch(world, [seq]);
    await follow(world, [seq]);
    expect(await messagesOf(world)).toMatchObject([{ state: "delivered", attempts: 1 }]);
    expect(await inboxOf(world)).toHaveLength(1);
  });

  it("of an attempt that died before it is known not to have been: the message fails and is paid back", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = await openWorld();
    await sendSms(world);
    const [{ seq } = { seq: 0 }] = await messagesOf(world);
    await world.stub.claim([seq], 10, "sim", 30_000);
    vi.setSystemTime(Date.now() + 60_000);
    await runAlarm(world);
    expect(await messagesOf(world)).toMatchObject([{ state: "unknown" }]);
    await follow(world, [seq]);
    await follow(world, [seq]);
    expect(await messagesOf(world)).toMatchObject([
      { state: "failed", errorCode: "attempt_interrupted", refunded: true, attempts: 1 },
    ]);
    expect(await balanceOf(world)).toBe(10_000_000);
    expect(await inboxOf(world)).toEqual([]);
  });

  it.each(["before", "after"] as const)(
    "that fails %s the inbox kept it is tried again, and lands once",
    async (when) => {
      vi.useFakeTimers({ toFake: ["Date"] });
      const world = await openWorld();
      await sendSms(world);
      const [{ seq } = { seq: 0 }] = await messagesOf(world);
      const { INBOX, asked } = brokenInbox(when);
      await dispatch(world, [seq], { INBOX } as unknown as Record<string, string>);
      expect(asked()).toBe(1);
      expect(await messagesOf(world)).toMatchObject([{ state: "queued", attempts: 1, errorCode: "inbox_unavailable" }]);
      expect(await inboxOf(world)).toHaveLength(when === "before" ? 0 : 1);
      vi.setSystemTime(Date.now() + 10_000);
      await dispatch(world, [seq]);
      expect(await messagesOf(world)).toMatchObject([{ state: "submitted", attempts: 2 }]);
      expect(await inboxOf(world)).toHaveLength(1);
    },
  );

  it("that never works ends as a refund, as with any carrier that takes nothing", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = await openWorld();
    const before = await balanceOf(world);
    await sendSms(world);
    const [{ seq } = { seq: 0 }] = await messagesOf(world);
    const { INBOX } = brokenInbox("before");
    for (let attempt = 0; attempt < 6; attempt++) {
      vi.setSystemTime(Date.now() + 600_000);
      await dispatch(world, [seq], { INBOX } as unknown as Record<string, string>);
    }
    expect(await messagesOf(world)).toMatchObject([{ state: "failed", refunded: true }]);
    expect(await balanceOf(world)).toBe(before);
  });

  it("leaves out what the simulator did not take, and what went to another carrier", async () => {
    const world = await openWorld({ mode: "test" });
    for (const phone of ["7000000001", "7000000005", "7000000002"]) {
      await sendSms(world, { body: { phone } });
    }
    await landAll(world);
    expect((await inboxOf(world)).map(({ to }) => to)).toEqual(["+917000000002"]);

    const live = await openWorld();
    await sendSms(live);
    const [{ seq } = { seq: 0 }] = await messagesOf(live);
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      await new Response(init?.body ?? null).text();
      return Response.json({});
    });
    await dispatch(live, [seq], { CARRIER: "http" });
    expect(await messagesOf(live)).toMatchObject([{ state: "submitted" }]);
    expect(await inboxOf(live)).toEqual([]);
  });

  it("takes a batch of many accounts, each into the right hands", async () => {
    const worlds = await Promise.all([openWorld(), openWorld({ mode: "test" }), openWorld()]);
    for (const world of worlds) await sendSms(world, { body: { message: world.name } });
    const jobs = await Promise.all(
      worlds.map(async (world) => ({ kind: "send", account: world.name, seqs: [(await messagesOf(world))[0]!.seq] })),
    );
    const messages = jobs.map((body, id) => ({
      id: `m${id}`,
      timestamp: new Date(),
      attempts: 1,
      body,
      ack() {},
      retry() {},
    }));
    await consumeDispatch({ queue: "dastak-dispatch", messages } as unknown as MessageBatch, env);
    for (const world of worlds) {
      expect((await inboxOf(world)).map(({ text }) => text)).toEqual([world.name]);
    }
  });
});

/** Messages of a world whose texts a deployed consumer can open. */
async function sealedFor(mode: "live" | "test"): Promise<World> {
  const world = await openWorld({ mode });
  await world.stub.send({
    keyId: world.keyId,
    requestId: "req_1",
    operation: "sms",
    recipients: ["+919876543210"],
    price: { kind: "fixed", units: 1 },
    content: {},
    text: seal(DEPLOYED_SIM.SEAL_SECRET ?? "", world.name, "Hello"),
    validityMs: 60_000,
  });
  await landAll(world, DEPLOYED_SIM);
  expect(await messagesOf(world)).toMatchObject([{ state: "submitted" }]);
  return world;
}

describe("a deployed service", () => {
  it("has an inbox for each account's test mode", async () => {
    const world = await sealedFor("test");
    expect(await env.INBOX.getByName(world.name).list({ account: null }, {}, 10)).toMatchObject([
      { account: world.name, to: "+919876543210" },
    ]);
    expect(await inboxOf(world)).toEqual([]);
  });

  it("has none for live messages, also where the simulator takes them", async () => {
    const world = await sealedFor("live");
    for (const name of [world.name, `${world.name}.test`]) {
      expect(await env.INBOX.getByName(name).list({ account: null }, {}, 10)).toEqual([]);
    }
    expect(await inboxOf(world)).toEqual([]);
  });
});

describe("what is kept", () => {
  it("is the newest 500, in order, and in bounded space", async () => {
    const { name, stub } = freshInbox();
    const many: Caught = {
      ...caught(name, "Hello"),
      messages: Array.from({ length: KEPT_MAX + 40 }, (_, at) => ({
        ref: `msg_${at}`,
        to: `+91${9_000_000_000 + at}`,
      })),
    };
    await stub.put([many]);
    await stub.put([caught(name, "the last one")]);
    const kept = (await stub.list({ account: null }, {}, 1_000)) ?? [];
    expect(kept).toHaveLength(KEPT_MAX);
    expect(kept[0]?.text).toBe("the last one");
    expect(kept.at(-1)?.ref).toBe("msg_41");
    expect(kept.map(({ seq }) => seq)).toEqual(kept.map(({ seq }) => seq).toSorted((one, other) => other - one));
    await runInDurableObject(stub, (_, state) => {
      expect(state.storage.sql.exec("SELECT count(*) AS n FROM caught").one()).toEqual({ n: KEPT_MAX });
    });
  });

  it("stands sealed in storage: no value holds the text or the code", async () => {
    const world = await openWorld();
    const [text, otp] = [`Mark${randomId("x")}`, "73918246"];
    await land(world, { message: text });
    await post("http://otp.localhost/send-otp", { phone: newPhone(), otp, apiKey: world.apiKey });
    await landAll(world);
    expect((await inboxOf(world)).map((message) => message.text)).toEqual([expect.stringContaining(otp), text]);
    await runInDurableObject(localInbox(), (_, state) => {
      const { sql } = state.storage;
      const tables = ["caught", "migration", "sqlite_sequence"];
      const values = tables.flatMap((table) => [...sql.exec(`SELECT * FROM ${table}`).raw()].flat());
      const bytes = values.map((value) =>
        Buffer.from(value instanceof ArrayBuffer ? new Uint8Array(value) : JSON.stringify(value)),
      );
      // The search finds what is there: numbers are not sealed.
      expect(bytes.some((value) => value.includes("+919"))).toBe(true);
      for (const secret of [text, otp]) {
        expect(
          bytes.filter((value) => value.includes(secret) || value.includes(Buffer.from(secret, "utf16le"))),
        ).toEqual([]);
      }
    });
  });

  it("does not change when the same message comes again: not its place, not its time, and no wait is woken", async () => {
    const { name, stub } = freshInbox();
    const one = caught(name, "one");
    await stub.put([one]);
    await stub.put([caught(name, "two")]);
    const before = await stub.list({ account: null }, {}, 10);
    const [newest] = before ?? [];
    const waited = stub.wait({ account: null, newest: false, since: { after: newest?.ref ?? "" } }, 20_000);
    await stub.put([one]);
    expect(await stub.list({ account: null }, {}, 10)).toEqual(before);
    await stub.put([caught(name, "three")]);
    expect(await waited).toMatchObject({ ok: true, message: { text: "three" } });
  });

  it("is still there after an eviction, and places in the list are never given twice", async () => {
    const { name, stub } = freshInbox();
    await stub.put([caught(name, "one"), caught(name, "two")]);
    const seqs = (await stub.list({ account: null }, {}, 10))?.map(({ seq }) => seq);
    await evictDurableObject(stub);
    expect((await stub.list({ account: null }, {}, 10))?.map(({ text }) => text)).toEqual(["two", "one"]);
    expect(await stub.remove({ account: null })).toBe(2);
    await evictDurableObject(stub);
    await stub.put([caught(name, "three")]);
    const [{ seq } = { seq: 0 }] = (await stub.list({ account: null }, {}, 10)) ?? [];
    expect(seq).toBeGreaterThan(Math.max(...(seqs ?? [])));
  });

  it("shows a message without its text where the secret has changed", async () => {
    const { name, stub } = freshInbox();
    await stub.put([{ ...caught(name, "Hello"), text: seal("another-secret-that-is-long-enough", name, "Hello") }]);
    expect(await stub.list({ account: null }, {}, 10)).toMatchObject([{ text: null, to: "+919876543210" }]);
  });

  it("costs nothing while nobody put anything in", async () => {
    const { stub } = freshInbox();
    expect(await stub.list({ account: null }, {}, 10)).toEqual([]);
    expect(await stub.remove({ account: null })).toBe(0);
    expect(await stub.find(null, "msg_1")).toBeNull();
    await runInDurableObject(stub, (_, state) => {
      expect(state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'caught'").toArray()).toEqual([]);
    });
  });
});

describe("a wait", () => {
  const anything = { account: null, newest: false };

  it("survives the death of the object: whoever waits asks again", async () => {
    const { name, stub } = freshInbox();
    const waited = waitFor(env, name, anything, 20_000);
    // The wait is open by the time that a later call is answered.
    await stub.list({ account: null }, {}, 1);
    await runInDurableObject(stub, (_, state) => state.abort("killed by a test")).catch(() => undefined);
    await env.INBOX.getByName(name).put([caught(name, "after the death")]);
    expect(await waited).toMatchObject({ ok: true, message: { text: "after the death" } });
  });

  it("ends with nothing when its time is over, and leaves nothing behind", async () => {
    const { name, stub } = freshInbox();
    expect(await stub.wait(anything, 5)).toEqual({ ok: true, message: null });
    await stub.put([caught(name, "too late")]);
    expect(await stub.wait({ ...anything, since: { at: Date.now() + 60_000 } }, 0)).toEqual({
      ok: true,
      message: null,
    });
  });

  it("gets the first that matches, and each wait its own", async () => {
    const { name, stub } = freshInbox();
    const phones = Array.from({ length: 20 }, (_, at) => `+91${9_000_000_000 + at}`);
    const waits = phones.map((to) => stub.wait({ ...anything, to }, 20_000));
    await stub.put([caught(name, "to nobody who waits", "+14155550132")]);
    await stub.put(phones.toReversed().map((to) => caught(name, `for ${to}`, to)));
    const texts = (await Promise.all(waits)).map((waited) => waited.ok && waited.message?.text);
    expect(texts).toEqual(phones.map((to) => `for ${to}`));
  });

  it("is woken by no message of before its time", async () => {
    const { name, stub } = freshInbox();
    const waited = stub.wait({ ...anything, since: { at: Date.now() + 3_600_000 } }, 300);
    await stub.put([caught(name, "now")]);
    expect(await waited).toEqual({ ok: true, message: null });
  });
});
