import { afterEach, describe, expect, it, vi } from "vitest";
import { infobip } from "../../src/carriers/infobip.ts";
import type { Outgoing } from "../../src/carriers/carrier.ts";
import { brokenGateway, carrierOf, faultIn, httpGateway, TOKEN } from "../world/http-gateway.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const SETTINGS = { base_url: "https://xyz.api.infobip.test/", sender: "+447491163443" };
const made = (settings: object = {}) =>
  carrierOf(infobip, "infobip", { ...SETTINGS, ...settings }, { api_key: "key-1" });

const CALLBACK = `https://console.example/callbacks/relay/${TOKEN}`;

const answerOf = (groupId: number, name: string, status = 200) =>
  Response.json({ messages: [{ messageId: "msg_1a2b3c", status: { groupId, name, id: 26 } }] }, { status });

/** The one message of the request that Infobip got. */
async function askedFor(change: Partial<Outgoing> = {}, settings: object = {}) {
  const asked = httpGateway(() => answerOf(1, "PENDING_ACCEPTED"));
  expect(await made(settings).submit(change)).toEqual({ kind: "submitted" });
  expect(asked).toHaveLength(1);
  const [{ url, method, headers, body, redirect }] = asked as [(typeof asked)[number]];
  expect([method, headers.get("authorization"), headers.get("content-type"), redirect]).toEqual([
    "POST",
    "App key-1",
    "application/json",
    "manual",
  ]);
  const { messages } = JSON.parse(body) as { messages: unknown[] };
  expect(messages).toHaveLength(1);
  return [url.href, messages[0]];
}

describe("a submission to Infobip", () => {
  it("is a message under the service's own reference", async () => {
    expect(await askedFor({ text: "नमस्ते 👍" })).toEqual([
      "https://xyz.api.infobip.test/sms/3/messages",
      {
        sender: "+447491163443",
        destinations: [{ to: "919876543210", messageId: "msg_1a2b3c" }],
        content: { text: "नमस्ते 👍" },
        webhooks: { delivery: { url: CALLBACK }, contentType: "application/json" },
      },
    ]);
  });

  it("has flash and the fields of DLT among its options", async () => {
    const dlt = { entityId: "1101", templateId: "1107", category: "otp" };
    const [, flash] = await askedFor({ content: { flash: true, sender: "ACME" }, dlt });
    expect(flash).toMatchObject({
      sender: "ACME",
      options: { flash: true, regional: { indiaDlt: { principalEntityId: "1101", contentTemplateId: "1107" } } },
    });
    const [, entity] = await askedFor({ dlt: { ...dlt, templateId: null } });
    expect(entity).toMatchObject({ options: { regional: { indiaDlt: { principalEntityId: "1101" } } } });
    expect(JSON.stringify(entity)).not.toContain("contentTemplateId");
  });

  it("is a call that says the text in a voice of the language", async () => {
    const content = { language: "MR", accent: "91", gender: 1, rate: 0.8 } as const;
    expect(await askedFor({ operation: "tts", content })).toEqual([
      "https://xyz.api.infobip.test/tts/3/advanced",
      {
        from: "447491163443",
        destinations: [{ to: "919876543210", messageId: "msg_1a2b3c" }],
        text: "Hello",
        language: "mr-in",
        voice: { gender: "male" },
        speechRate: 0.8,
        notifyUrl: CALLBACK,
        notifyContentType: "application/json",
      },
    ]);
  });

  it("is a call that plays a recording", async () => {
    const audioUrl = "https://console.example/media/t";
    const [url, call] = await askedFor({ operation: "voice", text: null, audioUrl }, { sender: "DASTAK" });
    expect(url).toBe("https://xyz.api.infobip.test/tts/3/advanced");
    expect(call).toEqual({
      destinations: [{ to: "919876543210", messageId: "msg_1a2b3c" }],
      audioFileUrl: audioUrl,
      notifyUrl: CALLBACK,
      notifyContentType: "application/json",
    });
  });

  it("does not leave in a language that it has no voice for, unless the words are a recording", async () => {
    const asked = httpGateway(() => answerOf(1, "PENDING_ACCEPTED"));
    const punjabi = { operation: "tts", content: { language: "PA" } } as const;
    expect(await made().submit(punjabi)).toEqual({ kind: "not_accepted", code: "no_voice" });
    expect(asked).toEqual([]);
    expect(await made().submit({ ...punjabi, audioUrl: "https://console.example/media/t" })).toEqual({
      kind: "submitted",
    });
  });
});

