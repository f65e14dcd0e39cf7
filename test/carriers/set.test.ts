import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { MockInstance } from "vitest";
import { callbackToken, isCallbackToken } from "../../src/carriers/callback-token.ts";
import { carrierSetting, openSecrets, sealSecrets, sealedBy } from "../../src/carriers/stored.ts";
import { KINDS, Carriers, currentCarriers } from "../../src/carriers/table.ts";
import { messageId } from "../../src/crypto/ids.ts";
import { signedHeaders } from "../../src/crypto/webhook-signature.ts";
import { withoutToken } from "../../src/operator/carrier-set/show.ts";
import { resealCarriers } from "../../src/operator/carrier-set/reseal.ts";
import { ACME, ACME_SECRET, noCarriers, setCarrier } from "../world/carrier-set.ts";
import { outgoing } from "../world/http-gateway.ts";
import { expectFailure } from "../world/operating.ts";
import { call, dispatch, messagesOf, openWorld, operator, sendSms } from "../world/world.ts";

// What the service makes of the stored carriers: the carriers themselves, receipts of those from before a change, secrets.

const OTHER_SECRET = `whsec_${Buffer.from("another key of a gateway, 32 b!!").toString("base64")}`;
const OLD = "an older secret of the service: 32 ch";
const NEW = "a newer secret of the service: 32 ch.";

const ctx = { waitUntil: () => undefined };
const set = () => carrierSetting.change(env.RECORDINGS, () => null);

/** What is logged while a test runs. */
let logged: string[] = [];

beforeEach(() => {
  logged = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void logged.push(line));
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await noCarriers();
});

/** A receipt as the gateway with this secret signs it. */
function receipt(name: string, ref: string, secret: string, nowMs = Date.now()) {
  const text = JSON.stringify({ ref, state: "delivered" });
  const headers = { "content-type": "application/json", ...signedHeaders(secret, "receipt-1", text, nowMs) };
  return call(`http://console.localhost/callbacks/${name}`, { method: "POST", headers, body: text });
}

describe("a carrier of the set", () => {
  it("is made of what is stored; an unknown one is none, and an unusable one takes nothing", async () => {
    await setCarrier("acme");
    const carriers = await currentCarriers(env, ctx);
    expect(carriers.named("acme")).toMatchObject({ name: "acme", isPaced: true, resubmits: false });
    expect(carriers.named("acme")).toBe(carriers.named("acme"));
    expect(["none", "constructor"].map((name) => carriers.named(name))).toEqual([null, null]);
    expect([carriers.can("acme", "otp"), carriers.can("none", "otp"), carriers.can("sim", "voice")]).toEqual([
      true,
      false,
      true,
    ]);
    const { carriers: stored, ...rest } = await set();
    const newer = stored.flatMap((one) => [
      { ...one, name: "a", kind: "pigeon" },
      { ...one, name: "b", settings: { address: "x" } },
      // Sealed for another carrier.
      { ...one, name: "c" },
    ]);
    const unusable = new Carriers(env, { carriers: newer, ...rest });
    const outcomes = await Promise.all(["a", "b", "c"].map(async (name) => unusable.named(name)?.submit(outgoing())));
    const refused = { kind: "not_accepted", code: "not_configured" };
    expect(outcomes).toEqual([refused, refused, refused]);
  });
});

describe("a carrier that cannot be made", () => {
  let logged: MockInstance<typeof console.error>;
  beforeEach(async () => {
    await setCarrier("acme");
    await setCarrier("bravo");
    const make = KINDS.http.carrier;
    logged = vi.spyOn(console, "error").mockReturnValue();
    vi.spyOn(KINDS.http, "carrier").mockImplementation((setup, around) => {
      if (setup.name === "acme") throw new Error("these settings say nothing");
      return make(setup, around);
    });
  });

  it("takes nothing, is logged, and takes none of the others down", async () => {
    const carriers = new Carriers(env, await set());
    expect(await carriers.named("acme")?.submit(outgoing())).toEqual({ kind: "not_accepted", code: "not_configured" });
    expect(carriers.can("bravo", "sms")).toBe(true);
    expect(carriers.receivers("bravo", Date.now())).toHaveLength(1);
    expect(logged.mock.calls.flat().join("")).toContain("carrier acme");
  });

  it("takes no receipts, and takes down none of what it was before", async () => {
    const { carriers: all, ...rest } = await set();
    const past = all.map((one) => ({ ...one, until: Date.now() + 60_000 }));
    const carriers = new Carriers(env, { ...rest, carriers: all, past });
    expect(carriers.receivers("acme", Date.now())).toHaveLength(1);
    expect(carriers.receivers("bravo", Date.now())).toHaveLength(2);
  });
});

const route = (routes: object[]) => operator("PUT", "/operator/routes", { routes });

/** A message that acme was given, and that waits for its receipt. */
async function submitted() {
  const world = await openWorld();
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({}));
  await route([{ carriers: [{ name: "acme" }] }]);
  await sendSms(world);
  const seq = (await messagesOf(world))[0]?.seq ?? 0;
  await dispatch(world, [seq]);
  await route([]);
  const state = async () => (await messagesOf(world))[0]?.state;
  return { ref: messageId(env.KEY_SECRET, world.ref, "sms", { seq, index: 0 }), state };
}

