import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { carrierSetting } from "../../../src/carriers/stored.ts";
import { Team } from "../../world/access.ts";
import { ACME_SECRET, noCarriers, setCarrier } from "../../world/carrier-set.ts";
import { atTheDesk } from "../../world/operators.ts";
import { unescaped } from "../../world/story-page.ts";
import type { Visitor } from "../../world/visitor.ts";
import { visit } from "../../world/visitor.ts";
import { operator } from "../../world/world.ts";

// The operator's pages of carriers: what the API takes, as forms, and what is shown of it.

let desk: Visitor;

beforeEach(async () => {
  desk = await atTheDesk();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await noCarriers();
});

const carrier = async (name: string) => (await operator("GET", `/operator/carriers/${name}`)).body.carrier as unknown;

const acts = async (action: string): Promise<unknown[]> =>
  (await env.DB.prepare("select subject, details from audit where action = ? order by id").bind(action).all()).results;

/** Fields of a kind's fresh form, as a browser sends them. */
async function freshForm(query: string): Promise<Record<string, string>> {
  const { status, text } = await desk.get(`/desk/new-carrier?${query}`);
  expect(status).toBe(200);
  const form = /<form class="stack".*?<\/form>/su.exec(text)?.[0] ?? "";
  const inputs = [...form.matchAll(/<input\b([^>]*)>/gu)].flatMap(([, tag = ""]) => {
    const [, name = ""] = /\sname="([^"]+)"/u.exec(tag) ?? [];
    const [, value = ""] = /\svalue="([^"]*)"/u.exec(tag) ?? [];
    return /type="checkbox"/u.test(tag) && !/\schecked/u.test(tag) ? [] : [[name, unescaped(value)] as const];
  });
  const areas = [...form.matchAll(/<textarea\b[^>]*\sname="([^"]+)"[^>]*>([^<]*)</gu)].map(
    ([, name = "", value = ""]) => [name, unescaped(value)] as const,
  );
  const selects = [...form.matchAll(/<select\b[^>]*\sname="([^"]+)"[^>]*>(.*?)<\/select>/gsu)].map(
    ([, name = "", options = ""]) =>
      [
        name,
        /<option value="([^"]*)" selected/u.exec(options)?.[1] ?? /value="([^"]*)"/u.exec(options)?.[1] ?? "",
      ] as const,
  );
  return Object.fromEntries([...inputs, ...areas, ...selects]);
}

