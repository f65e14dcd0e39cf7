import { createHmac } from "node:crypto";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Outgoing } from "../../src/carriers/carrier.ts";
import { httpCarrier } from "../../src/carriers/http.ts";
import { configOf } from "../../src/config/config.ts";
import type { Outcome } from "../../src/model/message.ts";

const NOW_MS = 1_790_000_000_000;
const URL = "http://gateway.test/messages";
const KEY = Buffer.from(env.CARRIER_HTTP_SECRET.slice("whsec_".length), "base64");

const message: Outgoing = {
  ref: "msg_1a2b3c",
  operation: "sms",
  to: "+919876543210",
  attempt: 1,
  mode: "live",
  text: "नमस्ते 👍",
  content: { sender: "DASTAK" },
  audioUrl: null,
};

/** An independent implementation of Standard Webhooks. */
const proof = (id: string, timestamp: string, body: string) =>
  `v1,${createHmac("sha256", KEY).update(`${id}.${timestamp}.${body}`).digest("base64")}`;

type Gateway = (init: RequestInit) => Promise<Response>;

let gateway: Gateway;
let asked: { url: string; init: RequestInit }[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
  asked = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    asked.push({ url: new Request(input).url, init: init ?? {} });
    return gateway(init ?? {});
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const readBody = (init: RequestInit) => new Response(init.body ?? null).text();

/** A gateway that reads the whole request and gives this answer. */
function answers(body: BodyInit | null, init: ResponseInit = {}): Gateway {
  return async (request) => {
    await readBody(request);
    return new Response(body, init);
  };
}

/** Rejects when the carrier aborts the request. */
function givenUp(init: RequestInit): Promise<never> {
  return new Promise((_, reject) => {
    const { signal } = init;
    signal?.addEventListener("abort", () => reject(signal.reason as Error));
  });
}

function submit(behaviour: Gateway, variables: Record<string, string> = {}): Promise<Outcome> {
  gateway = behaviour;
  return httpCarrier(configOf({ ...env, ...variables })).submit(message);
}

/** A connection that accepts the whole body, its first byte or nothing, and then breaks or stays silent. */
const connection =
  (takes: "all" | "first byte" | "nothing", then: "breaks" | "stays silent"): Gateway =>
  async (init) => {
    if (takes === "all") await readBody(init);
    if (takes === "first byte") {
      const reader = (init.body as ReadableStream<Uint8Array>).getReader();
      expect((await reader.read()).value).toHaveLength(1);
    }
    if (then === "breaks") throw new TypeError("Network connection lost.");
    return givenUp(init);
  };

describe("the request to the gateway", () => {
  it.each<[string, Partial<Outgoing>, Record<string, unknown>]>([
    ["an SMS", {}, { operation: "sms", text: "नमस्ते 👍", sender: "DASTAK" }],
    ["an SMS without a sender", { content: {} }, { operation: "sms", text: "नमस्ते 👍" }],
    [
      "a flash SMS abroad",
      { operation: "sms_international", to: "+14155550132", content: { flash: true } },
      { operation: "sms_international", to: "+14155550132", text: "नमस्ते 👍", flash: true },
    ],
    [
      "an OTP",
      { operation: "otp", text: "0042 is your code", content: {} },
      { operation: "otp", text: "0042 is your code" },
    ],
    [
      "a text-to-speech call",
      { operation: "tts", content: { language: "HI", accent: "91", gender: 2, rate: 1.2 } },
      { operation: "tts", text: "नमस्ते 👍", language: "HI", accent: "91", gender: 2, rate: 1.2 },
    ],
    [
      "a call that plays a recording, without the recording's object key",
      {
        operation: "voice",
        text: null,
        content: { recording: { objectKey: "acc_1/ab", mime: "audio/wav" } },
        audioUrl: "http://console.localhost/media/token",
      },
      { operation: "voice", audio_url: "http://console.localhost/media/token" },
    ],
  ])("%s: signed JSON", async (_, change, fields) => {
    const bodies: string[] = [];
    gateway = async (init) => {
      bodies.push(await readBody(init));
      return Response.json({});
    };
    await httpCarrier(configOf(env)).submit({ ...message, ...change });
    const { url, init } = asked[0]!;
    expect(url).toBe(URL);
    expect(init).toMatchObject({ method: "POST", redirect: "manual" });
    expect(JSON.parse(bodies[0]!)).toEqual({
      ref: "msg_1a2b3c",
      to: "+919876543210",
      callback_url: "http://console.localhost/callbacks/http",
      ...fields,
    });
    expect(init.headers).toEqual({
      "content-type": "application/json",
      "webhook-id": "msg_1a2b3c",
      "webhook-timestamp": String(NOW_MS / 1000),
      "webhook-signature": proof("msg_1a2b3c", String(NOW_MS / 1000), bodies[0]!),
    });
  });

  it("has the same id on every attempt, and a fresh timestamp", async () => {
    await submit(answers("{}"));
    vi.setSystemTime(NOW_MS + 60_000);
    await submit(answers("{}"));
    const headers = asked.map(({ init }) => init.headers as Record<string, string>);
    expect(headers.map((one) => one["webhook-id"])).toEqual(["msg_1a2b3c", "msg_1a2b3c"]);
    expect(headers[1]!["webhook-timestamp"]).toBe(String(NOW_MS / 1000 + 60));
    expect(headers[1]!["webhook-signature"]).not.toBe(headers[0]!["webhook-signature"]);
  });
});

describe("an answer that accepts the message", () => {
  it.each([
    [200, '{"id":"gw-1"}'],
    [201, '{"id":42}'],
    [202, "{}"],
    [200, ""],
    [200, "<html>"],
    [200, "null"],
    [200, '"id"'],
    [200, '{"id":null}'],
    [200, `{"id":"${"x".repeat(500)}"}`],
    [200, `{"id":"gw-1","more":"${"x".repeat(20_000)}"}`],
  ])("%d %s is submitted", async (status, body) => {
    expect(await submit(answers(body, { status }))).toEqual({ kind: "submitted" });
  });

  it("204 is submitted", async () => {
    expect(await submit(answers(null, { status: 204 }))).toEqual({ kind: "submitted" });
  });

  it("is submitted even when the rest of the answer breaks off or is not text", async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
    expect(await submit(answers(broken))).toEqual({ kind: "submitted" });
    expect(await submit(answers(Uint8Array.of(0xff, 0xfe)))).toEqual({ kind: "submitted" });
  });
});

