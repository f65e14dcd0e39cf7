import { afterEach, describe, expect, it, vi } from "vitest";
import type { Outgoing } from "../../src/carriers/carrier.ts";
import { twilio } from "../../src/carriers/twilio.ts";
import { brokenGateway, carrierOf, faultIn, httpGateway } from "../world/http-gateway.ts";

// Signatures, TwiML and voices are proved beside Twilio's own library: test/process/carriers/twilio-sdk.test.ts.

afterEach(() => {
  vi.restoreAllMocks();
});

const SID = `AC${"0a".repeat(16)}`;
const SERVICE = `MG${"0b".repeat(16)}`;
const NUMBER = "+15551234567";
const made = (settings: object = { from: NUMBER }) =>
  carrierOf(twilio, "twilio", { account_sid: SID, ...settings }, { auth_token: "secret" });

const CALLBACK = "https://console.example/callbacks/relay?ref=msg_1a2b3c";

/** The path and the fields of the one request that Twilio got. */
async function askedFor(change: Partial<Outgoing> = {}, settings?: object): Promise<[string, Record<string, string>]> {
  const asked = httpGateway(() => Response.json({ sid: "SM1", status: "queued" }, { status: 201 }));
  expect(await made(settings).submit(change)).toEqual({ kind: "submitted" });
  expect(asked).toHaveLength(1);
  const [{ url, method, headers, body, redirect }] = asked as [(typeof asked)[number]];
  expect([url.origin, method, redirect]).toEqual(["https://api.twilio.com", "POST", "manual"]);
  expect(headers.get("authorization")).toBe(`Basic ${btoa(`${SID}:secret`)}`);
  expect(headers.get("content-type")).toContain("application/x-www-form-urlencoded");
  return [url.pathname, Object.fromEntries(new URLSearchParams(body))];
}

describe("a submission to Twilio", () => {
  it("is a message with a callback that names it", async () => {
    expect(await askedFor({ text: "नमस्ते + 👍" })).toEqual([
      `/2010-04-01/Accounts/${SID}/Messages.json`,
      { To: "+919876543210", From: NUMBER, Body: "नमस्ते + 👍", StatusCallback: CALLBACK },
    ]);
  });

  it("comes from the message's sender, or else from the service or the number", async () => {
    const [, own] = await askedFor({ content: { sender: "ACME" } });
    expect(own).toMatchObject({ From: "ACME" });
    const [, service] = await askedFor({}, { messaging_service_sid: SERVICE });
    expect(service).toEqual({
      To: "+919876543210",
      MessagingServiceSid: SERVICE,
      Body: "Hello",
      StatusCallback: CALLBACK,
    });
    const [, both] = await askedFor({ content: { sender: "ACME" } }, { messaging_service_sid: SERVICE, from: NUMBER });
    expect(both).toMatchObject({ From: "ACME" });
    expect(both).not.toHaveProperty("MessagingServiceSid");
  });

  it("is a call that says the text", async () => {
    const content = { language: "TE", gender: 1, rate: 1.2 } as const;
    const [path, { Twiml, ...fields }] = await askedFor({ operation: "tts", text: "A & B", content });
    expect([path, fields]).toEqual([
      `/2010-04-01/Accounts/${SID}/Calls.json`,
      { To: "+919876543210", From: NUMBER, StatusCallback: CALLBACK },
    ]);
    expect(Twiml).toContain('<Say voice="Google.te-IN-Standard-B" language="te-IN"><prosody rate="120%">A &amp; B<');
  });

  it("is a call that plays a recording", async () => {
    const [, fields] = await askedFor({ operation: "voice", text: null, audioUrl: "https://console.example/media/t" });
    expect(fields["Twiml"]).toContain("<Response><Play>https://console.example/media/t</Play></Response>");
  });

  it("goes to another address of the API where the operator says so", async () => {
    const asked = httpGateway(() => Response.json({}, { status: 201 }));
    await made({ from: NUMBER, api_url: "http://127.0.0.1:4013/" }).submit();
    expect(asked[0]!.url.href).toBe(`http://127.0.0.1:4013/2010-04-01/Accounts/${SID}/Messages.json`);
  });

  it("makes calls only from a number", () => {
    const all = ["sms", "sms_international", "otp", "tts", "voice"];
    expect([...made().carrier.operations]).toEqual(all);
    expect([...made({ from: NUMBER, messaging_service_sid: SERVICE }).carrier.operations]).toEqual(all);
    expect([...made({ from: "ACME" }).carrier.operations]).toEqual(all.slice(0, 3));
    expect([...made({ messaging_service_sid: SERVICE }).carrier.operations]).toEqual(all.slice(0, 3));
  });
});

