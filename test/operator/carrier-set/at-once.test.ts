import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { carrierSetting, openSecrets } from "../../../src/carriers/stored.ts";
import { configOf } from "../../../src/config/config.ts";
import { putCarrier } from "../../../src/operator/carrier-set/change.ts";
import { ACME, noCarriers, setCarrier } from "../../world/carrier-set.ts";
import { operator } from "../../world/world.ts";

// Changes of the carriers and routes that meet (contract §16.1): each is answered truly, and none undoes another.

beforeEach(() => {
  vi.spyOn(console, "log").mockReturnValue();
  vi.spyOn(console, "error").mockReturnValue();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await noCarriers();
});

const stored = () => carrierSetting.change(env.RECORDINGS, () => null);
const names = async () => (await stored()).carriers.map(({ name }) => name);
const toBravo = { routes: [{ carriers: [{ name: "bravo" }] }] };

let spied: { mockRestore: () => void } | null = null;
const put = env.RECORDINGS.put.bind(env.RECORDINGS);

/** Has other work done in the middle of the next change: after it read the set, and before it writes. */
function meanwhile(work: () => Promise<unknown>, times = 1): void {
  let left = times;
  spied = vi.spyOn(env.RECORDINGS, "put").mockImplementation((async (...sent: Parameters<typeof put>) => {
    if (left-- > 0) await work();
    return put(...sent);
  }) as typeof put);
}

/** Another operator's change, by another isolate. */
const byAnother = async (change: (name: string) => string) => {
  const document = await stored();
  const carriers = document.carriers.map((one) => ({ ...one, name: change(one.name) }));
  await put("settings/carriers.json", JSON.stringify({ ...document, carriers }));
};

describe("two changes at once", () => {
  it("of different carriers both stand", async () => {
    const all = Array.from({ length: 4 }, (_, nth) => `at-once-${nth}`);
    const replies = await Promise.all(all.map((name) => operator("PUT", `/operator/carriers/${name}`, ACME)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await names()).toEqual(all);
  });

  it("are made anew on what the other wrote", async () => {
    await setCarrier("bravo");
    meanwhile(() => byAnother(() => "charlie"));
    await setCarrier("delta");
    expect(await names()).toEqual(["charlie", "delta"]);
  });

  it("end with a sentence where others keep coming first, and change nothing", async () => {
    await setCarrier("bravo");
    let nth = 0;
    meanwhile(() => byAnother(() => `bravo-${++nth}`), 5);
    const reply = await operator("PUT", "/operator/carriers/delta", ACME);
    expect(reply.status).toBe(503);
    expect(reply.body.error).toBe("Others are changing this at the moment; repeat the request.");
    expect(await names()).toEqual(["bravo-5"]);
  });

  it("of a carrier's deletion and a route to it: one of them is refused", async () => {
    await setCarrier("bravo");
    const [deleted, routed] = await Promise.all([
      operator("DELETE", "/operator/carriers/bravo"),
      operator("PUT", "/operator/routes", toBravo),
    ]);
    const { carriers, routes } = await stored();
    if (deleted.status === 200) {
      expect(routed).toMatchObject({ status: 400, body: { param: "routes[0].carriers[0].name" } });
      expect([carriers, routes]).toEqual([[], []]);
    } else {
      expect([deleted.status, deleted.body.code, routed.status]).toEqual([409, "in_use", 200]);
      expect([carriers.length, routes.length]).toEqual([1, 1]);
    }
  });

  it("keep a secret that one of them sets, and the other leaves out", async () => {
    await setCarrier("bravo");
    const secret = `whsec_${Buffer.from("bravo's own key, of 32 bytes, ok").toString("base64")}`;
    const { secrets: _own, ...rest } = ACME;
    meanwhile(async () => {
      spied?.mockRestore();
      await setCarrier("bravo", { ...ACME, secrets: { secret } });
    });
    await setCarrier("bravo", { ...rest, settings: { url: "https://other.example.com/" } });
    const [bravo] = (await stored()).carriers;
    expect(bravo?.settings).toEqual({ url: "https://other.example.com/" });
    expect(bravo && openSecrets(configOf(env).SEAL_SECRET, "bravo", bravo.secrets)).toEqual({ secret });
  });
});

describe("the binds of a carrier that two operators set up at once", () => {
  const JIO = {
    kind: "smpp" as const,
    settings: { host: "127.0.0.1", port: 1, system_id: "acme" },
    secrets: { password: "secret" },
  };
  let told: [host: unknown, atMs: number][] = [];
  const at = {
    ...env,
    SMPP: {
      getByName: (name: string) => ({
        configure: async ({ settings }: { settings: { port: number } }, atMs: number) => {
          if (name === "jio:1") told.push([settings.port, atMs]);
          return true;
        },
        retire: async () => undefined,
      }),
    },
  } as unknown as Env;
  const latest = () => told.toSorted(([, one], [, other]) => one - other).at(-1)?.[0];

  beforeEach(() => {
    told = [];
    vi.useFakeTimers({ toFake: ["Date"] });
  });
  afterEach(() => void vi.useRealTimers());

  it("are those of the change that was written last, though its request began first", async () => {
    await putCarrier(at, "jio", JIO);
    meanwhile(async () => {
      spied?.mockRestore();
      vi.setSystemTime(Date.now() + 5);
      await putCarrier(at, "jio", { ...JIO, settings: { ...JIO.settings, port: 2 } });
    });
    await putCarrier(at, "jio", { ...JIO, settings: { ...JIO.settings, port: 3 } });
    expect((await stored()).carriers[0]?.settings["port"]).toBe(3);
    expect(latest()).toBe(3);
  });

  it("are those of the last change, though the clock of its isolate is behind", async () => {
    await putCarrier(at, "jio", JIO);
    vi.setSystemTime(Date.now() - 5_000);
    await putCarrier(at, "jio", { ...JIO, settings: { ...JIO.settings, port: 2 } });
    expect(latest()).toBe(2);
  });
});