describe("setting a carrier up", () => {
  it.each([
    ["http", { "settings.url": "https://gateway.example.com/messages", "secrets.secret": ACME_SECRET }],
    ["smpp", { "settings.host": "smsc.example.com", "settings.system_id": "us", "secrets.password": "pw" }],
    [
      "kannel",
      { "settings.url": "https://relay.example/cgi-bin/sendsms", "settings.username": "u", "secrets.password": "pw" },
    ],
    [
      "twilio",
      { "settings.account_sid": `AC${"0".repeat(32)}`, "settings.from": "+14155550132", "secrets.auth_token": "t" },
    ],
    ["infobip", { "settings.base_url": "https://xyz.api.infobip.com", "secrets.api_key": "k" }],
    [
      "template",
      {
        "settings.url": "https://api.example.com/send",
        "settings.body": '{"to":"{to}","key":"{secret.key}"}',
        "secrets.key": "k",
      },
    ],
  ] as const)("of kind %s, with the defaults of its schema", async (kind, typed) => {
    const form = { ...(await freshForm(`kind=${kind}`)), name: "acme", tps: "50", ...typed };
    const { status, headers } = await desk.submit("/desk/new-carrier", { ...form, do: "save" });
    expect([status, headers.get("location")]).toEqual([303, "/desk/carriers/acme?done=set"]);
    const made = (await carrier("acme")) as { settings: object; tps: number };
    // What the API makes of the required settings alone, all others being their defaults.
    const required = Object.entries(typed).filter(([name]) => name.startsWith("settings."));
    const settings = Object.fromEntries(
      required.map(([name, value]) => [
        name.slice(9),
        name === "settings.body" ? (JSON.parse(value) as unknown) : value,
      ]),
    );
    const secrets = Object.fromEntries(
      Object.entries(typed).flatMap(([name, value]) => (name.startsWith("secrets.") ? [[name.slice(8), value]] : [])),
    );
    await setCarrier("plain", { kind, settings, secrets });
    expect(made.settings).toEqual(((await carrier("plain")) as { settings: object }).settings);
    expect(made.tps).toBe(50);
    const page = await desk.get("/desk/carriers/acme?done=set");
    expect(page.text).toContain("Saved.");
    // The form of what is stored stores the same.
    const again = await desk.get("/desk/carriers/acme");
    for (const secret of Object.values(secrets)) expect(again.text).not.toContain(`value="${secret}"`);
  });

  it("keeps a secret whose field stays empty, replaces one that is typed, and removes one that is ticked", async () => {
    await setCarrier("acme", {
      kind: "template",
      settings: { url: "https://a.example.com/x" },
      secrets: { a: "1", b: "2" },
    });
    const form = {
      "settings.url": "https://a.example.com/y",
      "settings.method": "GET",
      "settings.operations.sms": "1",
    };
    const set = (more: Record<string, string>) =>
      desk.submit("/desk/carriers/acme", { kind: "template", ...form, ...more });
    expect((await set({ "secrets.a": "" })).status).toBe(303);
    expect(await carrier("acme")).toMatchObject({
      settings: { method: "GET", operations: ["sms"] },
      secrets: ["a", "b"],
    });
    expect((await set({ "remove.a": "1", "secrets.c": "3" })).status).toBe(303);
    expect(await carrier("acme")).toMatchObject({ secrets: ["b", "c"] });
    expect(await acts("carrier.set")).toContainEqual({
      subject: "acme",
      details: JSON.stringify({ kind: "template", tps: null, secrets: "a c" }),
    });
  });

  it.each([
    ["name", { name: "Acme!" }],
    ["name", { name: "sim" }],
    ["name", { name: "known" }],
    ["tps", { tps: "0" }],
    ["tps", { tps: "many" }],
    ["settings.url", { "settings.url": "http://10.0.0.1/" }],
    ["settings.url", { "settings.url": "" }],
    ["settings.body", { "settings.body": '{"to": "{tto}"}' }],
    ["settings.body", { "settings.body": "{" }],
    ["settings.receipt", { "settings.receipt": '{"ref":"r","state":"s","states":{"OK":"fine"}}' }],
    ["settings.busy", { "settings.busy": '[{"status":"many"}]' }],
    ["secrets.key", { "settings.headers": '{"x-key":"{secret.key}"}' }],
  ])("says what is wrong with %s beside it, and stores nothing", async (field, wrong: Record<string, string>) => {
    await setCarrier("known");
    const form = {
      ...(await freshForm("kind=template")),
      name: "acme",
      "settings.url": "https://a.example.com/x",
      ...wrong,
    };
    const page = await desk.submit("/desk/new-carrier", form);
    expect(page.status).toBe(400);
    expect(page.text).toContain(`id="f-${field}-error"`);
    expect(page.text).toContain(
      `aria-describedby="${page.text.includes(`id="f-${field}-hint"`) ? `f-${field}-hint ` : ""}f-${field}-error"`,
    );
    const { carriers } = await carrierSetting.stored(env, { waitUntil: () => undefined });
    expect(carriers.map(({ name }) => name)).toEqual(["known"]);
    // What was typed is there again.
    for (const typed of Object.values(wrong)) if (typed !== "") expect(unescaped(page.text)).toContain(typed);
  });

  it("starts from a description of a provider, with its sources", async () => {
    const page = await desk.get("/desk/new-carrier?kind=template&preset=msg91");
    for (const text of ["{secret.authkey}", "secrets.authkey", "MSG91DOC.md"]) {
      expect(unescaped(page.text)).toContain(text);
    }
    const form = { ...(await freshForm("kind=template&preset=msg91")), name: "msg91", "secrets.authkey": "k" };
    expect((await desk.submit("/desk/new-carrier", form)).status).toBe(303);
    expect(await carrier("msg91")).toMatchObject({ kind: "template", secrets: ["authkey"] });
  });
});

