import { describe, expect, it } from "vitest";
import { DEPLOYED, callWith } from "../world/deployment.ts";
import { expectFailure } from "../world/operating.ts";
import { bearer, call, openWorld } from "../world/world.ts";
import type { Reply } from "../world/world.ts";

type Base = "sms" | "tts" | "voice" | "otp" | "console";

/** Paths of each base. Each refuses DELETE, so a 405 proves that the path exists. */
const PATHS: Record<Base, string[]> = {
  sms: ["/send-sms", "/send-bulk-sms", "/send-international-sms", "/account-balance"],
  tts: ["/api/tts-call"],
  voice: ["/api/upload-voice", "/api/make-voice-call"],
  otp: ["/send-otp"],
  console: ["/operator/accounts", "/operator/reconcile", "/callbacks/http", "/media/x"],
};
const BASES: Base[] = ["sms", "tts", "voice", "otp", "console"];
const EIGHT = BASES.filter((base) => base !== "console").flatMap((base) => PATHS[base]);

const probe = { method: "DELETE" };

function expectThere(reply: Reply, path: string): void {
  expect(reply.status, path).toBe(405);
  expectFailure(reply, 405, "method_not_allowed");
}

function expectNowhere(reply: Reply, path: string): void {
  expect(reply.status, path).toBe(404);
  expectFailure(reply, 404, "not_found", { error: "There is nothing at this address." });
  expect([...reply.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
}

/** Asks every base for every path: 405 on its own base, 404 on all others. */
async function expectApart(ask: (base: Base, path: string) => Promise<Reply>): Promise<void> {
  for (const base of BASES) {
    for (const other of BASES) {
      for (const path of PATHS[other]) {
        const reply = await ask(base, path);
        if (other === base) expectThere(reply, `${base} ${path}`);
        else expectNowhere(reply, `${base} ${path}`);
      }
    }
  }
}

describe("hostnames", () => {
  it("a deployed host answers only its own paths", async () => {
    await expectApart((base, path) => callWith(DEPLOYED, `https://${base}.dastak.example${path}`, probe));
  });

  it("the deployed console host answers none of the eight operations", async () => {
    for (const path of EIGHT) {
      expectNowhere(await callWith(DEPLOYED, `https://console.dastak.example${path}`, probe), path);
    }
  });

  it("the local console host answers all eight operations in addition to its own paths", async () => {
    for (const path of [...EIGHT, ...PATHS.console]) {
      expectThere(await call(`http://console.localhost${path}`, probe), path);
    }
    const world = await openWorld();
    const reply = await call("http://console.localhost/account-balance", { headers: bearer(world.apiKey) });
    expect(reply.body).toEqual({ success: true, balance: 1_000, currency: "coins" });
  });

  it.each(["localhost", "127.0.0.1", "[::1]"])("%s is an alias of the local console host", async (host) => {
    expectThere(await call(`http://${host}:8787/send-sms`, probe), host);
    expectNowhere(await callWith(DEPLOYED, `https://${host}/send-sms`, probe), host);
  });

  it("a local API host answers only its own paths, too", async () => {
    expectNowhere(await call("http://sms.localhost/send-otp", probe), "/send-otp");
    expectNowhere(await call("http://otp.localhost/operator/accounts", probe), "/operator/accounts");
  });

  it("the port makes no difference", async () => {
    expectThere(await call("http://sms.localhost:9999/send-sms", probe), "/send-sms");
    const moved = { ...DEPLOYED, SMS_URL: "https://sms.dastak.example:8443" };
    expectThere(await callWith(moved, "https://sms.dastak.example/send-sms", probe), "/send-sms");
  });

  it.each(["dastak.example", "other.example", "sms.dastak.example.evil.example", "xsms.dastak.example"])(
    "%s is an unknown host: 404",
    async (host) => {
      for (const path of [...EIGHT, ...PATHS.console, "/", "/healthz", "/readyz"]) {
        expectNowhere(await callWith(DEPLOYED, `https://${host}${path}`, probe), path);
        expectNowhere(await callWith(DEPLOYED, `https://${host}${path}`), path);
      }
    },
  );

  it.each([
    "/",
    "/send-sms/",
    "//send-sms",
    "/SEND-SMS",
    "/send-sms/x",
    "/send-sms%20",
    "/api/send-sms",
    "/favicon.ico",
  ])("%s is an unknown path: 404", async (path) => {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      expectNowhere(await call(`http://sms.localhost${path}`, { method }), path);
    }
  });
});

describe("path prefixes on one hostname", () => {
  const HOST = "https://dastak.example.workers.dev";
  const PREFIXED: Partial<Cloudflare.Env> = {
    ...DEPLOYED,
    SMS_URL: `${HOST}/sms`,
    TTS_URL: `${HOST}/tts/`,
    VOICE_URL: `${HOST}/v1/voice`,
    OTP_URL: `${HOST}/v1/voice/otp`,
    CONSOLE_URL: HOST,
  };
  const prefix: Record<Base, string> = {
    sms: "/sms",
    tts: "/tts",
    voice: "/v1/voice",
    otp: "/v1/voice/otp",
    console: "",
  };

  it("each prefix answers only its own paths, the longest first", async () => {
    await expectApart((base, path) => callWith(PREFIXED, `${HOST}${prefix[base]}${path}`, probe));
  });

  it("a prefix ends at a slash", async () => {
    for (const path of ["/smsx/send-sms", "/sms-send-sms", "/SMS/send-sms", "/sms", "/sms/", "/v1/send-otp"]) {
      expectNowhere(await callWith(PREFIXED, `${HOST}${path}`, probe), path);
    }
  });

  it("a prefix on another hostname is unknown: 404", async () => {
    expectNowhere(await callWith(PREFIXED, "https://other.example/sms/send-sms", probe), "/sms/send-sms");
  });

  it("a request under a prefix arrives complete: method, headers, body and query", async () => {
    // The same account objects answer, whose keys are made with the suite's secret.
    const own = "http://dastak.localhost";
    const bases = Object.entries(prefix).map(([base, path]) => [`${base.toUpperCase()}_URL`, own + path]);
    const world = await openWorld();
    const reply = await callWith(Object.fromEntries(bases) as Partial<Cloudflare.Env>, `${own}/sms/send-sms?x=1`, {
      method: "POST",
      headers: { ...bearer(world.apiKey), "content-type": "application/json", "idempotency-key": "order-1" },
      body: JSON.stringify({ phone: "9876543210", message: "Hello" }),
    });
    expect(reply.body).toEqual({ success: true, message: "The SMS is queued.", coins_used: 1, coins_remaining: 999 });
  });

  it("health is available under every prefix", async () => {
    for (const base of BASES) {
      expect((await callWith(PREFIXED, `${HOST}${prefix[base]}/healthz`)).body).toEqual({ success: true });
    }
  });
});

describe("a service with a broken configuration", () => {
  it.each([
    ["a base address that is no URL", { ...DEPLOYED, OTP_URL: "otp.dastak.example" }],
    ["a secret that is too short", { ...DEPLOYED, KEY_SECRET: "short" }],
    ["a demo secret", { ...DEPLOYED, OPERATOR_TOKEN: "local-only-operator-token-of-the-test-suite" }],
  ])("%s: 503 on every host, without the value", async (_, variables) => {
    for (const url of ["https://sms.dastak.example/send-sms", "https://console.dastak.example/healthz"]) {
      const reply = await callWith(variables, url);
      expectFailure(reply, 503, "unavailable");
      expect(reply.text).not.toMatch(/short|local-only|dastak\.example/u);
    }
  });
});
