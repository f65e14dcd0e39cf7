import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { showKeyId } from "../../../src/crypto/api-key.ts";
import { callWith } from "../../world/deployment.ts";
import { hindi, inHindi } from "../../world/hindi.ts";
import { attempt, hookOf, sentBy, shown } from "../../world/hooks.ts";
import { expectFailure } from "../../world/operating.ts";
import { PLAIN, listing } from "../../world/rotation.ts";
import type { MadeHook } from "../../world/supabase.ts";
import { visit } from "../../world/visitor.ts";
import { bearer, call, openWorld, post } from "../../world/world.ts";
import type { Reply, World } from "../../world/world.ts";

// Making a hook (contract §15): over the API, and on the page of keys.

const AT = "http://console.localhost/v1/hooks";

const make = (world: World, body: unknown = { kind: "supabase" }): Promise<Reply> =>
  post(AT, body, bearer(world.apiKey));

const actions = async (world: World) => {
  const query = "SELECT action, subject FROM audit WHERE account_id = ?";
  return (await env.DB.prepare(query).bind(world.ref.accountId).all()).results;
};

describe("POST /v1/hooks", () => {
  it.each(["live", "test"] as const)("makes the hook of a %s key: the same one each time", async (mode) => {
    const world = await openWorld({ mode });
    const { status, body } = await make(world, { kind: "supabase", brandName: "Shop" });
    const hook = { kind: "supabase", url: expect.any(String), key_id: showKeyId(world.keyId), brand_name: "Shop" };
    expect([status, body]).toEqual([200, { success: true, hook, secret: expect.stringMatching(/^v1,whsec_/u) }]);
    expect(body.hook.url).toMatch(/^http:\/\/otp\.localhost\/hooks\/supabase\/hook_[\w-]+$/u);
    expect((await make(world, { kind: "supabase", brandName: "Shop" })).body).toEqual(body);
    expect({ url: body.hook.url, secret: body.secret }).toEqual(hookOf(world));
    const other = (await make(world)).body;
    expect(other.hook).toMatchObject({ brand_name: null });
    expect(other.secret).not.toBe(body.secret);
    expect(shown(await attempt({ url: body.hook.url, secret: body.secret }))).toBe("sent");
    expect(await sentBy(world)).toHaveLength(1);
    expect(await actions(world)).toContainEqual({ action: "hook.made", subject: showKeyId(world.keyId) });
  });

  it("makes it with the secret of its key, before and after a rotation of KEY_SECRET", async () => {
    const world = await openWorld();
    const { body } = await make(world);
    const init = {
      method: "POST",
      headers: { ...bearer(world.apiKey), "content-type": "application/json" },
      body: JSON.stringify({ kind: "supabase" }),
    };
    const later = await callWith({ ...PLAIN, KEY_SECRET: listing(2, 1).KEY_SECRET }, AT, init);
    expect(later.body).toEqual(body);
  });

  it.each([
    [{}, "kind must be supabase.", "kind"],
    [{ kind: "firebase" }, "kind must be supabase.", "kind"],
    [{ kind: "supabase", brandName: "" }, /^brandName/u, "brandName"],
    [{ kind: "supabase", brandName: "a".repeat(41) }, /^brandName/u, "brandName"],
    [{ kind: "supabase", brandName: "a\nb" }, /^brandName/u, "brandName"],
    [{ kind: "supabase", url: "x" }, "There is no field url.", "url"],
  ])("refuses %j", async (body, error, param) => {
    const reply = await make(await openWorld(), body);
    expectFailure(reply, 400, "invalid_request", { error: expect.stringMatching(error), param });
  });

  it("takes an active key alone, of an account that is not suspended", async () => {
    const world = await openWorld();
    expectFailure(await post(AT, { kind: "supabase" }), 401, "unauthorized");
    await world.stub.amend({ status: "suspended" });
    expectFailure(await make(world), 403, "account_suspended");
    await world.stub.amend({ status: "active" });
    await world.stub.revokeKey(world.keyId);
    expectFailure(await make(world), 401, "unauthorized");
    expectFailure(await call(AT), 405, "method_not_allowed");
  });
});

const keyOf = ({ keyId }: World) => ({ key: showKeyId(keyId), brand: "" });

const hookIn = (text: string): MadeHook => ({
  url: /value="(http[^"]+\/hooks\/supabase\/[^"]+)"/u.exec(text)?.[1] ?? "",
  secret: /value="(v1,whsec_[^"]+)"/u.exec(text)?.[1] ?? "",
});

describe("the page of keys", () => {
  it("makes the hook of a key, with its brand", async () => {
    const { visitor, world } = await visit();
    const key = showKeyId(world.keyId);
    expect((await visitor.get("/keys")).text).toContain(`value="${key}"`);
    const page = await visitor.submit("/keys/hook", { key, brand: " Shop " });
    expect([page.status, hookIn(page.text)]).toEqual([200, hookOf(world)]);
    expect(shown(await attempt(hookIn(page.text)))).toBe("sent");
    expect(hookIn((await visitor.submit("/keys/hook", { key, brand: "" })).text)).toEqual(hookOf(world, null));
    expect(await actions(world)).toContainEqual({ action: "hook.made", subject: key });
  });

  it("refuses a brand that no text may have, and keeps what was typed", async () => {
    const { visitor, world } = await visit();
    const brand = "a".repeat(41);
    const page = await visitor.submit("/keys/hook", { key: showKeyId(world.keyId), brand });
    expect(page.status).toBe(400);
    expect(page.text).toContain(`value="${brand}"`);
    expect(page.text).toContain("Brand name can have at most 40 characters");
  });

  it("has no hook of another account's key, of a revoked one, or without a fresh sign-in", async () => {
    const { visitor, world } = await visit();
    const other = await openWorld();
    expect((await visitor.submit("/keys/hook", keyOf(other))).status).toBe(404);
    expect((await visitor.submit("/keys/hook", { key: "x", brand: "" })).status).toBe(404);
    await world.stub.revokeKey(world.keyId);
    expect((await visitor.submit("/keys/hook", keyOf(world))).status).toBe(404);
    const stale = await visit({ authenticatedAgoMs: 11 * 60_000 });
    const asked = await stale.visitor.submit("/keys/hook", keyOf(stale.world));
    expect([asked.status, asked.text.includes("whsec_")]).toEqual([303, false]);
  });

  it("says before a key is rotated or revoked that its hook stops, in Hindi too", async () => {
    const { visitor, world } = await visit();
    for (const act of ["rotate", "revoke"]) {
      const { text } = await visitor.get(`/keys/${showKeyId(world.keyId)}/${act}`);
      expect(text).toContain("A Supabase hook made with this key stops with it.");
    }
    inHindi({ visitor });
    const page = await visitor.submit("/keys/hook", { key: showKeyId(world.keyId), brand: "Shop" });
    hindi(page, 200);
  });
});
