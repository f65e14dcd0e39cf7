import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { consoleKeyId, showKey, showKeyId, verifyKey } from "../../../src/crypto/api-key.ts";
import { serviceWith } from "../../world/deployment.ts";
import { listing } from "../../world/rotation.ts";
import { sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { Visitor, visit } from "../../world/visitor.ts";
import type { Page } from "../../world/visitor.ts";

const JSON_ONLY = { accept: "application/json" };

const keyIn = (page: Page) => /value="(dsk_[a-z]+_[0-9A-Za-z]+)"/u.exec(page.text)?.[1] ?? "";
const idOf = (world: World) => showKeyId(world.keyId);

/** The API's status for a send with this key. */
async function tried(world: World, apiKey: string): Promise<number> {
  return (await sendSms({ ...world, apiKey })).status;
}

async function keyOfFirst(visitor: Visitor, world: World): Promise<Page> {
  return visitor.submit(`/keys/${idOf(world)}/show`, {}, JSON_ONLY);
}

describe("the list of keys", () => {
  it("names each key and shows it masked", async () => {
    const { visitor, world } = await visit();
    const page = await visitor.get("/keys");
    expect(page.status).toBe(200);
    expect(page.text).toContain(idOf(world));
    expect(page.text).toContain(world.apiKey.slice(-4));
    expect(page.text).not.toContain(world.apiKey);
  });

  it("shows the keys of the chosen mode", async () => {
    const { visitor, world } = await visit({ mode: "test" });
    expect((await visitor.get("/keys")).text).toContain(idOf(world));
    visitor.cookies.set("mode", "live");
    expect((await visitor.get("/keys")).text).not.toContain(idOf(world));
  });

  it("shows when a key was last used, to the hour", async () => {
    const { visitor, world } = await visit();
    expect((await visitor.get("/keys")).text).toContain("never");
    await sendSms(world);
    expect((await visitor.get("/keys")).text).toContain("within the last hour");
  });

  it("shows a hostile name as text, in Hindi as well", async () => {
    const { visitor } = await visit();
    const name = `<img src=x onerror=alert(1)>"'`;
    await visitor.submit("/keys", { name, once: "a" });
    visitor.cookies.set("lang", "hi");
    const { text } = await visitor.get("/keys");
    expect(text).toContain("&lt;img src=x");
    expect(text).not.toContain("<img");
    expect(text).toContain("लाइव कुंजियाँ");
  });
});

describe("making a key", () => {
  it("returns a key that works, once per form", async () => {
    const { visitor, world } = await visit();
    const [first, again] = [
      await visitor.submit("/keys", { name: "shop", once: "once_1" }),
      await visitor.submit("/keys", { name: "shop", once: "once_1" }),
    ];
    expect(keyIn(first)).toMatch(/^dsk_live_/u);
    expect(keyIn(again)).toBe(keyIn(first));
    expect(keyIn(first)).not.toBe(world.apiKey);
    expect(await tried(world, keyIn(first))).toBe(200);
    expect(await world.stub.keys()).toHaveLength(2);
    const other = await visitor.submit("/keys", { name: "shop", once: "once_2" });
    expect(keyIn(other)).not.toBe(keyIn(first));
  });

  it("makes a test key in test mode", async () => {
    const { visitor } = await visit({ mode: "test" });
    expect(keyIn(await visitor.submit("/keys", { name: "ci", once: "a" }))).toMatch(/^dsk_test_/u);
  });

  it("requires a name", async () => {
    const { visitor, world } = await visit();
    for (const name of ["", "   ", "x".repeat(101)]) {
      const page = await visitor.submit("/keys", { name, once: "a" });
      expect(page.status).toBe(400);
      expect(page.text).toContain("Enter a name of");
    }
    expect(await world.stub.keys()).toHaveLength(1);
  });
});

describe("showing a key", () => {
  it("returns the exact key, to the script and as a page", async () => {
    const { visitor, world } = await visit();
    expect(JSON.parse((await keyOfFirst(visitor, world)).text)).toEqual({ success: true, key: world.apiKey });
    const page = await visitor.submit(`/keys/${idOf(world)}/show`);
    expect(keyIn(page)).toBe(world.apiKey);
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(await tried(world, world.apiKey)).toBe(200);
  });

  it("shows a key of the other mode from that mode's object", async () => {
    const { visitor, world } = await visit({ mode: "test" });
    visitor.cookies.set("mode", "live");
    expect(JSON.parse((await keyOfFirst(visitor, world)).text)).toEqual({ success: true, key: world.apiKey });
  });

  it("requires confirmation after an old sign-in, for every action that shows or changes a key", async () => {
    const { visitor, world } = await visit({ authenticatedAgoMs: 11 * 60_000 });
    const path = `/keys/${idOf(world)}`;
    for (const [to, form] of [
      ["/keys", { name: "x", once: "a" }],
      [`${path}/show`, {}],
      [`${path}/rotate`, { overlap: "0", once: "a" }],
      [`${path}/revoke`, {}],
    ] as const) {
      const page = await visitor.submit(to, form, { referer: "http://console.localhost/keys" });
      expect(page.status).toBe(303);
      expect(page.headers.get("location")).toBe("/confirm?next=%2Fkeys");
      const reply = await visitor.submit(to, form, JSON_ONLY);
      expect(reply.status).toBe(403);
      expect(JSON.parse(reply.text)).toMatchObject({ code: "permission_denied", hint: "/confirm" });
    }
    expect(await world.stub.keys()).toMatchObject([{ revokedAt: null, expiresAt: null }]);
  });
});

describe("rotating a key", () => {
  it("keeps both keys valid during the overlap", async () => {
    const { visitor, world } = await visit();
    const page = await visitor.submit(`/keys/${idOf(world)}/rotate`, { overlap: "3600", once: "a" });
    const key = keyIn(page);
    expect(key).not.toBe(world.apiKey);
    expect([await tried(world, key), await tried(world, world.apiKey)]).toEqual([200, 200]);
    expect(keyIn(await visitor.submit(`/keys/${idOf(world)}/rotate`, { overlap: "3600", once: "a" }))).toBe(key);
    expect(await world.stub.keys()).toHaveLength(2);
    expect((await visitor.get("/keys")).text).toContain("Works until");
  });

  it("ends the old key at once without an overlap, and returns the same key for the same form", async () => {
    const { visitor, world } = await visit();
    const form = { overlap: "0", once: "a" };
    const key = keyIn(await visitor.submit(`/keys/${idOf(world)}/rotate`, form));
    expect([await tried(world, key), await tried(world, world.apiKey)]).toEqual([200, 401]);
    expect(keyIn(await visitor.submit(`/keys/${idOf(world)}/rotate`, form))).toBe(key);
    expect((await visitor.submit(`/keys/${idOf(world)}/rotate`, { overlap: "0", once: "b" })).status).toBe(403);
  });

  it("accepts only the offered overlaps", async () => {
    const { visitor, world } = await visit();
    for (const overlap of ["", "-1", "1", "99999999", "toString"]) {
      expect((await visitor.submit(`/keys/${idOf(world)}/rotate`, { overlap, once: "a" })).status).toBe(400);
    }
    expect(await world.stub.keys()).toHaveLength(1);
  });
});

describe("revoking a key", () => {
  it("asks for confirmation first, and then ends the key at once", async () => {
    const { visitor, world } = await visit();
    await sendSms(world);
    const asks = await visitor.get(`/keys/${idOf(world)}/revoke`);
    expect(asks.text).toContain("Something is still using it");
    expect(await tried(world, world.apiKey)).toBe(200);
    const done = await visitor.submit(`/keys/${idOf(world)}/revoke`);
    expect(done.headers.get("location")).toBe("/keys?done=revoked");
    expect(await tried(world, world.apiKey)).toBe(401);
    expect((await keyOfFirst(visitor, world)).status).toBe(404);
    expect((await visitor.get("/keys")).text).toContain("Expired and revoked keys");
    expect((await visitor.submit(`/keys/${idOf(world)}/revoke`)).status).toBe(303);
  });

  it("returns part of a page for the drawer", async () => {
    const { visitor, world } = await visit();
    const part = await visitor.get(`/keys/${idOf(world)}/revoke`, { "x-part": "1" });
    expect(part.text).toContain("Revoke this key?");
    expect(part.text).not.toContain("<html");
  });
});

describe("a key of another account", () => {
  it.each(["show", "rotate", "revoke"])("is answered to %s like a key that does not exist", async (what) => {
    const { visitor } = await visit();
    const other = await visit();
    const form = { overlap: "0", once: "a" };
    const answers = [];
    for (const id of [idOf(other.world), "key_12345678", "key_x", showKeyId(consoleKeyId("live"))]) {
      const { status, text } = await visitor.submit(`/keys/${id}/${what}`, form, JSON_ONLY);
      answers.push({ status, ...(JSON.parse(text) as object), request_id: "" });
    }
    expect(answers[0]).toMatchObject({ status: 404, code: "not_found" });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await tried(other.world, other.world.apiKey)).toBe(200);
  });

  it("or of the console itself, which is only listed, is answered the same", async () => {
    const { visitor, world } = await visit();
    const keyId = consoleKeyId("live");
    await world.stub.makeKey(keyId, "Dashboard");
    const { text } = await visitor.get("/keys");
    expect(text).toContain("Dashboard");
    expect(text).not.toContain(showKeyId(keyId));
    for (const what of ["show", "rotate", "revoke"]) {
      const reply = await visitor.submit(`/keys/${showKeyId(keyId)}/${what}`, { overlap: "0", once: "a" }, JSON_ONLY);
      expect(reply.status).toBe(404);
      expect(reply.text).not.toContain("dsk_");
    }
    expect(await tried(world, showKey(env.KEY_SECRET, { ...world.ref, keyId }))).toBe(200);
  });
});

