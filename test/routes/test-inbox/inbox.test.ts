import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Account } from "../../../src/durable/account.ts";
import { OWN_REQUESTS_MAX } from "../../../src/durable/account/own-requests.ts";
import { keylessReads } from "../../../src/routes/test-inbox/inbox.ts";
import { recordingPath } from "../../../src/recordings/signed-address.ts";
import { showKey } from "../../../src/crypto/api-key.ts";
import { callWith } from "../../world/deployment.ts";
import { API, DEPLOYED_SIM, ask, land, landAll, newPhone } from "../../world/inbox.ts";
import { expectFailure } from "../../world/operating.ts";
import { bearer, call, openWorld, post, recordingOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { CONSOLE, visit } from "../../world/visitor.ts";

// The test inbox's API, but for its waits (wait.test.ts).

interface Shown {
  id: string;
  to: string;
  text: string;
}

const textsOf = async (world: World | null, path = "") =>
  ((await ask(world, path)).body.data as Shown[]).map(({ text }) => text);

describe("the list", () => {
  it("shows each kind as its phone received it, newest first", async () => {
    const world = await openWorld();
    const phone = newPhone();
    await land(world, { phone, message: "Hello", senderId: "MYSHOP" });
    await post("http://otp.localhost/send-otp", { phone, otp: "0042", brandName: "Shop 9999" }, bearer(world.apiKey));
    const abroad = { phone: "+14155550132", message: "Hi", isFlash: true };
    await post("http://sms.localhost/send-international-sms", abroad, bearer(world.apiKey));
    const spoken = { callee: phone, text: "Your code is 7788", language: "HI" };
    await post("http://tts.localhost/api/tts-call", spoken, { "x-api-key": world.apiKey });
    const played = { callee: `91${phone}`, fileId: await recordingOf(world) };
    await post("http://voice.localhost/api/make-voice-call", played, { "x-api-key": world.apiKey });
    await landAll(world);
    const reply = await ask(world);
    const [voice, tts, international, otp, sms] = reply.body.data;
    expect(reply.body).toMatchObject({ success: true, has_more: false, next: null });
    expect(sms).toEqual({
      id: expect.stringMatching(/^msg_/u),
      request_id: expect.stringMatching(/^req_/u),
      to: `+91${phone}`,
      operation: "sms",
      sender: "MYSHOP",
      text: "Hello",
      code: null,
      flash: false,
      audio_url: null,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u),
    });
    expect(otp).toMatchObject({ operation: "otp", code: "0042", sender: null });
    expect(international).toMatchObject({ operation: "sms_international", flash: true, to: "+14155550132" });
    expect(tts).toMatchObject({ operation: "tts", text: "Your code is 7788", code: "7788" });
    expect(tts.id).toMatch(/^call_/u);
    expect(voice).toMatchObject({ operation: "voice", text: null, code: null });
    expect(voice.audio_url).toMatch(/^http:\/\/console\.localhost\/media\/[\w-]+$/u);
  });

  it("contains the address of a recording that plays", async () => {
    const world = await openWorld();
    const key = `${world.name}/${"ab".repeat(32)}`;
    await env.RECORDINGS.put(key, "RIFF");
    const config = { KEY_SECRET: env.KEY_SECRET, AUDIO_URL_TTL_MS: 1_000 } as unknown as Parameters<
      typeof recordingPath
    >[0];
    const path = recordingPath(config, { recording: { objectKey: key, mime: "audio/wav" } });
    expect((await call(CONSOLE + path)).text).toBe("RIFF");
    expect(recordingPath(config, {})).toBeNull();
  });

  it("pages by a cursor, and filters by search, number and time", async () => {
    const world = await openWorld();
    const phones = [newPhone(), newPhone(), newPhone()];
    for (const [at, phone] of phones.entries()) await land(world, { phone, message: `Message ${at}` });
    const first = await ask(world, "?limit=2");
    expect(first.body).toMatchObject({ has_more: true, data: [{ text: "Message 2" }, { text: "Message 1" }] });
    const second = await ask(world, `?limit=2&after=${first.body.next}`);
    expect(second.body).toMatchObject({ has_more: false, next: null, data: [{ text: "Message 0" }] });
    expect(await textsOf(world, "?q=-text:1")).toEqual(["Message 2", "Message 0"]);
    expect(await textsOf(world, "?q=kind:otp")).toEqual([]);
    expect(await textsOf(world, `?to=${phones[1]}`)).toEqual(["Message 1"]);
    expect(await textsOf(world, `?to=%2B91${phones[1]}`)).toEqual(["Message 1"]);
    expect(await textsOf(world, `?to=+91${phones[1]}`)).toEqual(["Message 1"]);
    expect(await textsOf(world, `?to=${phones[1]?.slice(1)}`)).toEqual([]);
    const oldest = second.body.data[0] as { id: string; request_id: string };
    expect(await textsOf(world, `?since=${oldest.id}`)).toEqual(["Message 2", "Message 1"]);
    expect(await textsOf(world, `?q=request:${oldest.request_id}`)).toEqual(["Message 0"]);
    expect(await textsOf(world, `?since=${Date.now() + 60_000}`)).toEqual([]);
    expect(await textsOf(world, "?since=2020-01-01T00:00:00%2B05:30")).toHaveLength(3);
  });

  it.each([
    ["?since=yesterday", "since"],
    ["?since=msg_doesnotexist", "since"],
    ["?to=98", "to"],
    ["?to=abc", "to"],
    ["?limit=0", "limit"],
    ["?after=x", "after"],
    ["?q=stat:delivered", "q"],
    ["?q=kind:", "q"],
    ["/wait?timeout=61", "timeout"],
    ["/wait?timeout=-1", "timeout"],
    ["/wait?timeout=x", "timeout"],
    ["/wait?since=msg_doesnotexist", "since"],
  ])("%s is refused", async (path, param) => {
    expectFailure(await ask(await openWorld(), path), 400, "invalid_request", { param });
  });

  it("returns hostile texts as they were sent", async () => {
    const world = await openWorld();
    const texts = [
      "<img src=x onerror=alert(1)>",
      "\u202egnp.exe",
      "'; DROP TABLE caught; --",
      "😀".repeat(70),
      "%_\\",
    ];
    for (const message of texts) await land(world, { message });
    expect(await textsOf(world)).toEqual(texts.toReversed());
    expect(await textsOf(world, `?q=${encodeURIComponent('"DROP TABLE"')}`)).toEqual([texts[2]]);
    expect(await textsOf(world, `?q=${encodeURIComponent("text:%_")}`)).toEqual(["%_\\"]);
  });
});

