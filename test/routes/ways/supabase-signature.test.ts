import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { configOf } from "../../../src/config/config.ts";
import { hookShown } from "../../../src/sending/hook-shown.ts";
import { callWith } from "../../world/deployment.ts";
import { attempt, hookOf, sendCode, sentBy, shown } from "../../world/hooks.ts";
import { refusedOf } from "../../world/refused.ts";
import { PLAIN, listing } from "../../world/rotation.ts";
import { securityLines } from "../../world/security-lines.ts";
import { attemptHeaders, attemptOf, payloadOf } from "../../world/supabase.ts";
import type { MadeHook } from "../../world/supabase.ts";
import { neverLogs } from "../../world/unlogged.ts";
import { call, openWorld } from "../../world/world.ts";
import type { Reply, World } from "../../world/world.ts";

// Whose a hook of Supabase Auth is, its signature, and what its developer is told (contract §15).

const CODE = "048213";

neverLogs(CODE);

describe("the signature", () => {
  const body = payloadOf();
  const at = async (headers: Record<string, string>, world: World, text = body) =>
    call(hookOf(world).url, { method: "POST", headers, body: text });

  it("is taken from npm's standardwebhooks, and one of several", async () => {
    const world = await openWorld();
    const { secret } = hookOf(world);
    const now = new Date();
    const library = {
      "content-type": "application/json",
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
      "webhook-signature": new Webhook(secret.replace("v1,", "")).sign("msg_1", now, body),
    };
    expect(shown(await at(library, world))).toBe("sent");
    const other = `v1,whsec_${Buffer.alloc(24, 7).toString("base64")}`;
    const several = attemptHeaders([other, secret, other], body);
    expect(several["webhook-signature"]).toContain(", ");
    expect(shown(await at(several, world))).toBe("sent");
    const spaced = { ...several, "webhook-signature": several["webhook-signature"]?.replaceAll(", ", " ") ?? "" };
    expect(shown(await at(spaced, world))).toBe("sent");
  });

  it("has the form that Supabase Auth demands of a secret", async () => {
    expect(hookOf(await openWorld()).secret).toMatch(/^v1,whsec_[A-Za-z0-9+/=]{32,88}$/u);
  });

  it("is refused where it is another one's, of another body, too old, too new or missing", async () => {
    const world = await openWorld();
    const { secret } = hookOf(world);
    const good = () => attemptHeaders([secret], body);
    const others = [hookOf(world, "Other").secret, hookOf(await openWorld()).secret];
    const without = (name: string) => Object.fromEntries(Object.entries(good()).filter(([own]) => own !== name));
    const refused = [
      ...others.map((other) => attemptHeaders([other], body)),
      attemptHeaders([secret], body, Date.now() - 301_000),
      attemptHeaders([secret], body, Date.now() + 302_000),
      attemptHeaders([secret], `${body} `),
      { ...good(), "webhook-id": "another" },
      { ...good(), "webhook-signature": "v1," },
      ...["webhook-id", "webhook-timestamp", "webhook-signature"].map(without),
    ];
    const texts = new Set<string>();
    for (const headers of refused) {
      const reply = await at(headers, world);
      expect([reply.status, shown(reply)]).toEqual([401, [500, "Hook requires authorization token"]]);
      texts.add(reply.text);
    }
    expect([...texts].map((text) => JSON.parse(text))).toEqual([
      { error: { http_code: 401, message: expect.stringContaining("signature does not hold") } },
    ]);
    expect(await sentBy(world)).toEqual([]);
    // What has no proof writes nothing into the account's log.
    expect(await refusedOf(world.ref)).toEqual([]);
  });
});