describe("an answer that does not accept the message", () => {
  it.each([400, 401, 403, 404, 409, 410, 413, 418, 422, 451, 499])("%d is rejected for good", async (status) => {
    expect(await submit(answers("no", { status }))).toEqual({
      kind: "rejected",
      code: `http_${status}`,
    });
  });

  it.each([408, 425, 500, 501, 502, 504, 520, 599, 300, 302, 307, 308])("%d is unknown", async (status) => {
    expect(await submit(answers(null, { status, headers: { location: "http://elsewhere.test" } }))).toEqual({
      kind: "unknown",
      code: `http_${status}`,
    });
    expect(asked).toHaveLength(1);
  });

  it.each([521, 523, 525, 526, 530])("%d means that no connection was made: not accepted", async (status) => {
    expect(await submit(answers("error", { status }))).toEqual({ kind: "not_accepted", code: `http_${status}` });
  });

  it.each([429, 503])("%d is not accepted, with the delay of Retry-After", async (status) => {
    const inHeader = (value: string | null) =>
      submit(answers("busy", { status, headers: value === null ? {} : { "retry-after": value } }));
    const busy = { kind: "not_accepted", code: `http_${status}` };
    expect(await inHeader(null)).toEqual(busy);
    expect(await inHeader("7")).toEqual({ ...busy, retryAfterMs: 7_000 });
    expect(await inHeader(new Date(NOW_MS + 90_000).toUTCString())).toEqual({ ...busy, retryAfterMs: 90_000 });
    for (const useless of ["0", "-5", "soon", "1.5e3x", "", new Date(NOW_MS - 90_000).toUTCString()]) {
      expect(await inHeader(useless), useless).toEqual(busy);
    }
  });
});

describe("an answer whose body cannot be discarded, because the connection is reset after the head", () => {
  it.each([
    [200, { kind: "submitted" }],
    [400, { kind: "rejected", code: "http_400" }],
    [429, { kind: "not_accepted", code: "http_429" }],
    [503, { kind: "not_accepted", code: "http_503" }],
    [504, { kind: "unknown", code: "http_504" }],
  ])("%d still says what became of the message", async (status, outcome) => {
    const reset = new ReadableStream({ cancel: () => Promise.reject(new Error("reset")) });
    expect(await submit(answers(reset, { status }))).toEqual(outcome);
  });
});

describe("a gateway", () => {
  it("recognises references only where the operator says so", () => {
    expect(httpCarrier(configOf({ ...env })).resubmits).toBe(false);
    expect(httpCarrier(configOf({ ...env, CARRIER_HTTP_DEDUPES: "on" })).resubmits).toBe(true);
  });
});

describe("no answer", () => {
  const SOON = { CARRIER_TIMEOUT_MS: "5" };

  it("and the body never left: not accepted, so another attempt may follow", async () => {
    const refused = await submit(connection("nothing", "breaks"));
    expect(refused).toEqual({ kind: "not_accepted", code: "connection_refused" });
    const silent = await submit(connection("nothing", "stays silent"), SOON);
    expect(silent).toEqual({ kind: "not_accepted", code: "connect_timeout" });
  });

  it("and only the first byte was taken: not accepted, because no gateway can act on one byte", async () => {
    const reset = await submit(connection("first byte", "breaks"));
    expect(reset).toEqual({ kind: "not_accepted", code: "connection_refused" });
  });

  it("after the whole body left: unknown, both on a timeout and on a broken connection", async () => {
    const silent = await submit(connection("all", "stays silent"), SOON);
    expect(silent).toEqual({ kind: "unknown", code: "timeout" });
    const broken = await submit(connection("all", "breaks"));
    expect(broken).toEqual({ kind: "unknown", code: "connection_broken" });
  });

  it("because no gateway is configured: not accepted, and no request is made", async () => {
    const bare = { ...configOf(env), CARRIER_HTTP_URL: undefined };
    expect(await httpCarrier(bare).submit(message)).toEqual({ kind: "not_accepted", code: "not_configured" });
    expect(asked).toEqual([]);
  });
});
