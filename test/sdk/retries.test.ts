import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DastakError } from "../../sdk/src/index.ts";
import type { CallOptions } from "../../sdk/src/index.ts";
import { refusal, reply, scripted } from "./scripted.ts";

// What a call repeats, when, and what its error says, against a script of answers, with a clock that the test moves.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const SMS = { phone: "9876543210", message: "x" };
const SENT = () => reply({ message: "queued", coins_used: 1, coins_remaining: 9 }, { "x-message-id": "msg_1" });
const broken = () => new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
const nobody = () => new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
const page = (status: number, headers = {}) => new Response("<h1>?</h1>", { status, headers });

const busy = (after: string) => refusal(429, "rate_limited", {}, { "retry-after": after });

/** A `fetch` that waits for ever. */
const silence = (_url: string, { signal }: { signal?: AbortSignal }) =>
  new Promise<Response>((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error));
  });

/** The error of a send that is never answered. */
const never = (options: CallOptions) =>
  errorOf(scripted([], { retries: 0, fetch: silence }).client.sendSms(SMS, options));

/** Lets all timers run, and returns the error of a call. */
async function errorOf(call: Promise<unknown>): Promise<DastakError> {
  const settled = call.then(
    () => expect.fail("it was answered"),
    (problem: unknown) => problem,
  );
  await vi.runAllTimersAsync();
  const problem = await settled;
  expect(problem).toBeInstanceOf(DastakError);
  return problem as DastakError;
}

async function done<T>(call: Promise<T>): Promise<T> {
  await vi.runAllTimersAsync();
  return call;
}

describe("a send is repeated with one Idempotency-Key", () => {
  it.each([
    ["no answer", broken],
    ["nobody there", nobody],
    ["409 while the first runs", () => refusal(409, "idempotency_in_progress")],
    ["429", () => refusal(429, "rate_limited")],
    ["500", () => refusal(500, "internal_error")],
    ["503", () => refusal(503, "unavailable")],
    ["a proxy's 502", () => page(502)],
    ["a proxy's 429", () => page(429)],
  ])("after %s", async (_name, failure) => {
    const { client, asked } = scripted([failure(), failure(), SENT()]);
    expect(await done(client.sendSms(SMS))).toEqual({
      success: true,
      message: "queued",
      coins_used: 1,
      coins_remaining: 9,
      requestId: "req_1",
      messageId: "msg_1",
      replayed: false,
    });
    expect(asked).toHaveLength(3);
    const keys = new Set(asked.map(({ headers }) => headers.get("idempotency-key")));
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/u)]);
    expect(asked.map(({ body }) => body)).toEqual([SMS, SMS, SMS]);
  });

  it("and another call has another one, or the caller's", async () => {
    const { client, asked } = scripted([SENT(), SENT(), SENT()]);
    const calls = [{}, {}, { idempotencyKey: "order-4711", quote: "quote_1" }];
    for (const options of calls) await client.sendSms(SMS, options);
    const keys = asked.map(({ headers }) => headers.get("idempotency-key"));
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe("order-4711");
    expect(asked.map(({ headers }) => headers.get("price-quote"))).toEqual([null, null, "quote_1"]);
  });
});

describe("a call is not repeated", () => {
  it.each([
    [
      "a refusal",
      () => refusal(400, "invalid_request", { param: "phone", hint: "Write ten digits." }),
      "invalid_request",
    ],
    ["an unknown refusal", () => refusal(418, "from_the_future"), "from_the_future"],
    ["a key that is none", () => refusal(401, "unauthorized"), "unauthorized"],
    ["a redirect", () => page(302, { location: "https://elsewhere.test/" }), "unexpected"],
    ["a page", () => page(200), "unexpected"],
    ["JSON of others", () => Response.json([1]), "unexpected"],
  ])("after %s", async (_name, failure, code) => {
    const { client, asked } = scripted([failure()]);
    const error = await errorOf(client.sendSms(SMS));
    expect(error.code).toBe(code);
    expect(asked).toHaveLength(1);
    expect(error.isUnknown).toBe(code === "unexpected");
  });

  it("where the service asks for a longer wait than the caller allows", async () => {
    const { client, asked } = scripted([refusal(429, "rate_limited", {}, { "retry-after": "66" })]);
    expect(await errorOf(client.sendSms(SMS))).toMatchObject({ code: "rate_limited", retryAfterMs: 66_000 });
    expect(asked).toHaveLength(1);
  });

  it("more often than it was asked for", async () => {
    const { client, asked } = scripted([broken(), broken(), broken()], { retries: 2 });
    expect(await errorOf(client.sendSms(SMS))).toMatchObject({ code: "connection", status: 0, isUnknown: true });
    expect(asked).toHaveLength(3);
    const none = scripted([broken(), broken()], { retries: 2 });
    await errorOf(none.client.sendSms(SMS, { retries: 0 }));
    expect(none.asked).toHaveLength(1);
  });

  it("where a POST has no Idempotency-Key and may have been done", async () => {
    const request = { method: "POST" as const, path: "/v1/webhooks", body: {} };
    for (const failure of [broken(), refusal(503, "unavailable")]) {
      const { client, asked } = scripted([failure]);
      expect((await errorOf(client.request(request))).isUnknown).toBe(true);
      expect(asked).toHaveLength(1);
      expect(asked[0]?.headers.get("idempotency-key")).toBeNull();
    }
    const { client, asked } = scripted([refusal(429, "rate_limited"), nobody(), reply({})]);
    await done(client.request(request));
    expect(asked).toHaveLength(3);
    const keyed = scripted([broken(), reply({})]);
    await done(keyed.client.request(request, { idempotencyKey: "k" }));
    expect(keyed.asked.map(({ headers }) => headers.get("idempotency-key"))).toEqual(["k", "k"]);
  });
});

