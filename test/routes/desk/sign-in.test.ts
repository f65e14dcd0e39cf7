import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { DESK_TABS } from "../../../src/ui/desk/frame.tsx";
import { bearer, call, openWorld } from "../../world/world.ts";
import { atTheDesk } from "../../world/operators.ts";
import { CONSOLE, Visitor, visit } from "../../world/visitor.ts";

const POSTS = [
  "/desk/accounts",
  "/desk/accounts/acc_00000000000/standing",
  "/desk/accounts/acc_00000000000/credits",
  "/desk/rate-card",
  "/desk/payments",
  "/desk/queues/dead-letters",
];

describe("the sign-in to the desk", () => {
  it("accepts the operator's token, and leads back to the page that was asked for", async () => {
    const visitor = new Visitor();
    const asked = await visitor.get("/desk/queues?x=1");
    expect(asked.headers.get("location")).toBe("/desk/sign-in?next=%2Fdesk%2Fqueues%3Fx%3D1");
    expect((await visitor.get("/desk/sign-in")).text).toContain('type="password"');
    const form = { token: env.OPERATOR_TOKEN, next: "/desk/queues" };
    const entered = await visitor.submit("/desk/sign-in", form);
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "/desk/queues"]);
    expect(entered.headers.getSetCookie().join()).toMatch(/^operator=[\w-]{43};.*HttpOnly; SameSite=Lax/u);
    expect((await visitor.get("/desk/queues")).status).toBe(200);
  });

  it("refuses any other token", async () => {
    for (const token of ["", "x", env.OPERATOR_TOKEN.slice(1), `${env.OPERATOR_TOKEN}x`, env.KEY_SECRET]) {
      const visitor = new Visitor();
      const page = await visitor.submit("/desk/sign-in", { token });
      expect(page.status).toBe(401);
      expect(page.headers.getSetCookie()).toEqual([]);
      expect(page.text).toContain("Incorrect operator token");
      expect((await visitor.get("/desk")).status).toBe(303);
    }
  });

  it("allows 20 tries in 15 minutes from one address, without limiting other addresses", async () => {
    const visitor = new Visitor();
    const enter = (token: string, address: string) =>
      visitor.submit("/desk/sign-in", { token }, { "cf-connecting-ip": address });
    for (let tries = 0; tries < 20; tries += 1) expect((await enter("x", "203.0.113.9")).status).toBe(401);
    const refused = await enter(env.OPERATOR_TOKEN, "203.0.113.9");
    expect([refused.status, refused.text.includes("Too many attempts")]).toEqual([429, true]);
    expect((await enter(env.OPERATOR_TOKEN, "203.0.113.10")).status).toBe(303);
  });

  it("redirects neither to customers' pages nor to another site", async () => {
    for (const next of ["/keys", "//evil.example", "https://evil.example", "/deskx", "/desk-evil"]) {
      const page = await new Visitor().submit("/desk/sign-in", { token: env.OPERATOR_TOKEN, next });
      expect(page.headers.get("location")).toBe("/desk");
    }
  });

  it("ends with the sign-out, for a copy of the cookie as well", async () => {
    const visitor = await atTheDesk();
    const before = new Map(visitor.cookies);
    await visitor.submit("/desk/sign-out");
    for (const [name, value] of before) visitor.cookies.set(name, value);
    expect((await visitor.get("/desk")).status).toBe(303);
  });

  it("does not accept a customer's session or an API key", async () => {
    const { visitor, world } = await visit();
    const token = visitor.cookies.get("session") ?? "";
    visitor.cookies.set("operator", token);
    for (const path of [...Object.values(DESK_TABS), `/desk/accounts/${world.ref.accountId}`]) {
      expect((await visitor.get(path)).status).toBe(303);
      expect((await visitor.get(path, { accept: "application/json" })).status).toBe(401);
      const { status } = await call(CONSOLE + path, { headers: bearer(world.apiKey), redirect: "manual" });
      expect(status).toBe(401);
    }
    for (const path of POSTS) {
      const page = await visitor.submit(path, { status: "suspended", amount: "1", reference: "r" });
      expect(page.headers.get("location")).toMatch(/^\/desk\/sign-in/u);
    }
  });

  it("does not open customers' pages or the API", async () => {
    const visitor = await atTheDesk();
    visitor.cookies.set("session", visitor.cookies.get("operator") ?? "");
    for (const path of ["/", "/keys", "/settings"]) expect((await visitor.get(path)).status).toBe(303);
    const world = await openWorld();
    const path = `/operator/accounts/${world.ref.accountId}`;
    expect((await visitor.get(path, { accept: "application/json" })).status).toBe(401);
  });

  it("accepts no post from another site", async () => {
    const visitor = await atTheDesk();
    for (const path of [...POSTS, "/desk/sign-in", "/desk/sign-out"]) {
      const page = await visitor.submit(path, { token: env.OPERATOR_TOKEN }, { origin: "https://evil.example" });
      expect(page.status).toBe(403);
    }
    expect((await visitor.get("/desk")).status).toBe(200);
  });
});

describe("the pages of the desk", () => {
  it.each(Object.values(DESK_TABS))("show %s in both languages, under the strict CSP", async (path) => {
    const visitor = await atTheDesk();
    for (const [lang, word] of [
      ["en", "Reconcile"],
      ["hi", "मिलान"],
    ] as const) {
      visitor.cookies.set("lang", lang);
      const page = await visitor.get(path);
      expect(page.status).toBe(200);
      expect(page.text).toContain(word);
      expect(page.text).not.toMatch(/<script(?![^>]* src=)|<style| style="| on[a-z]+="/u);
      expect(page.headers.get("content-security-policy")).not.toContain("unsafe");
    }
  });
});
