import { afterEach, describe, expect, it, vi } from "vitest";
import { ledgerOf, messagesOf, openWorld } from "../world.ts";
import type { World } from "../world.ts";
import { ask, expectDone, expectEdge, expectRefused, showsWindow, windowOf } from "./endpoint.ts";
import type { Asking, Endpoint } from "./endpoint.ts";

const WEEK_MS = 7 * 24 * 3_600_000;

const withKey = (key: string, more: Asking = {}): Asking => ({ ...more, headers: { "idempotency-key": key } });

async function debitsOf(world: World) {
  return (await ledgerOf(world)).filter((entry) => entry.type === "debit");
}

function replaySuite(endpoint: Endpoint): void {
  const debits = endpoint.cost > 0 ? 1 : 0;

  it("the same request again: the same bytes, marked as a replay, and one debit", async () => {
    const world = await openWorld({ plan: "starter" });
    const first = await ask(endpoint, world, withKey("order-1"));
    expectDone(first);
    expect(first.headers.has("idempotent-replayed")).toBe(false);
    for (let count = 0; count < 3; count += 1) {
      const again = await ask(endpoint, world, withKey("order-1"));
      expect(again.status).toBe(200);
      expect(again.text).toBe(first.text);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
      expect(showsWindow(again)).toBe(true);
      expect(windowOf(again).left, "a replay does not count").toBe(9);
    }
    expect(await debitsOf(world)).toHaveLength(debits);
  });

  it("returns the first reply although the balance has changed", async () => {
    const world = await openWorld();
    const first = await ask(endpoint, world, withKey("order-1"));
    await ask(endpoint, world);
    expect((await ask(endpoint, world, withKey("order-1"))).text).toBe(first.text);
  });

  it("bare and quoted are the same key; another key is another request", async () => {
    const world = await openWorld();
    const bare = await ask(endpoint, world, withKey("order-1"));
    const quoted = await ask(endpoint, world, withKey('"order-1"'));
    expect(quoted.text).toBe(bare.text);
    expect(quoted.headers.get("idempotent-replayed")).toBe("true");
    const other = await ask(endpoint, world, withKey("Order-1"));
    expectDone(other);
    expect(other.headers.has("idempotent-replayed")).toBe(false);
    expect(await debitsOf(world)).toHaveLength(2 * debits);
  });

  it("field order, unknown fields and the place of the API key do not change the request", async () => {
    const world = await openWorld();
    const first = await ask(endpoint, world, withKey("order-1"));
    const fields = Object.entries(await endpoint.body(world)).toReversed();
    for (const place of endpoint.keyPlaces) {
      const inBody = place === "body" ? { apiKey: world.apiKey } : {};
      const raw = JSON.stringify({ unknown: 1, ...inBody, ...Object.fromEntries(fields) }, null, 2);
      const keys = place === "body" ? {} : { [place]: world.apiKey };
      const again = await ask(endpoint, world, withKey("order-1", { raw, keys }));
      expect(again.text).toBe(first.text);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
    }
  });

  it("belongs to one account: another account may use the same key", async () => {
    const [one, other] = [await openWorld(), await openWorld()];
    expectDone(await ask(endpoint, one, withKey("order-1")));
    const reply = await ask(endpoint, other, withKey("order-1"));
    expectDone(reply);
    expect(reply.headers.has("idempotent-replayed")).toBe(false);
  });

  it("two calls without a key are two requests", async () => {
    const world = await openWorld();
    expectDone(await ask(endpoint, world));
    expectDone(await ask(endpoint, world));
    expect(await debitsOf(world)).toHaveLength(2 * debits);
  });
}

