import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { carrierSetting, sealSecrets } from "../../../src/carriers/stored.ts";
import { configOf } from "../../../src/config/config.ts";
import { keepBinds } from "../../../src/operator/carrier-set/binds.ts";
import { putCarrier } from "../../../src/operator/carrier-set/change.ts";
import { readCarrier } from "../../../src/operator/carrier-set/read.ts";
import { resealCarriers } from "../../../src/operator/carrier-set/reseal.ts";
import { housekeeping } from "../../../src/housekeeping.ts";
import { noCarriers, setCarrier } from "../../world/carrier-set.ts";
import { expectFailure } from "../../world/operating.ts";
import { inBind, messageOf, setupOf } from "../../world/smpp-bind.ts";
import { operator } from "../../world/world.ts";

// The binds of carriers over SMPP follow the set: after each change, and after whatever broke off between the two.

const JIO = {
  kind: "smpp",
  settings: { host: "127.0.0.1", port: 1, system_id: "acme", binds: 2 },
  secrets: { password: "secret" },
};
const OLD = "an older secret of the service: 32 ch";
const NEW = "a newer secret of the service: 32 ch.";

let nth = 0;
let name = "";
let problems: string[] = [];

beforeEach(() => {
  name = `jio-${++nth}`;
  problems = [];
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation((line: string) => void problems.push(line));
});

afterEach(async () => {
  for (let n = 1; n <= 8; n++) await env.SMPP.getByName(`${name}:${n}`).retire(Date.now() + 1);
  vi.restoreAllMocks();
  await noCarriers();
});

/** Which of the carrier's objects are set up. */
async function setUp(): Promise<number[]> {
  const asked = [1, 2, 3].map(async (n) => {
    const { outcome } = await env.SMPP.getByName(`${name}:${n}`).submit(messageOf(1), 0);
    return "code" in outcome && outcome.code === "not_configured" ? null : n;
  });
  return (await Promise.all(asked)).filter((n) => n !== null);
}

const put = (settings: object) => setCarrier(name, { ...JIO, settings: { ...JIO.settings, ...settings } });

describe("the binds of a carrier over SMPP", () => {
  it("are made by its PUT, are shown, and are as many as it says", async () => {
    await setCarrier(name, JIO);
    const { body: json } = await operator("GET", `/operator/carriers/${name}`);
    const bind = { mode: "trx", state: "down", since: expect.any(String) as string, in_flight: 0 };
    expect(json).toMatchObject({
      carrier: {
        health: {
          binds: [
            { n: 1, ...bind },
            { n: 2, ...bind },
          ],
        },
      },
    });
    expect(await setUp()).toEqual([1, 2]);
    await put({ binds: 1 });
    expect(await setUp()).toEqual([1]);
    await put({ binds: 3 });
    expect(await setUp()).toEqual([1, 2, 3]);
  });

  it.each([
    ["its deletion", () => operator("DELETE", `/operator/carriers/${name}`)],
    ["another kind", () => operator("PUT", `/operator/carriers/${name}`, { kind: "sim", settings: {} })],
    ["an import without it", () => operator("PUT", "/operator/carrier-set", { carriers: [], routes: [] })],
  ])("end with %s", async (_, change) => {
    await setCarrier(name, JIO);
    expect((await change()).status).toBe(200);
    expect(await setUp()).toEqual([]);
  });

  it("are made by an import", async () => {
    await operator("PUT", "/operator/carrier-set", { carriers: [{ name, ...JIO }], routes: [] });
    expect(await setUp()).toEqual([1, 2]);
  });

  it.each(["10.0.0.1", "192.168.1.1", "smsc.internal", "intranet"])(
    "are never made to %s from a deployed service",
    (host) => {
      const deployed = { ...configOf(env), ENVIRONMENT: "production" as const };
      const given = { kind: "smpp", settings: { ...JIO.settings, host }, secrets: JIO.secrets } as const;
      expect(() => readCarrier(deployed, given, {})).toThrow("host must be a public host or address.");
      expect(readCarrier(configOf(env), { ...given, settings: JIO.settings }, {}).kind).toBe("smpp");
    },
  );

  it("want a host that is one", async () => {
    const given = { ...JIO, settings: { ...JIO.settings, host: "256.1.1.1" } };
    expectFailure(await operator("PUT", `/operator/carriers/${name}`, given), 400, "invalid_request", {
      param: "settings.host",
    });
  });
});

