import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { expectFailure, operatorSuite, unknownAccountSuite } from "../../world/operating.ts";
import { showKeyId } from "../../../src/crypto/api-key.ts";
import { bearer, call, openWorld, operator } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

const START_MS = Date.UTC(2026, 7, 1, 12);

const keysPath = (id: string) => `/operator/accounts/${id}/keys`;
const keyPath = (world: World, keyId = showKeyId(world.keyId)) => `${keysPath(world.ref.accountId)}/${keyId}`;
const statusOf = async (apiKey: string) =>
  (await call("http://sms.localhost/account-balance", { headers: bearer(apiKey) })).status;
const rotate = (world: World, overlapSeconds: unknown, headers = {}) =>
  operator("POST", `${keyPath(world)}/rotate`, { overlapSeconds }, headers);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(START_MS);
});
afterEach(() => {
  vi.useRealTimers();
});

describe("GET and POST /operator/accounts/:id/keys", () => {
  operatorSuite("GET", keysPath);
  operatorSuite("POST", keysPath);
  unknownAccountSuite("GET", keysPath);
  unknownAccountSuite("POST", keysPath, {});

  it("lists keys without revealing one", async () => {
    const world = await openWorld();
    const { data } = (await operator("GET", keysPath(world.ref.accountId))).body;
    expect(data).toEqual([
      {
        key_id: showKeyId(world.keyId),
        mode: "live",
        name: "first key",
        secret_id: 1,
        created_at: "2026-08-01T12:00:00.000Z",
        last_used_at: null,
        expires_at: null,
        revoked_at: null,
      },
    ]);
    vi.setSystemTime(START_MS + 5_000);
    await statusOf(world.apiKey);
    const [used] = (await operator("GET", keysPath(world.ref.accountId))).body.data;
    expect(used.last_used_at).toBe("2026-08-01T12:00:05.000Z");
  });

  it("makes a key that works at once", async () => {
    const world = await openWorld();
    const made = await operator("POST", keysPath(world.ref.accountId), { name: "server" });
    expect(made.body).toMatchObject({ success: true, mode: "live", name: "server", revoked_at: null });
    expect(await statusOf(made.body.api_key as string)).toBe(200);
    expect(await statusOf(world.apiKey)).toBe(200);
    const { data } = (await operator("GET", keysPath(world.ref.accountId))).body;
    expect((data as { key_id: string }[]).map((key) => key.key_id)).toContain(made.body.key_id);
    expect(JSON.stringify(data)).not.toContain("dsk_");
  });

  it("makes the same key for the same Idempotency-Key, and another key without one", async () => {
    const world = await openWorld();
    const make = (headers = {}) => operator("POST", keysPath(world.ref.accountId), {}, headers);
    const first = await make({ "idempotency-key": "key-1" });
    expect((await make({ "idempotency-key": '"key-1"' })).body.api_key).toBe(first.body.api_key);
    expect((await make()).body.api_key).not.toBe(first.body.api_key);
    expectFailure(await make({ "idempotency-key": "a b" }), 400, "invalid_request", { param: "Idempotency-Key" });
  });

  it.each([{ name: "other" }, { mode: "test" }])(
    "refuses the same Idempotency-Key with %j changed, and makes no key",
    async (changed) => {
      const account = (await operator("POST", "/operator/accounts", { name: "Acme" })).body.account_id as string;
      const make = (body: object) => operator("POST", keysPath(account), body, { "idempotency-key": "key-1" });
      const first = await make({ name: "server" });
      expect(await statusOf(first.body.api_key as string)).toBe(200);
      expectFailure(await make({ name: "server", ...changed }), 422, "idempotency_mismatch");
      expect((await operator("GET", keysPath(account))).body.data).toHaveLength(3);
      const again = await make({ name: "server" });
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
    },
  );

  it("makes a test key for the twin, which must exist", async () => {
    const world = await openWorld();
    expectFailure(await operator("POST", keysPath(world.ref.accountId), { mode: "test" }), 404, "not_found");
    const account = await operator("POST", "/operator/accounts", { name: "Acme" });
    const made = await operator("POST", keysPath(account.body.account_id as string), { mode: "test" });
    expect(made.body).toMatchObject({ mode: "test", api_key: expect.stringMatching(/^dsk_test_/u) });
    expect(await statusOf(made.body.api_key as string)).toBe(200);
  });

  it.each([
    [{ name: "" }, "name"],
    [{ name: 5 }, "name"],
    [{ name: "x".repeat(101) }, "name"],
    [{ mode: "both" }, "mode"],
  ])("%j is refused", async (body, param) => {
    const world = await openWorld();
    expectFailure(await operator("POST", keysPath(world.ref.accountId), body), 400, "invalid_request", { param });
  });
});

