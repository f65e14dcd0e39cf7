import { describe, expect, it } from "vitest";
import { contractSuite } from "../../world/contract.ts";
import { openAccount } from "../../world/operating.ts";
import { bearer, call, ledgerOf, openWorld } from "../../world/world.ts";

const URL_OF_IT = "http://sms.localhost/account-balance";

contractSuite({
  url: URL_OF_IT,
  method: "GET",
  keyPlaces: ["bearer"],
  body: () => ({}),
  rules: {},
  cost: 0,
});

describe("account-balance", () => {
  it.each([0, 1, 14.85, 0.0001, 999.9999, 1_000_000])("shows %d without float noise", async (balance) => {
    const world = await openWorld({ balance });
    const reply = await call(URL_OF_IT, { headers: bearer(world.apiKey) });
    expect(reply.text).toBe(`{"success":true,"balance":${balance},"currency":"coins"}`);
  });

  it("changes nothing but the window", async () => {
    const world = await openWorld({ plan: "starter" });
    const reply = await call(URL_OF_IT, { headers: bearer(world.apiKey) });
    expect(reply.headers.get("ratelimit")).toBe('"starter";r=9;t=60');
    expect(await ledgerOf(world)).toHaveLength(1);
  });

  it("a test key shows the play coins of the twin, not the live balance", async () => {
    const { apiKey, testKey } = await openAccount({ balance: 7.25 });
    expect((await call(URL_OF_IT, { headers: bearer(testKey) })).body.balance).toBe(100_000);
    expect((await call(URL_OF_IT, { headers: bearer(apiKey) })).body.balance).toBe(7.25);
  });
});