describe("keys of an older secret", () => {
  const at = listing(2, 1);

  /** The same browser at a service whose secret is being replaced. */
  function rotated({ cookies }: Visitor): Visitor {
    const visitor = new Visitor(serviceWith(at));
    for (const [name, value] of cookies) visitor.cookies.set(name, value);
    return visitor;
  }

  it("are marked, shown as they were given out, and replaced by ones of the new secret", async () => {
    const { visitor, world } = await visit();
    expect((await visitor.get("/keys")).text).not.toContain("signing secret");
    const later = rotated(visitor);
    expect((await later.get("/keys")).text).toContain("Some of your keys should be replaced");
    const shown = await later.submit(`/keys/${idOf(world)}/show`, {}, JSON_ONLY);
    expect(JSON.parse(shown.text)).toMatchObject({ key: world.apiKey });
    const fresh = keyIn(await later.submit(`/keys/${idOf(world)}/rotate`, { overlap: "86400", once: "a" }));
    expect(verifyKey(at.KEY_SECRET, fresh)).toMatchObject({ secretId: 2 });
    // The same form again, after the switch was taken back, is the same key.
    expect(keyIn(await later.submit(`/keys/${idOf(world)}/rotate`, { overlap: "86400", once: "a" }))).toBe(fresh);
  });

  it("are listed, and end together once that is confirmed", async () => {
    const { visitor, world } = await visit();
    const later = rotated(visitor);
    const made = keyIn(await later.submit("/keys", { name: "new", once: "b" }));
    const asked = await later.get("/keys/expire");
    expect(asked.text).toContain(idOf(world));
    expect(asked.text).not.toContain(showKeyId(verifyKey(at.KEY_SECRET, made)?.keyId ?? 0));
    expect(await tried(world, world.apiKey)).toBe(200);
    const ended = await later.submit("/keys/expire", { before: "" });
    expect([ended.status, ended.headers.get("location")]).toEqual([303, "/keys?done=expired"]);
    expect(await tried(world, world.apiKey)).toBe(401);
    expect((await later.get("/keys?done=expired")).text).toContain("The older keys no longer work.");
    const page = await serviceWith(at)("http://sms.localhost/account-balance", {
      headers: { authorization: `Bearer ${made}` },
    });
    expect(page.status).toBe(200);
  });

  it("made before a day end as well, and a day that is none ends nothing", async () => {
    const { visitor, world } = await visit();
    expect((await visitor.get("/keys/expire?before=2020-01-01")).text).toContain("No key that still works");
    const { text } = await visitor.get("/keys/expire?before=2100-01-01");
    expect(text).toContain(idOf(world));
    // The day as it is written everywhere: it begins at midnight in India.
    expect(text).toContain("Keys made before 1 Jan 2100");
    expect((await visitor.submit("/keys/expire", { before: "tomorrow" })).status).toBe(400);
    expect(await tried(world, world.apiKey)).toBe(200);
    expect((await visitor.submit("/keys/expire", { before: "2100-01-01" })).status).toBe(303);
    expect(await tried(world, world.apiKey)).toBe(401);
  });
});
