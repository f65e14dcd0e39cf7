import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Team, newKey } from "../world/access.ts";
import { bearer } from "../world/world.ts";
import { Visitor } from "../world/visitor.ts";
import type { Page } from "../world/visitor.ts";

// The desk by Cloudflare Access: only what its signature proves opens it.

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const JWT = "cf-access-jwt-assertion";

const ask = (team: Team, token: string, headers: Record<string, string> = {}): Promise<Page> =>
  team.visitor().get("/desk/sessions", { [JWT]: token, ...headers });

/** Asks at a time. */
async function askAt(team: Team, ms: number, token: string): Promise<number> {
  vi.useFakeTimers({ toFake: ["Date"], now: ms });
  return (await ask(team, token)).status;
}

describe("a token of Cloudflare Access", () => {
  it("opens the desk for its e-mail, in any case, in the role of that e-mail or its domain", async () => {
    const team = new Team();
    for (const [email, name, role] of [
      ["alice@example.com", "alice@example.com", "admin"],
      ["ALICE@Example.COM", "alice@example.com", "admin"],
      ["bob@example.com", "bob@example.com", "support"],
      ["eve@example.com", "eve@example.com", "viewer"],
    ] as const) {
      const page = await ask(team, team.token(email));
      expect(page.status).toBe(200);
      expect(page.text).toContain(`<dd>${name}</dd>`);
      expect(page.text).toContain(`<dd>${role}</dd>`);
    }
    expect(team.fetches).toBe(1);
    const single = await ask(team, team.token("alice@example.com", { aud: team.settings.ACCESS_AUD }));
    expect(single.status).toBe(200);
  });

  it("is refused without a role, with the e-mail that lacks one", async () => {
    const team = new Team();
    for (const email of ["alice@example.org", "alice@sub.example.com", "alice@notexample.com"]) {
      const page = await ask(team, team.token(email));
      expect(page.status).toBe(403);
      expect(page.text).toContain(`${email} has no role here.`);
    }
    const two = await ask(team, team.token("alice@example.org@example.com"));
    expect(two.status).toBe(401);
    // A dotless i, and a Cyrillic letter that looks like an a.
    for (const email of ["al\u0131ce@example.com", "\u0430lice@example.com"]) {
      expect((await ask(team, team.token(email))).status).toBe(401);
    }
  });

  it("is refused when it is forged, for another application, of another team, too old or too new", async () => {
    const own = new Team();
    const nowSec = Math.floor(Date.now() / 1000);
    const email = "alice@example.com";
    const [head = "", , signature = ""] = own.token(email).split(".");
    const [, other = ""] = own.token("eve@example.com").split(".");
    const key = newKey();
    const bad: Record<string, string> = {
      none: own.forged(email, "none"),
      HS256: own.forged(email, "HS256"),
      "another payload": `${head}.${other}.${signature}`,
      "another key under this key's id": own.token(email, {}, { kid: own.key.kid }, key),
      "unknown key": own.token(email, {}, {}, key),
      "no key id": own.token(email, {}, { kid: undefined }),
      "another algorithm": own.token(email, {}, { alg: "RS512" }),
      "an extension": own.token(email, {}, { crit: ["b64"], b64: false }),
      "another application": own.token(email, { aud: ["f".repeat(64)] }),
      "no application": own.token(email, { aud: undefined }),
      "another team": own.token(email, { iss: "https://evil.cloudflareaccess.com" }),
      expired: own.token(email, { exp: nowSec - 1 }),
      "without an end": own.token(email, { exp: undefined }),
      "not valid yet": own.token(email, { nbf: nowSec + 600 }),
      "without an e-mail": own.token(email, { email: undefined }),
      "e-mail in a list": own.token(email, { email: [email] }),
      "three dots": `${own.token(email)}.x`,
      "too long": own.token(email, { more: "x".repeat(9_000) }),
      "no token": "x",
      empty: "",
    };
    const opened: string[] = [];
    for (const [what, token] of Object.entries(bad)) {
      const page = await ask(own, token);
      if (page.status !== 401) opened.push(`${what}: ${page.status}`);
    }
    expect(opened).toEqual([]);
    expect((await ask(own, own.token(email))).status).toBe(200);
  });

  it("is not replaced by what Cloudflare does not sign", async () => {
    const team = new Team();
    const visitor = team.visitor();
    visitor.cookies.set("CF_Authorization", team.token("alice@example.com"));
    const headers = { "cf-access-authenticated-user-email": "alice@example.com", "cf-access-client-id": "x" };
    expect((await visitor.get("/desk", headers)).status).toBe(401);
    expect((await visitor.get("/desk", { ...headers, accept: "application/json" })).status).toBe(401);
  });

  it("counts for nothing where Access is not configured", async () => {
    const team = new Team();
    const page = await new Visitor().get("/desk", { [JWT]: team.token("alice@example.com") });
    expect([page.status, page.headers.get("location")]).toEqual([303, "/desk/sign-in?next=%2Fdesk"]);
    expect(team.fetches).toBe(0);
  });
});

