import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { KEPT_MAX } from "../../../src/durable/inbox/rows.ts";
import type { Caught } from "../../../src/inbox/types.ts";
import { WAITS_MAX } from "../../../src/durable/inbox.ts";
import type { Inbox } from "../../../src/durable/inbox.ts";
import { randomId } from "../../../src/crypto/ids.ts";
import { waitFor } from "../../../src/inbox/landing.ts";
import { seal } from "../../../src/crypto/seal.ts";
import { DEPLOYED_SIM, inboxOf, land, landAll, localInbox, newPhone } from "../../world/inbox.ts";
import { messagesOf, openWorld, post } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// What the inbox promises: it contains every submitted message once, sealed, and a wait ends when its message arrives.

beforeEach(() => vi.spyOn(console, "error").mockReturnValue());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** An inbox that only this test uses. */
function freshInbox(): { name: string; stub: DurableObjectStub<Inbox> } {
  const name = randomId("acc");
  return { name, stub: env.INBOX.getByName(name) };
}

async function caught(account: string, text: string, to = "+919876543210"): Promise<Caught> {
  return {
    account,
    requestId: randomId("req"),
    operation: "sms",
    content: {},
    text: await seal(env.SEAL_SECRET, account, text),
    messages: [{ ref: randomId("msg"), to }],
  };
}

/** A world with one submitted message, whose text a deployed consumer can open. */
async function sealedFor(mode: "live" | "test"): Promise<World> {
  const world = await openWorld({ mode });
  await world.stub.send({
    keyId: world.keyId,
    requestId: "req_1",
    operation: "sms",
    recipients: ["+919876543210"],
    price: { kind: "fixed", units: 1 },
    content: {},
    text: await seal(DEPLOYED_SIM.SEAL_SECRET ?? "", world.name, "Hello"),
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

  it("has no inbox for live messages, even when the simulator takes them", async () => {
    const world = await sealedFor("live");
    for (const name of [world.name, `${world.name}.test`]) {
      expect(await env.INBOX.getByName(name).list({ account: null }, {}, 10)).toEqual([]);
    }
    expect(await inboxOf(world)).toEqual([]);
  });
});

describe("the stored messages", () => {
  it("are the newest 500, in order, and in bounded space", async () => {
    const { name, stub } = freshInbox();
    const many: Caught = {
      ...(await caught(name, "Hello")),
      messages: Array.from({ length: KEPT_MAX + 40 }, (_, at) => ({
        ref: `msg_${at}`,
        to: `+91${9_000_000_000 + at}`,
      })),
    };
    await stub.put([many]);
    await stub.put([await caught(name, "the last one")]);
    const kept = (await stub.list({ account: null }, {}, 1_000)) ?? [];
    expect(kept).toHaveLength(KEPT_MAX);
    expect(kept[0]?.text).toBe("the last one");
    expect(kept.at(-1)?.ref).toBe("msg_41");
    expect(kept.map(({ seq }) => seq)).toEqual(kept.map(({ seq }) => seq).toSorted((one, other) => other - one));
    await runInDurableObject(stub, (_, state) => {
      expect(state.storage.sql.exec("SELECT count(*) AS n FROM caught").one()).toEqual({ n: KEPT_MAX });
    });
  });

  it("are sealed in storage: no value contains the text or the code", async () => {
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
      // Numbers are not sealed, which proves that this search can find plain text.
      expect(bytes.some((value) => value.includes("+919"))).toBe(true);
      for (const secret of [text, otp]) {
        expect(
          bytes.filter((value) => value.includes(secret) || value.includes(Buffer.from(secret, "utf16le"))),
        ).toEqual([]);
      }
    });
  });

  it("do not change when the same message arrives again: same place, same time, and no wait is woken", async () => {
    const { name, stub } = freshInbox();
    const one = await caught(name, "one");
    await stub.put([one]);
    await stub.put([await caught(name, "two")]);
    const before = await stub.list({ account: null }, {}, 10);
    const [newest] = before ?? [];
    const waited = stub.wait({ account: null, newest: false, since: { after: newest?.ref ?? "" } }, 20_000);
    await stub.put([one]);
    expect(await stub.list({ account: null }, {}, 10)).toEqual(before);
    await stub.put([await caught(name, "three")]);
    expect(await waited).toMatchObject({ ok: true, message: { text: "three" } });
  });

  it("survive an eviction, and sequence numbers are never reused", async () => {
    const { name, stub } = freshInbox();
    await stub.put([await caught(name, "one"), await caught(name, "two")]);
    const seqs = (await stub.list({ account: null }, {}, 10))?.map(({ seq }) => seq);
    await evictDurableObject(stub);
    expect((await stub.list({ account: null }, {}, 10))?.map(({ text }) => text)).toEqual(["two", "one"]);
    expect(await stub.remove({ account: null })).toBe(2);
    await evictDurableObject(stub);
    await stub.put([await caught(name, "three")]);
    const [{ seq } = { seq: 0 }] = (await stub.list({ account: null }, {}, 10)) ?? [];
    expect(seq).toBeGreaterThan(Math.max(...(seqs ?? [])));
  });

  it("are shown without text after the secret has changed", async () => {
    const { name, stub } = freshInbox();
    await stub.put([
      { ...(await caught(name, "Hello")), text: await seal("another-secret-that-is-long-enough", name, "Hello") },
    ]);
    expect(await stub.list({ account: null }, {}, 10)).toMatchObject([{ text: null, to: "+919876543210" }]);
  });

  it("take no storage until the first one arrives", async () => {
    const { stub } = freshInbox();
    expect(await stub.list({ account: null }, {}, 10)).toEqual([]);
    expect(await stub.remove({ account: null })).toBe(0);
    expect(await stub.find(null, "msg_1")).toBeNull();
    await runInDurableObject(stub, (_, state) => {
      expect(state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'caught'").toArray()).toEqual([]);
    });
  });
});

