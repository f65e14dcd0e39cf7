import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bindStandings, setUpBinds, smpp } from "../../src/carriers/smpp.ts";
import { configOf } from "../../src/config/config.ts";
import type { Seen } from "../../src/carriers/carrier.ts";
import type { SmppSubmitted } from "../../src/smpp/answers.ts";
import { SMPP_SETTINGS } from "../../src/smpp/settings.ts";

afterEach(() => vi.restoreAllMocks());

const WHOLE = { host: "smsc.example", system_id: "acme" };

const refused = (code: string): SmppSubmitted => ({
  outcome: { kind: "not_accepted", code },
  commandStatus: null,
  messageId: null,
});
const TAKEN: SmppSubmitted = { outcome: { kind: "submitted" }, commandStatus: 0, messageId: "4711" };

/** Objects whose answers the test decides; `calls` are their methods with the objects' names. */
function watched(submit: (name: string) => Promise<SmppSubmitted>, configured = true) {
  const calls: string[] = [];
  const getByName = (name: string) => ({
    submit: async () => {
      calls.push(`submit ${name}`);
      return submit(name);
    },
    configure: async (_setup: unknown, atMs: number) => {
      calls.push(`configure ${name} ${atMs}`);
      return configured;
    },
    retire: async (atMs: number) => void calls.push(`retire ${name} ${atMs}`),
    standing: async () => {
      if (name.endsWith(":2")) throw new Error("away");
      return [{ n: Number(name.split(":")[1]), mode: "trx", state: "bound", since: 1, inFlight: 0 }];
    },
  });
  return { at: { ...env, SMPP: { getByName } } as unknown as Env, calls };
}

const setupOf = (settings: object = {}) => ({
  name: "jio",
  kind: "smpp" as const,
  settings: SMPP_SETTINGS.parse({ ...WHOLE, ...settings }),
  secrets: { password: "secret" },
  tps: null,
});

const carrierAt = (at: Env, settings: object = {}) =>
  smpp.carrier(setupOf(settings), { config: configOf(at), env: at, callbackUrl: "" });

const MESSAGE = {
  ref: "msg_1",
  operation: "sms" as const,
  to: "+919876543210",
  attempt: 1,
  mode: "live" as const,
  text: "Hello",
  content: {},
  audioUrl: null,
};

describe("the settings of a carrier over SMPP", () => {
  it("have their defaults", () =>
    expect(smpp.settings.parse(WHOLE)).toEqual({
      ...WHOLE,
      port: 2775,
      tls: false,
      system_type: "",
      bind: "trx",
      binds: 1,
      window: 10,
      encoding: "gsm7",
      long: "udh",
      flash: "dc",
      source_ton: null,
      source_npi: null,
      dest_ton: null,
      dest_npi: null,
      tlv_entity: "0x1400",
      tlv_template: "0x1401",
      tlv_terminated: false,
      enquire_s: 30,
      response_s: 10,
      id_form: "same",
    }));

  it.each([
    ["host", "no host"],
    ["host", "a/b"],
    ["port", 0],
    ["port", "2775"],
    ["system_id", ""],
    ["system_id", "sixteen_letters_"],
    ["binds", 9],
    ["window", 256],
    ["sender", "twelve chars"],
    ["bind", "rx"],
    ["tlv_entity", "1400"],
    ["enquire_s", 0],
    ["response_s", 61],
    ["source_ton", 7],
    ["misspelled", 1],
  ])("refuse %s: %j", (field, value) => {
    const { error } = smpp.settings.safeParse({ ...WHOLE, [field]: value });
    expect(error?.issues).toHaveLength(1);
    expect(JSON.stringify(error?.issues)).toContain(field);
  });

  it("need a password of 1 to 64, and two tags", () => {
    expect(smpp.secrets.safeParse({ password: "p".repeat(64) }).success).toBe(true);
    for (const password of ["", "p".repeat(65), 5]) expect(smpp.secrets.safeParse({ password }).success).toBe(false);
    const one = smpp.settings.parse({ ...WHOLE, tlv_template: "0x1400" });
    expect(smpp.fault?.(one, { password: "p" })?.param).toBe("settings.tlv_template");
    expect(smpp.fault?.(smpp.settings.parse(WHOLE), { password: "p" })).toBeNull();
  });
});