function misuseSuite(endpoint: Endpoint): void {
  it("with any other field: 422, and nothing changes", async () => {
    const world = await openWorld();
    expectDone(await ask(endpoint, world, withKey("order-1")));
    const before = await messagesOf(world);
    for (const [name, rule] of Object.entries(endpoint.rules)) {
      const given = JSON.stringify((await endpoint.body(world))[name]);
      const value = rule.accepted.find((one) => JSON.stringify(one) !== given);
      if (value === undefined) continue;
      const reply = await ask(endpoint, world, withKey("order-1", { fields: { [name]: value } }));
      expectRefused(reply, 422, "idempotency_mismatch");
      expect(reply.headers.has("idempotent-replayed")).toBe(false);
    }
    expect(await messagesOf(world)).toEqual(before);
  });

  it.each(["", " ", "a b", '"', '"open', '""', '"a b"', "é", "a\tb", "x".repeat(256), `"${"x".repeat(256)}"`])(
    "%j is not a valid key: 400",
    async (key) => {
      const world = await openWorld();
      const reply = await ask(endpoint, world, withKey(key));
      expectEdge(reply, 400, "invalid_request", { param: "Idempotency-Key" });
    },
  );

  // A quotation mark inside a bare key is an ordinary visible character.
  it.each(["x", "!~", 'say"x"', "x".repeat(255), `"${"x".repeat(255)}"`])("%s is a valid key", async (key) => {
    expectDone(await ask(endpoint, await openWorld(), withKey(key)));
  });
}

function memorySuite(endpoint: Endpoint): void {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("20 in parallel: one debit, and the same bytes for all", async () => {
    const world = await openWorld({ plan: "starter" });
    await endpoint.body(world);
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask(endpoint, world, withKey("race"))));
    const done = replies.filter((reply) => reply.status === 200);
    const running = replies.filter((reply) => reply.status !== 200);
    expect(new Set(done.map((reply) => reply.text)).size).toBe(1);
    expect(done.filter((reply) => !reply.headers.has("idempotent-replayed"))).toHaveLength(1);
    if (!endpoint.slow) expect(running).toHaveLength(0);
    for (const reply of running) {
      expectRefused(reply, 409, "idempotency_in_progress");
      expect(reply.headers.get("retry-after")).toBe("1");
    }
    const after = await ask(endpoint, world, withKey("race"));
    expect(after.text).toBe(done[0]?.text);
    expect(windowOf(after).left, "one of them counted").toBe(9);
    expect(await debitsOf(world)).toHaveLength(endpoint.cost > 0 ? 1 : 0);
  });

  it("a refusal is not remembered", async () => {
    const world = await openWorld();
    await world.stub.amend({ status: "suspended" });
    expectRefused(await ask(endpoint, world, withKey("order-1")), 403, "account_suspended");
    await world.stub.amend({ status: "active" });
    const reply = await ask(endpoint, world, withKey("order-1"));
    expectDone(reply);
    expect(reply.headers.has("idempotent-replayed")).toBe(false);
  });

  if (endpoint.cost > 0) {
    it("a refusal for an empty balance is not remembered either", async () => {
      const world = await openWorld({ balance: 0 });
      expectRefused(await ask(endpoint, world, withKey("order-1")), 403, "insufficient_balance");
      await world.stub.credit({ amount: 1_000_000, reference: "pay-1", requestId: "req_pay" });
      expectDone(await ask(endpoint, world, withKey("order-1")));
      expect(await debitsOf(world)).toHaveLength(1);
    });
  }

  it("is kept for 7 days", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const startMs = Date.UTC(2026, 7, 1);
    vi.setSystemTime(startMs);
    const world = await openWorld();
    const first = await ask(endpoint, world, withKey("order-1"));
    vi.setSystemTime(startMs + WEEK_MS - 1);
    const again = await ask(endpoint, world, withKey("order-1"));
    expect(again.text).toBe(first.text);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    vi.setSystemTime(startMs + WEEK_MS);
    const later = await ask(endpoint, world, withKey("order-1"));
    expectDone(later);
    expect(later.headers.has("idempotent-replayed")).toBe(false);
  });
}

/** Idempotency-Key (contract §8). */
export function idempotencySuite(endpoint: Endpoint): void {
  if (endpoint.method === "GET") {
    it("ignores an Idempotency-Key", async () => {
      const world = await openWorld();
      for (const key of ["order-1", "order-1", "a b"]) {
        const reply = await ask(endpoint, world, withKey(key));
        expectDone(reply);
        expect(reply.headers.has("idempotent-replayed")).toBe(false);
      }
    });
    return;
  }
  describe("Idempotency-Key", () => {
    replaySuite(endpoint);
    misuseSuite(endpoint);
    memorySuite(endpoint);
  });
}
