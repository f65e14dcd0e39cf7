import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { configOf } from "../../../src/config/config.ts";
import { DEMO_LOGIN, openCustomer, ownAccountId } from "../../../src/accounts/open.ts";
import { insertSession } from "../../../src/db/people.ts";
import { hashOf, newToken } from "../../../src/sign-in/sessions.ts";
import worker from "../../../src/worker.ts";
import { DEPLOYED, incoming } from "../../world/deployment.ts";
import { codeFor, freshNumber, sessionsWith, signInByPhone, twin } from "../../world/people.ts";
import { CONSOLE, Visitor, visit } from "../../world/visitor.ts";

describe("a session", () => {
  it("has a new token after every sign-in, and the previous token is invalid", async () => {
    const { visitor } = await visit();
    const before = twin(visitor);
    await signInByPhone(freshNumber(), visitor);
    expect(visitor.cookies.get("session")).not.toBe(before.cookies.get("session"));
    expect((await visitor.get("/settings")).status).toBe(200);
    expect((await before.get("/settings")).status).toBe(303);
  });

  it("never adopts a token that was planted in the browser", async () => {
    const visitor = new Visitor();
    const planted = newToken();
    visitor.cookies.set("session", planted);
    await signInByPhone(freshNumber(), visitor);
    expect(visitor.cookies.get("session")).not.toBe(planted);
    const attacker = new Visitor();
    attacker.cookies.set("session", planted);
    expect((await attacker.get("/settings")).status).toBe(303);
  });

  it("that is altered, expired or the operator's is invalid", async () => {
    const { visitor, person } = await visit();
    const token = visitor.cookies.get("session") ?? "";
    for (const forged of [token.slice(0, -1), `${token}A`, token.toLowerCase(), hashOf(token), "", "'; --"]) {
      const forger = new Visitor();
      forger.cookies.set("session", forged);
      expect((await forger.get("/settings")).headers.get("location")).toBe("/sign-in?next=%2Fsettings");
    }
    const nowMs = Date.now();
    const row = { device: "", createdAt: nowMs, authenticatedAt: nowMs, seenAt: nowMs, expiresAt: nowMs + 60_000 };
    for (const change of [{ expiresAt: nowMs - 1 }, { holder: "operator" }, { holder: "psn_gone" }]) {
      const other = newToken();
      await insertSession(env.DB, { hash: hashOf(other), holder: person.id, ...row, ...change });
      const stranger = new Visitor();
      stranger.cookies.set("session", other);
      expect((await stranger.get("/settings")).status).toBe(303);
    }
    expect((await visitor.get("/settings")).status).toBe(200);
  });

  it("ends with a sign-out; a sign-out everywhere ends all of them", async () => {
    const number = freshNumber();
    const [{ visitor: one }, { visitor: other }] = [await signInByPhone(number), await signInByPhone(number)];
    const kept = twin(one);
    await one.submit("/sign-out");
    expect(one.cookies.has("session")).toBe(false);
    expect((await kept.get("/settings")).status).toBe(303);
    expect((await other.get("/settings")).status).toBe(200);
    const { visitor: third } = await signInByPhone(number);
    await other.submit("/sign-out/everywhere");
    expect((await third.get("/settings")).status).toBe(303);
    expect(await sessionsWith(`+91${number}`)).toBe(0);
  });

  it("uses Secure cookies when the console is served over https", async () => {
    const secure = { ...env, CONSOLE_URL: "https://console.localhost" };
    const ask = (path: string, form: Record<string, string>, cookie = "") => {
      const headers = { origin: "https://console.localhost", accept: "text/html", cookie };
      const url = `https://console.localhost${path}`;
      const request = incoming(url, { method: "POST", body: new URLSearchParams(form), headers });
      return worker.fetch(request, secure, createExecutionContext());
    };
    const number = freshNumber();
    const [challenge = ""] = (await ask("/sign-in", { phone: number })).headers.getSetCookie();
    expect(challenge).toMatch(/^__Host-challenge=[\w-]{43}; Max-Age=1800; Path=\/; HttpOnly; Secure; SameSite=Lax$/u);
    const code = await codeFor(`+91${number}`);
    const cookies = (await ask("/sign-in/code", { code }, challenge.split(";")[0])).headers.getSetCookie();
    const flags = "Max-Age=\\d+; Path=/; HttpOnly; Secure; SameSite=Lax$";
    expect(cookies.find((one) => one.startsWith("__Host-session="))).toMatch(new RegExp(flags, "u"));
    expect(cookies.find((one) => one.startsWith("__Host-device="))).toMatch(new RegExp(flags, "u"));
    expect(cookies.every((one) => one.startsWith("__Host-") && one.includes("Secure"))).toBe(true);
    // Another host of the domain can set none of the preferences either, and they are read by the same names.
    const chosen = (await ask("/preferences", { lang: "hi", theme: "dark", mode: "test" })).headers.getSetCookie();
    expect(chosen.map((one) => one.split("=")[0])).toEqual(["__Host-lang", "__Host-theme", "__Host-mode"]);
    for (const one of chosen) expect(one).toMatch(new RegExp(flags, "u"));
    const pageWith = async (cookie: string) => {
      const request = incoming("https://console.localhost/sign-in", { headers: { accept: "text/html", cookie } });
      return (await worker.fetch(request, secure, createExecutionContext())).text();
    };
    expect(await pageWith("__Host-lang=hi")).toContain('<html lang="hi"');
    expect(await pageWith("lang=hi")).toContain('<html lang="en"');
  });
});