describe("Infobip's answer", () => {
  it.each([
    [0, { kind: "submitted" }],
    [1, { kind: "submitted" }],
    [3, { kind: "submitted" }],
    [2, { kind: "rejected", code: "NAME" }],
    [4, { kind: "rejected", code: "NAME" }],
    [5, { kind: "rejected", code: "NAME" }],
    [9, { kind: "unknown", code: "NAME" }],
  ])("of status group %d", async (group, outcome) => {
    httpGateway(() => answerOf(group, "NAME"));
    const { submit, seen } = made();
    expect(await submit()).toEqual(outcome);
    expect(seen).toMatchObject([{ carrierId: "msg_1a2b3c", answer: { status: 200 } }]);
  });

  it("that the deployment's own credit is used up speaks of no message", async () => {
    httpGateway(() => answerOf(5, "REJECTED_NOT_ENOUGH_CREDITS"));
    expect(await made().submit()).toEqual({ kind: "not_accepted", code: "REJECTED_NOT_ENOUGH_CREDITS" });
  });

  it.each([
    [401, { kind: "not_accepted", code: "http_401" }],
    [403, { kind: "not_accepted", code: "http_403" }],
    [429, { kind: "not_accepted", code: "http_429", retryAfterMs: 7000 }],
    [503, { kind: "not_accepted", code: "http_503", retryAfterMs: 7000 }],
    [400, { kind: "rejected", code: "http_400" }],
    [408, { kind: "unknown", code: "http_408" }],
    [500, { kind: "unknown", code: "http_500" }],
  ])("%d", async (status, outcome) => {
    httpGateway(() =>
      Response.json(
        {},
        { status, headers: outcome.kind === "not_accepted" && "retryAfterMs" in outcome ? { "retry-after": "7" } : {} },
      ),
    );
    expect(await made().submit()).toEqual(outcome);
  });

  it.each(["", "{}", '{"messages":[]}', '{"messages":[{"status":{}}]}', "<html>"])(
    "200 %s is unknown",
    async (body) => {
      httpGateway(() => new Response(body));
      expect(await made().submit()).toEqual({ kind: "unknown", code: "http_200" });
    },
  );

  it("that does not come is unknown once all has left, and else certain", async () => {
    brokenGateway("all");
    expect(await made().submit()).toEqual({ kind: "unknown", code: "connection_broken" });
    vi.restoreAllMocks();
    brokenGateway("nothing");
    expect(await made().submit()).toEqual({ kind: "not_accepted", code: "connection_refused" });
  });
});

const read = (body: unknown, token: string | null = TOKEN) =>
  made().carrier.receipts?.(
    new Request(CALLBACK, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) }),
    token,
  );
const result = (messageId: string, groupId: number, id = 5, more: object = {}) => ({
  messageId,
  to: "919876543210",
  status: { groupId, id, name: `NAME_${groupId}` },
  ...more,
});

describe("Infobip's reports", () => {
  it("are several in one", async () => {
    const results = [
      result("m1", 3, 5),
      result("m2", 3, 2),
      result("m3", 2, 9, { error: { id: 0, name: "NO_ERROR" } }),
      result("m4", 4, 15, { error: { id: 27, name: "EC_ABSENT_SUBSCRIBER" } }),
      result("m5", 5, 12),
      result("m6", 1, 7),
    ];
    expect(await read({ results })).toEqual([
      { ref: "m1", state: "delivered" },
      { ref: "m2", state: "submitted" },
      { ref: "m3", state: "undelivered", code: "NAME_2" },
      { ref: "m4", state: "undelivered", code: "EC_ABSENT_SUBSCRIBER" },
      { ref: "m5", state: "failed", code: "NAME_5" },
      { ref: "m6", state: "submitted" },
    ]);
  });

  it("are read though one of them cannot be, and are invalid where none can", async () => {
    expect(await read({ results: [{ status: {} }, result("m2", 3), result("m3", 77)] })).toEqual([
      { ref: "m2", state: "delivered" },
    ]);
    expect(await read({ results: [result("", 3)] })).toBe("invalid");
    expect(await read({ results: [] })).toEqual([]);
    for (const wrong of ["", "null", "[]", '{"results":{}}']) expect(await read(wrong), wrong).toBe("invalid");
  });

  it("are forged without the token of this carrier", async () => {
    expect(await read({ results: [result("m1", 3)] }, null)).toBe("forged");
    expect(await read({ results: [result("m1", 3)] }, `${TOKEN}A`)).toBe("forged");
  });
});

describe("the settings of Infobip", () => {
  it.each<[object, string]>([
    [{ base_url: "xyz.api.infobip.com" }, "base_url"],
    [{ base_url: undefined }, "base_url"],
    [{ sender: "x".repeat(40) }, "sender"],
    [{ senderId: "x" }, ""],
  ])("%j is refused with its path and a sentence", (change, path) => {
    const [param, sentence] = faultIn(infobip.settings, { ...SETTINGS, ...change })!;
    expect(param).toBe(path);
    if (path !== "") expect(sentence).toMatch(new RegExp(`^${path} .+\\.$`, "u"));
  });

  it("need a key that a header can hold", () => {
    expect(faultIn(infobip.secrets, {})).toEqual(["api_key", "api_key is needed."]);
    expect(faultIn(infobip.secrets, { api_key: "a\nb" })![0]).toBe("api_key");
    expect(faultIn(infobip.secrets, { api_key: "abc-1" })).toBeNull();
    expect(infobip.addresses(SETTINGS)).toEqual({ base_url: SETTINGS.base_url });
  });
});
