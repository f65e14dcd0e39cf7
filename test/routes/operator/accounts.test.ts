import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openCustomer, ownAccountId } from "../../../src/accounts/open.ts";
import { configOf } from "../../../src/config/config.ts";
import { newAccountId } from "../../../src/crypto/ids.ts";
import { expectFailure, openAccount, operatorSuite, unknownAccountSuite } from "../../world/operating.ts";
import { bearer, call, openWorld, operator, post } from "../../world/world.ts";
import type { Reply } from "../../world/world.ts";

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;
const balanceWith = (apiKey: string): Promise<Reply> =>
  call("http://sms.localhost/account-balance", { headers: bearer(apiKey) });
const sendWith = (apiKey: string) =>
  post("http://sms.localhost/send-sms", { phone: "9876543210", message: "Hello" }, bearer(apiKey));

describe("POST /operator/accounts", () => {
  operatorSuite("POST", "/operator/accounts");

  it("opens an account with a live and a test key", async () => {
    const reply = await operator("POST", "/operator/accounts", { name: "Acme", plan: "business", balance: 12.5 });
    expect(reply.body).toEqual({
      success: true,
      account_id: expect.stringMatching(/^acc_[0-9A-Za-z]{11}$/u),
      api_key: expect.stringMatching(/^dsk_live_[0-9A-Za-z]+$/u),
      test_key: expect.stringMatching(/^dsk_test_[0-9A-Za-z]+$/u),
    });
    expect((await balanceWith(reply.body.api_key as string)).body.balance).toBe(12.5);
    expect((await balanceWith(reply.body.test_key as string)).body.balance).toBe(100_000);
    const { data } = (await operator("GET", `/operator/accounts/${reply.body.account_id}/ledger`)).body;
    expect(data).toMatchObject([{ seq: 1, type: "credit", amount: 12.5, reference: "opening", balance_after: 12.5 }]);
  });

  it("gives the deployment's sign-up credit when no balance is given, and none at 0", async () => {
    expect((await balanceWith((await openAccount()).apiKey)).body.balance).toBe(100);
    expect((await balanceWith((await openAccount({ balance: null })).apiKey)).body.balance).toBe(100);
    const { accountId, apiKey } = await openAccount({ balance: 0 });
    expect((await balanceWith(apiKey)).body.balance).toBe(0);
    expect((await operator("GET", `/operator/accounts/${accountId}/ledger`)).body.data).toEqual([]);
  });

  it("never opens an account of the service's own, whatever the Idempotency-Key", async () => {
    const config = configOf(env);
    for (const [which, seed] of [
      ["codes", "house"],
      ["demo", "demo-account"],
    ] as const) {
      const own = ownAccountId(config, which);
      expect(own).toBe(newAccountId(env.KEY_SECRET, seed));
      const opened = await openAccount({}, { "idempotency-key": seed });
      expect(opened.accountId).not.toBe(own);
      // A repetition still finds its account.
      expect(await openAccount({}, { "idempotency-key": seed })).toEqual(opened);
    }
  });

  it("finds the account that an earlier version opened for an Idempotency-Key, under the id that it derived", async () => {
    const key = crypto.randomUUID();
    const earlier = newAccountId(env.KEY_SECRET, key);
    const terms = { name: "Acme", plan: "premium" } as const;
    expect(await openCustomer(env, configOf(env), earlier, terms)).toBe("opened");
    const { accountId, apiKey } = await openAccount({}, { "idempotency-key": key });
    expect(accountId).toBe(earlier);
    expect((await balanceWith(apiKey)).status).toBe(200);
  });

  it("returns the same account for the same Idempotency-Key", async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const [one, two] = [await openAccount({}, key), await openAccount({}, key)];
    expect(two).toEqual(one);
    expect(await openAccount()).not.toEqual(one);
    expect(await openAccount({}, { "idempotency-key": `"${key["idempotency-key"]}"` })).toEqual(one);
    const other = await operator("POST", "/operator/accounts", { name: "Other", plan: "premium" }, key);
    expectFailure(other, 422, "idempotency_mismatch");
  });

  it.each([
    { name: "Other" },
    { plan: "business" },
    { balance: 5 },
    { balance: 7 },
    { otpRate: 0.3 },
    { otpRate: null },
  ])("refuses the same Idempotency-Key with %j changed, and changes nothing", async (changed) => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const opening = { name: "Acme", plan: "premium", balance: 6, otpRate: 0.2 };
    const first = await operator("POST", "/operator/accounts", opening, key);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    const other = await operator("POST", "/operator/accounts", { ...opening, ...changed }, key);
    expectFailure(other, 422, "idempotency_mismatch");
    const again = await operator("POST", "/operator/accounts", opening, key);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const view = await operator("GET", `/operator/accounts/${first.body.account_id}`);
    expect(view.body).toMatchObject({ name: "Acme", plan: "premium", balance: 6, otp_rate: 0.2 });
  });

  it("replays an opening even after plan and rate have changed", async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const one = await openAccount({ plan: "starter" }, key);
    await operator("PATCH", `/operator/accounts/${one.accountId}`, { plan: "premium", otpRate: 0.5 });
    expect(await openAccount({ plan: "starter" }, key)).toEqual(one);
  });

  it.each(["a b", "", '"open', "x".repeat(256)])("%j is not a valid Idempotency-Key", async (key) => {
    const body = { name: "Acme", plan: "starter" };
    const reply = await operator("POST", "/operator/accounts", body, { "idempotency-key": key });
    expectFailure(reply, 400, "invalid_request", { param: "Idempotency-Key" });
  });

  it.each([
    [{ name: undefined }, "name"],
    [{ name: "" }, "name"],
    [{ name: "x".repeat(101) }, "name"],
    [{ name: 5 }, "name"],
    [{ plan: "gold" }, "plan"],
    [{ plan: 1 }, "plan"],
    [{ balance: "5" }, "balance"],
    [{ balance: -1 }, "balance"],
    [{ balance: 0.00001 }, "balance"],
    [{ balance: 1_000_000_001 }, "balance"],
    [{ otpRate: -0.1 }, "otpRate"],
    [{ otpRate: 0.12345 }, "otpRate"],
    [{ otpRate: "0.1" }, "otpRate"],
  ])("%j is refused", async (body, param) => {
    const reply = await operator("POST", "/operator/accounts", { name: "Acme", plan: "starter", ...body });
    expectFailure(reply, 400, "invalid_request", { param, error: expect.stringMatching(`^${param} `) });
  });

  it.each([{ name: "x" }, { name: "x".repeat(100) }, { balance: 0.0001 }, { balance: 1_000_000_000 }, { otpRate: 0 }])(
    "%j is accepted",
    async (body) => {
      await openAccount(body);
    },
  );
});

