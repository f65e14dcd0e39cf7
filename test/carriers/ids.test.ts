import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { callbackToken } from "../../src/carriers/callback-token.ts";
import { currentCarriers, readReceipts } from "../../src/carriers/table.ts";
import { configOf } from "../../src/config/config.ts";
import { noCarriers, setCarrier } from "../world/carrier-set.ts";
import { outgoing } from "../world/http-gateway.ts";
import { expectFailure } from "../world/operating.ts";
import { call, operator } from "../world/world.ts";

// Carriers by configuration whose receipts name only their own id: from the submission to the receipt, through the objects
// that store the ids.

const ctx = { waitUntil: () => undefined };

const SHOP = {
  kind: "template",
  settings: {
    url: "https://gateway.example.com/send",
    body: { to: "{to}", text: "{text}" },
    id: { json: "id" },
    receipt: { id: "id", state: "status", states: { DELIVRD: "delivered", FAILED: "failed" }, code: "err" },
  },
};

let nth = 0;

beforeEach(() => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    await new Response(init?.body ?? null).text();
    nth += 1;
    return Response.json({ id: `gw-${nth}` });
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await noCarriers();
});

/** Submits a message by a carrier; returns the carrier's id of it. */
async function submitted(name: string, ref: string): Promise<string> {
  const carrier = (await currentCarriers(env, ctx)).named(name);
  expect(await carrier?.submit(outgoing({ ref }))).toEqual({ kind: "submitted" });
  return `gw-${nth}`;
}

const tokenOf = (name: string) => callbackToken(configOf(env).KEY_SECRET, name);

const request = (id: string, status = "DELIVRD") =>
  new Request(`https://console.example/callbacks/shop?id=${id}&status=${status}&err=0`);

const receiptsOf = (name: string, id: string, status?: string) =>
  readReceipts(env, ctx, { name, token: tokenOf(name), request: request(id, status) });

const unknownAt = (token: string) => `http://console.localhost/callbacks/shop/${token}?id=none&status=DELIVRD`;

/** Objects that fail. */
const broken = { find: () => Promise.reject(new Error("the object is away")) };

const delivered = (ref: string) => [{ ref, state: "delivered", code: "0" }];

describe("a carrier whose receipts have only its own id", () => {
  it("has them for the right message, twice, and of its own ids alone", async () => {
    await setCarrier("shop", SHOP);
    await setCarrier("other", SHOP);
    const ids = [await submitted("shop", "msg_a"), await submitted("shop", "msg_b")];
    expect(await receiptsOf("shop", ids[1] ?? "")).toEqual(delivered("msg_b"));
    expect(await receiptsOf("shop", ids[0] ?? "")).toEqual(delivered("msg_a"));
    expect(await receiptsOf("shop", ids[0] ?? "")).toEqual(delivered("msg_a"));
    expect(await receiptsOf("other", ids[0] ?? "")).toEqual([]);
  });

  it.each([
    [
      "other settings",
      () => setCarrier("shop", { ...SHOP, settings: { ...SHOP.settings, url: "https://b.example.com" } }),
    ],
    ["a deletion", async () => void (await operator("DELETE", "/operator/carriers/shop"))],
    [
      "another name of the field",
      () =>
        setCarrier("shop", {
          ...SHOP,
          settings: { ...SHOP.settings, receipt: { ...SHOP.settings.receipt, id: "msgid" } },
        }),
    ],
  ])("has them after %s too", async (_, change) => {
    await setCarrier("shop", SHOP);
    const id = await submitted("shop", "msg_before");
    await change();
    expect(await receiptsOf("shop", id)).toEqual(delivered("msg_before"));
  });

  it("answers 200 for an id that it does not know, and 401 without its token", async () => {
    await setCarrier("shop", SHOP);
    expect((await call(unknownAt(tokenOf("shop")), {})).status).toBe(200);
    expectFailure(await call(unknownAt(tokenOf("other")), {}), 401, "unauthorized");
    const without = "http://console.localhost/callbacks/shop?id=none&status=DELIVRD";
    for (const method of ["GET", "POST"]) expectFailure(await call(without, { method }), 401, "unauthorized");
    expectFailure(await call(without.replace("shop", "none"), {}), 404, "not_found");
  });

  it("has submitted though its id could not be stored, after three tries", async () => {
    await setCarrier("shop", SHOP);
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    let tries = 0;
    const failing = (fails: number) => ({
      getByName: (name: string) => ({
        note: async (id: string, ref: string) => {
          tries += 1;
          if (tries <= fails) throw new Error("the object is away");
          return env.CARRIER_IDS.getByName(name).note(id, ref);
        },
      }),
    });
    for (const [fails, isKnown] of [
      [2, true],
      [3, false],
    ] as const) {
      tries = 0;
      const at = { ...env, CARRIER_IDS: failing(fails) } as unknown as Env;
      const carrier = (await currentCarriers(at, ctx)).named("shop");
      expect(await carrier?.submit(outgoing({ ref: `msg_${fails}` }))).toEqual({ kind: "submitted" });
      expect(tries).toBe(3);
      expect(await receiptsOf("shop", `gw-${nth}`)).toEqual(isKnown ? delivered(`msg_${fails}`) : []);
    }
  });

  it("asks for its receipt again where the id could not be looked up", async () => {
    await setCarrier("shop", SHOP);
    const at = { ...env, CARRIER_IDS: { getByName: () => broken } } as unknown as Env;
    const asked = readReceipts(at, ctx, { name: "shop", token: tokenOf("shop"), request: request("x") });
    await expect(asked).rejects.toThrow("the object is away");
  });
});
