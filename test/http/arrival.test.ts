import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import worker from "../../src/worker.ts";
import { DEPLOYED, callWith, incoming } from "../world/deployment.ts";
import { expectFailure } from "../world/operating.ts";
import { CONSOLE } from "../world/visitor.ts";
import { call, messagesOf, openWorld, post } from "../world/world.ts";

// How requests may arrive: deployed over https only, locally not from the pages of other sites. And the headers that
// every reply has.

const BASES = ["sms", "tts", "voice", "otp", "console"];

const PLAIN = "This address answers only over https; the request came over plain http.";

/** The reply of a deployed service, pages included. */
const ask = (url: string, init: RequestInit = {}, changed: Partial<Cloudflare.Env> = {}) =>
  worker.fetch(incoming(url, init), { ...env, ...DEPLOYED, ...changed }, createExecutionContext());

const keyed = { authorization: `Bearer dsk_live_${"0".repeat(42)}` };

describe("plain http to a deployed service", () => {
  const operations: [string, string, string][] = [
    ["POST", "sms", "/send-sms"],
    ["POST", "sms", "/send-bulk-sms"],
    ["POST", "sms", "/send-international-sms"],
    ["GET", "sms", "/account-balance"],
    ["POST", "tts", "/api/tts-call"],
    ["POST", "voice", "/api/upload-voice"],
    ["POST", "voice", "/api/make-voice-call"],
    ["POST", "otp", "/send-otp"],
    ["GET", "console", "/operator/reconcile"],
    ["POST", "console", "/operator/accounts"],
    ["GET", "console", "/v1/test/inbox"],
    ["POST", "console", "/callbacks/http"],
    ["POST", "console", "/webhooks/payments/razorpay"],
    ["GET", "console", "/media/x"],
    ["GET", "console", "/readyz"],
    ["GET", "console", "/nowhere"],
  ];

  it.each(operations)(
    "%s %s %s is refused, with and without a key, and never redirected",
    async (method, base, path) => {
      for (const headers of [{}, keyed, { "x-api-key": keyed.authorization.slice(7) }, { accept: "text/html" }]) {
        const body = method === "POST" ? { body: "{}" } : {};
        const reply = await callWith(DEPLOYED, `http://${base}.dastak.example${path}`, { method, headers, ...body });
        expectFailure(reply, 403, "permission_denied", { error: PLAIN });
        expect(reply.headers.get("location")).toBeNull();
      }
    },
  );

  it("to an unknown host is refused as well", async () => {
    const reply = await callWith(DEPLOYED, "http://other.example/send-sms", { method: "POST", headers: keyed });
    expectFailure(reply, 403, "permission_denied", { error: PLAIN });
  });

  it.each(["GET", "HEAD"])("%s of a page leads to its https address, and to no other host", async (method) => {
    for (const path of ["/", "/sign-in?next=%2Fkeys%3Fa%3D1", "/desk", "/activity?q=to:987%20654"]) {
      const reply = await ask(`http://console.dastak.example${path}`, { method });
      expect(reply.status).toBe(308);
      expect(reply.headers.get("location")).toBe(`https://console.dastak.example${path}`);
    }
    // A port of plain http is not one of https.
    const reply = await ask("http://console.dastak.example:8080/sign-in", { method });
    expect(reply.headers.get("location")).toBe("https://console.dastak.example/sign-in");
  });

  it("of a page under a path prefix leads to the same path", async () => {
    const prefixed = { CONSOLE_URL: "https://one.dastak.example/console" };
    const reply = await ask("http://one.dastak.example/console/sign-in?next=/keys", {}, prefixed);
    expect(reply.headers.get("location")).toBe("https://one.dastak.example/console/sign-in?next=/keys");
  });

  it("with a form or a key is refused at a page too", async () => {
    const form = { method: "POST", body: "phone=9876543210", headers: { origin: "http://console.dastak.example" } };
    for (const init of [form, { headers: keyed }]) {
      const reply = await ask("http://console.dastak.example/sign-in", init);
      expect([reply.status, reply.headers.get("location")]).toEqual([403, null]);
    }
  });

  it("is not believed to be https because a header says so", async () => {
    for (const name of ["x-forwarded-proto", "x-forwarded-scheme", "x-scheme", "front-end-https", "forwarded"]) {
      for (const value of ["https", "on", "proto=https"]) {
        const headers = { [name]: value };
        const reply = await callWith(DEPLOYED, "http://sms.dastak.example/account-balance", { headers });
        expect(reply.status).toBe(403);
      }
    }
  });
});

