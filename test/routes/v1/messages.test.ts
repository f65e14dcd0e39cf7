import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { showKeyId } from "../../../src/crypto/api-key.ts";
import { messageId } from "../../../src/crypto/ids.ts";
import { expectFailure } from "../../world/operating.ts";
import {
  bearer,
  call,
  dispatch,
  follow,
  messagesOf,
  openWorld,
  post,
  recordHistory,
  recordingOf,
  sendBulk,
  sendSms,
} from "../../world/world.ts";
import type { Reply, World } from "../../world/world.ts";

const AT = "http://console.localhost/v1/messages";

const get = (world: World, path = "", headers: Record<string, string> = {}): Promise<Reply> =>
  call(AT + path, { headers: { ...bearer(world.apiKey), ...headers } });

const idOf = (world: World, seq: number, index = 0) => messageId(env.KEY_SECRET, world.ref, "sms", { seq, index });

async function settle(world: World) {
  const seqs = [...new Set((await messagesOf(world)).map(({ seq }) => seq))];
  await dispatch(world, seqs);
  await follow(world, seqs);
  await recordHistory(world, seqs);
}

interface Listed {
  id: string;
  to: string;
  state: string;
}

/** All pages of the list, one after the other. */
async function pages(world: World, query: string) {
  const found: Listed[][] = [];
  for (let next: string | null = ""; next !== null;) {
    const { status, body } = await get(world, `?${query}${next === "" ? "" : `&after=${next}`}`);
    expect(status).toBe(200);
    expect(body.has_more).toBe(body.next !== null);
    found.push(body.data as Listed[]);
    next = body.next as string | null;
  }
  return found;
}

afterEach(() => vi.restoreAllMocks());