describe("the editor of descriptions", () => {
  const MSG91 = "kind=template&preset=msg91";
  const read = async (more: Record<string, string>) => {
    const page = await desk.submit("/desk/new-carrier", { ...(await freshForm(MSG91)), do: "read", ...more });
    expect(page.status).toBe(200);
    return unescaped(page.text);
  };

  it("shows the request for a sample message, without any secret", async () => {
    const text = await read({ sampleTo: "+919812345678", sampleText: "Hello & bye", "secrets.authkey": "hidden-one" });
    expect(text).toContain("POST https://control.msg91.com/api/sendhttp.php");
    for (const part of ["authkey=***", "mobiles=919812345678", "message=Hello%20%26%20bye"]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain("hidden-one");
  });

  it.each([
    [{ answerStatus: "200", answerBody: '{"type":"success","message":"4711"}' }, "Taken, ID 4711."],
    [{ answerStatus: "200", answerBody: '{"type":"error","message":"no"}' }, "Refused, code http_200"],
    [{ answerStatus: "429", answerBody: "", answerHeaders: "Retry-After: 30" }, "tries again after 30 s"],
    [{ answerStatus: "503", answerBody: "" }, "Busy (http_503): tries again later."],
    [{ answerStatus: "500", answerBody: "" }, "Unknown (http_500)"],
    [
      { receiptBody: "requestId=4711&status=1&desc=DELIVERED" },
      "Delivered, for the carrier's ID 4711. Code DELIVERED.",
    ],
    [
      { receiptQuery: "https://x.example/callbacks/a/b?requestId=4711&status=2" },
      "Not delivered, for the carrier's ID 4711.",
    ],
    [{ receiptBody: "requestId=4711&status=77" }, "Not understood: it needs “requestId”"],
  ] satisfies [Record<string, string>, string][])("reads %j aloud", async (pasted, said) => {
    expect(await read(pasted)).toContain(said);
  });

  it("says what is wrong with the description, and stores nothing", async () => {
    const form = { ...(await freshForm(MSG91)), do: "read", "settings.accepted": '[{"body":"("}]' };
    const page = await desk.submit("/desk/new-carrier", form);
    expect(page.status).toBe(400);
    expect(page.text).toContain('id="f-settings.accepted-error"');
  });
});

/** Asks for a test message by acme. */
const send = (more: Record<string, string>) =>
  desk.submit("/desk/carriers/acme/test", { to: "+919876543210", text: "", ...more });

describe("a carrier that is there", () => {
  it("is listed, shown with its callback address, and refreshed without a script where that is asked for", async () => {
    await setCarrier("acme");
    const list = await desk.get("/desk/carriers");
    expect(list.headers.get("refresh")).toBeNull();
    for (const text of ["/desk/carriers/acme", "/desk/carriers/sim", "built in", "learned"]) {
      expect(list.text).toContain(text);
    }
    // On a phone each cell stands below its head.
    for (const head of ["Type", "Status", "Rate", "Delivered"]) expect(list.text).toContain(`data-head="${head}"`);
    expect((await desk.get("/desk/carriers?live=1")).headers.get("refresh")).toBe("5");
    expect((await desk.get("/desk/carriers/acme")).text).toContain("http://console.localhost/callbacks/acme");
    expect((await desk.get("/desk/carriers/none")).status).toBe(404);
  });

  it("sends a real test message only once the operator says so, and shows the answer without its secrets", async () => {
    await setCarrier("acme", {
      kind: "template",
      settings: { url: "https://a.example.com/x", query: { key: "{secret.key}" }, id: { json: "id" } },
      secrets: { key: "k-of-acme" },
    });
    const fetching = vi.spyOn(globalThis, "fetch");
    fetching.mockImplementation(async () => Response.json({ id: "4711", seen: "k-of-acme" }));
    const unsure = await send({});
    expect([unsure.status, fetching.mock.calls.length]).toEqual([400, 0]);
    expect(unsure.text).toContain("f-sure-error");
    expect((await send({ sure: "1", to: "98765" })).text).toContain("f-to-error");
    expect(fetching).not.toHaveBeenCalled();
    const sent = await send({ sure: "1" });
    expect(fetching).toHaveBeenCalledTimes(1);
    for (const text of ["Taken", "4711", "HTTP 200", "***"]) expect(sent.text).toContain(text);
    expect(sent.text).not.toContain("k-of-acme");
    fetching.mockRejectedValue(Object.assign(new Error("no connection"), { code: "ECONNREFUSED" }));
    expect((await send({ sure: "1" })).text).toMatch(/connection to the carrier&#39;s gateway broke/u);
    expect(await acts("carrier.tested")).toContainEqual({
      subject: "acme",
      details: JSON.stringify({ to: "…3210", outcome: "submitted", code: null }),
    });
  });

  it("is deleted after a question, but not while a route names it", async () => {
    await setCarrier("acme");
    await operator("PUT", "/operator/routes", {
      routes: [{ carriers: [{ name: "sim" }] }, { carriers: [{ name: "acme" }] }],
    });
    expect((await desk.get("/desk/carriers/acme/delete")).text).toContain("named in route 2.");
    const refused = await desk.submit("/desk/carriers/acme/delete");
    expect([refused.status, refused.text.includes("named in route 2.")]).toEqual([409, true]);
    await operator("PUT", "/operator/routes", { routes: [] });
    expect((await desk.get("/desk/carriers/acme/delete")).text).toContain("Delete the carrier");
    expect((await desk.submit("/desk/carriers/acme/delete")).status).toBe(303);
    expect((await desk.get("/desk/carriers/acme")).status).toBe(404);
    expect(await acts("carrier.deleted")).toContainEqual({ subject: "acme", details: "{}" });
  });

  it("that is built in is only shown", async () => {
    expect((await desk.get("/desk/carriers/sim")).text).not.toContain('value="save"');
    for (const path of ["/desk/carriers/sim", "/desk/carriers/sim/delete"]) {
      expect((await desk.submit(path, { kind: "http" })).status).toBe(404);
    }
  });
});

describe("who may see it", () => {
  it("a viewer sees no token of a callback address and no form; a customer is led to the sign-in", async () => {
    await setCarrier("acme", { kind: "template", settings: { url: "https://a.example.com/x" } });
    const viewer = new Team().visitorAs("eve@example.com");
    const page = await viewer.get("/desk/carriers/acme");
    expect(page.status).toBe(200);
    expect(page.text).toContain("/callbacks/acme/***");
    expect(page.text).not.toContain('value="save"');
    const { visitor } = await visit();
    for (const path of ["/desk/carriers", "/desk/carriers/acme", "/desk/routes"]) {
      const { status, headers } = await visitor.get(path);
      expect([status, headers.get("location")?.startsWith("/desk/sign-in")]).toEqual([303, true]);
    }
  });
});
