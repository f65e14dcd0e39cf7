import { describe, expect, it } from "vitest";
import { openWorld } from "../world.ts";
import type { World } from "../world.ts";
import { CAP_BYTES, USUAL_BYTES, ask, expectDone, expectEdge, expectRefused, keyOf } from "./endpoint.ts";
import type { Endpoint, Keys } from "./endpoint.ts";

const ORDER_KEY = { "idempotency-key": "order-1" };

/** A request with its key in a header, so that its body may be anything. */
function inHeader(endpoint: Endpoint, key: string): Keys {
  const [place = "bearer"] = endpoint.keyPlaces.filter((one) => one !== "body");
  return { [place]: key };
}

/** Uses up the starter plan's window. */
async function useUp(endpoint: Endpoint, world: World, count = 10): Promise<void> {
  for (let done = 0; done < count; done += 1) expectDone(await ask(endpoint, world));
}

function edgeOrder(endpoint: Endpoint): void {
  it("method before type and size, type and size before key", async () => {
    const world = await openWorld();
    const bad = { raw: "text", keys: {}, type: "text/plain" };
    expectEdge(await ask(endpoint, world, { ...bad, method: "PUT" }), 405, "method_not_allowed");
    expectEdge(await ask(endpoint, world, bad), 415, "unsupported_media_type");
    const raw = "x".repeat(CAP_BYTES + 1);
    expectEdge(await ask(endpoint, world, { raw, keys: {} }), 413, "payload_too_large");
    expectEdge(await ask(endpoint, world, { raw, keys: {}, method: "PUT" }), 405, "method_not_allowed");
  });

  it("key before the endpoint's own limit, unless the key may be in the body that is not read", async () => {
    const world = await openWorld();
    const max = endpoint.bodyBytesMax ?? USUAL_BYTES;
    if (max === CAP_BYTES) return;
    const raw = "x".repeat(max + 1);
    const forged = inHeader(endpoint, `${world.apiKey}x`);
    expectEdge(await ask(endpoint, world, { raw, keys: forged }), 401, "unauthorized");
    const bare = await ask(endpoint, world, { raw, keys: {} });
    if (endpoint.keyPlaces.includes("body")) expectEdge(bare, 400, "invalid_request");
    else expectEdge(bare, 401, "unauthorized");
  });

  it("key before JSON, JSON before fields", async () => {
    const world = await openWorld();
    const forged = inHeader(
      endpoint,
      world.apiKey.replace(/.$/u, (last) => (last === "A" ? "B" : "A")),
    );
    expectEdge(await ask(endpoint, world, { raw: "{", keys: forged }), 401, "unauthorized");
    expectEdge(await ask(endpoint, world, { raw: "{}", keys: forged }), 401, "unauthorized");
    const headers = { "idempotency-key": "a b" };
    const keys = inHeader(endpoint, world.apiKey);
    expectEdge(await ask(endpoint, world, { raw: "{", keys, headers }), 400, "invalid_json");
    expectEdge(await ask(endpoint, world, { raw: "{}", keys, headers }), 400, "invalid_request");
  });

  it("every edge check before a revoked key", async () => {
    const world = await openWorld();
    await world.stub.revokeKey(world.keyId);
    const keys = inHeader(endpoint, world.apiKey);
    expectEdge(await ask(endpoint, world, { raw: "{", keys }), 400, "invalid_json");
    expectEdge(await ask(endpoint, world, { raw: "{}", keys }), 400, "invalid_request");
    const malformed = { headers: { "idempotency-key": "a b" } };
    expectEdge(await ask(endpoint, world, malformed), 400, "invalid_request", { param: "Idempotency-Key" });
    expectEdge(await ask(endpoint, world), 401, "unauthorized");
  });
}

function accountOrder(endpoint: Endpoint): void {
  it("a revoked key before a replay", async () => {
    const world = await openWorld();
    expectDone(await ask(endpoint, world, { headers: ORDER_KEY }));
    await world.stub.revokeKey(world.keyId);
    expectEdge(await ask(endpoint, world, { headers: ORDER_KEY }), 401, "unauthorized");
  });

  it("a replay and a mismatch before the rate limit and the account's status", async () => {
    const world = await openWorld({ plan: "starter" });
    const first = await ask(endpoint, world, { headers: ORDER_KEY });
    await useUp(endpoint, world, 9);
    await world.stub.amend({ status: "suspended" });
    const replay = await ask(endpoint, world, { headers: ORDER_KEY });
    expect(replay.text).toBe(first.text);
    const given = await endpoint.body(world);
    const [name = "", rule] = Object.entries(endpoint.rules)[0] ?? [];
    const value = rule?.accepted.find((one) => JSON.stringify(one) !== JSON.stringify(given[name]));
    const other = await ask(endpoint, world, { headers: ORDER_KEY, fields: { [name]: value } });
    expectRefused(other, 422, "idempotency_mismatch");
    expectRefused(await ask(endpoint, world), 429, "rate_limited");
  });
}

/** Of several faults, the first in the order of contract §3 is reported. */
export function orderSuite(endpoint: Endpoint): void {
  describe("order of refusals", () => {
    if (endpoint.method === "POST") {
      edgeOrder(endpoint);
      accountOrder(endpoint);
    }

    it("method before key", async () => {
      const world = await openWorld();
      expectEdge(await ask(endpoint, world, { method: "DELETE", keys: {} }), 405, "method_not_allowed");
    });

    it("a revoked key before the rate limit", async () => {
      const world = await openWorld({ plan: "starter" });
      await useUp(endpoint, world);
      await world.stub.revokeKey(world.keyId);
      expectEdge(await ask(endpoint, world, { keys: keyOf(endpoint, world) }), 401, "unauthorized");
    });

    it("the rate limit before the account's status, the status before the balance", async () => {
      const limited = await openWorld({ plan: "starter" });
      await useUp(endpoint, limited);
      await limited.stub.amend({ status: "suspended" });
      expectRefused(await ask(endpoint, limited), 429, "rate_limited");
      const poor = await openWorld({ balance: 0 });
      await poor.stub.amend({ status: "suspended" });
      expectRefused(await ask(endpoint, poor), 403, "account_suspended");
    });

    if (endpoint.cost > 0) {
      it("the rate limit before the balance", async () => {
        // With its own rate, an OTP costs the same under every plan.
        const world = await openWorld({ plan: "starter", balance: 10 * endpoint.cost, otpRate: endpoint.cost });
        await useUp(endpoint, world);
        expectRefused(await ask(endpoint, world), 429, "rate_limited");
      });
    }
  });
}