describe("Twilio's answer", () => {
  it("has its id of the message", async () => {
    httpGateway(() => Response.json({ sid: "SM1" }, { status: 201 }));
    const { submit, seen } = made();
    await submit();
    expect(seen).toMatchObject([{ carrierId: "SM1", answer: { status: 201 } }]);
  });

  it.each([
    [401, 20003, { kind: "not_accepted", code: "20003" }],
    [401, undefined, { kind: "not_accepted", code: "http_401" }],
    [403, 20003, { kind: "not_accepted", code: "20003" }],
    [403, 20005, { kind: "not_accepted", code: "20005" }],
    [429, 20429, { kind: "not_accepted", code: "20429" }],
    [503, undefined, { kind: "not_accepted", code: "http_503" }],
    [400, 21211, { kind: "rejected", code: "21211" }],
    [400, 21408, { kind: "rejected", code: "21408" }],
    [404, undefined, { kind: "rejected", code: "http_404" }],
    [408, undefined, { kind: "unknown", code: "http_408" }],
    [500, 20500, { kind: "unknown", code: "20500" }],
    [302, undefined, { kind: "unknown", code: "http_302" }],
  ])("%d with %s", async (status, code, outcome) => {
    httpGateway(() => Response.json({ code, message: "x", status }, { status }));
    expect(await made().submit()).toEqual(outcome);
  });

  it("may ask for silence", async () => {
    httpGateway(() => Response.json({ code: 20429 }, { status: 429, headers: { "retry-after": "3" } }));
    expect(await made().submit()).toEqual({ kind: "not_accepted", code: "20429", retryAfterMs: 3000 });
  });

  it("that cannot be read counts by its status", async () => {
    httpGateway(() => new Response("<html>", { status: 201 }));
    expect(await made().submit()).toEqual({ kind: "submitted" });
    vi.restoreAllMocks();
    httpGateway(() => new Response("<html>", { status: 400 }));
    expect(await made().submit()).toEqual({ kind: "rejected", code: "http_400" });
  });

  it("that does not come is unknown once all has left, and else certain", async () => {
    brokenGateway("all");
    expect(await made().submit()).toEqual({ kind: "unknown", code: "connection_broken" });
    vi.restoreAllMocks();
    brokenGateway("nothing");
    expect(await made().submit()).toEqual({ kind: "not_accepted", code: "connection_refused" });
  });
});

const faultOf = (settings: object) => twilio.fault?.(twilio.settings.parse({ account_sid: SID, ...settings }), {});

describe("the settings of Twilio", () => {
  const right = { account_sid: SID, from: NUMBER };

  it.each<[object, string]>([
    [{ account_sid: "AC1" }, "account_sid"],
    [{ account_sid: undefined }, "account_sid"],
    [{ from: "15551234567" }, "from"],
    [{ from: "TWELVE-CHARS" }, "from"],
    [{ from: 1 }, "from"],
    [{ messaging_service_sid: SID }, "messaging_service_sid"],
    [{ api_url: "api.twilio.com" }, "api_url"],
    [{ accountSid: SID }, ""],
  ])("%j is refused with its path and a sentence", (change, path) => {
    const [param, sentence] = faultIn(twilio.settings, { ...right, ...change })!;
    expect(param).toBe(path);
    if (path !== "") expect(sentence).toMatch(new RegExp(`^${path} .+\\.$`, "u"));
  });

  it("need a sender of one or the other sort", () => {
    expect(faultOf({})).toEqual({ param: "settings.from", error: "from or messaging_service_sid is needed." });
    for (const enough of [{ from: "ACME 1" }, { from: NUMBER }, { messaging_service_sid: SERVICE }]) {
      expect(faultOf(enough)).toBeNull();
    }
  });

  it("need the token, and have the API's address", () => {
    expect(faultIn(twilio.secrets, {})![0]).toBe("auth_token");
    expect(twilio.settings.parse(right)).toEqual({ ...right, api_url: "https://api.twilio.com" });
    expect(twilio.addresses(twilio.settings.parse(right))).toEqual({ api_url: "https://api.twilio.com" });
  });
});
