import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PLANS } from "../../../src/money/plans.ts";
import { balanceOf, ledgerOf, messagesOf, openWorld } from "../world.ts";
import { ask, expectDone, expectEdge, expectRefused, showsWindow, windowOf } from "./endpoint.ts";
import type { Endpoint } from "./endpoint.ts";

const START_MS = Date.UTC(2026, 7, 1, 12, 0, 0);

function limitSuite(endpoint: Endpoint): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(START_MS);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("counts every admitted request, and reports the rest", async () => {
    const world = await openWorld({ plan: "starter" });
    for (let left = 9; left >= 0; left -= 1) {
      const reply = await ask(endpoint, world);
      expectDone(reply);
      expect(reply.headers.get("ratelimit-policy")).toBe('"starter";q=10;w=60');
      expect(windowOf(reply)).toEqual({ plan: "starter", left, seconds: 60 - (9 - left) });
      vi.setSystemTime(Date.now() + 1000);
    }
  });

  it("over the limit: 429, and waiting for Retry-After is enough", async () => {
    const world = await openWorld({ plan: "starter" });
    for (let count = 0; count < 10; count += 1) {
      expectDone(await ask(endpoint, world));
      vi.setSystemTime(Date.now() + 500);
    }
    const before = await balanceOf(world);
    const reply = await ask(endpoint, world);
    expectRefused(reply, 429, "rate_limited");
    expect(reply.headers.get("ratelimit-policy")).toBe('"starter";q=10;w=60');
    expect(windowOf(reply)).toEqual({ plan: "starter", left: 0, seconds: 55 });
    expect(reply.headers.get("retry-after")).toBe("55");
    expect(reply.body.error).toBe("The limit of 10 requests per minute is reached; try again in 55 s.");
    vi.setSystemTime(START_MS + 59_999);
    const early = await ask(endpoint, world);
    expectRefused(early, 429, "rate_limited");
    expect(early.headers.get("retry-after")).toBe("1");
    expect(await balanceOf(world)).toBe(before);
    vi.setSystemTime(START_MS + 60_000);
    expectDone(await ask(endpoint, world));
    // One request left the window, so one was admitted; the refused ones did not count.
    expectRefused(await ask(endpoint, world), 429, "rate_limited");
  });

  it("edge refusals do not count", async () => {
    const world = await openWorld({ plan: "starter" });
    for (let count = 0; count < 6; count += 1) {
      expect((await ask(endpoint, world, { keys: {} })).status).toBe(401);
      expect((await ask(endpoint, world, { method: "DELETE" })).status).toBe(405);
      if (endpoint.method === "GET") continue;
      const raw = JSON.stringify({ apiKey: world.apiKey });
      expectEdge(await ask(endpoint, world, { raw }), 400, "invalid_request");
      expectEdge(await ask(endpoint, world, { type: "text/plain" }), 415, "unsupported_media_type");
      expectEdge(await ask(endpoint, world, { headers: { "idempotency-key": "a b" } }), 400, "invalid_request");
    }
    expect(windowOf(await ask(endpoint, world)).left).toBe(9);
  });

  it.each(["starter", "business", "premium"] as const)("shows the limit of the plan %s", async (plan) => {
    const world = await openWorld({ plan });
    const reply = await ask(endpoint, world);
    const limit = PLANS[plan].requestsPerMinute;
    expect(reply.headers.get("ratelimit-policy")).toBe(`"${plan}";q=${limit};w=60`);
    expect(windowOf(reply)).toEqual({ plan, left: limit - 1, seconds: 60 });
  });
}

function standingSuite(endpoint: Endpoint): void {
  it("suspended: 403 on the next request, which counts and costs nothing", async () => {
    const world = await openWorld({ plan: "starter" });
    await world.stub.amend({ status: "suspended" });
    for (const left of [9, 8]) {
      const reply = await ask(endpoint, world);
      expectRefused(reply, 403, "account_suspended");
      expect(windowOf(reply).left).toBe(left);
    }
    expect(await ledgerOf(world)).toHaveLength(1);
    await world.stub.amend({ status: "active" });
    expect(windowOf(await ask(endpoint, world)).left).toBe(7);
  });

  if (endpoint.cost === 0) {
    it("costs nothing, and works with an empty balance", async () => {
      const world = await openWorld({ balance: 0 });
      expectDone(await ask(endpoint, world));
      expect(await ledgerOf(world)).toEqual([]);
    });
  }
}

function balanceSuite(endpoint: Endpoint): void {
  const { cost } = endpoint;

  it("an empty balance: 403, nothing charged, nothing sent", async () => {
    // With its own rate, an OTP costs the same under every plan.
    const world = await openWorld({ plan: "starter", balance: 0, otpRate: cost });
    const reply = await ask(endpoint, world);
    expectRefused(reply, 403, "insufficient_balance", {
      error: endpoint.emptyBalance ?? `This costs ${cost} coins and the balance is 0; buy a plan or ask for credit.`,
    });
    expect(windowOf(reply).left).toBe(9);
    expect(windowOf(await ask(endpoint, world)).left).toBe(8);
    expect(await ledgerOf(world)).toEqual([]);
    expect(await messagesOf(world)).toEqual([]);
  });

  it("a balance of exactly the price is enough; 0.0001 less is refused", async () => {
    const exact = await openWorld({ balance: cost });
    expectDone(await ask(endpoint, exact));
    expect(await balanceOf(exact)).toBe(0);
    const less = await openWorld({ balance: cost - 0.0001 });
    expectRefused(await ask(endpoint, less), 403, "insufficient_balance");
    expect(await balanceOf(less)).toBe(Math.round(cost * 10_000) - 1);
  });

  it("takes its price in one debit entry that names the request", async () => {
    const world = await openWorld({ balance: 100 });
    const reply = await ask(endpoint, world);
    expectDone(reply);
    expect(showsWindow(reply)).toBe(true);
    const debits = (await ledgerOf(world)).filter((entry) => entry.type === "debit");
    expect(debits).toHaveLength(1);
    expect(debits[0]).toMatchObject({
      amount: -Math.round(cost * 10_000),
      balanceAfter: 1_000_000 - Math.round(cost * 10_000),
      requestId: reply.headers.get("x-request-id"),
    });
    expect(await world.stub.reconcile()).toEqual([]);
  });
}

/** What only the account decides: rate limit, status and balance (contract §6 and §7). */
export function accountSuite(endpoint: Endpoint): void {
  describe("rate limit", () => limitSuite(endpoint));
  describe("account status", () => standingSuite(endpoint));
  if (endpoint.cost > 0) describe("balance", () => balanceSuite(endpoint));
}
