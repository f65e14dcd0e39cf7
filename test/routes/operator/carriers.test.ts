import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { carrierSetting } from "../../../src/carriers/stored.ts";
import { isSigned } from "../../../src/crypto/webhook-signature.ts";
import { allCarriers } from "../../../src/operator/carrier-set/show.ts";
import { ACME, ACME_SECRET, noCarriers, setCarrier } from "../../world/carrier-set.ts";
import { expectFailure, operatorSuite, pagesOf } from "../../world/operating.ts";
import { operator } from "../../world/world.ts";

const PATH = "/operator/carriers";
const OTHER_SECRET = `whsec_${Buffer.from("another key of a gateway, 32 b!!").toString("base64")}`;

const put = (name: string, body: object) => operator("PUT", `${PATH}/${name}`, body);
const get = (name: string) => operator("GET", `${PATH}/${name}`);
const storedText = async () => (await env.RECORDINGS.get("settings/carriers.json"))?.text() ?? "";

afterEach(async () => {
  vi.restoreAllMocks();
  await noCarriers();
});

describe("GET /operator/carriers", () => {
  operatorSuite("GET", PATH);

  it("lists the built-in carriers and those that were set up, by their names, in pages", async () => {
    for (const name of ["zeta", "acme"]) await setCarrier(name);
    const names = ((await pagesOf(PATH, 2)) as { name: string; builtin: boolean }[]).map((one) => [
      one.name,
      one.builtin,
    ]);
    expect(names).toEqual([
      ["acme", false],
      ["sim", true],
      ["zeta", false],
    ]);
    for (const after of ["", "A", "1"]) {
      expectFailure(await operator("GET", `${PATH}?after=${after}`), 400, "invalid_request", { param: "after" });
    }
  });

  it("shows how the settings set the one of CARRIER up, and never its secret", async () => {
    const [http, ...others] = await allCarriers({ ...env, CARRIER: "http" }, { waitUntil: () => undefined });
    expect(http).toEqual({
      name: "http",
      kind: "http",
      settings: { url: env.CARRIER_HTTP_URL },
      secrets: ["secret"],
      tps: null,
      builtin: true,
      callbackUrl: "http://console.localhost/callbacks/http",
      createdAt: null,
      updatedAt: null,
    });
    expect(others.map(({ name }) => name)).toEqual(["sim"]);
  });

  it.each(["none", "A", "constructor", "__proto__"])("of %s: 404", async (name) => {
    expectFailure(await get(name), 404, "not_found");
  });
});

