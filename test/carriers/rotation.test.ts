import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { carrierSetting, closedIn, openSecrets, sealedBy } from "../../src/carriers/stored.ts";
import { Carriers, callbackUrl } from "../../src/carriers/table.ts";
import { configOf } from "../../src/config/config.ts";
import { resealCarriers } from "../../src/operator/carrier-set/reseal.ts";
import worker from "../../src/worker.ts";
import { ACME, ACME_SECRET, noCarriers } from "../world/carrier-set.ts";
import { outgoing } from "../world/http-gateway.ts";
import { bearer } from "../world/world.ts";

// The secrets of carriers while SEAL_SECRET is replaced, for every kind that has secrets (docs/secrets.md).

const OLD = "an older secret of the service: 32 ch";
const NEW = "a newer secret of the service: 32 ch.";
const OTHER = "another secret of the service: 32 ch.";

const KINDS = {
  http: ACME,
  template: {
    kind: "template",
    settings: {
      url: "https://gateway.example.com/send",
      headers: { authorization: "Bearer {secret.api_key}" },
      body: { to: "{to}", ref: "{ref}", text: "{text}" },
      receipt: { ref: "ref", state: "s", states: { OK: "delivered" }, hmac: { header: "x-sum", encoding: "hex" } },
    },
    secrets: { api_key: "key-of-the-gateway", hmac_key: "key-of-its-receipts" },
  },
  smpp: {
    kind: "smpp",
    settings: { host: "127.0.0.1", port: 1, system_id: "acme" },
    secrets: { password: "pass-99" },
  },
  kannel: {
    kind: "kannel",
    settings: { url: "https://kannel.example.com/cgi-bin/sendsms", username: "dastak" },
    secrets: { password: "password-of-kannel" },
  },
  twilio: {
    kind: "twilio",
    settings: { account_sid: `AC${"0a".repeat(16)}`, from: "+14155550132" },
    secrets: { auth_token: "token-of-the-account" },
  },
  infobip: {
    kind: "infobip",
    settings: { base_url: "https://xyz.api.infobip.com" },
    secrets: { api_key: "key-of-infobip" },
  },
} as const;

type KindName = keyof typeof KINDS;
const NAMES = Object.keys(KINDS) as KindName[];

/** The objects of binds, which are told their set-up and connect to nothing. */
const SMPP = {
  getByName: () => ({ configure: async () => true, retire: async () => undefined, standing: async () => [] }),
};

/** The service with these secrets. */
const at = (SEAL_SECRET: string) => ({ ...env, SEAL_SECRET, SMPP }) as unknown as Env;

const BEFORE = at(`1:${OLD}`);
const BOTH = at(`2:${NEW},1:${OLD}`);
const AFTER = at(`2:${NEW}`);

const set = () => carrierSetting.change(env.RECORDINGS, () => null);
const storedText = async () => (await env.RECORDINGS.get("settings/carriers.json"))?.text() ?? "";

