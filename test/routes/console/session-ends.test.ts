import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newToken } from "../../../src/sign-in/sessions.ts";
import worker from "../../../src/worker.ts";
import { incoming } from "../../world/deployment.ts";
import { listen } from "../../world/listener.ts";
import { freshNumber, signInByPhone, twin } from "../../world/people.ts";
import { CONSOLE, Visitor, visit } from "../../world/visitor.ts";

// What ends together with a session, and what happens when sessions cannot be read.

describe("the live socket", () => {
  it.each(["/sign-out", "/sign-out/everywhere", "/settings/sessions"])("is closed by %s", async (path) => {
    const { visitor } = await visit();
    const stolen = await listen(twin(visitor));
    await visitor.submit(path);
    expect(await stolen.closed).toEqual({ code: 4000 });
  });

  it("is closed by a change of password, and by a sign-in as another person", async () => {
    const { visitor } = await visit();
    const before = await listen(twin(visitor));
    const email = `asha${Math.random()}@example.com`;
    await visitor.submit("/settings/login", { email, password: "a long enough one" });
    expect(await before.closed).toEqual({ code: 4000 });
    const after = await listen(twin(visitor));
    await signInByPhone(freshNumber(), visitor);
    expect(await after.closed).toEqual({ code: 4000 });
  });
});

it("redirects a post without a session to the sign-in, whatever its Referer contains", async () => {
  for (const referer of ["http", "https://", "httpx:", "//evil.example", "javascript:alert(1)"]) {
    const { status, headers } = await new Visitor().submit("/settings/name", {}, { referer });
    expect([status, headers.get("location")]).toEqual([303, "/sign-in?next=%2F"]);
  }
});

describe("while D1 is unavailable", () => {
  const away = {
    prepare() {
      throw new Error("D1_ERROR: D1 is away");
    },
  };
  const ask = (path: string, init: RequestInit) =>
    worker.fetch(
      incoming(CONSOLE + path, init),
      { ...env, DB: away as unknown as D1Database },
      createExecutionContext(),
    );

  it("a page answers 503, and a page that needs no session opens", async () => {
    const headers = { accept: "text/html", origin: CONSOLE };
    const page = await ask("/keys", { headers: { ...headers, cookie: `session=${newToken()}` } });
    expect(page.status).toBe(503);
    expect(page.headers.get("retry-after")).toBe("1");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await page.text()).toContain("The service is busy");
    const body = new URLSearchParams({ phone: "9876543210" });
    expect((await ask("/sign-in", { method: "POST", headers, body })).status).toBe(503);
    expect((await ask("/sign-in", { headers })).status).toBe(200);
  });
});