describe("PUT /operator/carriers/:name", () => {
  operatorSuite("PUT", `${PATH}/acme`);

  it("sets a carrier up, and replaces it", async () => {
    const first = await put("acme", { ...ACME, tps: 50 });
    const carrier = {
      name: "acme",
      kind: "http",
      settings: ACME.settings,
      secrets: ["secret"],
      tps: 50,
      builtin: false,
      callback_url: "http://console.localhost/callbacks/acme",
    };
    expect(first.body.carrier).toMatchObject(carrier);
    expect((await get("acme")).body).toEqual(first.body);
    const settings = { url: "https://other.example.com/x" };
    const second = await put("acme", { kind: "http", settings });
    expect(second.body.carrier).toMatchObject({ ...carrier, settings, tps: null, secrets: ["secret"] });
    const { created_at: createdAt } = first.body.carrier as { created_at: string };
    expect(second.body.carrier).toMatchObject({ created_at: createdAt });
  });

  it("stores no secret as it is, and shows none", async () => {
    const reply = await put("acme", ACME);
    for (const text of [await storedText(), reply.text, (await operator("GET", PATH)).text]) {
      expect(text).toContain("acme");
      expect(text).not.toContain(ACME_SECRET.slice(6, 20));
    }
  });

  it("keeps a secret that is left out while the kind stays, and null removes one", async () => {
    await setCarrier("acme");
    const { settings } = ACME;
    expect((await put("acme", { kind: "http", settings, secrets: {} })).status).toBe(200);
    const without = { kind: "http", settings, secrets: { secret: null } };
    expectFailure(await put("acme", without), 400, "invalid_request", { param: "secrets.secret" });
    await setCarrier("acme", { kind: "sim", settings: {} });
    expectFailure(await put("acme", { kind: "http", settings }), 400, "invalid_request", { param: "secrets.secret" });
  });

  it.each([
    [{ ...ACME, kind: "pigeon" }, "kind"],
    [{ settings: {} }, "kind"],
    [{ ...ACME, settings: undefined }, "settings"],
    [{ ...ACME, settings: [] }, "settings"],
    [{ ...ACME, settings: {} }, "settings.url"],
    [{ ...ACME, settings: { url: 5 } }, "settings.url"],
    [{ ...ACME, settings: { url: "ftp://gateway.example.com" } }, "settings.url"],
    [{ ...ACME, settings: { url: "https://10.0.0.1/" } }, "settings.url"],
    [{ ...ACME, settings: { url: "https://gateway.internal/" } }, "settings.url"],
    [{ ...ACME, settings: { ...ACME.settings, urll: "x" } }, "settings.urll"],
    [{ ...ACME, secrets: { secret: "short" } }, "secrets.secret"],
    [{ ...ACME, secrets: { secret: 5 } }, "secrets.secret"],
    [{ ...ACME, secrets: { secret: ACME_SECRET, password: "x" } }, "secrets.password"],
    [{ ...ACME, secrets: "x" }, "secrets"],
    [{ ...ACME, tps: 0 }, "tps"],
    [{ ...ACME, tps: 10_001 }, "tps"],
    [{ ...ACME, tps: 1.5 }, "tps"],
    [{ ...ACME, tsp: 5 }, "tsp"],
    [{ kind: "sim", settings: { url: "x" } }, "settings.url"],
  ])("%j is refused with the path of its field, and changes nothing", async (body, param) => {
    await setCarrier("acme", { ...ACME, tps: 7 });
    const before = await storedText();
    expectFailure(await put("acme", body), 400, "invalid_request", { param });
    expect(await storedText()).toBe(before);
  });

  it.each(["sim", "http", "A", "1a", "a_b", "a".repeat(33)])("refuses the name %s", async (name) => {
    expectFailure(await put(name, ACME), 400, "invalid_request", { param: "name" });
  });

  it("loses no carrier when many are set up at once", async () => {
    const names = ["a1", "a2", "a3", "a4"];
    await Promise.all(names.map((name) => setCarrier(name)));
    expect((await carrierSetting.change(env.RECORDINGS, () => null)).carriers.map(({ name }) => name)).toEqual(names);
  });
});

describe("DELETE /operator/carriers/:name", () => {
  operatorSuite("DELETE", `${PATH}/acme`);

  it("deletes a carrier once, and no built-in one", async () => {
    await setCarrier("acme");
    expect((await operator("DELETE", `${PATH}/acme`)).body).toEqual({ success: true, deleted: true });
    expectFailure(await operator("DELETE", `${PATH}/acme`), 404, "not_found");
    for (const name of ["sim", "http"]) {
      expectFailure(await operator("DELETE", `${PATH}/${name}`), 400, "invalid_request", { param: "name" });
    }
  });

  it.each([[{ carriers: [{ name: "acme" }] }], [{ carriers: [{ name: "sim" }], fallback: ["acme"] }]])(
    "is refused while a route names it: %j",
    async (route) => {
      await setCarrier("acme");
      expect((await operator("PUT", "/operator/routes", { routes: [route] })).status).toBe(200);
      expectFailure(await operator("DELETE", `${PATH}/acme`), 409, "in_use");
      expect((await get("acme")).status).toBe(200);
      await operator("PUT", "/operator/routes", { routes: [] });
      expect((await operator("DELETE", `${PATH}/acme`)).status).toBe(200);
    },
  );
});

