import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newestActs } from "../../../src/audit/trail.ts";
import { expectFailure } from "../../world/operating.ts";
import { bearer, call, openWorld } from "../../world/world.ts";
import type { Reply, World } from "../../world/world.ts";

const AT = "http://console.localhost/v1/account";

const get = (world: World): Promise<Reply> => call(AT, { headers: bearer(world.apiKey) });
const patch = (world: World, body: unknown): Promise<Reply> =>
  call(AT, {
    method: "PATCH",
    headers: { ...bearer(world.apiKey), "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe("GET /v1/account", () => {
  it("shows the account of the key, in the key's mode", async () => {
    const world = await openWorld({ name: "Shop", plan: "business", balance: 10.5, otpRate: 0.3 });
    expect((await get(world)).body).toEqual({
      success: true,
      name: "Shop",
      status: "active",
      plan: "business",
      balance: 10.5,
      currency: "coins",
      otp_rate: 0.3,
      otps_left: 35,
      requests_per_minute: 60,
      mode: "live",
      balance_low_at: 10,
    });
    const twin = await openWorld({ mode: "test", otpRate: 0 });
    expect((await get(twin)).body).toMatchObject({ mode: "test", otps_left: null });
  });

  it("answers a suspended account, whose changes are refused", async () => {
    const world = await openWorld();
    await world.stub.amend({ status: "suspended" });
    expect((await get(world)).body).toMatchObject({ success: true, status: "suspended" });
    expectFailure(await patch(world, { balance_low_at: 5 }), 403, "account_suspended");
  });

  it("needs a key", async () => {
    expectFailure(await call(AT), 401, "unauthorized");
    const world = await openWorld();
    await world.stub.revokeKey(world.keyId);
    expectFailure(await get(world), 401, "unauthorized");
    expectFailure(await patch(world, { balance_low_at: 5 }), 401, "unauthorized");
  });
});

describe("PATCH /v1/account", () => {
  it.each([0, 0.0001, 250, null])("sets where a low balance is reported: %s", async (at) => {
    const world = await openWorld();
    expect((await patch(world, { balance_low_at: at })).body).toMatchObject({ success: true, balance_low_at: at });
    expect((await get(world)).body.balance_low_at).toBe(at);
    const { acts } = await newestActs(env, { accountId: world.ref.accountId }, null, 5);
    expect(acts).toMatchObject([{ action: "account.balance_low", details: { mode: "live", amount: at } }]);
  });

  it.each([-1, "5", true, 0.00001, 2e9, undefined])("refuses %s", async (value) => {
    const world = await openWorld();
    expectFailure(await patch(world, { balance_low_at: value }), 400, "invalid_request", { param: "balance_low_at" });
    expect((await get(world)).body.balance_low_at).toBe(10);
  });
});
