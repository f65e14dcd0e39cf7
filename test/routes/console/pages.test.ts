import { describe, expect, it } from "vitest";
import { PAGES } from "../../../src/ui/layout.tsx";
import { bearer, call, openWorld } from "../../world/world.ts";
import { CONSOLE, Visitor, visit } from "../../world/visitor.ts";

describe("pages", () => {
  it("redirect to the sign-in without a session, and back afterwards", async () => {
    const page = await new Visitor().get("/keys?a=1");
    expect(page.status).toBe(303);
    expect(page.headers.get("location")).toBe("/sign-in?next=%2Fkeys%3Fa%3D1");
  });

  it.each(PAGES.map(({ path }) => path))("open %s with a session, under a strict CSP", async (path) => {
    const { visitor } = await visit();
    const page = await visitor.get(path);
    expect(page.status).toBe(200);
    expect(page.text).toMatch(new RegExp(`<a href="${path}[^"]*" aria-current="page"`, "u"));
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.text).not.toMatch(/<script(?![^>]* src=)|<style| style="| on[a-z]+="/u);
  });

  it("refuse posts from other sites, and posts without an Origin", async () => {
    const { visitor } = await visit();
    for (const origin of ["https://evil.example", "null", "http://console.localhost.evil.example"]) {
      const page = await visitor.submit("/preferences", { lang: "hi" }, { origin });
      expect(page.status).toBe(403);
      expect(page.headers.getSetCookie()).toEqual([]);
    }
    const { status } = await call(`${CONSOLE}/preferences`, {
      method: "POST",
      body: new URLSearchParams({ lang: "hi" }),
    });
    expect(status).toBe(403);
  });

  it("refuse a body that is not a form, and a body that exceeds the limit without a declared length", async () => {
    const { visitor } = await visit();
    const type = "multipart/form-data; boundary=abc";
    for (const path of ["/billing/orders", "/sign-in", "/desk/sign-in", "/settings/buyer", "/send/sms"]) {
      expect((await visitor.submit(path, { no: "form" }, { "content-type": type })).status).toBe(400);
    }
    let left = 12;
    let ended = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        left -= 1;
        if (left >= 0) return controller.enqueue(new Uint8Array(1024 * 1024));
        ended = true;
        controller.close();
      },
    });
    const headers = { origin: CONSOLE, "content-type": "application/x-www-form-urlencoded" };
    const { status } = await call(`${CONSOLE}/sign-in`, { method: "POST", headers, body, redirect: "manual" });
    expect(status).toBe(413);
    // The body is read to its end, because the local server fails when a reply leaves a body unread.
    expect(ended).toBe(true);
  });

  it("do not open for an API key, and the API does not open for a cookie", async () => {
    const world = await openWorld();
    const page = await new Visitor().get("/", bearer(world.apiKey));
    expect(page.status).toBe(303);
    expect(page.headers.get("location")).toBe("/sign-in?next=%2F");
    const program = await call(`${CONSOLE}/`, { headers: bearer(world.apiKey), redirect: "manual" });
    expect(program.status).toBe(401);
    const { visitor } = await visit();
    for (const path of ["/account-balance", "/operator/reconcile"]) {
      const reply = await visitor.get(path, { accept: "application/json" });
      expect([401, 404]).toContain(reply.status);
    }
    // Locally the inbox needs no credential, and a cookie changes nothing.
    const inbox = "/v1/test/inbox?q=nobody-wrote-this";
    expect((await visitor.get(inbox)).text).toBe((await new Visitor().get(inbox)).text);
    const rejected = await visitor.get(inbox, { authorization: "Bearer dsk_live_x" });
    expect(rejected.status).toBe(401);
  });

  it("never redirect to another site after a preference", async () => {
    for (const next of [
      "https://evil.example",
      "//evil.example",
      "/\\evil.example",
      "/%0aevil",
      "javascript:alert(1)",
    ]) {
      const page = await new Visitor().submit("/preferences", { lang: "hi", next });
      const location = page.headers.get("location") ?? "";
      expect(new URL(location, CONSOLE).origin).toBe(CONSOLE);
    }
  });

  it("show failures as pages to browsers and as JSON to programs", async () => {
    const { visitor } = await visit();
    const page = await visitor.get("/there-is-no-such-page");
    expect(page.status).toBe(404);
    expect(page.text).toContain("<!doctype html>");
    // The menu stays, and the page leads back.
    for (const { path } of PAGES) expect(page.text).toContain(`<a href="${path}">`);
    expect(page.text).toContain('<a class="btn" href="/">');
    const strange = await new Visitor().get("/there-is-no-such-page");
    expect(strange.status).toBe(404);
    expect(strange.text).toContain('<a class="btn" href="/sign-in">');
    expect(strange.text).not.toContain('href="/keys"');
    for (const path of ["/operator/accounts/acc_x", "/v1/test/inbox/msg_x", "/account-balance", "/send-sms"]) {
      expect(JSON.parse((await visitor.get(path)).text), path).toMatchObject({ success: false });
    }
    const reply = await visitor.get("/there-is-no-such-page", { accept: "application/json" });
    expect(JSON.parse(reply.text)).toMatchObject({ success: false, code: "not_found" });
  });
});
