import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_RATE_CARD } from "../../../src/money/pricing.ts";
import { writeRateCard } from "../../../src/sending/rate-card.ts";
import { keySuite } from "../../world/contract/keys.ts";
import { transportSuite } from "../../world/contract/transport.ts";
import { expectFailure } from "../../world/operating.ts";
import { preflight, sendOf } from "../../world/quotes.ts";
import { balanceOf, bearer, ledgerOf, openWorld, post, recordingOf } from "../../world/world.ts";

const AT = "http://console.localhost/v1/preflight";

afterEach(async () => {
  vi.useRealTimers();
  await writeRateCard(env.RECORDINGS, DEFAULT_RATE_CARD);
});

const SMS = { phone: "9876543210", message: "It’s here" };

const endpoint = {
  url: AT,
  method: "POST" as const,
  keyPlaces: ["bearer" as const],
  body: () => ({ operation: "sms", ...SMS }),
  rules: {},
  bodyBytesMax: 512 * 1024,
  cost: 0,
};
keySuite(endpoint);
transportSuite(endpoint);

describe("POST /v1/preflight", () => {
  it("says what an SMS would cost, and why", async () => {
    const world = await openWorld({ balance: 10 });
    const { status, body } = await preflight(world, "sms", SMS);
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        would: "send",
        problems: [],
        recipients: { given: 1, valid: 1, duplicates: 0, invalid: [] },
        text: {
          encoding: "UCS-2",
          characters: 9,
          segments: 1,
          left: 151,
          unicode: [{ char: "’", code_point: "U+2019", at: 2, instead: "'" }],
          segments_if_replaced: 1,
        },
        cost: 1,
        balance_after: 9,
        quote: expect.stringMatching(/^quote_[0-9A-Za-z]+$/u),
        quote_until: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u),
      },
    ]);
    const untilMs = Date.parse(String(body.quote_until));
    expect(Math.abs(untilMs - Date.now() - 600_000)).toBeLessThan(60_000);
  });

  it("says all problems of the fields at once, with what can be told of the rest", async () => {
    const world = await openWorld();
    const fields = { phone: "123", message: "a".repeat(161), senderId: "much too long a name", sendAt: "soon" };
    const { status, body } = await preflight(world, "sms", fields);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      would: "refuse",
      problems: [
        { param: "phone", code: "invalid_request", error: "phone must be exactly 10 digits, without country code." },
        { param: "message", code: "invalid_request", error: "message must have 1 to 160 characters; it has 161." },
        { param: "senderId", code: "invalid_request" },
        { param: "sendAt", code: "invalid_request" },
      ],
      recipients: { given: 1, valid: 0, duplicates: 0, invalid: [{ index: 0, value: "123" }] },
      text: { encoding: "GSM-7", characters: 161, segments: 2, left: -1, unicode: [] },
      cost: null,
      balance_after: null,
      quote: null,
      quote_until: null,
    });
    // Each problem is the failure that the send has.
    const refused = await sendOf(world, "sms", fields);
    const { code, error, param } = refused.body;
    expect(body.problems[0]).toEqual({ param, code, error });
  });

  it("counts and names the numbers of a list, and prices the valid ones", async () => {
    const world = await openWorld();
    const recipients = ["9876543210", "1", "9876543210", "+91 9876543211", "9876543212", 7];
    const { body } = await preflight(world, "bulk", { recipients, message: "Hi" });
    expect(body).toMatchObject({
      would: "refuse",
      recipients: { given: 6, valid: 2, duplicates: 1 },
      cost: 2,
      balance_after: 998,
      quote: null,
    });
    expect(body.recipients.invalid).toEqual([
      { index: 1, value: "1", error: "each recipient must be exactly 10 digits, without country code." },
      { index: 3, value: "+91 9876543211", error: "each recipient must be exactly 10 digits, without country code." },
      { index: 5, value: "7", error: "each recipient must be a string." },
    ]);
    const params = body.problems.map(({ param }: { param: string }) => param);
    expect(params).toEqual(["recipients[1]", "recipients[3]", "recipients[5]"]);
    expect(body.problems[1].hint).toBe("Send 9876543211.");
  });

  it("lists at most 100 faulty numbers, and looks at the numbers of a list that is too long", async () => {
    const world = await openWorld();
    const bad = Array.from({ length: 150 }, (_, at) => String(at));
    const many = await preflight(world, "bulk", { recipients: [...bad, "9876543210"], message: "Hi" });
    expect(many.body.recipients).toMatchObject({ given: 151, valid: 1, duplicates: 0 });
    expect([many.body.recipients.invalid.length, many.body.problems.length]).toEqual([100, 100]);
    const long = Array.from({ length: 10_001 }, (_, at) => String(9_000_000_000 + at));
    long[3] = "x";
    const tooMany = await preflight(world, "bulk", { recipients: long, message: "Hi" });
    expect(tooMany.body.recipients).toMatchObject({ given: 10_001, valid: 9_999, invalid: [{ index: 3, value: "x" }] });
    const params = tooMany.body.problems.map(({ param }: { param: string }) => param);
    expect(params).toEqual(["recipients", "recipients[3]", null]);
    expect(tooMany.body.problems[2].code).toBe("insufficient_balance");
  });

  it.each([
    ["sms", {}, ["phone", "message"], 0],
    ["bulk", { recipients: [] }, ["recipients", "message"], 0],
    ["bulk", { recipients: "9876543210" }, ["recipients", "message"], 0],
    ["international", { phone: null, isFlash: 1 }, ["phone", "message", "isFlash"], 0],
    ["otp", { phone: "9876543210", otp: 1234, brandName: "a\nb", sendAt: "now" }, ["otp", "brandName", "sendAt"], 1],
    ["tts", { callee: "0", text: "", language: "XX" }, ["callee", "text", "language"], 1],
    ["voice", { callee: "919876543210" }, ["fileId"], 1],
  ] as const)("finds every fault of %s %j", async (kind, fields, params, given) => {
    const { status, body } = await preflight(await openWorld(), kind, fields);
    expect(status).toBe(200);
    expect(body.problems.map(({ param }: { param: string }) => param)).toEqual(params);
    expect(body).toMatchObject({ would: "refuse", recipients: { given }, quote: null });
  });

  it("says what the account would refuse, beside the faults of the fields", async () => {
    const world = await openWorld({ balance: 1 });
    const codesOf = async (fields: object) => {
      const { body } = await preflight(world, "sms", fields);
      return body.problems.map(({ code }: { code: string }) => code);
    };
    const two = { ...SMS, message: "a".repeat(71) + "ü’" };
    expect(await codesOf(two)).toEqual(["insufficient_balance"]);
    const past = { ...two, sendAt: "2020-01-01T00:00:00Z", senderId: "" };
    expect(await codesOf(past)).toEqual(["invalid_request", "invalid_request", "insufficient_balance"]);
    await world.stub.amend({ status: "suspended" });
    expect(await codesOf(two)).toEqual(["account_suspended", "insufficient_balance"]);
    await world.stub.amend({ status: "active" });
    await world.stub.close(Date.now() + 1_000_000);
    expect(await codesOf(SMS)).toEqual(["account_suspended"]);
  });

  it("says an unknown recording beside a faulty number, and prices a call by its own one", async () => {
    const world = await openWorld();
    const both = await preflight(world, "voice", { callee: "1", fileId: "file_none" });
    const params = both.body.problems.map(({ param }: { param: string }) => param);
    expect(params).toEqual(["callee", "fileId"]);
    const fileId = await recordingOf(world, 31_000);
    const { body } = await preflight(world, "voice", { callee: "919876543210", fileId });
    expect(body).toMatchObject({ would: "send", text: null, cost: 4, balance_after: 996 });
  });

  it("says where an SMS is not offered, without a cost", async () => {
    const { body } = await preflight(await openWorld(), "international", { phone: "+881612345678", message: "Hi" });
    expect(body).toMatchObject({ would: "refuse", problems: [{ param: null, code: "permission_denied" }], cost: null });
  });

  it("says the recipients of a day of a test key", async () => {
    const world = await openWorld({ mode: "test", balance: 100_000 });
    const recipients = Array.from({ length: 10_000 }, (_, at) => String(9_000_000_000 + at));
    const list = { recipients, message: "Hi" };
    for (let sent = 0; sent < 2; sent += 1) expect((await sendOf(world, "bulk", list)).status).toBe(200);
    const { body } = await preflight(world, "bulk", list);
    expect(body.problems).toMatchObject([{ code: "rate_limited" }]);
  });

  it("prices an OTP by the account's rate, with the text that goes out", async () => {
    const world = await openWorld({ otpRate: 0.18 });
    const { body } = await preflight(world, "otp", { phone: "9876543210", otp: "4821", brandName: "दस्तक" });
    expect(body).toMatchObject({ would: "send", cost: 0.18, balance_after: 999.82, text: { encoding: "UCS-2" } });
    expect(JSON.stringify(body)).not.toContain("4821");
  });

  it.each(["{", "[]", '"sms"', "{}", '{"operation":"fax"}', '{"operation":"toString"}'])(
    "refuses %s, which says no operation",
    async (raw) => {
      const world = await openWorld();
      const { status, body } = await post(AT, raw, bearer(world.apiKey));
      expect([status, body.success]).toEqual([400, false]);
    },
  );

  it("writes nothing, and counts in no plan's limit", async () => {
    const world = await openWorld({ plan: "starter" });
    for (let count = 0; count < 20; count += 1) expect((await preflight(world, "sms", SMS)).status).toBe(200);
    expect([await balanceOf(world), (await ledgerOf(world)).length]).toEqual([10_000_000, 1]);
    const sent = await sendOf(world, "sms", SMS);
    expect([sent.status, sent.headers.get("ratelimit")]).toEqual([200, '"starter";r=9;t=60']);
  });

  it("takes 600 a minute, and no revoked key", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = await openWorld();
    for (let count = 0; count < 599; count += 1) await world.stub.admitOwn(world.keyId, false);
    expect((await preflight(world, "sms", SMS)).status).toBe(200);
    const limited = await preflight(world, "sms", SMS);
    expect(limited.headers.get("retry-after")).toBe("60");
    expectFailure(limited, 429, "rate_limited");
    vi.setSystemTime(Date.now() + 60_000);
    await world.stub.revokeKey(world.keyId);
    expectFailure(await preflight(world, "sms", SMS), 401, "unauthorized");
  });
});