describe("read access", () => {
  it("with a key covers the key's account in its mode; locally, without a key, all accounts", async () => {
    const [live, test] = [await openWorld(), await openWorld({ mode: "test" })];
    const mark = `mark${newPhone()}`;
    await land(live, { message: `${mark} live` });
    await land(test, { message: `${mark} test` });
    expect(await textsOf(live)).toEqual([`${mark} live`]);
    expect(await textsOf(test)).toEqual([`${mark} test`]);
    expect(await textsOf(null, `?q=${mark}`)).toEqual([`${mark} test`, `${mark} live`]);
    const [theirs] = (await ask(live)).body.data as Shown[];
    for (const method of ["GET", "DELETE"]) {
      expectFailure(await ask(test, `/${theirs?.id}`, { method }), 404, "not_found");
    }
    expect((await ask(test, `?since=${theirs?.id}`)).status).toBe(400);
    expect((await ask(live, `/${theirs?.id}`)).body.message.text).toBe(`${mark} live`);
  });

  it("is denied for a key that is forged, revoked or malformed", async () => {
    const world = await openWorld();
    await land(world);
    await world.stub.revokeKey(world.keyId);
    expectFailure(await ask(world), 401, "unauthorized");
    for (const authorization of [`Bearer ${world.apiKey.slice(0, -1)}x`, "Bearer", "Bearer x", "Basic x"]) {
      expectFailure(await call(API, { headers: { authorization } }), 401, "unauthorized");
    }
    expectFailure(await call(API, { headers: { "x-api-key": world.apiKey } }), 401, "unauthorized");
  });

  it("is not changed by a cookie", async () => {
    const { visitor, world } = await visit();
    await land(world, { message: "mine" });
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const other = await openWorld();
    const reply = await call(API, { headers: { cookie, ...bearer(other.apiKey) } });
    expect(reply.body).toMatchObject({ success: true, data: [] });
    expectFailure(
      await callWith(DEPLOYED_SIM, "https://console.dastak.example/v1/test/inbox", { headers: { cookie } }),
      401,
      "unauthorized",
    );
  });

  it("does not count in the rate window", async () => {
    const world = await openWorld({ plan: "starter" });
    for (let at = 0; at < 15; at++) expect((await ask(world, "?limit=1")).status).toBe(200);
  });

  it("exists on the console's host only", async () => {
    expect((await call("http://sms.localhost/v1/test/inbox")).status).toBe(404);
  });
});

/** A world whose key is valid for a deployed service. */
async function deployedWorld(mode: "live" | "test") {
  const world = await openWorld({ mode });
  return { ...world, apiKey: showKey(DEPLOYED_SIM.KEY_SECRET ?? "", { ...world.ref, keyId: world.keyId }) };
}

