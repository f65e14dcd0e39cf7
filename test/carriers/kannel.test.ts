import { afterEach, describe, expect, it, vi } from "vitest";
import { kannel } from "../../src/carriers/kannel.ts";
import { brokenGateway, carrierOf, faultIn, httpGateway, outgoing, TOKEN } from "../world/http-gateway.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const SETTINGS = { url: "https://relay.example/cgi-bin/sendsms", username: "dastak" };
const made = (settings: object = {}) =>
  carrierOf(kannel, "kannel", { ...SETTINGS, ...settings }, { password: "pa&ss w" });

/** What Kannel is asked for one message. */
async function queryOf(change: Parameters<ReturnType<typeof made>["submit"]>[0] = {}, settings: object = {}) {
  const asked = httpGateway(() => new Response("0: Accepted for delivery", { status: 202 }));
  expect(await made(settings).submit(change)).toEqual({ kind: "submitted" });
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({ method: "GET", body: "", redirect: "manual" });
  expect(asked[0]!.url.href.startsWith(`${SETTINGS.url}?`)).toBe(true);
  return Object.fromEntries(asked[0]!.url.searchParams);
}

describe("a submission to Kannel", () => {
  it("has the number in digits, the text, and where all reports go", async () => {
    expect(await queryOf()).toEqual({
      username: "dastak",
      password: "pa&ss w",
      to: "919876543210",
      text: "Hello",
      charset: "UTF-8",
      coding: "0",
      "dlr-mask": "31",
      "dlr-url": `https://console.example/callbacks/relay/${TOKEN}?ref=msg_1a2b3c&state=%d&id=%F&reply=%A`,
    });
  });

  it("says what GSM-7 cannot in UCS-2", async () => {
    expect(await queryOf({ text: "€ ~ {x}" })).toMatchObject({ coding: "0", text: "€ ~ {x}" });
    expect(await queryOf({ text: "नमस्ते & 👍" })).toMatchObject({ coding: "2", text: "नमस्ते & 👍" });
  });

  it("has the message's sender, or else the carrier's own, and its smsc", async () => {
    expect(await queryOf({ content: { sender: "ACME" } }, { sender: "DASTAK", smsc: "in" })).toMatchObject({
      from: "ACME",
      smsc: "in",
    });
    expect(await queryOf({}, { sender: "DASTAK" })).toMatchObject({ from: "DASTAK" });
  });

  it("is a flash message by its class", async () => {
    expect(await queryOf({ content: { flash: true } })).toMatchObject({ mclass: "0" });
    expect(await queryOf({ content: { flash: false } })).not.toHaveProperty("mclass");
  });

  it("has DLT fields under the names of the relay's own groups", async () => {
    const dlt = { entityId: "1101", templateId: "1107", category: "otp" };
    expect(await queryOf({ dlt })).toMatchObject({ "meta-data": "?smpp?pe_id=1101&template_id=1107&" });
    expect(await queryOf({ dlt: { ...dlt, templateId: null } })).toMatchObject({ "meta-data": "?smpp?pe_id=1101&" });
    const named = { tlv_entity: "dlt_pe", tlv_template: "dlt_tid" };
    expect(await queryOf({ dlt }, named)).toMatchObject({ "meta-data": "?smpp?dlt_pe=1101&dlt_tid=1107&" });
  });

  it("sends messages, and makes no calls", () => {
    expect([...made().carrier.operations]).toEqual(["sms", "sms_international", "otp"]);
  });
});