describe("the team's keys", () => {
  it("are fetched once, and again for an unknown key at most once a minute", async () => {
    const team = new Team();
    const startMs = Date.now();
    const email = "alice@example.com";
    const first = team.token(email);
    expect(await askAt(team, startMs, first)).toBe(200);
    const key = newKey();
    for (let times = 0; times < 20; times += 1) {
      expect(await askAt(team, startMs + times, team.token(email, {}, {}, key))).toBe(401);
    }
    expect(team.fetches).toBe(1);
    team.rotate();
    // Within the minute after the fetch the new key is unknown still, and the old one is known.
    expect(await askAt(team, startMs + 59_000, team.token(email))).toBe(401);
    expect(await askAt(team, startMs + 61_000, team.token(email))).toBe(200);
    expect(team.fetches).toBe(2);
    // The withdrawn key signs no more.
    expect(await askAt(team, startMs + 62_000, first)).toBe(401);
    for (let times = 0; times < 20; times += 1) await askAt(team, startMs + 63_000, team.token(email, {}, {}, key));
    expect(team.fetches).toBe(2);
    expect(await askAt(team, startMs + 122_000, team.token(email, {}, {}, key))).toBe(401);
    expect(team.fetches).toBe(3);
  });

  it("are used for a day while they cannot be fetched again, and no longer", async () => {
    const team = new Team();
    const startMs = Date.now();
    const hourMs = 3_600_000;
    const token = team.token("alice@example.com", { exp: Math.floor(startMs / 1000) + 3 * 86_400 });
    expect(await askAt(team, startMs, token)).toBe(200);
    team.broken = () => new Response("away", { status: 503 });
    expect(await askAt(team, startMs + 2 * hourMs, token)).toBe(200);
    expect(team.fetches).toBe(2);
    expect(await askAt(team, startMs + 25 * hourMs, token)).toBe(503);
    team.broken = null;
    expect(await askAt(team, startMs + 25 * hourMs + 6_000, token)).toBe(200);
  });

  it.each([
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "https://evil.example/certs" } })],
    ["too many bytes", () => new Response(JSON.stringify({ keys: [], more: "x".repeat(70_000) }))],
    ["no JSON", () => new Response("<html>")],
    ["no set of keys", () => Response.json({ keys: "all" })],
    ["an error", () => new Response("no", { status: 404 })],
  ])("that come as %s open nothing: 503, and the next try is possible soon", async (_, broken) => {
    const team = new Team();
    const startMs = Date.now();
    const token = team.token("alice@example.com");
    team.broken = broken;
    expect(await askAt(team, startMs, token)).toBe(503);
    expect(await askAt(team, startMs + 1_000, token)).toBe(503);
    expect(team.fetches).toBe(1);
    team.broken = null;
    expect(await askAt(team, startMs + 6_000, token)).toBe(200);
  });

  it("are left out when they are too short", async () => {
    const team = new Team(1_024);
    expect((await ask(team, team.token("alice@example.com"))).status).toBe(401);
  });
});

describe("with Cloudflare Access, the operator's token", () => {
  it("opens the operator API and not the desk", async () => {
    const team = new Team();
    const visitor = team.visitor();
    const page = await visitor.submit("/desk/sign-in", { token: env.OPERATOR_TOKEN });
    expect([page.status, page.headers.getSetCookie()]).toEqual([401, []]);
    expect((await visitor.get("/desk")).status).toBe(401);
    const json = { accept: "application/json" };
    expect((await visitor.get("/operator/audit", { ...json, ...bearer(env.OPERATOR_TOKEN) })).status).toBe(200);
    const wrong = { ...bearer("x"), [JWT]: team.token("alice@example.com") };
    expect((await visitor.get("/operator/audit", { ...json, ...wrong })).status).toBe(401);
  });

  it("is not needed for the operator API, which refuses what other sites' pages send with the token of Access", async () => {
    const team = new Team();
    const alice = team.visitorAs("alice@example.com");
    const json = { accept: "application/json", "content-type": "application/json" };
    const [path, body] = ["/operator/accounts", { name: "By Access" }];
    const post = async (origin: Record<string, string>) => {
      const headers = { ...json, ...origin };
      return alice.send(path, { method: "POST", body: JSON.stringify(body), headers });
    };
    expect((await alice.get("/operator/audit", json)).status).toBe(200);
    expect((await post({})).status).toBe(200);
    expect((await post({ origin: "http://console.localhost" })).status).toBe(200);
    for (const origin of ["https://evil.example", "null", "http://localhost"]) {
      expect((await post({ origin })).status).toBe(403);
    }
  });
});

it("leads the sign-out to that of Cloudflare Access", async () => {
  const team = new Team();
  const alice = team.visitorAs("alice@example.com");
  expect((await alice.get("/desk/sign-in?next=/desk/queues")).headers.get("location")).toBe("/desk/queues");
  const out = await alice.submit("/desk/sign-out");
  expect(out.headers.get("location")).toBe("/cdn-cgi/access/logout");
});
