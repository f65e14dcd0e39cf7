import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { APPS } from "../../../src/routes/index.ts";
import { Team } from "../../world/access.ts";
import { bearer, openWorld } from "../../world/world.ts";
import { CONSOLE, Visitor } from "../../world/visitor.ts";

// Who may do what, on the desk and in the operator API: every route, walked as each role.

afterEach(() => vi.restoreAllMocks());

type RoleName = "viewer" | "support" | "admin";

const EMAIL: Record<RoleName, string> = {
  viewer: "eve@example.com",
  support: "bob@example.com",
  admin: "alice@example.com",
};

const ORDER: readonly RoleName[] = ["viewer", "support", "admin"];

/** The least role of every route that changes something, and of one page that only leads to a change. */
const LEAST: Record<string, RoleName> = {
  "POST /desk/accounts": "admin",
  "POST /desk/accounts/:id/credits": "admin",
  "POST /desk/accounts/:id/standing": "support",
  "GET /desk/accounts/:id/suspend": "support",
  "POST /desk/accounts/:id/reveal": "support",
  "POST /desk/accounts/:id/rules": "admin",
  "POST /desk/number-rules": "admin",
  "GET /desk/accounts/:id/leave": "admin",
  "GET /desk/accounts/:id/export": "admin",
  "POST /desk/accounts/:id/close": "admin",
  "POST /desk/accounts/:id/keep": "admin",
  "POST /desk/accounts/:id/erase": "admin",
  "POST /desk/rate-card": "admin",
  "GET /desk/new-carrier": "admin",
  "POST /desk/new-carrier": "admin",
  "POST /desk/carriers/:name": "admin",
  "GET /desk/carriers/:name/test": "admin",
  "POST /desk/carriers/:name/test": "admin",
  "GET /desk/carriers/:name/delete": "admin",
  "POST /desk/carriers/:name/delete": "admin",
  "POST /desk/carrier-set": "admin",
  "POST /desk/carrier-set/take": "admin",
  "GET /desk/route": "admin",
  "POST /desk/routes": "admin",
  "POST /desk/payments": "admin",
  "POST /desk/queues/dead-letters": "support",
  "POST /desk/health/test": "support",
  "POST /desk/sessions": "admin",
  "POST /desk/sessions/end-all": "admin",
  "POST /desk/sign-out": "viewer",
  "POST /operator/accounts": "admin",
  "PATCH /operator/accounts/:id": "support",
  "DELETE /operator/accounts/:id": "admin",
  "GET /operator/accounts/:id/export": "admin",
  "POST /operator/accounts/:id/close": "admin",
  "POST /operator/accounts/:id/keep": "admin",
  "POST /operator/accounts/:id/credits": "admin",
  "POST /operator/accounts/:id/keys": "admin",
  "DELETE /operator/accounts/:id/keys/:keyId": "support",
  "POST /operator/accounts/:id/keys/expire": "support",
  "POST /operator/accounts/:id/keys/:keyId/rotate": "admin",
  "PUT /operator/rate-card": "admin",
  "PUT /operator/carriers/:name": "admin",
  "DELETE /operator/carriers/:name": "admin",
  "POST /operator/carriers/:name/test": "admin",
  "PUT /operator/routes": "admin",
  "PUT /operator/carrier-set": "admin",
  "PUT /operator/accounts/:id/rules": "admin",
  "PUT /operator/number-rules": "admin",
  "POST /operator/accounts/:id/history/rebuild": "admin",
  "POST /operator/history/rebuild": "admin",
  "POST /operator/alerts/test": "support",
};

/** The routes of the door itself, and redirects of addresses that take forms only. */
const WITHOUT_ROLE = new Set([
  "GET /desk/sign-in",
  "POST /desk/sign-in",
  "GET /desk/sessions/end-all",
  "GET /desk/accounts/:id/reveal",
  "GET /desk/accounts/:id/rules",
  "GET /desk/accounts/:id/close",
  "GET /desk/accounts/:id/keep",
  "GET /desk/accounts/:id/erase",
  "GET /desk/carrier-set/take",
]);

const ROUTES = [
  ...new Set(
    APPS.console()
      .routes.filter(({ path, method }) => /^\/(?:desk|operator)(?![\w-])/u.test(path) && method !== "ALL")
      .map(({ path, method }) => `${method} ${path}`),
  ),
].filter((route) => !WITHOUT_ROLE.has(route));

/** Asks a route with an empty body, about an account that does not exist. */
async function statusOf(visitor: Visitor, route: string, more: Record<string, string> = {}): Promise<number> {
  const [method = "", pattern = ""] = route.split(" ");
  const path = pattern.replace(":id", "acc_00000000000").replace(":keyId", "key_0000001");
  const isApi = pattern.startsWith("/operator");
  const body = ["GET", "DELETE"].includes(method) ? {} : { body: isApi ? "{}" : "" };
  const type = isApi ? "application/json" : "application/x-www-form-urlencoded";
  const headers = { origin: CONSOLE, "content-type": type, accept: isApi ? "application/json" : "text/html", ...more };
  return (await visitor.send(path, { method, headers, ...body })).status;
}