describe("Kannel's answer", () => {
  it.each([
    [202, { kind: "submitted" }],
    [200, { kind: "unknown", code: "http_200" }],
    [503, { kind: "not_accepted", code: "http_503" }],
    [429, { kind: "not_accepted", code: "http_429" }],
    [403, { kind: "not_accepted", code: "http_403" }],
    [400, { kind: "rejected", code: "http_400" }],
    [404, { kind: "rejected", code: "http_404" }],
    [408, { kind: "unknown", code: "http_408" }],
    [500, { kind: "unknown", code: "http_500" }],
    [302, { kind: "unknown", code: "http_302" }],
    [523, { kind: "not_accepted", code: "http_523" }],
  ])("%d", async (status, outcome) => {
    httpGateway(() => new Response("x", { status }));
    expect(await made().submit()).toEqual(outcome);
  });

  it("that does not come leaves it unknown, since a GET has no body that could stay behind", async () => {
    brokenGateway("nothing");
    expect(await made().submit()).toEqual({ kind: "unknown", code: "connection_broken" });
  });

  it("is shown to the operator who tries the carrier", async () => {
    httpGateway(() => new Response("Sent.", { status: 202 }));
    const { submit, seen } = made();
    await submit();
    expect(seen).toMatchObject([{ answer: { status: 202, body: "Sent." }, carrierId: null }]);
  });

  it("is not asked for without a password", async () => {
    const asked = httpGateway(() => new Response(null, { status: 202 }));
    const { carrier } = carrierOf(kannel, "kannel", SETTINGS, {});
    expect(await carrier.submit(outgoing())).toEqual({
      kind: "not_accepted",
      code: "not_configured",
    });
    expect(asked).toEqual([]);
  });
});

const read = (query: string, token: string | null = TOKEN) =>
  made().carrier.receipts?.(new Request(`https://console.example/callbacks/relay/${token}?${query}`), token);

describe("Kannel's report", () => {
  it.each([
    ["1", "delivered"],
    ["2", "undelivered"],
    ["4", "submitted"],
    ["8", "submitted"],
    ["16", "failed"],
  ])("%s is %s", async (report, state) => {
    expect(await read(`ref=msg_1&state=${report}&id=42&reply=`)).toEqual([{ ref: "msg_1", state }]);
  });

  it("has the carrier's own reason where it failed", async () => {
    const text = encodeURIComponent("id:42 sub:001 dlvrd:000 stat:UNDELIV err:011 text:");
    expect(await read(`ref=msg_1&state=2&reply=${text}`)).toEqual([
      { ref: "msg_1", state: "undelivered", code: "011" },
    ]);
    expect(await read("ref=m&state=16&reply=NACK%2F0x0000000b%2FInvalid")).toEqual([
      { ref: "m", state: "failed", code: "0x0000000b" },
    ]);
    expect(await read(`ref=msg_1&state=1&reply=${text}`)).toEqual([{ ref: "msg_1", state: "delivered" }]);
  });

  it("is forged without the token of this carrier", async () => {
    expect(await read("ref=m&state=1", null)).toBe("forged");
    expect(await read("ref=m&state=1", `${TOKEN.slice(0, -2)}AA`)).toBe("forged");
    expect(await read("ref=m&state=1", "")).toBe("forged");
  });

  it.each([
    "state=1",
    "ref=&state=1",
    "ref=m",
    "ref=m&state=3",
    "ref=m&state=constructor",
    `ref=${"x".repeat(201)}&state=1`,
  ])("%s is invalid", async (query) => expect(await read(query)).toBe("invalid"));
});

describe("the settings of a Kannel", () => {
  it("have the usual names of DLT's parameters", () => {
    expect(kannel.settings.parse(SETTINGS)).toEqual({ ...SETTINGS, tlv_entity: "pe_id", tlv_template: "template_id" });
    expect(kannel.addresses({ ...SETTINGS, tlv_entity: "a", tlv_template: "b" })).toEqual({ url: SETTINGS.url });
  });

  it.each<[object, string]>([
    [{ url: "ftp://relay.example" }, "url"],
    [{ username: "" }, "username"],
    [{ username: 1 }, "username"],
    [{ tlv_entity: "a b" }, "tlv_entity"],
    [{ tlv_template: "x=1&y" }, "tlv_template"],
    [{ smsc: "" }, "smsc"],
    [{ user: "x" }, ""],
  ])("%j is refused with its path and a sentence", (change, path) => {
    const [param, sentence] = faultIn(kannel.settings, { ...SETTINGS, ...change })!;
    expect(param).toBe(path);
    if (path !== "") expect(sentence).toMatch(new RegExp(`^${path} .+\\.$`, "u"));
  });

  it("need a password", () => {
    expect(faultIn(kannel.secrets, {})).toEqual(["password", "password must be a text."]);
    expect(faultIn(kannel.secrets, { password: "" })![0]).toBe("password");
    expect(faultIn(kannel.secrets, { password: "x", key: "y" })).not.toBeNull();
    expect(faultIn(kannel.secrets, { password: "x" })).toBeNull();
  });
});