describe("what broke off between the set and its objects", () => {
  const away = {
    ...env,
    SMPP: {
      getByName: () => ({
        configure: () => Promise.reject(new Error("the object is away")),
        retire: () => Promise.reject(new Error("the object is away")),
      }),
    },
  } as unknown as Env;

  it("is told by the next housekeeping, after a PUT that was answered", async () => {
    const given = { kind: "smpp", settings: JIO.settings, secrets: JIO.secrets } as const;
    await putCarrier(away, name, given);
    expect(problems.join()).toContain("the object is away");
    expect(await setUp()).toEqual([]);
    await housekeeping(env, Date.now());
    expect(await setUp()).toEqual([1, 2]);
  });

  it("is told by the next message at the latest", async () => {
    const given = { kind: "smpp", settings: JIO.settings, secrets: JIO.secrets } as const;
    await putCarrier(away, name, given);
    const { body: json } = await operator("POST", `/operator/carriers/${name}/test`, { to: "+919876543210" });
    expect(json).toMatchObject({ outcome: "not_accepted", code: "no_bind" });
    expect((await setUp()).length).toBeGreaterThan(0);
  });

  it("is a bind that an isolate with an older set made again: it ends", async () => {
    await setCarrier(name, JIO);
    await operator("DELETE", `/operator/carriers/${name}`);
    const second = env.SMPP.getByName(`${name}:2`);
    await vi.waitFor(async () => {
      expect(await second.configure({ ...setupOf(), settings: setupOf(JIO.settings).settings }, 0)).toBe(true);
    });
    expect(await setUp()).toEqual([2]);
    await keepBinds(env);
    expect(await setUp()).toEqual([]);
  });

  it("leaves the objects alone whose carrier's secrets do not open", async () => {
    await setCarrier(name, JIO);
    const other = { ...env, SEAL_SECRET: `9:${NEW}` } as unknown as Env;
    await keepBinds(other);
    expect(await setUp()).toEqual([1, 2]);
  });
});

describe("a rotation of SEAL_SECRET", () => {
  it("seals the password of a bind anew, after which the older one is not needed, and the bind stands", () =>
    inBind(async ({ centre, start }) => {
      await start({ SEAL_SECRET: `1:${OLD}` }).configure(setupOf(), 5);
      const secrets = await sealSecrets(`1:${OLD}`, name, { password: setupOf().password });
      const { settings } = setupOf();
      await carrierSetting.replace(env.RECORDINGS, {
        carriers: [{ name, kind: "smpp", settings, secrets, tps: null, createdAt: 1, updatedAt: 1 }],
        past: [],
        routes: [],
      });
      const SEAL_SECRET = `2:${NEW},1:${OLD}`;
      const bind = start({ SEAL_SECRET });
      const retired: string[] = [];
      const other = (one: string) => ({ retire: async () => void retired.push(one) });
      const SMPP = { getByName: (one: string) => (one === `${name}:1` ? bind : other(one)) };
      const both = { ...env, SEAL_SECRET, SMPP } as unknown as Env;
      await resealCarriers(both);
      await keepBinds(both);
      expect(retired).toHaveLength(7);
      expect(centre.dials).toBe(2);
      await keepBinds(both);
      // It stands as it stood.
      expect(centre.dials).toBe(2);
      const after = start({ SEAL_SECRET: `2:${NEW}` });
      expect((await after.submit(messageOf(1), 1_000)).outcome).toEqual({ kind: "submitted" });
      expect((await start({ SEAL_SECRET: `1:${OLD}` }).submit(messageOf(2), 1_000)).outcome).toMatchObject({
        code: "not_configured",
      });
    }));
});