describe("GET /v1/messages", () => {
  it("lists what was sent, newest first, at once and out of history alike", async () => {
    const world = await openWorld({ mode: "test" });
    const sent = await sendSms(world, { body: { message: "x".repeat(161).slice(0, 160) } });
    await sendSms(world, { body: { phone: "7000000001", message: "नमस्ते ".repeat(15) } });
    const shapes = {
      id: idOf(world, 2),
      request_id: sent.headers.get("x-request-id"),
      operation: "sms",
      to: "+919876543210",
      state: "queued",
      segments: 1,
      cost: 1,
      refunded: false,
      error_code: null,
      key_id: showKeyId(world.keyId),
      send_at: null,
    };
    const before = await get(world);
    expect(before.body.data).toHaveLength(2);
    expect(before.body.data[1]).toEqual({ ...shapes, created_at: expect.any(String), updated_at: expect.any(String) });
    await settle(world);
    const { body } = await get(world);
    expect(body).toMatchObject({ success: true, has_more: false, next: null });
    expect(body.data[1]).toEqual({
      ...shapes,
      state: "delivered",
      created_at: before.body.data[1].created_at,
      updated_at: expect.any(String),
    });
    expect(body.data[0]).toMatchObject({
      state: "failed",
      segments: 2,
      cost: 2,
      refunded: true,
      error_code: "rejected_by_carrier",
    });
  });

  it("has every message once over its pages, while others arrive", async () => {
    const world = await openWorld({ mode: "test" });
    await sendBulk(world, 230);
    for (let sent = 0; sent < 5; sent += 1) await sendSms(world);
    await settle(world);
    await sendBulk(world, 30);
    const all = (await messagesOf(world)).toReversed().map(({ seq, index }) => idOf(world, seq, index));
    const found = await pages(world, "limit=100");
    expect(found.map(({ length }) => length)).toEqual([100, 100, 65]);
    expect(found.flat().map(({ id }) => id)).toEqual(all);
    expect((await get(world, "?limit=500")).body.data).toHaveLength(265);
  });

  it("searches in the dashboard's language, keys by name too", async () => {
    const world = await openWorld({ mode: "test" });
    await sendSms(world);
    await sendSms(world, { body: { phone: "7000000001" } });
    await settle(world);
    const statesOf = async (q: string) =>
      ((await get(world, `?q=${encodeURIComponent(q)}`)).body.data as Listed[]).map(({ state }) => state);
    expect(await statesOf("state:failed")).toEqual(["failed"]);
    expect(await statesOf("-state:failed to:98765")).toEqual(["delivered"]);
    expect(await statesOf('key:"first key"')).toEqual(["failed", "delivered"]);
    expect(await statesOf("kind:otp")).toEqual([]);
  });

  it.each([
    ["blah:1", "q has a filter that does not exist."],
    ["text:hello", "Texts are stored encrypted, so q cannot search them."],
    ["kind:fax", "q has a value that kind: does not take."],
    ["kind:", "q has kind: without a value."],
    ['"open', "q has a quotation mark that is not closed."],
    ["key:nobody", "q names a key that the account does not have."],
    ["x".repeat(501), "q is too long."],
  ])("refuses a search that it does not understand: %s", async (q, error) => {
    const world = await openWorld();
    for (const path of ["", ".csv"]) {
      const reply = await get(world, `${path}?q=${encodeURIComponent(q)}`);
      expectFailure(reply, 400, "invalid_request", { param: "q", error });
      expect(reply.body.hint).toMatch(/^[A-Z].*\.$/u);
    }
  });

  it.each(["limit=0", "limit=501", "limit=x", "after=x", "after=1", "after=1.2.3"])("refuses ?%s", async (query) => {
    const param = query.split("=")[0] ?? "";
    expectFailure(await get(await openWorld(), `?${query}`), 400, "invalid_request", { param });
  });

  it("says that history is away, and does not list a part as the whole", async () => {
    const world = await openWorld({ mode: "test" });
    await sendSms(world);
    await settle(world);
    vi.spyOn(env.HISTORY_1, "prepare").mockImplementation(() => {
      throw new Error("D1_ERROR: away");
    });
    vi.spyOn(console, "log").mockReturnValue();
    expectFailure(await get(world), 503, "unavailable");
  });

  it("asks the account once for a page, besides its admission", async () => {
    const world = await openWorld({ mode: "test" });
    await sendBulk(world, 300);
    const calls: string[] = [];
    await runInDurableObject(world.stub, (account) => {
      const methods = Object.getPrototypeOf(account) as typeof account;
      for (const name of ["look", "keys", "view", "admitOwn", "messages"] as const) {
        const method = methods[name] as (...asked: unknown[]) => unknown;
        vi.spyOn(methods, name).mockImplementation(function (this: typeof account, ...asked: unknown[]) {
          calls.push(name);
          return method.apply(this, asked) as never;
        });
      }
    });
    expect((await get(world, "?limit=20")).body.data).toHaveLength(20);
    expect(calls).toEqual(["admitOwn", "look"]);
  });
});

describe("the list as a stream", () => {
  it("has the same messages as lines of JSON", async () => {
    const world = await openWorld({ mode: "test" });
    await sendBulk(world, 130);
    await sendSms(world);
    await settle(world);
    const listed = (await get(world, "?limit=500&q=to:90000")).body.data as Listed[];
    const reply = await get(world, "?q=to:90000&limit=2", { accept: "application/x-ndjson" });
    expect(reply.headers.get("content-type")).toBe("application/x-ndjson");
    expect(reply.text.endsWith("\n")).toBe(true);
    expect(
      reply.text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Listed),
    ).toEqual(listed);
  });

  it("has the same messages as CSV", async () => {
    const world = await openWorld({ mode: "test" });
    await sendSms(world, { body: { phone: "7000000001" } });
    await settle(world);
    const [listed] = (await get(world)).body.data as Record<string, string | number | boolean | null>[];
    const reply = await get(world, ".csv");
    expect(reply.headers.get("content-type")).toMatch(/^text\/csv/u);
    const [head = "", line = "", ...rest] = reply.text.split("\r\n");
    expect(head.split(",")).toEqual(Object.keys(listed ?? {}));
    expect(line.split(",")).toEqual(Object.values(listed ?? {}).map((value) => String(value ?? "")));
    expect(rest).toEqual([""]);
  });

  it("is empty where nothing was sent", async () => {
    const world = await openWorld();
    expect((await get(world, "", { accept: "application/x-ndjson" })).text).toBe("");
    expect((await get(world, ".csv")).text.split("\r\n")).toHaveLength(2);
  });
});