describe("every reply", () => {
  const cases: [string, string, RequestInit, number][] = [
    ["a page", "console", {}, 200],
    ["a page that is not there", "console/nowhere", { headers: { accept: "text/html" } }, 404],
    ["a redirect", "console/keys", { headers: { accept: "text/html" } }, 303],
    ["an icon", "console/assets/icon.svg", {}, 200],
    ["a refusal", "sms/account-balance", {}, 401],
    ["a wrong method", "sms/send-sms", {}, 405],
    ["health", "otp/healthz", {}, 200],
    ["a recording that is not there", "console/media/x", {}, 404],
  ];

  it.each(cases)("has the headers against sniffing, plain http and other origins: %s", async (_, at, init, status) => {
    const [base = "", ...path] = at.split("/");
    const url = `https://${base}.dastak.example/${at === "console" ? "sign-in" : path.join("/")}`;
    const reply = await ask(url, init);
    expect(reply.status).toBe(status);
    expect(reply.headers.get("strict-transport-security")).toBe("max-age=63072000");
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    expect(reply.headers.get("cross-origin-resource-policy")).toBe("same-origin");
  });

  it.each(BASES)("of %s has them also over plain http, and at its readiness", async (base) => {
    for (const url of [`http://${base}.dastak.example/healthz`, `https://${base}.dastak.example/readyz`]) {
      const { headers } = await ask(url);
      expect(headers.get("strict-transport-security")).toBe("max-age=63072000");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it("of a local service binds no browser to https, since every service on localhost would be bound", async () => {
    for (const url of [`${CONSOLE}/sign-in`, "http://sms.localhost/healthz"]) {
      const { headers } = await call(url);
      expect(headers.get("strict-transport-security")).toBeNull();
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it("of a service with a broken configuration is not sniffed either", async () => {
    const { status, headers } = await ask("https://console.dastak.example/", {}, { KEY_SECRET: "short" });
    expect([status, headers.get("x-content-type-options")]).toEqual([503, "nosniff"]);
  });
});

describe("a local service and the pages of other sites", () => {
  const foreign: [string, Record<string, string>][] = [
    ["another site's Origin", { origin: "https://evil.example" }],
    ["a sandboxed page's Origin", { origin: "null" }],
    ["a name that only looks local", { origin: "http://localhost.evil.example" }],
    ["an Origin that is none", { origin: "http://[" }],
    ["a browser that reports another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }],
    ["a frame", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }],
  ];

  it.each(foreign)("refuses %s: it can neither send nor read", async (_, headers) => {
    const world = await openWorld();
    const sms = { apiKey: world.apiKey, phone: "9876543210", message: "Hello" };
    // What a browser sends without a preflight: no Content-Type, and the key in the body.
    const bytes = new TextEncoder().encode(JSON.stringify(sms));
    for (const base of ["http://sms.localhost", CONSOLE, "http://localhost:8787"]) {
      const sent = await call(`${base}/send-sms`, { method: "POST", body: bytes, headers });
      expectFailure(sent, 403, "permission_denied", {
        error: "A local service does not answer the pages of other sites.",
      });
    }
    expect(await messagesOf(world)).toEqual([]);
    for (const path of ["/v1/test/inbox", "/v1/test/inbox/wait?timeout=0", "/healthz", "/inbox", "/sign-in"]) {
      expect((await call(CONSOLE + path, { headers })).status, path).toBe(403);
    }
    expect((await call(`${CONSOLE}/v1/test/inbox?q=to:0`, { method: "DELETE", headers })).status).toBe(403);
  });

  it("refuses the scripts of a page under a foreign name that leads here, which a proxy may hide", async () => {
    const same = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };
    // A page can leave its Referer out, and cannot forge it.
    for (const headers of [same, { ...same, referer: "http://evil.example:8787/" }]) {
      for (const path of ["/v1/test/inbox", "/inbox"]) {
        expect((await call(CONSOLE + path, { headers })).status, path).toBe(403);
      }
    }
    for (const referer of [`${CONSOLE}/inbox`, "http://localhost:3000/"]) {
      expect((await call(`${CONSOLE}/v1/test/inbox`, { headers: { ...same, referer } })).status).toBe(200);
    }
    // Public files are answered, and marked so that no page of another origin can use them.
    const { status, headers } = await call(`${CONSOLE}/assets/icon.svg`, { headers: same });
    expect([status, headers.get("cross-origin-resource-policy")]).toEqual([200, "same-origin"]);
  });

  it("may be opened by a link, but a form of another site is refused", async () => {
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    expect((await call(`${CONSOLE}/sign-in`, { headers: { ...link, accept: "text/html" } })).status).toBe(200);
    expect((await call(`${CONSOLE}/v1/test/inbox`, { headers: link })).status).toBe(200);
    expect((await call(`${CONSOLE}/send-sms`, { method: "POST", body: "{}", headers: link })).status).toBe(403);
  });

  it("answers programs, its own pages, and other pages of this machine", async () => {
    const world = await openWorld();
    const sms = { apiKey: world.apiKey, phone: "9876543210", message: "Hello" };
    for (const headers of [
      {},
      { origin: CONSOLE, "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" },
      { origin: "http://localhost:3000", "sec-fetch-site": "same-site" },
      { origin: "http://127.0.0.1:8787" },
      { "sec-fetch-site": "none" },
      // Node's fetch sends this one alone.
      { "sec-fetch-mode": "cors" },
    ]) {
      const reply = await post("http://sms.localhost/send-sms", sms, headers);
      expect(reply.status, JSON.stringify(headers)).toBe(200);
    }
  });

  it("deployed, an API answers browsers as it does programs: keys alone decide", async () => {
    for (const [, headers] of foreign) {
      const reply = await callWith(DEPLOYED, "https://sms.dastak.example/account-balance", { headers });
      expectFailure(reply, 401, "unauthorized");
      expect([...reply.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
  });
});
