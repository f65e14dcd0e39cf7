import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { messageSid } from "../../../src/crypto/ids.ts";
import { DEFAULT_RATE_CARD } from "../../../src/money/pricing.ts";
import { writeRateCard } from "../../../src/sending/rate-card.ts";
import { ACCOUNTS, MESSAGES, SID, askTwilio, basic, expectTwilio, postForm, sendTwilio } from "../../world/twilio.ts";
import { balanceOf, bearer, call, claim, messagesOf, openWorld, post } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// Twilio's Messages form (contract §15), beside what its own clients show (test/process/ways).

const NOW = Date.UTC(2027, 0, 4, 6);
const COIN = 10_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await writeRateCard(env.RECORDINGS, DEFAULT_RATE_CARD);
});

const fetchOne = (world: World, sid: string) => askTwilio(world, `/Messages/${sid}.json`);

describe("POST Messages.json", () => {
  it("answers with Twilio's fields", async () => {
    const world = await openWorld();
    const { status, body, headers } = await sendTwilio(world, { To: "098765 43210", Body: "नमस्ते" });
    expect(status).toBe(201);
    const [message] = await messagesOf(world);
    const sid = message && messageSid(world.ref, message);
    expect(body).toEqual({
      account_sid: SID,
      api_version: "2010-04-01",
      body: "नमस्ते",
      date_created: "Mon, 04 Jan 2027 06:00:00 +0000",
      date_sent: null,
      date_updated: "Mon, 04 Jan 2027 06:00:00 +0000",
      direction: "outbound-api",
      error_code: null,
      error_message: null,
      from: "MYSHOP",
      messaging_service_sid: null,
      num_media: "0",
      num_segments: "1",
      price: null,
      price_unit: "INR",
      sid,
      status: "queued",
      subresource_uris: { media: `/2010-04-01/Accounts/${SID}/Messages/${sid}/Media.json` },
      to: "+919876543210",
      uri: `/2010-04-01/Accounts/${SID}/Messages/${sid}.json`,
    });
    expect(headers.get("x-message-id")).toMatch(/^msg_/u);
    expect(await balanceOf(world)).toBe(999 * COIN);
  });

  it("sends a name as the sender, and shows a number again without sending it", async () => {
    const world = await openWorld();
    await sendTwilio(world, { From: "MYSHOP" });
    const { body } = await sendTwilio(world, { From: "+15005550006", MessagingServiceSid: "MG1" });
    expect(body).toMatchObject({ from: "+15005550006", messaging_service_sid: "MG1" });
    const jobs = await claim(world);
    expect(jobs.map(({ content }) => content.sender)).toEqual(["MYSHOP", undefined]);
    expect((await fetchOne(world, body.sid)).body).toMatchObject({
      from: "+15005550006",
      messaging_service_sid: "MG1",
    });
  });

  it("takes JSON too, and no sender at all", async () => {
    const world = await openWorld();
    const reply = await post(`${MESSAGES}.json`, { To: "+14155550132", Body: "Hello" }, basic(world.apiKey));
    expect(reply.body).toMatchObject({ to: "+14155550132", from: null, status: "queued" });
    expect(reply.status).toBe(201);
  });

  it.each<[string, object, number, number?]>([
    ["no number", { To: "" }, 21_604],
    ["a number that is none", { To: "call me" }, 21_211],
    ["a number of WhatsApp", { To: "whatsapp:+919876543210" }, 21_211],
    ["a sender of WhatsApp", { From: "whatsapp:+14155238886" }, 21_212],
    ["no text", { Body: "" }, 21_602],
    ["161 characters", { Body: "x".repeat(161) }, 21_617],
    ["a picture", { MediaUrl: "https://example.com/a.png" }, 21_620],
    ["a template", { ContentSid: `HX${"0".repeat(32)}` }, 21_655],
    ["a sender that is too long", { From: "Our lovely little shop" }, 21_212],
    ["a private address", { StatusCallback: "https://10.0.0.1/" }, 21_609],
    ["an address that is none", { StatusCallback: "ftp://example.com/" }, 21_609],
    ["a validity that is none", { ValidityPeriod: "soon" }, 20_422],
    ["a validity that is too long", { ValidityPeriod: "36001" }, 20_422],
    ["a schedule without a time", { ScheduleType: "fixed" }, 35_111],
    ["a schedule of another kind", { ScheduleType: "optimized", SendAt: "2027-01-04T12:00:00Z" }, 35_113],
    ["a time that is none", { ScheduleType: "fixed", SendAt: "tomorrow" }, 35_114],
    ["a time that has passed", { ScheduleType: "fixed", SendAt: "2027-01-03T12:00:00Z" }, 35_114],
    ["a service that is none", { MessagingServiceSid: "mine" }, 20_422],
  ])("refuses %s, and charges nothing", async (_, fields, code) => {
    const world = await openWorld();
    expectTwilio(await sendTwilio(world, fields), 400, code);
    expect(await balanceOf(world)).toBe(1_000 * COIN);
    expect(await messagesOf(world)).toEqual([]);
  });

  it("refuses a country that is not offered", async () => {
    await writeRateCard(env.RECORDINGS, { ...DEFAULT_RATE_CARD, smsByCountry: { GB: null } });
    expectTwilio(await sendTwilio(await openWorld(), { To: "+447400123456" }), 400, 21_408);
  });

  it("ends a message's validity when it asks for that", async () => {
    const world = await openWorld();
    await sendTwilio(world, { ValidityPeriod: "60" });
    vi.setSystemTime(NOW + 61_000);
    expect(await claim(world)).toEqual([]);
  });

  it("schedules, and cancels what is scheduled with its refund", async () => {
    const world = await openWorld();
    const SendAt = "2027-01-04T12:00:00Z";
    const { body } = await sendTwilio(world, { ScheduleType: "fixed", SendAt });
    expect(body.status).toBe("scheduled");
    const uri = `${MESSAGES}/${body.sid}.json`;
    const cancel = () => postForm(uri, { Status: "canceled" }, basic(world.apiKey));
    const first = await cancel();
    expect([first.status, first.body.status, first.body.price]).toEqual([200, "canceled", "0"]);
    expect((await cancel()).body.status).toBe("canceled");
    expect(await balanceOf(world)).toBe(1_000 * COIN);
    expectTwilio(await postForm(uri, { Body: "" }, basic(world.apiKey)), 400, 21_617);
    expectTwilio(await postForm(uri, { Status: "sent" }, basic(world.apiKey)), 400, 20_422);
    const sent = await sendTwilio(world);
    await claim(world);
    const late = await postForm(`${MESSAGES}/${sent.body.sid}.json`, { Status: "canceled" }, basic(world.apiKey));
    expectTwilio(late, 409, 30_409);
  });
});