describe("GET /v1/messages/:id", () => {
  it("shows text, sender, times and what became of it", async () => {
    const world = await openWorld({ mode: "test" });
    await sendSms(world, { body: { phone: "7000000001", message: "Namaste", senderId: "SHOP" } });
    await settle(world);
    const { body } = await get(world, `/${idOf(world, 2)}`);
    expect(body.message).toMatchObject({
      id: idOf(world, 2),
      state: "failed",
      text: "Namaste",
      sender: "SHOP",
      explanation: "The message was not sent because the carrier rejected it, and its cost was refunded.",
    });
    const states = (body.message.timeline as { state: string }[]).map(({ state }) => state);
    expect(states).toEqual(["queued", "sending", "failed"]);
    expect(body.message.timeline[1]).toEqual({ state: "sending", at: expect.any(String), attempt: 1, carrier: "sim" });
    expect(body.message.timeline[2]).toMatchObject({ carrier_code: "rejected_by_carrier" });
  });

  it("masks the code of a live one-time password, and shows that of a test one", async () => {
    for (const mode of ["live", "test"] as const) {
      const world = await openWorld({ mode });
      const otp = { phone: "9876543210", otp: "482913", brandName: "Shop 482913" };
      await post("http://otp.localhost/send-otp", otp, bearer(world.apiKey));
      const id = messageId(env.KEY_SECRET, world.ref, "otp", { seq: 2, index: 0 });
      const { body, text } = await get(world, `/${id}`);
      expect(text.includes("482913")).toBe(mode === "test");
      if (mode === "live") expect(body.message.text).toContain("••••••");
    }
  });

  it("has no text for a recording, nor for a text that was deleted", async () => {
    const world = await openWorld({ mode: "test" });
    const voice = { callee: "919876543210", fileId: await recordingOf(world) };
    const sent = await post("http://voice.localhost/api/make-voice-call", voice, { "x-api-key": world.apiKey });
    const called = await get(world, `/${String(sent.body.callId)}`);
    expect(called.body.message).toMatchObject({ operation: "voice", text: null, segments: null });
    await sendSms(world);
    await runInDurableObject(world.stub, (_, state) => state.storage.sql.exec("UPDATE job SET text = NULL"));
    expect((await get(world, `/${idOf(world, 3)}`)).body.message.text).toBeNull();
  });

  it("answers an id of another account, of the other mode, forged and unknown with the same bytes", async () => {
    const [world, other] = [await openWorld(), await openWorld()];
    await sendSms(world);
    await sendSms(other);
    const own = idOf(world, 2);
    expect((await get(world, `/${own}`)).status).toBe(200);
    const twin = messageId(env.KEY_SECRET, { ...world.ref, mode: "test" }, "sms", { seq: 2, index: 0 });
    const ids = [
      idOf(other, 2),
      twin,
      `${own.slice(0, -1)}${own.endsWith("x") ? "y" : "x"}`,
      idOf(world, 9),
      "x",
      own.replace("msg", "call"),
    ];
    const texts = new Set<string>();
    for (const id of ids) {
      const reply = await get(world, `/${id}`);
      expectFailure(reply, 404, "not_found");
      texts.add(reply.text.replace(String(reply.headers.get("x-request-id")), ""));
    }
    expect([...texts]).toHaveLength(1);
  });

  it("needs a key of its account that is active", async () => {
    const world = await openWorld();
    await sendSms(world);
    const path = `/${idOf(world, 2)}`;
    for (const at of ["", ".csv", path]) {
      expectFailure(await call(AT + at), 401, "unauthorized");
      expectFailure(await get({ ...world, apiKey: `${world.apiKey.slice(0, -1)}!` }, at), 401, "unauthorized");
    }
    await world.stub.revokeKey(world.keyId);
    for (const at of ["", ".csv", path]) expectFailure(await get(world, at), 401, "unauthorized");
  });
});