describe("GET /operator/accounts/:id", () => {
  operatorSuite("GET", (id) => `/operator/accounts/${id}`);
  unknownAccountSuite("GET", (id) => `/operator/accounts/${id}`);

  it("shows the account", async () => {
    const { accountId } = await openAccount({ plan: "business", balance: 14.85 });
    expect((await operator("GET", `/operator/accounts/${accountId}`)).body).toEqual({
      success: true,
      account_id: accountId,
      name: "Acme",
      status: "active",
      plan: "business",
      balance: 14.85,
      otp_rate: 0.2,
      requests_per_minute: 60,
      created_at: expect.stringMatching(ISO),
    });
  });

  it("shows the twin with its play coins", async () => {
    const { accountId } = await openAccount({ balance: 5 });
    const reply = await operator("GET", `/operator/accounts/${accountId}?mode=test`);
    expect(reply.body).toMatchObject({ account_id: accountId, balance: 100_000 });
  });
});

describe("PATCH /operator/accounts/:id", () => {
  afterEach(() => vi.useRealTimers());

  operatorSuite("PATCH", (id) => `/operator/accounts/${id}`);
  unknownAccountSuite("PATCH", (id) => `/operator/accounts/${id}`, {});

  it("suspends and activates, from the next request on, for both kinds of keys", async () => {
    const { accountId, apiKey, testKey } = await openAccount();
    const path = `/operator/accounts/${accountId}`;
    expect((await operator("PATCH", path, { status: "suspended" })).body.status).toBe("suspended");
    for (const key of [apiKey, testKey]) expect((await sendWith(key)).body.code).toBe("account_suspended");
    expect((await operator("PATCH", path, { status: "active" })).body.status).toBe("active");
    for (const key of [apiKey, testKey]) expect((await sendWith(key)).status).toBe(200);
  });

  it("changes plan and OTP rate, and returns to the plan's rate", async () => {
    const { accountId, apiKey } = await openAccount({ plan: "starter" });
    const path = `/operator/accounts/${accountId}`;
    const better = await operator("PATCH", path, { plan: "premium", otpRate: 0.1 });
    expect(better.body).toMatchObject({ plan: "premium", otp_rate: 0.1, requests_per_minute: 200 });
    expect((await balanceWith(apiKey)).headers.get("ratelimit-policy")).toBe('"premium";q=200;w=60');
    expect((await operator("PATCH", path, {})).body).toMatchObject({ plan: "premium", otp_rate: 0.1 });
    expect((await operator("PATCH", path, { otpRate: null })).body.otp_rate).toBe(0.15);
  });

  it("a lower plan applies at once, with a correct Retry-After", async () => {
    const { accountId, apiKey } = await openAccount({ plan: "premium" });
    const startMs = Date.now() + 60_000;
    vi.useFakeTimers({ toFake: ["Date"], now: startMs });
    for (let count = 0; count < 12; count += 1) {
      vi.setSystemTime(startMs + count * 1_000);
      expect((await balanceWith(apiKey)).status).toBe(200);
    }
    await operator("PATCH", `/operator/accounts/${accountId}`, { plan: "starter" });
    const reply = await balanceWith(apiKey);
    expect(reply.status).toBe(429);
    // Three of the twelve must leave the window before a tenth fits, and the third leaves at 62 s; now it is 11 s.
    expect(reply.headers.get("retry-after")).toBe("51");
    vi.setSystemTime(startMs + 61_999);
    expect((await balanceWith(apiKey)).status).toBe(429);
    vi.setSystemTime(startMs + 62_000);
    expect((await balanceWith(apiKey)).status).toBe(200);
  });

  it.each([
    [{ status: "closed" }, "status"],
    [{ status: true }, "status"],
    [{ plan: "gold" }, "plan"],
    [{ otpRate: -1 }, "otpRate"],
    [{ otpRate: 0.00001 }, "otpRate"],
    [{ otpRate: "0.1" }, "otpRate"],
  ])("%j is refused and changes nothing", async (body, param) => {
    const world = await openWorld();
    const path = `/operator/accounts/${world.ref.accountId}`;
    const before = (await operator("GET", path)).text;
    expectFailure(await operator("PATCH", path, body), 400, "invalid_request", { param });
    expect((await operator("GET", path)).text).toBe(before);
  });
});