describe("receipts", () => {
  it("of a carrier of the set are proved with its own secret", async () => {
    await setCarrier("acme");
    const { ref, state } = await submitted();
    expectFailure(await receipt("acme", ref, env.CARRIER_HTTP_SECRET), 401, "unauthorized");
    expect((await receipt("acme", ref, ACME_SECRET)).status).toBe(200);
    expect(await state()).toBe("delivered");
    expectFailure(await receipt("none", ref, ACME_SECRET), 404, "not_found");
  });

  it.each([
    ["another secret", () => setCarrier("acme", { ...ACME, secrets: { secret: OTHER_SECRET } })],
    ["another kind", () => setCarrier("acme", { kind: "sim", settings: {} })],
    ["a deletion", () => operator("DELETE", "/operator/carriers/acme")],
    ["an import without it", () => operator("PUT", "/operator/carrier-set", { carriers: [], routes: [] })],
  ])("of what it was given before %s still count, until their window ends", async (_, change) => {
    await setCarrier("acme");
    const { ref, state } = await submitted();
    await change();
    const [before] = (await set()).past;
    expect(before?.until).toBeGreaterThan(Date.now() + 259_000_000);
    expect((await receipt("acme", ref, ACME_SECRET)).status).toBe(200);
    expect(await state()).toBe("delivered");
    vi.useFakeTimers({ toFake: ["Date"], now: (before?.until ?? 0) + 1 });
    expect([401, 404]).toContain((await receipt("acme", ref, ACME_SECRET)).status);
    await setCarrier("other");
    await operator("DELETE", "/operator/carriers/other");
    expect((await set()).past.map(({ name }) => name)).toEqual(["other"]);
  });

  it("need no earlier set-up where only the pace changed, and of many the last five are kept", async () => {
    await setCarrier("acme");
    await setCarrier("acme", { ...ACME, tps: 9 });
    expect((await set()).past).toEqual([]);
    for (let at = 0; at < 7; at++) {
      await setCarrier("acme", { ...ACME, settings: { url: `https://g.example.com/${at}` } });
    }
    const kept = (await set()).past.map(({ settings }) => settings["url"]);
    expect(kept).toEqual([1, 2, 3, 4, 5].map((at) => `https://g.example.com/${at}`));
  });
});

describe("the token of a callback address", () => {
  it("is its carrier's alone, and of every listed secret", () => {
    const token = callbackToken(`1:${OLD}`, "acme");
    expect(isCallbackToken(`1:${OLD}`, "acme", token)).toBe(true);
    expect(isCallbackToken(`2:${NEW},1:${OLD}`, "acme", token)).toBe(true);
    expect(callbackToken(`2:${NEW},1:${OLD}`, "acme")).not.toBe(token);
    const flipped = `${token.slice(0, -1)}${token.endsWith("A") ? "Q" : "A"}`;
    for (const wrong of [null, "", "x", token.slice(0, -2), flipped, callbackToken(`1:${NEW}`, "acme")]) {
      expect(isCallbackToken(`1:${OLD}`, "acme", wrong)).toBe(false);
    }
    expect(isCallbackToken(`1:${OLD}`, "acme2", token)).toBe(false);
    expect(isCallbackToken(`2:${NEW}`, "acme", token)).toBe(false);
  });

  it("is cut from an address for those who may not change carriers", () => {
    const address = "https://console.example.com/callbacks/acme";
    expect(withoutToken(`${address}/${callbackToken(`1:${OLD}`, "acme")}`)).toBe(`${address}/***`);
    expect([withoutToken(address), withoutToken(null)]).toEqual([address, null]);
  });
});

const at = (SEAL_SECRET: string) => ({ ...env, SEAL_SECRET });

describe("a rotation of SEAL_SECRET", () => {
  it("seals every secret anew, after which the older one is not needed", async () => {
    const stored = {
      kind: "http",
      settings: ACME.settings,
      secrets: await sealSecrets(`1:${OLD}`, "acme", { secret: ACME_SECRET }),
    };
    await carrierSetting.replace(env.RECORDINGS, {
      carriers: [{ name: "acme", ...stored, tps: null, createdAt: 1, updatedAt: 1 }],
      past: [{ name: "acme", ...stored, until: Date.now() + 1_000 }],
      routes: [],
    });
    const both = at(`2:${NEW},1:${OLD}`);
    await resealCarriers(both);
    const after = await set();
    expect(sealedBy(after)).toEqual(new Set([2]));
    for (const { secrets } of [...after.carriers, ...after.past]) {
      expect(openSecrets(`2:${NEW}`, "acme", secrets)).toEqual({ secret: ACME_SECRET });
    }
    const etag = (await env.RECORDINGS.head("settings/carriers.json"))?.etag;
    await resealCarriers(both);
    expect((await env.RECORDINGS.head("settings/carriers.json"))?.etag).toBe(etag);
  });

  it("leaves alone what it cannot open, and says so in the log", async () => {
    const secrets = await sealSecrets(`1:${OLD}`, "acme", { secret: ACME_SECRET });
    const carrier = {
      name: "acme",
      kind: "http",
      settings: ACME.settings,
      secrets,
      tps: null,
      createdAt: 1,
      updatedAt: 1,
    };
    const document = { carriers: [carrier], past: [], routes: [] };
    await carrierSetting.replace(env.RECORDINGS, document);
    await resealCarriers(at(`2:${NEW}`));
    expect(await set()).toEqual(document);
    expect(logged.join()).toContain("secrets of carriers do not open");
  });
});