/** A gateway that answers like this; returns what it was sent. */
function gateway(answer: () => Response) {
  const asked: { url: string; headers: Headers; body: string }[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const body = await new Response(init?.body ?? null).text();
    asked.push({ url: new Request(input).url, headers: new Headers(init?.headers), body });
    return answer();
  });
  return asked;
}

describe("POST /operator/carriers/:name/test", () => {
  operatorSuite("POST", `${PATH}/acme/test`);

  const test = (body: object, name = "acme") => operator("POST", `${PATH}/${name}/test`, body);

  it("sends one message and shows the raw answer, in which each secret is ***", async () => {
    await setCarrier("acme");
    const key = ACME_SECRET.slice("whsec_".length);
    const body = JSON.stringify({ id: "4711", got: ACME_SECRET, form: encodeURIComponent(key), key });
    const asked = gateway(() => new Response(body, { status: 202, headers: { "x-echo": ACME_SECRET } }));
    const reply = await test({ to: "+919876543210", text: "Hello" });
    expect(reply.body).toMatchObject({
      success: true,
      outcome: "submitted",
      carrier_id: "4711",
      code: null,
      answer: { status: 202, headers: { "x-echo": "***" }, body: '{"id":"4711","got":"***","form":"***","key":"***"}' },
    });
    expect(asked).toHaveLength(1);
    expect(JSON.parse(asked[0]?.body ?? "")).toMatchObject({ operation: "sms", to: "+919876543210", text: "Hello" });
    const { headers = new Headers(), body: sent = "" } = asked[0] ?? {};
    expect(isSigned(ACME_SECRET, headers, sent, Date.now())).toBe(true);
  });

  it.each([
    [400, "rejected", "http_400"],
    [429, "not_accepted", "http_429"],
    [500, "unknown", "http_500"],
  ])("is 200 after %i, which is %s", async (status, outcome, code) => {
    await setCarrier("acme");
    gateway(() => new Response("no", { status }));
    const reply = await test({ to: "+14155550132" });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ outcome, code, answer: { status, body: "no" } });
  });

  it("works with the simulator, and shows no answer where there is none", async () => {
    expect((await test({ to: "+919876543210" }, "sim")).body).toMatchObject({ outcome: "submitted", answer: null });
  });

  it.each([
    [{}, "to"],
    [{ to: "9876543210" }, "to"],
    [{ to: "+91 98765 43210" }, "to"],
    [{ to: "+1" }, "to"],
    [{ to: "+919876543210", text: "" }, "text"],
    [{ to: "+919876543210", text: "x".repeat(1_001) }, "text"],
    [{ to: "+919876543210", txt: "x" }, "txt"],
  ])("%j is refused", async (body, param) => {
    await setCarrier("acme");
    const asked = gateway(() => new Response("{}"));
    expectFailure(await test(body), 400, "invalid_request", { param });
    expect(asked).toEqual([]);
  });

  it("of an unknown carrier: 404", async () => {
    expectFailure(await test({ to: "+919876543210" }, "none"), 404, "not_found");
  });
});

it("writes each change into the audit trail, and no secret", async () => {
  await put("acme", { ...ACME, secrets: { secret: OTHER_SECRET } });
  await operator("PUT", "/operator/routes", { routes: [] });
  await operator("DELETE", `${PATH}/acme`);
  const acts: string[] = [];
  const { results } = await env.DB.prepare("SELECT action, subject, details FROM audit ORDER BY at").all();
  for (const row of results) {
    if (/^(?:carrier|routes)/u.test(String(row["action"]))) {
      acts.push(`${String(row["action"])} ${String(row["subject"])}`);
    }
    expect(JSON.stringify(row)).not.toContain(OTHER_SECRET);
  }
  expect(acts.slice(-3)).toEqual(["carrier.set acme", "routes.changed null", "carrier.deleted acme"]);
});