/** What the service with these secrets replies to the operator, or to a carrier. */
async function ask(by: Env, method: string, path: string, body?: unknown) {
  const request = new Request(`http://console.localhost${path}`, {
    method,
    headers: { ...bearer(env.OPERATOR_TOKEN), "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const ctx = createExecutionContext();
  const reply = await worker.fetch(request as Parameters<typeof worker.fetch>[0], by, ctx);
  const text = await reply.text();
  await waitOnExecutionContext(ctx);
  return { status: reply.status, text, body: JSON.parse(text) as Record<string, unknown> };
}

const put = (by: Env, name: string, body: object) => ask(by, "PUT", `/operator/carriers/${name}`, body);

/** All carriers as an export has them, and what an import of them is replied. */
async function reimported(by: Env) {
  const exported = await ask(by, "GET", "/operator/carrier-set");
  const { success: _, ...file } = exported.body;
  return { exported, imported: await ask(by, "PUT", "/operator/carrier-set", file) };
}

/** A kind's carrier as an operator writes it who leaves the secrets as they are. */
const withoutSecrets = (kind: KindName, more: object = {}) => {
  const { secrets: _, ...rest } = KINDS[kind];
  return { ...rest, ...more };
};

/** Where the receipts of a carrier named as its kind go. */
const receiptsOf = (kind: KindName) =>
  new URL(callbackUrl(configOf(env), kind, kind) ?? `http://console.localhost/callbacks/${kind}-none`).pathname;

const CLOSED = expect.stringMatching(/^This carrier's secrets do not open with SEAL_SECRET: [^.]+\.$/u) as string;

let logged: string[] = [];

beforeEach(() => {
  logged = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void logged.push(line));
  vi.spyOn(console, "error").mockReturnValue();
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({}));
});

afterEach(async () => {
  vi.restoreAllMocks();
  await noCarriers();
});

/** The secrets of every carrier, and of those from before a change, as they open with these; null: not. */
const opened = async (by: string) => {
  const { carriers, past } = await set();
  return [...carriers, ...past].map((one) => openSecrets(by, one.name, one.secrets));
};

describe.each(NAMES)("a rotation of SEAL_SECRET: the secrets of a carrier of the kind %s", (kind) => {
  // A name of its own: the built-in carriers have those of their kinds.
  const name = kind === "http" ? "acme" : kind;
  const secrets: Record<string, string> = KINDS[kind].secrets;

  it("open before, while and after both are listed, and stay where a PUT leaves them out", async () => {
    expect((await put(BEFORE, name, KINDS[kind])).status).toBe(200);
    expect(await opened(`2:${NEW},1:${OLD}`)).toEqual([secrets]);
    await resealCarriers(BOTH);
    expect(sealedBy(await set())).toEqual(new Set([2]));
    expect(await opened(`2:${NEW}`)).toEqual([secrets]);
    for (const by of [BOTH, AFTER]) expect((await put(by, name, withoutSecrets(kind, { tps: 7 }))).status).toBe(200);
    expect(await opened(`2:${NEW}`)).toEqual([secrets]);
    expect(new Carriers(AFTER, await set()).named(name)?.tps).toBe(7);
  });

  it("are sealed anew by a PUT that leaves them out, and by an import of the export, which has none", async () => {
    await put(BEFORE, name, KINDS[kind]);
    await put(BOTH, name, withoutSecrets(kind, { tps: 7 }));
    expect(sealedBy(await set())).toEqual(new Set([2]));
    await noCarriers();
    await put(BEFORE, name, KINDS[kind]);
    const { exported, imported } = await reimported(BOTH);
    expect(imported.status).toBe(200);
    for (const value of Object.values(secrets)) {
      expect([exported.text, await storedText()].some((text) => text.includes(value))).toBe(false);
    }
    expect(sealedBy(await set())).toEqual(new Set([2]));
    expect(await opened(`2:${NEW}`)).toEqual([secrets]);
  });

  it("are never lost while none opens them: they are said to be closed, and heal", async () => {
    await put(BEFORE, name, KINDS[kind]);
    await put(AFTER, "zeta", ACME);
    const before = await storedText();
    const [first = ""] = Object.keys(secrets);
    const refused = await put(AFTER, name, withoutSecrets(kind));
    expect(refused).toMatchObject({ status: 400, body: { param: `secrets.${first}`, error: CLOSED } });
    const { imported } = await reimported(AFTER);
    expect(imported).toMatchObject({ status: 400, body: { param: `carriers[0].secrets.${first}`, error: CLOSED } });
    const tried = await ask(AFTER, "POST", `/operator/carriers/${name}/test`, { to: "+919876543210" });
    expect(tried).toMatchObject({ status: 503, body: { error: CLOSED } });
    const shown = await ask(AFTER, "GET", "/operator/carriers");
    expect(shown.status).toBe(200);
    expect(shown.text).toContain(`"name":"${name}"`);
    await resealCarriers(AFTER);
    expect(logged.filter((line) => line.includes("secrets of carriers do not open"))).toEqual([
      expect.stringContaining(`"carriers":"${name}","unlisted_secrets":"1"`),
    ]);
    expect(globalThis.fetch).not.toHaveBeenCalled();
    const carriers = new Carriers(AFTER, await set());
    expect(await carriers.named(name)?.submit(outgoing())).toEqual({ kind: "not_accepted", code: "not_configured" });
    expect(await carriers.named("zeta")?.submit(outgoing())).toEqual({ kind: "submitted" });
    expect(await storedText()).toBe(before);
    // The secret is put back.
    expect((await put(BOTH, name, withoutSecrets(kind))).status).toBe(200);
    expect((await opened(`2:${NEW}`))[0]).toEqual(secrets);
  });

  it("are replaced where all of them are given, though the older ones do not open", async () => {
    await put(BEFORE, name, KINDS[kind]);
    expect((await put(AFTER, name, KINDS[kind])).status).toBe(200);
    const { carriers, past } = await set();
    expect(carriers.map((one) => openSecrets(`2:${NEW}`, name, one.secrets))).toEqual([secrets]);
    // Its receipts from before are proved again once the older secret is back.
    expect(past.map((one) => openSecrets(`1:${OLD}`, name, one.secrets))).toEqual([secrets]);
  });
});

describe("while the secrets of a carrier do not open", () => {
  it.each(NAMES.filter((kind) => kind !== "http"))("receipts of the kind %s have to come again", async (kind) => {
    await put(BEFORE, kind, KINDS[kind]);
    const { status } = await ask(AFTER, "POST", receiptsOf(kind), {});
    expect(status).toBe(kind === "smpp" ? 404 : 503);
    expect((await ask(BOTH, "POST", receiptsOf(kind), {})).status).not.toBe(503);
  });

  it("a receipt that the set-up from before does not prove has to come again, too", async () => {
    await put(AFTER, "acme", ACME);
    await put(BEFORE, "acme", { ...ACME, secrets: { secret: `whsec_${Buffer.from(OTHER).toString("base64")}` } });
    expect(closedIn(`2:${NEW}`, await set())).toEqual(["acme"]);
    expect(new Carriers(AFTER, await set()).receivers("acme", Date.now())).toHaveLength(2);
    expect((await ask(AFTER, "POST", "/callbacks/acme", {})).status).toBe(503);
  });

  it("the log says whose, also where another secret has the id of the one that sealed them", async () => {
    await put(BEFORE, "acme", ACME);
    await put(BEFORE, "twilio", KINDS.twilio);
    const before = await storedText();
    await resealCarriers(at(`1:${OTHER}`));
    expect(await storedText()).toBe(before);
    expect(logged.join("\n")).toContain('"carriers":"acme twilio"');
    logged = [];
    await resealCarriers(BEFORE);
    expect(logged).toEqual([]);
    expect(openSecrets(`1:${OLD}`, "acme", (await set()).carriers[0]?.secrets ?? {})).toEqual({ secret: ACME_SECRET });
  });
});