describe("the demo customer", () => {
  it("signs in with one button or with e-mail and password, locally only", async () => {
    const config = configOf(env);
    const accountId = ownAccountId(config, "demo");
    await openCustomer(env, config, accountId, { name: "Demo", plan: "business" });
    const login = { email: "Demo@Example.com", password: DEMO_LOGIN.password, next: "/keys" };
    const visitor = new Visitor();
    expect((await visitor.submit("/sign-in/password", login)).headers.get("location")).toBe("/keys");
    expect((await new Visitor().submit("/sign-in/demo")).headers.get("location")).toBe("/");
    expect((await visitor.submit("/confirm/demo", { next: "/keys" })).headers.get("location")).toBe("/keys");
    const { visitor: other } = await visit();
    expect((await other.submit("/confirm/demo", { next: "/keys" })).status).toBe(404);
  });

  it("does not exist elsewhere", async () => {
    const elsewhere = { ...env, ...DEPLOYED, PAYMENTS: "none" };
    const ask = (init: RequestInit, path: string) =>
      worker.fetch(incoming(elsewhere.CONSOLE_URL + path, init), elsewhere, createExecutionContext());
    const accountId = ownAccountId(configOf(elsewhere), "demo");
    await openCustomer(env, configOf(env), accountId, { name: "Demo", plan: "business" });
    await env.DB.prepare("DELETE FROM person WHERE email = 'demo@example.com'").run();
    const headers = { origin: elsewhere.CONSOLE_URL, accept: "text/html" };
    const button = await ask({ method: "POST", headers }, "/sign-in/demo");
    expect(button.status).toBe(404);
    const body = new URLSearchParams({ email: "demo@example.com", password: DEMO_LOGIN.password });
    expect((await ask({ method: "POST", headers, body }, "/sign-in/password")).status).toBe(401);
    const page = await (await ask({ headers }, "/sign-in")).text();
    expect(page).not.toMatch(/\/sign-in\/demo|\/inbox/u);
  });
});

it("redirects a signed-in visitor away from the sign-in", async () => {
  const { visitor } = await visit();
  expect((await visitor.get("/sign-in?next=/keys")).headers.get("location")).toBe("/keys");
  expect(new URL((await visitor.get("/sign-in?next=//evil")).headers.get("location") ?? "", CONSOLE).origin).toBe(
    CONSOLE,
  );
});
