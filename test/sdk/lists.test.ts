import { describe, expect, it } from "vitest";
import { DastakError } from "../../sdk/src/index.ts";
import type { Base } from "../../sdk/src/index.ts";
import { refusal, reply, scripted } from "./scripted.ts";

// Lists, exports, and what becomes of a method's values, against a script of answers.

const PAGES = () => [
  reply({ data: [{ id: "a" }, { id: "b" }], has_more: true, next: "p 2" }),
  reply({ data: [], has_more: true, next: "p3" }),
  reply({ data: [{ id: "c" }], has_more: false, next: null }),
];

describe("a list", () => {
  it("that is iterated has the rows of all pages, in order", async () => {
    const { client, asked } = scripted(PAGES());
    const ids: string[] = [];
    for await (const { id } of client.listRecordings({ limit: 2 })) ids.push(id);
    expect(ids).toEqual(["a", "b", "c"]);
    expect(asked.map(({ url }) => url.search)).toEqual(["?limit=2", "?limit=2&after=p+2", "?limit=2&after=p3"]);
    expect(asked[0]?.url.href).toBe("https://console.dastak.test/v1/recordings?limit=2");
    expect(asked[0]?.headers.get("authorization")).toBe("Bearer dsk_test_1");
  });

  it("that is awaited is one page", async () => {
    const { client, asked } = scripted(PAGES());
    const page = await client.listRecordings({ after: "p3" });
    expect(page).toMatchObject({ has_more: true, next: "p 2", requestId: "req_1" });
    expect(page.data.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(asked.map(({ url }) => url.search)).toEqual(["?after=p3"]);
  });

  it("asks for nothing until it is used, and for no page more than is used", async () => {
    const { client, asked } = scripted(PAGES());
    const list = client.listRecordings();
    expect(asked).toHaveLength(0);
    for await (const { id } of list) if (id === "b") break;
    expect(asked).toHaveLength(1);
    const pages = [];
    const next = scripted(PAGES());
    for await (const page of next.client.listRecordings().pages()) pages.push(page.data.length);
    expect(pages).toEqual([2, 0, 1]);
  });

  it("fails as any call does", async () => {
    const { client } = scripted([refusal(400, "invalid_request", { param: "limit" })]);
    await expect(client.listRecordings({ limit: 0 })).rejects.toMatchObject({
      code: "invalid_request",
      param: "limit",
    });
    const { client: other } = scripted([PAGES()[0] ?? expect.fail(), refusal(401, "unauthorized")]);
    const ids: string[] = [];
    const reading = (async () => {
      for await (const { id } of other.listRecordings()) ids.push(id);
    })();
    await expect(reading).rejects.toThrow(DastakError);
    expect(ids).toEqual(["a", "b"]);
  });
});

describe("the values of a method", () => {
  it("are encoded into the path", async () => {
    const { client, asked } = scripted([reply({ deleted: 1 })]);
    await client.deleteRecording("a/../b?c#d");
    expect(asked[0]).toMatchObject({ method: "DELETE", url: { pathname: "/v1/recordings/a%2F..%2Fb%3Fc%23d" } });
  });

  it.each(["", ".", "..", undefined, null, 7])("%j is no part of a path, and nothing is asked", async (id) => {
    const { client, asked } = scripted([reply({ deleted: 1 })]);
    await expect(async () => client.deleteRecording(id as string)).rejects.toThrow(TypeError);
    expect(asked).toHaveLength(0);
  });

  it("are the key's header, the body, and the options, each in its place", async () => {
    const { client, asked } = scripted([reply({ fileId: "file_1", message: "" }), reply({ recording: {} })]);
    await client.uploadVoice({ fileName: "a.wav", base64Data: "AA==" }, { idempotencyKey: "k" });
    await client.renameRecording("file_1", { name: "b.wav" });
    expect(asked[0]?.url.href).toBe("https://voice.dastak.test/api/upload-voice");
    expect(asked[0]?.headers.get("x-api-key")).toBe("dsk_test_1");
    expect(asked[0]?.headers.get("authorization")).toBeNull();
    expect(asked[0]?.headers.get("idempotency-key")).toBe("k");
    expect(asked[1]).toMatchObject({ method: "PATCH", body: { name: "b.wav" } });
    expect(asked[1]?.headers.get("idempotency-key")).toBeNull();
  });
});

describe("the options of a client", () => {
  const cases: [string, object][] = [
    ["a key with a line break in it", { apiKey: "dsk_test_\r\nx: y" }],
    ["no key", { apiKey: "" }],
    ["a key that is not set", { apiKey: undefined }],
    ["an address that is none", { baseUrl: "localhost" }],
    ["an address of another scheme", { baseUrl: "ftp://localhost" }],
    ["an address with a password", { baseUrl: "https://me:secret@dastak.test" }],
    ["an address with parameters", { baseUrl: "https://dastak.test/?a=b" }],
    ["four of five addresses", { baseUrl: { sms: "https://a.test", tts: "", voice: "", otp: "" } }],
  ];
  it.each(cases)("%s are refused at once, without the key in the message", (_name, options) => {
    expect(() => scripted([], { ...options })).toThrow(TypeError);
    expect(() => scripted([], { ...options })).not.toThrow(/dsk_|secret/u);
  });

  it("say of a key that is not set that it is missing", () => {
    const options: object = { apiKey: undefined };
    expect(() => scripted([], { ...options })).toThrow("apiKey is missing.");
  });

  it.each([
    ["http://localhost:8787/", "http://localhost:8787/send-otp"],
    ["https://{base}.example.com", "https://otp.example.com/send-otp"],
    ["https://x.workers.dev/{base}/", "https://x.workers.dev/otp/send-otp"],
  ])("%s leads to %s", async (baseUrl, url) => {
    const { client, asked } = scripted([reply({ message: "", details: {} })], { baseUrl, apiKey: " dsk_test_2\n" });
    await client.sendOtp({ phone: "9876543210", otp: "0482" });
    expect(asked[0]?.url.href).toBe(url);
    expect(asked[0]?.headers.get("authorization")).toBe("Bearer dsk_test_2");
  });

  it("may be the five addresses", async () => {
    const [sms, tts, voice, otp, console] = ["a", "b", "c", "d", "e"].map((name) => `https://${name}.example`);
    const baseUrl = { sms, tts, voice, otp, console } as Record<Base, string>;
    const { client, asked } = scripted([reply({ balance: 1, currency: "coins" }), reply({})], { baseUrl });
    await client.accountBalance();
    await client.request({ path: "/v1/account" });
    expect(asked.map(({ url }) => url.href)).toEqual([
      "https://a.example/account-balance",
      "https://e.example/v1/account",
    ]);
  });
});