describe("a request that is repeated", () => {
  it.each(["Idempotency-Key", "I-Twilio-Idempotency-Token"])(
    "with the same %s is one message, and one reply",
    async (name) => {
      const world = await openWorld();
      const fields = { StatusCallback: "https://example.com/", From: "+15005550006" };
      const first = await sendTwilio(world, fields, { [name]: "order-4711" });
      vi.setSystemTime(NOW + 60_000);
      await claim(world);
      const again = await sendTwilio(world, fields, { [name]: "order-4711" });
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect(await messagesOf(world)).toHaveLength(1);
      expectTwilio(await sendTwilio(world, { Body: "Other" }, { [name]: "order-4711" }), 422, 20_422);
    },
  );

  it("is one message also where the requests race", async () => {
    const world = await openWorld();
    const all = await Promise.all(
      Array.from({ length: 8 }, () => sendTwilio(world, {}, { "Idempotency-Key": "once" })),
    );
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
    expect(await balanceOf(world)).toBe(999 * COIN);
  });
});

describe("a refusal", () => {
  it("of a key is 401 with Twilio's number, and asks for Basic authentication", async () => {
    const world = await openWorld();
    const { keyId } = world;
    const paths = [`${MESSAGES}.json`, `${MESSAGES}/SM${"0".repeat(32)}.json`, `${ACCOUNTS}/${SID}/Balance.json`];
    const forged = `${world.apiKey.slice(0, -1)}${world.apiKey.endsWith("0") ? "1" : "0"}`;
    await world.stub.revokeKey(keyId);
    for (const headers of [{}, basic("nothing"), basic(forged), basic(world.apiKey), bearer(world.apiKey)]) {
      for (const path of paths) {
        const reply = await call(path, { headers });
        expectTwilio(reply, 401, 20_003);
        expect(reply.headers.get("www-authenticate")).toBe('Basic realm="API key"');
      }
      expectTwilio(await postForm(`${MESSAGES}.json`, { To: "+919876543210", Body: "x" }, headers), 401, 20_003);
    }
  });

  it("comes where a request has two keys", async () => {
    const world = await openWorld();
    const other = await openWorld();
    expectTwilio(await sendTwilio(world, {}, { "x-api-key": other.apiKey }), 401, 20_003);
    expect(await messagesOf(world)).toEqual([]);
  });

  it("of the rate limit is 20429 with the time to wait, and of an empty account 20005", async () => {
    const world = await openWorld({ plan: "starter", balance: 1_000 });
    let last = await sendTwilio(world);
    for (let at = 0; at < 100 && last.status === 201; at += 1) last = await sendTwilio(world);
    expectTwilio(last, 429, 20_429);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
    const poor = await openWorld({ balance: 0 });
    const unpaid = await sendTwilio(poor);
    await poor.stub.amend({ status: "suspended" });
    const suspended = await sendTwilio(poor);
    for (const reply of [unpaid, suspended]) expectTwilio(reply, 403, 20_005);
    // Programs show it to the person whom they wanted to reach: it says which of both it is, without the balance.
    expect([unpaid, suspended].map(({ body }) => body["message"])).toEqual([
      "The balance does not reach; Requests in the dashboard says more.",
      "This account cannot send; Requests in the dashboard says more.",
    ]);
    expect((await askTwilio(poor, "/Messages.json")).status).toBe(200);
  });

  it("of an unknown address, method, SID or body has the same shape", async () => {
    const world = await openWorld();
    for (const path of ["/Calls.json", "/Messages/IN1.json", `/Messages/SM${"0".repeat(32)}`, "/Messages/.json"]) {
      expectTwilio(await askTwilio(world, path), 404, 20_404);
    }
    expectTwilio(await call(`${ACCOUNTS}/me/Messages.json`, { headers: basic(world.apiKey) }), 404, 20_404);
    const removed = await call(`${MESSAGES}/SM1.json`, { method: "DELETE", headers: basic(world.apiKey) });
    expectTwilio(removed, 405, 20_004);
    expect(removed.headers.get("allow")).toBe("GET, HEAD, POST");
    expectTwilio(await post(`${MESSAGES}.json`, "{", basic(world.apiKey)), 400, 20_422);
    const text = await call(`${MESSAGES}.json`, {
      method: "POST",
      body: "x",
      headers: { ...basic(world.apiKey), "content-type": "text/plain" },
    });
    expectTwilio(text, 415, 20_422);
    expectTwilio(await postForm(`${MESSAGES}.json`, { Body: "x".repeat(70_000) }, basic(world.apiKey)), 400, 20_422);
  });
});

it("answers the balance in rupees", async () => {
  const world = await openWorld({ balance: 12.25 });
  const { body } = await askTwilio(world, "/Balance.json");
  expect(body).toEqual({ account_sid: SID, balance: "12.25", currency: "INR" });
});

it("is on no other base", async () => {
  const world = await openWorld();
  const { status } = await call(`http://otp.localhost/2010-04-01/Accounts/${SID}/Balance.json`, {
    headers: basic(world.apiKey),
  });
  expect([status, env.SMS_URL]).toEqual([404, "http://sms.localhost"]);
});
