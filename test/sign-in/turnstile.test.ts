import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { forgetCounts, freshAddress, ticketOf } from "../world/codes.ts";
import { freshNumber, from } from "../world/people.ts";
import type { Page } from "../world/visitor.ts";
import { serviceWith } from "../world/deployment.ts";
import { Visitor } from "../world/visitor.ts";

// Turnstile as the bot check, with a fake siteverify.

const TURNSTILE = {
  TURNSTILE_SITE_KEY: "0x4AAAAAAA-site",
  TURNSTILE_SECRET: "0x4AAAAAAA-secret",
  TURNSTILE_URL: "https://turnstile.test",
};
const busy = serviceWith({ ...TURNSTILE, CODES_PER_DAY: "8", CODES_PER_MINUTE: "80" });

const HOSTNAME = new URL(env.CONSOLE_URL).hostname;
const ADDRESS = freshAddress();

/** Tokens that the fake's widget gave out and that were not verified yet, and what siteverify says of them. */
const tokens = new Map<string, object>();
const seen: { url: string; form: URLSearchParams }[] = [];

const give = (token: string, more: object = {}) =>
  tokens.set(token, { success: true, hostname: HOSTNAME, action: "sign-in-code", ...more });

/** Answers as siteverify does: a token is valid once. */
function fakeSiteverify(): void {
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const form = init?.body;
    if (typeof input !== "string" || !(form instanceof URLSearchParams)) throw new Error("this is not for siteverify");
    seen.push({ url: input, form });
    const token = form.get("response") ?? "";
    const answer = form.get("secret") === TURNSTILE.TURNSTILE_SECRET ? tokens.get(token) : undefined;
    tokens.delete(token);
    return Response.json(answer ?? { success: false, "error-codes": ["timeout-or-duplicate"] });
  });
}

const ask = (more: Record<string, string> = {}, phone = freshNumber(), service = busy) =>
  new Visitor(service).submit("/sign-in", { phone, ...more }, from(ADDRESS));

const withToken = (token: string, phone?: string) => ask({ "cf-turnstile-response": token }, phone);

const policyOf = (page: Page) => page.headers.get("content-security-policy") ?? "";

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  tokens.clear();
  seen.length = 0;
  await forgetCounts();
  for (let n = 0; n < 4; n++) {
    await new Visitor(busy).submit("/sign-in", { phone: freshNumber() }, from(freshAddress()));
  }
  fakeSiteverify();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("Turnstile", () => {
  it("is shown in place of work, and only its page may load its script and frame", async () => {
    const page = await ask();
    expect(page.status).toBe(429);
    expect(page.text).toContain('data-sitekey="0x4AAAAAAA-site"');
    expect(page.text).toContain('src="https://turnstile.test/turnstile/v0/api.js"');
    expect(page.text).not.toContain("data-work");
    expect(policyOf(page)).toContain("script-src 'self' https://turnstile.test; frame-src https://turnstile.test;");
    for (const path of ["/sign-in", "/sign-up", "/sign-in/password"]) {
      const other = await new Visitor(busy).get(path);
      expect(policyOf(other)).toContain("script-src 'self';");
      expect(policyOf(other)).not.toContain("frame-src");
    }
    const without = await ask({}, freshNumber(), serviceWith({ CODES_PER_DAY: "8", CODES_PER_MINUTE: "80" }));
    expect(policyOf(without)).toContain("script-src 'self';");
    expect(seen).toEqual([]);
  });

  it("lets a browser through whose token it verifies, with the address, once", async () => {
    give("good");
    expect((await withToken("good")).status).toBe(303);
    expect(seen.map(({ url }) => url)).toEqual(["https://turnstile.test/turnstile/v0/siteverify"]);
    expect(Object.fromEntries(seen[0]?.form ?? [])).toEqual({
      secret: TURNSTILE.TURNSTILE_SECRET,
      response: "good",
      remoteip: ADDRESS,
    });
    // Also when siteverify says twice that it is valid.
    give("good");
    expect((await withToken("good")).status).toBe(429);
  });

  it("takes tokens of the longest kind", async () => {
    const token = "x".repeat(2_048);
    give(token);
    expect((await withToken(token)).status).toBe(303);
  });

  it.each([
    ["a token that it does not know", null],
    ["a token of another site", { hostname: "evil.example" }],
    ["a token of another page's widget", { action: "login" }],
    ["a token without a hostname", { hostname: undefined }],
    ["a token that it refuses", { success: false }],
  ])("refuses %s", async (_, more) => {
    if (more) give("bad", more);
    const page = await withToken("bad");
    expect(page.status).toBe(429);
    expect(ticketOf(page)).not.toBeNull();
    expect(seen).toHaveLength(1);
  });

  it("is not asked about tokens that are empty or too long, nor when no check is needed", async () => {
    expect((await withToken("")).status).toBe(429);
    expect((await withToken("x".repeat(2_049))).status).toBe(400);
    vi.setSystemTime(Date.now() + 24 * 3_600_000);
    expect((await withToken("unneeded")).status).toBe(303);
    expect(seen).toEqual([]);
  });

  it.each([
    ["does not answer in time", () => Promise.reject(new DOMException("timed out", "TimeoutError"))],
    ["answers something else", () => Promise.resolve(new Response("<html>busy</html>", { status: 503 }))],
  ])("when it %s, no code is sent at once, and waiting still leads to one", async (_, answer) => {
    vi.spyOn(globalThis, "fetch").mockImplementation(answer);
    const phone = freshNumber();
    const page = await withToken("good", phone);
    expect(page.status).toBe(429);
    const ticket = ticketOf(page) ?? "";
    expect((await ask({ ticket, work: "1" }, phone)).status).toBe(429);
    vi.setSystemTime(Date.now() + 20_000);
    expect((await ask({ ticket }, phone)).status).toBe(303);
  });
});