describe("what is old", () => {
  const DAY_MS = 86_400_000;

  it("is deleted after TEST_DAYS, also in an inbox at rest, with at most one alarm a day", async () => {
    // Ahead of the real clock, so that no alarm rings by itself.
    const fromMs = Date.now() + 1_000 * DAY_MS;
    vi.useFakeTimers({ toFake: ["Date"], now: fromMs });
    const { name, stub } = freshInbox();
    await stub.put([await caught(name, "first")]);
    vi.setSystemTime(fromMs + 1_000);
    await stub.put([await caught(name, "second")]);
    vi.setSystemTime(fromMs + 3 * DAY_MS);
    await evictDurableObject(stub);
    await stub.put([await caught(name, "third")]);
    const texts = async () => (await stub.list({ account: null }, {}, 10))?.map(({ text }) => text);
    const rung: number[] = [];
    for (;;) {
      const dueMs = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
      if (dueMs === null) break;
      vi.setSystemTime(dueMs);
      await runDurableObjectAlarm(stub);
      rung.push((dueMs - fromMs) / DAY_MS);
      if (rung.length === 1) expect(await texts()).toEqual(["third", "second"]);
    }
    expect(await texts()).toEqual([]);
    expect(rung).toEqual([7, 8, 10]);
  });
});

describe("a wait", () => {
  const anything = { account: null, newest: false };

  it("survives the death of the object, because the caller asks again", async () => {
    const { name, stub } = freshInbox();
    const waited = waitFor(env, name, anything, 20_000);
    // The wait is open once a later call has been answered.
    await stub.list({ account: null }, {}, 1);
    await runInDurableObject(stub, (_, state) => state.abort("killed by a test")).catch(() => undefined);
    await env.INBOX.getByName(name).put([await caught(name, "after the death")]);
    expect(await waited).toMatchObject({ ok: true, message: { text: "after the death" } });
  });

  it("ends with null when its time is over, and leaves nothing behind", async () => {
    const { name, stub } = freshInbox();
    expect(await stub.wait(anything, 5)).toEqual({ ok: true, message: null });
    // The maximum of simultaneous waits, twice: every wait that ended has freed its place.
    await runInDurableObject(stub, async (inbox: Inbox) => {
      for (let time = 0; time < 2; time += 1) {
        const open = Array.from({ length: WAITS_MAX }, () => inbox.wait(anything, 5));
        expect(await inbox.wait(anything, 5)).toEqual({ ok: false, reason: "too_many_waits" });
        expect(new Set((await Promise.all(open)).map((waited) => JSON.stringify(waited)))).toEqual(
          new Set([JSON.stringify({ ok: true, message: null })]),
        );
      }
    });
    await stub.put([await caught(name, "too late")]);
    expect(await stub.wait({ ...anything, since: { at: Date.now() + 60_000 } }, 0)).toEqual({
      ok: true,
      message: null,
    });
  });

  it("gets the first message that matches, each of several waits its own", async () => {
    const { name, stub } = freshInbox();
    const phones = Array.from({ length: 20 }, (_, at) => `+91${9_000_000_000 + at}`);
    const waits = phones.map((to) => stub.wait({ ...anything, to }, 20_000));
    await stub.put([await caught(name, "to nobody who waits", "+14155550132")]);
    await stub.put(await Promise.all(phones.toReversed().map((to) => caught(name, `for ${to}`, to))));
    const texts = (await Promise.all(waits)).map((waited) => waited.ok && waited.message?.text);
    expect(texts).toEqual(phones.map((to) => `for ${to}`));
  });

  it("is not woken by a message from before its `since`", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { name, stub } = freshInbox();
    const waited = stub.wait({ ...anything, since: { at: Date.now() + 3_600_000 } }, 20_000);
    await stub.put([await caught(name, "now")]);
    vi.setSystemTime(Date.now() + 3_600_000);
    await stub.put([await caught(name, "in time")]);
    expect(await waited).toMatchObject({ ok: true, message: { text: "in time" } });
  });
});