describe("the waits", () => {
  it("are those of Retry-After, exactly", async () => {
    const at = new Date(Date.now() + 7_000).toUTCString();
    const { client, waits, asked } = scripted([busy("3"), busy("65"), busy(at), SENT()]);
    const call = client.sendSms(SMS);
    await vi.advanceTimersByTimeAsync(2_999);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(2);
    await done(call);
    expect(waits.slice(0, 2)).toEqual([3_000, 65_000]);
    // By then the time had passed.
    expect(waits[2]).toBeLessThanOrEqual(1_000);
  });

  it("are else of any length up to a bound that doubles, and ends at 8 s", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0.999_999);
    const { client, waits } = scripted([], { retries: 7 });
    await errorOf(client.sendSms(SMS));
    expect(waits.map((ms) => Math.round(ms))).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000]);
    random.mockReturnValue(0);
    const none = scripted([], { retries: 7 });
    await errorOf(none.client.sendSms(SMS));
    expect(none.waits).toEqual([0, 0, 0, 0, 0, 0, 0]);
    random.mockRestore();
  });

  it("end when the caller aborts, and the error says what may have been done", async () => {
    for (const [failure, isUnknown] of [
      [broken(), true],
      [nobody(), false],
    ] as const) {
      const controller = new AbortController();
      const { client, asked } = scripted([failure, SENT()], { onRetry: () => controller.abort(new Error("enough")) });
      const error = await errorOf(client.sendSms(SMS, { signal: controller.signal }));
      expect(error).toMatchObject({ code: "connection", isUnknown, message: "The call was aborted." });
      expect((error.cause as Error).message).toBe("enough");
      expect(asked).toHaveLength(1);
    }
  });
});

describe("an error", () => {
  it("has all that the service said", async () => {
    const said = { param: "phone", hint: "Write ten digits.", first: 12 };
    const { client } = scripted([refusal(400, "invalid_request", said, { "x-request-id": "req_7" })]);
    const error = await errorOf(client.sendSms(SMS, { idempotencyKey: "k" }));
    expect(error).toMatchObject({ name: "DastakError", message: "No.", status: 400, requestId: "req_7" });
    expect(error).toMatchObject({ param: "phone", hint: "Write ten digits.", idempotencyKey: "k", isUnknown: false });
    expect(error.body["first"]).toBe(12);
  });

  it("is unknown when any attempt may have been done, whatever the last one says", async () => {
    const { client } = scripted([broken(), refusal(401, "unauthorized")]);
    expect(await errorOf(client.sendSms(SMS))).toMatchObject({ code: "unauthorized", isUnknown: true });
    const sure = scripted([nobody(), refusal(429, "rate_limited"), refusal(403, "insufficient_balance")]);
    expect(await errorOf(sure.client.sendSms(SMS))).toMatchObject({ code: "insufficient_balance", isUnknown: false });
  });

  it("of what only reads is never unknown", async () => {
    const { client } = scripted([], { retries: 1 });
    expect(await errorOf(client.accountBalance())).toMatchObject({ code: "connection", isUnknown: false });
  });

  it("comes when an attempt takes too long, or is aborted while it runs", async () => {
    expect(await never({ timeoutMs: 500 })).toMatchObject({ code: "connection", isUnknown: true });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 10);
    expect(await never({ signal: controller.signal })).toMatchObject({
      message: "The call was aborted.",
      isUnknown: true,
    });
  });
});
