import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newAccountId } from "../../../src/crypto/ids.ts";
import { newKeyId, showKey } from "../../../src/crypto/api-key.ts";
import { ledgerOf, openWorld } from "../world.ts";
import type { Reply } from "../world.ts";
import { KEY_PLACES, ask, expectDone, expectEdge, keyOf, secondKey } from "./endpoint.ts";
import type { Endpoint, Keys } from "./endpoint.ts";

const SENTENCE = "The API key is missing or not valid.";

/** The same reply without details for any fault of the key (contract §3). */
function expectNoKey(reply: Reply): void {
  expectEdge(reply, 401, "unauthorized");
  const { request_id: _, ...body } = reply.body as Record<string, unknown>;
  expect(body).toEqual({ success: false, error: SENTENCE, code: "unauthorized" });
  expect(reply.headers.get("www-authenticate")).toBe("Bearer");
}

/** Replaces the last letter, which belongs to the MAC. */
const forge = (key: string) => key.slice(0, -1) + (key.endsWith("A") ? "B" : "A");

/** Keys that this service did not issue, each with its name. */
function falseKeys(key: string): [string, string][] {
  return [
    ["a word", "secret"],
    ["an empty key", ""],
    ["too short", key.slice(0, -1)],
    ["too long", `${key}A`],
    ["a letter outside base62", `${key.slice(0, -1)}-`],
    ["one character of the MAC changed", forge(key)],
    ["the other mode", key.replace("dsk_live_", "dsk_test_")],
    ["another prefix", key.replace("dsk_live_", "sk_live_")],
    ["two keys in one place", `${key}, ${key}`],
  ];
}

/** How an endpoint authenticates (contract §4). */
export function keySuite(endpoint: Endpoint): void {
  const places = endpoint.keyPlaces;

  describe("key", () => {
    it.each(places)("is read from %s", async (place) => {
      const world = await openWorld();
      expectDone(await ask(endpoint, world, { keys: { [place]: world.apiKey } }));
    });

    it("is missing: 401", async () => {
      expectNoKey(await ask(endpoint, await openWorld(), { keys: {} }));
    });

    it.each(places)("in %s, but not issued by this service: 401", async (place) => {
      const world = await openWorld();
      await endpoint.at?.(world);
      const before = await ledgerOf(world);
      for (const [name, key] of falseKeys(world.apiKey)) {
        const reply = await ask(endpoint, world, { keys: { [place]: key } });
        expect(reply.status, name).toBe(401);
        expectNoKey(reply);
      }
      expect(await ledgerOf(world)).toEqual(before);
    });

    it.each(KEY_PLACES.filter((place) => !places.includes(place)))(
      "in %s, where it is not read: 401",
      async (place) => {
        const world = await openWorld();
        expectNoKey(await ask(endpoint, world, { keys: { [place]: world.apiKey } }));
      },
    );

    it.each(["apiKey", "api_key", "x-api-key", "key"])("in the URL as %s: 401", async (name) => {
      const world = await openWorld();
      expectNoKey(await ask(endpoint, world, { keys: {}, query: `?${name}=${world.apiKey}` }));
    });

    it("revoked: 401 from the next request on", async () => {
      const world = await openWorld();
      expectDone(await ask(endpoint, world));
      await world.stub.revokeKey(world.keyId);
      expectNoKey(await ask(endpoint, world));
    });

    it("of an unopened account, or with an unknown key id: 401", async () => {
      const world = await openWorld();
      const keyId = newKeyId(env.KEY_SECRET, "live", null);
      const elsewhere = { ...world.ref, accountId: newAccountId(env.KEY_SECRET, null), keyId };
      for (const ref of [elsewhere, { ...world.ref, keyId }]) {
        const [place = "bearer"] = places;
        expectNoKey(await ask(endpoint, world, { keys: { [place]: showKey(env.KEY_SECRET, ref) } }));
      }
    });

    it("twice in one request is fine; two different keys: 401", async () => {
      const world = await openWorld();
      const other = await secondKey(world);
      // The body counts only for endpoints that read the key from it; elsewhere apiKey is an unknown field.
      const pairs = KEY_PLACES.filter((place) => place !== "body" || places.includes("body"));
      for (const place of pairs) {
        const first = keyOf(endpoint, world);
        if (place in first) continue;
        expectDone(await ask(endpoint, world, { keys: { ...first, [place]: world.apiKey } }));
        expectNoKey(await ask(endpoint, world, { keys: { ...first, [place]: other } }));
        expectNoKey(await ask(endpoint, world, { keys: { ...first, [place]: forge(world.apiKey) } }));
      }
    });

    if (places.includes("bearer")) {
      it.each(["bearer", "BEARER", "Bearer  "])("after the scheme name %s is accepted", async (scheme) => {
        const world = await openWorld();
        expectDone(await ask(endpoint, world, { keys: {}, headers: { authorization: `${scheme} ${world.apiKey}` } }));
      });

      it("is taken only as it is: with anything unseen before or after it, 401", async () => {
        const world = await openWorld();
        for (const unseen of ["\u00a0", "\ufeff", "\u200b", "\u2003"]) {
          for (const key of [unseen + world.apiKey, world.apiKey + unseen]) {
            expectNoKey(await ask(endpoint, world, { keys: {}, headers: { authorization: `Bearer ${key}` } }));
          }
        }
      });

      const others = ["", "Basic ", "Token ", "Bearer:", "Bearer"].filter(
        (scheme) => scheme !== "" || !places.includes("bare"),
      );
      it.each(others)("after %j in place of the scheme: 401", async (scheme) => {
        const world = await openWorld();
        expectNoKey(await ask(endpoint, world, { keys: {}, headers: { authorization: scheme + world.apiKey } }));
      });
    }

    if (places.includes("body")) {
      it.each([5, true, {}, []])("in the body as %j is not a key: 401", async (value) => {
        const world = await openWorld();
        const alone: Keys = { body: value };
        expectNoKey(await ask(endpoint, world, { keys: alone }));
        expectNoKey(await ask(endpoint, world, { keys: { ...alone, bearer: world.apiKey } }));
      });

      it("in the body as null counts as absent", async () => {
        const world = await openWorld();
        expectDone(await ask(endpoint, world, { keys: { body: null, bearer: world.apiKey } }));
      });
    }
  });
}