describe("a carrier over SMPP", () => {
  it("submits once, and shows the answer to the operator's test", async () => {
    const { at, calls } = watched(async () => TAKEN);
    const seen: Seen[] = [];
    expect(await carrierAt(at).submit(MESSAGE, (one) => void seen.push(one))).toEqual({ kind: "submitted" });
    expect(calls).toEqual(["submit jio:1"]);
    expect(seen).toEqual([{ answer: { command_status: 0, message_id: "4711" }, carrierId: "4711" }]);
  });

  it("sets an object up that has no setup, and submits then", async () => {
    let nth = 0;
    const first = async () => ((nth += 1) === 1 ? refused("not_configured") : TAKEN);
    const { at, calls } = watched(first);
    expect((await carrierAt(at).submit(MESSAGE)).kind).toBe("submitted");
    expect(calls).toEqual(["submit jio:1", "configure jio:1 0", "submit jio:1"]);
    const deleted = watched(async () => refused("not_configured"), false);
    expect((await carrierAt(deleted.at).submit(MESSAGE)).kind).toBe("not_accepted");
    expect(deleted.calls).toEqual(["submit jio:1", "configure jio:1 0"]);
  });

  it("goes over another bind only where the first certainly took nothing", async () => {
    const { at, calls } = watched(async (name) => (name === "jio:2" ? TAKEN : refused("no_bind")));
    for (let nth = 0; nth < 3; nth += 1) {
      expect((await carrierAt(at, { binds: 3 }).submit(MESSAGE)).kind).toBe("submitted");
    }
    expect(new Set(calls).size).toBe(3);
    const throttled = watched(async () => refused("smpp_0x58"));
    expect(await carrierAt(throttled.at, { binds: 3 }).submit(MESSAGE)).toMatchObject({ code: "smpp_0x58" });
    expect(throttled.calls).toHaveLength(1);
    const down = watched(async () => refused("bind_refused"));
    expect(await carrierAt(down.at, { binds: 3 }).submit(MESSAGE)).toMatchObject({ code: "bind_refused" });
    expect(down.calls).toHaveLength(3);
  });

  it("does not know what an object took that broke off, and asks no other", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { at, calls } = watched(async () => Promise.reject(new Error("the object was reset")));
    expect(await carrierAt(at, { binds: 3 }).submit(MESSAGE)).toEqual({ kind: "unknown", code: "connection_broken" });
    expect(calls).toHaveLength(1);
  });

  it("asks no further bind once there is no time for it, and states how long an attempt may take", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { CARRIER_TIMEOUT_MS } = configOf(env);
    // Each is lost while the message waits for its place in the window.
    const { at, calls } = watched(async () => {
      vi.setSystemTime(Date.now() + CARRIER_TIMEOUT_MS * 0.6);
      return refused("no_bind");
    });
    const carrier = carrierAt(at, { binds: 8, response_s: 30 });
    expect(await carrier.submit(MESSAGE)).toMatchObject({ kind: "not_accepted", code: "no_bind" });
    vi.useRealTimers();
    expect(calls).toHaveLength(2);
    // A place, then over one bind two rounds of place and answer, and the call.
    expect(carrier.longestMs).toBe(CARRIER_TIMEOUT_MS + 2 * (CARRIER_TIMEOUT_MS + 30_000) + 10_000);
  });

  it("makes its binds, ends the others, and shows those that answer", async () => {
    const { at, calls } = watched(async () => TAKEN);
    await setUpBinds(at, "jio", setupOf({ binds: 2 }), 9);
    expect(calls.toSorted()).toEqual([
      "configure jio:1 9",
      "configure jio:2 9",
      ...[3, 4, 5, 6, 7, 8].map((n) => `retire jio:${n} 9`),
    ]);
    calls.length = 0;
    await setUpBinds(at, "jio", null, 10);
    expect(calls.filter((one) => one.startsWith("retire"))).toHaveLength(8);
    expect((await bindStandings(at, "jio", 3)).map(({ n }) => n)).toEqual([1, 3]);
  });
});