describe("whose hook it is", () => {
  it("is of its own account and mode alone", async () => {
    const [live, other] = [await openWorld(), await openWorld()];
    const test = await openWorld({ mode: "test" });
    await sendCode(live);
    await sendCode(test);
    expect([await sentBy(live), await sentBy(test), await sentBy(other)].map(({ length }) => length)).toEqual([
      1, 1, 0,
    ]);
  });

  it("is 404 for another service's, for one that was changed, and for no hook at all", async () => {
    const world = await openWorld();
    const hook = hookOf(world);
    const id = hook.url.split("/").at(-1) ?? "";
    const bytes = Buffer.from(id.slice(5), "base64url");
    // The mode's bit, another account, and another brand.
    const changed = [9, 1, 13].map((place) => {
      const other = Buffer.from(bytes);
      other[place] = (other[place] ?? 0) ^ 0x80;
      return `hook_${other.toString("base64url")}`;
    });
    for (const wrong of [...changed, `${id}=`, id.slice(0, -1), "hook_", "x", "hook_AA"]) {
      const reply = await attempt({ ...hook, url: hook.url.replace(id, wrong) });
      expect([reply.status, reply.body]).toEqual([
        404,
        { error: { http_code: 404, message: "There is no such hook." } },
      ]);
    }
    const elsewhere = { ...PLAIN, KEY_SECRET: "key-secret-of-another-service-0123456789" };
    expect((await callWith(elsewhere, hook.url, attemptOf(hook, payloadOf()))).status).toBe(404);
    expect(await sentBy(world)).toEqual([]);
  });

  it("ends with its key, and says so", async () => {
    const world = await openWorld();
    expect(shown(await sendCode(world))).toBe("sent");
    await world.stub.revokeKey(world.keyId);
    const reply = await sendCode(world, { sms: { otp: "111111" } });
    expect(reply.status).toBe(401);
    expect(reply.body.error.message).toBe("The API key of this hook was revoked or has expired. Create a new hook.");
    expect(await sentBy(world)).toHaveLength(1);
  });

  it("lives through a rotation of KEY_SECRET as long as its key does", async () => {
    const world = await openWorld();
    const body = payloadOf();
    const ask = (at: Partial<Cloudflare.Env>, hook: MadeHook) => {
      const { headers, ...init } = attemptOf(hook, body);
      return callWith(at, hook.url, { ...init, headers: { ...headers, "cf-connecting-ip": "192.0.2.91" } });
    };
    for (const at of [PLAIN, listing(1, 2), listing(2, 1)]) {
      expect((await ask({ ...PLAIN, KEY_SECRET: at.KEY_SECRET }, hookOf(world))).status).toBe(200);
    }
    expect(await sentBy(world)).toHaveLength(1);
    let after: Reply | undefined;
    const lines = await securityLines(async () => {
      after = await ask({ ...PLAIN, KEY_SECRET: listing(2).KEY_SECRET }, hookOf(world));
    });
    expect(after?.status).toBe(401);
    expect(lines).toMatchObject([{ act: "refused", path: "/hooks/supabase/:hook", status: 401, unlisted_secret: 1 }]);
  });

  it("is not taken from another secret than the one that made its key", async () => {
    const world = await openWorld();
    const secrets = listing(2, 1);
    const forged = hookShown(configOf({ ...env, ...secrets }), {
      kind: "supabase",
      key: { ...world.ref, keyId: world.keyId, secretId: 2 },
      brand: null,
    });
    const reply = await callWith(
      { ...PLAIN, KEY_SECRET: secrets.KEY_SECRET },
      forged.url,
      attemptOf(forged, payloadOf()),
    );
    expect(reply.status).toBe(401);
  });
});

describe("what only a developer can mend", () => {
  it.each([
    ["{", "The body is not valid JSON."],
    ["[]", "The body must be a JSON object."],
    ["{}", "user must be an object."],
    [JSON.stringify({ user: {}, sms: {} }), "user.id must be a string."],
    [JSON.stringify({ user: { id: "u" }, sms: {} }), "sms.otp must be a string."],
    [JSON.stringify({ user: { id: "u" }, sms: { otp: `${CODE}x` } }), "sms.otp must have 4 to 10 digits."],
    [JSON.stringify({ user: { id: "u" }, sms: { otp: CODE, phone: 7 } }), "sms.phone must be a string."],
  ])("is a 400: %s", async (body, message) => {
    const reply = await attempt(hookOf(await openWorld()), body);
    expect([reply.status, reply.body]).toEqual([400, { error: { http_code: 400, message } }]);
  });

  it("is another type of body, another method, or a body that is too long", async () => {
    const world = await openWorld();
    const hook = hookOf(world);
    const { headers, ...init } = attemptOf(hook, payloadOf());
    const plain = await call(hook.url, { ...init, headers: { ...headers, "content-type": "text/plain" } });
    expect([plain.status, plain.body.error.http_code]).toEqual([415, 415]);
    expect((await call(hook.url)).status).toBe(405);
    const long = await attempt(hook, JSON.stringify({ user: { id: "x".repeat(300_000) } }));
    expect([long.status, long.body.error.http_code]).toEqual([400, 400]);
  });

  it("has Supabase repeat it where the account could not be reached", async () => {
    const world = await openWorld();
    const hook = hookOf(world);
    const lost = Object.assign(new Error("Network connection lost."), { retryable: true });
    const broken = { getByName: () => ({ send: () => Promise.reject(lost) }) } as unknown as Cloudflare.Env["ACCOUNT"];
    const reply = await callWith({ ACCOUNT: broken }, hook.url, attemptOf(hook, payloadOf()));
    expect([reply.status, shown(reply)]).toEqual([503, "repeat"]);
  });
});