describe("DELETE /operator/accounts/:id/keys/:keyId", () => {
  operatorSuite("DELETE", (id) => `${keysPath(id)}/key_00000001`);

  it("revokes before the next request, permanently, and may be repeated", async () => {
    const world = await openWorld();
    expect((await operator("DELETE", keyPath(world))).body).toEqual({ success: true, key_id: showKeyId(world.keyId) });
    expect(await statusOf(world.apiKey)).toBe(401);
    vi.setSystemTime(START_MS + 5_000);
    expect((await operator("DELETE", keyPath(world))).status).toBe(200);
    const [key] = (await operator("GET", keysPath(world.ref.accountId))).body.data;
    expect(key.revoked_at).toBe("2026-08-01T12:00:00.000Z");
  });

  it.each(["key_00000001", "key_x", "x", "KEY_00000001"])("%s is not a key: 404", async (keyId) => {
    expectFailure(await operator("DELETE", keyPath(await openWorld(), keyId)), 404, "not_found");
  });

  it("another account's key cannot be revoked", async () => {
    const [world, other] = [await openWorld(), await openWorld()];
    expectFailure(await operator("DELETE", keyPath(world, showKeyId(other.keyId))), 404, "not_found");
    expect(await statusOf(other.apiKey)).toBe(200);
  });
});

describe("POST /operator/accounts/:id/keys/:keyId/rotate", () => {
  operatorSuite("POST", (id) => `${keysPath(id)}/key_00000001/rotate`);

  it("both keys work during the overlap, then only the new one", async () => {
    const world = await openWorld();
    const reply = await rotate(world, 60);
    expect(reply.body).toEqual({
      success: true,
      key_id: expect.stringMatching(/^key_[0-9a-f]{8}$/u),
      api_key: expect.stringMatching(/^dsk_live_/u),
      replaces: showKeyId(world.keyId),
      old_expires_at: "2026-08-01T12:01:00.000Z",
    });
    const newKey = reply.body.api_key as string;
    vi.setSystemTime(START_MS + 59_999);
    expect([await statusOf(world.apiKey), await statusOf(newKey)]).toEqual([200, 200]);
    vi.setSystemTime(START_MS + 60_000);
    expect([await statusOf(world.apiKey), await statusOf(newKey)]).toEqual([401, 200]);
  });

  it("without overlap the old key ends at once", async () => {
    const world = await openWorld();
    const reply = await rotate(world, 0);
    expect([await statusOf(world.apiKey), await statusOf(reply.body.api_key as string)]).toEqual([401, 200]);
  });

  it("the same rotation again returns the same key", async () => {
    const world = await openWorld();
    const first = await rotate(world, 60, { "idempotency-key": "rotate-1" });
    vi.setSystemTime(START_MS + 5_000);
    const again = await rotate(world, 60, { "idempotency-key": "rotate-1" });
    expect(again.body).toEqual(first.body);
    expect((await operator("GET", keysPath(world.ref.accountId))).body.data).toHaveLength(2);
  });

  it("refuses the same Idempotency-Key with another overlap, or for another key", async () => {
    const world = await openWorld();
    const key = { "idempotency-key": "rotate-1" };
    const first = await rotate(world, 60, key);
    expectFailure(await rotate(world, 61, key), 422, "idempotency_mismatch");
    const next = `${keyPath(world, first.body.key_id as string)}/rotate`;
    expectFailure(await operator("POST", next, { overlapSeconds: 60 }, key), 422, "idempotency_mismatch");
    const again = await rotate(world, 60, key);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await operator("GET", keysPath(world.ref.accountId))).body.data).toHaveLength(2);
  });

  it("revoking ends an overlap early", async () => {
    const world = await openWorld();
    await rotate(world, 3_600);
    await operator("DELETE", keyPath(world));
    expect(await statusOf(world.apiKey)).toBe(401);
  });

  it("a revoked, expired or unknown key cannot be rotated", async () => {
    const revoked = await openWorld();
    await operator("DELETE", keyPath(revoked));
    expectFailure(await rotate(revoked, 60), 403, "permission_denied");
    const expired = await openWorld();
    await rotate(expired, 0);
    expectFailure(await rotate(expired, 60), 403, "permission_denied");
    const unknown = await operator("POST", `${keyPath(revoked, "key_00000001")}/rotate`, { overlapSeconds: 1 });
    expectFailure(unknown, 404, "not_found");
  });

  it.each([-1, 1.5, "60", null, undefined, 2_592_001])("an overlap of %j is refused", async (overlap) => {
    const world = await openWorld();
    expectFailure(await rotate(world, overlap), 400, "invalid_request", { param: "overlapSeconds" });
    expect(await statusOf(world.apiKey)).toBe(200);
  });

  it("an overlap of 30 days is accepted", async () => {
    expect((await rotate(await openWorld(), 2_592_000)).body.old_expires_at).toBe("2026-08-31T12:00:00.000Z");
  });
});
