import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { carrierSetting, openSecrets } from "../../../src/carriers/stored.ts";
import { ACME, ACME_SECRET, noCarriers, setCarrier } from "../../world/carrier-set.ts";
import { expectFailure, operatorSuite } from "../../world/operating.ts";
import { operator } from "../../world/world.ts";

const ROUTES = "/operator/routes";
const SET = "/operator/carrier-set";

const set = () => carrierSetting.change(env.RECORDINGS, () => null);

const many = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

afterEach(noCarriers);

describe("GET and PUT /operator/routes", () => {
  operatorSuite("GET", ROUTES);
  operatorSuite("PUT", ROUTES);

  it("are none at first, and what was put, with its defaults", async () => {
    expect((await operator("GET", ROUTES)).body).toEqual({ success: true, routes: [] });
    await setCarrier("acme");
    const routes = [
      { operations: ["otp"], to: ["IN", "+9198", "*"], carriers: [{ name: "acme", weight: 3 }, { name: "sim" }] },
      { carriers: [{ name: "acme" }], fallback: ["acme", "sim"] },
    ];
    const shown = [
      {
        ...routes[0],
        carriers: [
          { name: "acme", weight: 3 },
          { name: "sim", weight: 1 },
        ],
      },
      { carriers: [{ name: "acme", weight: 1 }], fallback: ["acme", "sim"] },
    ];
    const reply = await operator("PUT", ROUTES, { routes });
    expect(reply.body).toEqual({ success: true, routes: shown });
    expect((await operator("GET", ROUTES)).body).toEqual(reply.body);
  });

  const sim = { carriers: [{ name: "sim" }] };

  it.each([
    [{}, "routes"],
    [{ routes: "x" }, "routes"],
    [{ routes: many(101, sim) }, "routes"],
    [{ routes: ["x"] }, "routes[0]"],
    [{ routes: [{}] }, "routes[0].carriers"],
    [{ routes: [{ carriers: [] }] }, "routes[0].carriers"],
    [{ routes: [{ carriers: many(11, { name: "sim" }) }] }, "routes[0].carriers"],
    [{ routes: [{ carriers: [{ name: "sim", weight: 0 }] }] }, "routes[0].carriers"],
    [{ routes: [sim, { carriers: [{ name: "sim", weight: -1 }] }] }, "routes[1].carriers[0].weight"],
    [{ routes: [{ carriers: [{ name: "sim", weight: 1_001 }] }] }, "routes[0].carriers[0].weight"],
    [{ routes: [{ carriers: [{ name: "sim" }, { name: "none" }] }] }, "routes[0].carriers[1].name"],
    [{ routes: [{ carriers: [{ name: 5 }] }] }, "routes[0].carriers[0].name"],
    [{ routes: [{ carriers: [{ weight: 5 }] }] }, "routes[0].carriers[0].name"],
    [{ routes: [{ carriers: [{ name: "sim", wieght: 5 }] }] }, "routes[0].carriers[0].wieght"],
    [{ routes: [{ ...sim, fallback: ["sim", "none"] }] }, "routes[0].fallback[1]"],
    [{ routes: [{ ...sim, fallback: many(11, "sim") }] }, "routes[0].fallback"],
    [{ routes: [{ ...sim, operations: ["fax"] }] }, "routes[0].operations[0]"],
    [{ routes: [{ ...sim, operations: [] }] }, "routes[0].operations"],
    [{ routes: [{ ...sim, to: ["91"] }] }, "routes[0].to[0]"],
    [{ routes: [{ ...sim, to: ["*", "in"] }] }, "routes[0].to[1]"],
    [{ routes: [{ ...sim, to: ["XX"] }] }, "routes[0].to[0]"],
    [{ routes: [{ ...sim, via: ["x"] }] }, "routes[0].via"],
  ])("%j is refused with the path of its field, and changes nothing", async (body, param) => {
    await operator("PUT", ROUTES, { routes: [sim] });
    expectFailure(await operator("PUT", ROUTES, body), 400, "invalid_request", { param });
    expect((await set()).routes).toEqual([{ carriers: [{ name: "sim", weight: 1 }] }]);
  });
});

describe("GET and PUT /operator/carrier-set", () => {
  operatorSuite("GET", SET);
  operatorSuite("PUT", SET);

  const routes = [{ carriers: [{ name: "acme", weight: 1 }], fallback: ["sim"] }];

  it("is all of it without secrets, and changes nothing where it is put back", async () => {
    await setCarrier("acme", { ...ACME, tps: 5 });
    await operator("PUT", ROUTES, { routes });
    const { body, text } = await operator("GET", SET);
    expect(body).toEqual({
      success: true,
      carriers: [{ name: "acme", kind: "http", settings: ACME.settings, secrets: ["secret"], tps: 5 }],
      routes,
    });
    expect(text).not.toContain(ACME_SECRET.slice(6, 20));
    const { carriers } = body;
    expect((await operator("PUT", SET, { carriers, routes })).body).toEqual(body);
    const [acme] = (await set()).carriers;
    expect(openSecrets(env.SEAL_SECRET, "acme", acme?.secrets ?? {})).toEqual({ secret: ACME_SECRET });
    expect((await set()).past).toEqual([]);
  });

  it("takes the secrets of a carrier that is new here, and is refused without them", async () => {
    const acme = { name: "acme", ...ACME };
    const exported = { ...acme, secrets: ["secret"], tps: null };
    const param = "carriers[0].secrets.secret";
    expectFailure(await operator("PUT", SET, { carriers: [exported], routes }), 400, "invalid_request", { param });
    expect((await operator("PUT", SET, { carriers: [acme], routes })).status).toBe(200);
    await setCarrier("best");
    expect((await operator("PUT", SET, { carriers: [exported], routes })).status).toBe(200);
    const { carriers, past } = await set();
    expect([carriers.map(({ name }) => name), past.map(({ name }) => name)]).toEqual([["acme"], ["best"]]);
  });

  it.each([
    [{ carriers: [], routes }, "routes[0].carriers[0].name"],
    [{ carriers: [{ name: "sim", kind: "sim", settings: {} }], routes: [] }, "carriers[0].name"],
    [{ carriers: [{ name: "A", kind: "sim", settings: {} }], routes: [] }, "carriers[0].name"],
    [{ carriers: [{ name: "a", kind: "fax", settings: {} }], routes: [] }, "carriers[0].kind"],
    [{ carriers: [{ name: "a", kind: "sim", settings: { x: 1 } }], routes: [] }, "carriers[0].settings.x"],
    [
      {
        carriers: [
          { name: "a", kind: "sim", settings: {} },
          { name: "a", kind: "sim", settings: {} },
        ],
        routes: [],
      },
      "carriers[1].name",
    ],
    [{ routes: [] }, "carriers"],
    [{ carriers: [] }, "routes"],
  ])("%j is refused with the path of its field, and changes nothing", async (body, param) => {
    await setCarrier("best");
    expectFailure(await operator("PUT", SET, body), 400, "invalid_request", { param });
    expect((await set()).carriers.map(({ name }) => name)).toEqual(["best"]);
  });
});