describe("every route of the desk and of the operator API", () => {
  it("is in this test's table, if it changes something", () => {
    expect(ROUTES.length).toBeGreaterThan(25);
    expect(ROUTES.filter((route) => !route.startsWith("GET ") && !(route in LEAST))).toEqual([]);
    expect(Object.keys(LEAST).filter((route) => !ROUTES.includes(route))).toEqual([]);
  });

  it.each(ORDER)("refuses a %s exactly what the table refuses", async (role) => {
    const team = new Team();
    const visitor = team.visitorAs(EMAIL[role]);
    const wrong: string[] = [];
    for (const route of ROUTES) {
      const may = ORDER.indexOf(role) >= ORDER.indexOf(LEAST[route] ?? "viewer");
      const status = await statusOf(visitor, route);
      if ((status === 403) === may || status === 401 || status >= 500) wrong.push(`${route}: ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  it("opens to no request without a proof", async () => {
    const team = new Team();
    const opened: string[] = [];
    for (const route of ROUTES) {
      const byAccess = await statusOf(team.visitor(), route);
      if (byAccess !== 401) opened.push(`Access, ${route}: ${byAccess}`);
      const byToken = await statusOf(new Visitor(), route);
      if (byToken !== (route.includes(" /operator") ? 401 : 303)) opened.push(`token, ${route}: ${byToken}`);
    }
    expect(opened).toEqual([]);
  });
});

describe("a role", () => {
  it("is refused in one sentence that names the role that is needed, as a page in both languages and as JSON", async () => {
    const team = new Team();
    const { ref, stub } = await openWorld();
    const bob = team.visitorAs(EMAIL.support);
    const path = `/desk/accounts/${ref.accountId}/credits`;
    const form = { amount: "5", reference: "r" };
    const page = await bob.submit(path, form);
    expect([page.status, page.text.includes("Your role is support; this needs the role admin.")]).toEqual([403, true]);
    bob.cookies.set("lang", "hi");
    expect((await bob.submit(path, form)).text).toContain("आपकी भूमिका सहायता (support) है");
    const json = await bob.submit(path, form, { accept: "application/json" });
    expect(JSON.parse(json.text)).toMatchObject({ success: false, code: "permission_denied" });
    const api = await bob.send(`/operator/accounts/${ref.accountId}/credits`, {
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify({ amount: 5, reference: "r" }),
    });
    expect(JSON.parse(api.text)).toMatchObject({
      code: "permission_denied",
      error: "The role support may not do this; it needs the role admin.",
    });
    expect(await stub.view()).toMatchObject({ balance: 1_000 * 10_000 });
  });

  it("of support suspends an account and does not change its plan or rate, on the desk and by the API", async () => {
    const team = new Team();
    const { ref, stub } = await openWorld({ plan: "starter" });
    const bob = team.visitorAs(EMAIL.support);
    const standing = (form: Record<string, string>) => bob.submit(`/desk/accounts/${ref.accountId}/standing`, form);
    for (const form of [{ plan: "premium" }, { otpRate: "0" }]) expect((await standing(form)).status).toBe(403);
    const patch = async (body: object) => {
      const headers = { accept: "application/json", "content-type": "application/json" };
      const init = { method: "PATCH", headers, body: JSON.stringify(body) };
      return (await bob.send(`/operator/accounts/${ref.accountId}`, init)).status;
    };
    expect(await patch({ plan: "premium" })).toBe(403);
    expect(await patch({ status: "suspended", otpRate: 0 })).toBe(403);
    expect(await stub.view()).toMatchObject({ plan: "starter", status: "active", ownOtpRate: null });
    expect((await standing({ status: "suspended" })).status).toBe(303);
    expect(await stub.view()).toMatchObject({ status: "suspended" });
    expect(await patch({ status: "active" })).toBe(200);
  });

  it("is offered only what it may do", async () => {
    const team = new Team();
    const { ref } = await openWorld();
    const pages = ["/desk", "/desk/rate-card", "/desk/sessions", `/desk/accounts/${ref.accountId}`];
    const formsFor = async (role: RoleName) => {
      const visitor = team.visitorAs(EMAIL[role]);
      const texts = await Promise.all(pages.map(async (path) => (await visitor.get(path)).text));
      return texts
        .flatMap((text) => [...text.matchAll(/action="(\/desk\/[^"]+)"/gu)].map(([, action = ""]) => action))
        .filter((action) => !/sign-out|audit|reconcile/u.test(action));
    };
    // The page of the rate card is a form whose button a viewer lacks.
    expect(new Set(await formsFor("viewer"))).toEqual(new Set(["/desk/rate-card"]));
    expect(await formsFor("admin")).toContain(`/desk/accounts/${ref.accountId}/credits`);
    expect(await formsFor("admin")).toContain("/desk/accounts");
  });

  it("of the token is admin", async () => {
    const { ref } = await openWorld();
    const reply = await new Visitor().send(`/operator/accounts/${ref.accountId}/credits`, {
      method: "POST",
      headers: { "content-type": "application/json", ...bearer(env.OPERATOR_TOKEN) },
      body: JSON.stringify({ amount: 5, reference: "r" }),
    });
    expect(reply.status).toBe(200);
  });
});