describe("a deployed service", () => {
  const URL = "https://console.dastak.example/v1/test/inbox";

  it("accepts test keys only, each for its own account", async () => {
    const [test, other] = [await deployedWorld("test"), await deployedWorld("test")];
    await land(await openWorld(), { message: "in the local inbox" });
    await env.INBOX.getByName(test.name).put([
      {
        account: test.name,
        requestId: "req_1",
        operation: "sms",
        content: {},
        text: null,
        messages: [{ ref: "msg_1", to: "+919876543210" }],
      },
    ]);
    const reply = await callWith(DEPLOYED_SIM, URL, { headers: bearer(test.apiKey) });
    expect(reply.body).toMatchObject({ success: true, data: [{ id: "msg_1" }] });
    expect((await callWith(DEPLOYED_SIM, URL, { headers: bearer(other.apiKey) })).body).toMatchObject({ data: [] });
  });

  it("refuses live keys with a sentence, and requests without a key", async () => {
    const live = await deployedWorld("live");
    for (const [path, method] of [
      ["", "GET"],
      ["/wait", "GET"],
      ["", "DELETE"],
      ["/msg_1", "GET"],
      ["/msg_1", "DELETE"],
    ] as const) {
      const init = { method, headers: bearer(live.apiKey) };
      expectFailure(await callWith(DEPLOYED_SIM, URL + path, init), 403, "permission_denied");
      expectFailure(await callWith(DEPLOYED_SIM, URL + path, { method }), 401, "unauthorized");
    }
    await live.stub.revokeKey(live.keyId);
    expectFailure(await callWith(DEPLOYED_SIM, URL, { headers: bearer(live.apiKey) }), 401, "unauthorized");
  });
});

describe("deleting", () => {
  it("removes one message, what a search matches, or all of the account and nothing else", async () => {
    const [mine, other] = [await openWorld(), await openWorld()];
    for (const message of ["one", "two", "three", "four"]) await land(mine, { message });
    await land(other, { message: "theirs" });
    const [newest] = (await ask(mine)).body.data as Shown[];
    expect((await ask(mine, `/${newest?.id}`, { method: "DELETE" })).body).toEqual({ success: true, deleted: 1 });
    expectFailure(await ask(mine, `/${newest?.id}`, { method: "DELETE" }), 404, "not_found");
    expectFailure(await ask(mine, `/${newest?.id}`), 404, "not_found");
    expect((await ask(mine, "?q=two", { method: "DELETE" })).body).toEqual({ success: true, deleted: 1 });
    expect(await textsOf(mine)).toEqual(["three", "one"]);
    // A search that is not understood deletes nothing.
    expect((await ask(mine, "?q=stat:x", { method: "DELETE" })).status).toBe(400);
    expect((await ask(mine, "", { method: "DELETE" })).body).toEqual({ success: true, deleted: 2 });
    expect(await textsOf(mine)).toEqual([]);
    expect(await textsOf(other)).toEqual(["theirs"]);
  });

  it("accepts no other method", async () => {
    expectFailure(await call(API, { method: "PATCH" }), 405, "method_not_allowed");
  });
});

/** Counts reads in the account's object, as that many requests would. */
const readTimes = (world: World, times: number, keyId = world.keyId) =>
  runInDurableObject(world.stub, (account: Account) => {
    for (let time = 0; time < times; time += 1) account.admitOwn(keyId, false);
  });

describe("the limit", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 7, 1, 12) }));
  afterEach(() => void vi.useRealTimers());

  it("is 600 reads a minute for each account and mode, apart from the rate window of sends", async () => {
    const [world, other] = [await openWorld({ plan: "starter" }), await openWorld()];
    await readTimes(world, 1);
    vi.setSystemTime(Date.now() + 20_000);
    await readTimes(world, OWN_REQUESTS_MAX - 2);
    expect((await ask(world)).status).toBe(200);
    for (const path of ["", "/wait?timeout=0", "/msg_x"]) {
      const reply = await ask(world, path);
      expectFailure(reply, 429, "rate_limited");
      expect(reply.headers.get("retry-after")).toBe("40");
    }
    expectFailure(await ask(world, "", { method: "DELETE" }), 429, "rate_limited");
    expect((await ask(other)).status).toBe(200);
    // A send does not count there, nor a read here.
    const sms = { phone: newPhone(), message: "Hello" };
    const sent = await post("http://sms.localhost/send-sms", sms, bearer(world.apiKey));
    expect(sent.status).toBe(200);
    expect(sent.headers.get("ratelimit")).toContain("r=9");
    // Waiting for Retry-After is enough, for one.
    vi.setSystemTime(Date.now() + 40_000);
    expect((await ask(world)).status).toBe(200);
    expect((await ask(world)).status).toBe(429);
  });

  it("counts no request with a key that is not active", async () => {
    const world = await openWorld();
    await readTimes(world, OWN_REQUESTS_MAX + 1, world.keyId + 2);
    expect((await ask(world)).status).toBe(200);
  });

  it("holds locally also without a key, for the whole service", async () => {
    expect((await ask(null)).status).toBe(200);
    for (let time = 2; time <= keylessReads.max; time += 1) expect(keylessReads.admit(Date.now())).toBe(0);
    const reply = await ask(null);
    expectFailure(reply, 429, "rate_limited");
    expect(reply.headers.get("retry-after")).toBe("60");
    expect((await ask(await openWorld())).status).toBe(200);
    vi.setSystemTime(Date.now() + 60_000);
    expect((await ask(null)).status).toBe(200);
  });
});
