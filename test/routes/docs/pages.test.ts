import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { STATUS_OF_CODE } from "../../../src/http/errors.ts";
import { otpText } from "../../../src/text/otp-text.ts";
import { DEPLOYED, serviceWith } from "../../world/deployment.ts";
import { Visitor, visit } from "../../world/visitor.ts";
import { call, openWorld, post, sendSms } from "../../world/world.ts";

const AT = "http://console.localhost";

const markdown = (path: string) => call(AT + path, { headers: { accept: "text/markdown" } });

describe("the documentation", () => {
  it("has a page for every operation of the document, and none beside", async () => {
    const { body } = await call(`${AT}/openapi.json`);
    const ids = Object.values(body.paths as Record<string, Record<string, { operationId?: string }>>).flatMap(
      (methods) => Object.values(methods).flatMap(({ operationId }) => operationId ?? []),
    );
    for (const { operationId } of body["x-websockets"] as { operationId: string }[]) ids.push(operationId);
    const { text } = await new Visitor().get("/docs");
    const linked = [...text.matchAll(/href="\/docs\/api\/(\w+)"/gu)].map(([, id]) => id);
    expect(new Set(linked)).toEqual(new Set(ids));
    for (const id of ids) expect((await new Visitor().get(`/docs/api/${id}`)).status, id).toBe(200);
    expect((await new Visitor().get("/docs/api/sendFax")).status).toBe(404);
    expect((await new Visitor().get("/docs/nothing")).status).toBe(404);
    expect((await call(`${AT}/docs/nothing.md`)).status).toBe(404);
  });

  it("has an anchor for every error code, to which a failure's Link leads", async () => {
    const { text } = await new Visitor().get("/docs/errors");
    for (const [code, status] of Object.entries(STATUS_OF_CODE)) {
      expect(text, code).toContain(`<h2 id="${code}"><a href="#${code}"><code>${code}</code> · ${status}</a></h2>`);
    }
    const world = await openWorld();
    const refused = await sendSms(world, { body: { phone: "12" } });
    expect(refused.headers.get("link")).toBe(`<${AT}/docs/errors#invalid_request>; rel="help"`);
    expect((await sendSms(world)).headers.get("link")).toBeNull();
    const unknown = await post("http://sms.localhost/nothing", {});
    expect(unknown.headers.get("link")).toBe(`<${AT}/docs/errors#not_found>; rel="help"`);
  });

  it("names the text that one-time passwords are sent with", async () => {
    expect((await call(`${AT}/docs/india.md`)).text).toContain(otpText("{#var#}", "{#var#}"));
  });

  it.each(["Alertmanager", "Grafana", "Uptime Kuma", "Apprise", "Home Assistant", "Novu", "ERPNext", "Frappe"])(
    "is found under the name of %s, in both languages",
    async (product) => {
      for (const lang of ["en", "hi"]) {
        const visitor = new Visitor();
        await visitor.submit("/preferences", { lang });
        const { text } = await visitor.get(`/docs/search?q=${encodeURIComponent(product)}`);
        expect(text).toContain(`<html lang="${lang}"`);
        expect(text, lang).toMatch(/href="\/docs\/(?:alerts|apps)[#"]/u);
      }
    },
  );

  it("fills in every setting and address", async () => {
    const { text } = await call(`${AT}/llms-full.txt`);
    expect(text).not.toMatch(/\{[A-Z][A-Z_]+\}/u);
    expect(text).toContain("is kept for 7 days");
  });

  it("names the deployment's own addresses, and https everywhere", async () => {
    const reply = await serviceWith(DEPLOYED)(`${DEPLOYED.CONSOLE_URL}/llms-full.txt`, {});
    const text = await reply.text();
    expect(text).toContain(`${DEPLOYED.SMS_URL}/send-sms`);
    expect(text).not.toMatch(/http:\/\/(?:sms|console)\.localhost/u);
  });
});

describe("the samples", () => {
  it("contain the reader's own test key, and never a live one", async () => {
    const { visitor, world } = await visit({ mode: "test" });
    const { text } = await visitor.get("/docs/api/sendSms");
    expect(text).toContain(`Bearer ${world.apiKey}`);
    const live = await visit({ mode: "live" });
    const { text: without } = await live.visitor.get("/docs/api/sendSms");
    expect(without).not.toContain("dsk_live_");
    expect(without).toContain("$DASTAK_KEY");
    // Its twin is for programs, and may be stored by them.
    const { text: twin } = await visitor.get("/docs/api/sendSms.md");
    expect(twin).not.toContain("dsk_test_0");
  });

  it("of a revoked key are those of a stranger", async () => {
    const { visitor, world } = await visit({ mode: "test" });
    await world.stub.revokeKey(world.keyId);
    expect((await visitor.get("/docs/api/sendSms")).text).not.toContain(world.apiKey);
  });
});

describe("for programs", () => {
  it("every page is Markdown under .md, and where the client prefers it", async () => {
    const list = await call(`${AT}/llms.txt`);
    const twins = [...list.text.matchAll(/\]\((http[^)]+\.md)\)/gu)].map(([, at = ""]) => at);
    expect(twins.length).toBeGreaterThan(15);
    for (const at of twins) {
      const { status, headers, text } = await call(at);
      expect([at, status]).toEqual([at, 200]);
      expect(headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      if (at.includes("/docs")) expect(text, at).toMatch(/^> All pages: http[^\n]*\/llms\.txt\n\n# /u);
      if (!at.includes("/docs")) continue;
      const asked = await markdown(new URL(at).pathname.slice(0, -".md".length));
      expect(asked.text).toBe(text);
      expect(asked.headers.get("vary")).toContain("Accept");
    }
  });

  it.each([
    ["text/markdown", "markdown"],
    ["text/markdown, text/html, */*", "markdown"],
    ["text/html;q=0.8, text/markdown", "markdown"],
    ["text/html, text/markdown;q=0.5", "html"],
    ["text/html,application/xhtml+xml,*/*;q=0.8", "html"],
    ["*/*", "html"],
  ])("Accept: %s gets %s", async (accept, kind) => {
    const { headers } = await call(`${AT}/docs/retries`, { headers: { accept } });
    expect(headers.get("content-type")).toMatch(new RegExp(`^text/${kind}`, "u"));
  });

  it("a page says where its twin is, in its head and in its first line", async () => {
    const { text } = await new Visitor().get("/docs/api/sendSms");
    expect(text).toContain('<link rel="alternate" type="text/markdown" href="/docs/api/sendSms.md"/>');
    expect(text).toContain('<a href="/docs/api/sendSms.md">');
  });

  it("there is one Agent Skill, whose digest is that of its bytes", async () => {
    const { body } = await call(`${AT}/.well-known/agent-skills/index.json`);
    const [skill] = body.skills as { name: string; url: string; digest: string; description: string }[];
    const { text } = await call(skill?.url ?? "");
    expect(skill?.digest).toBe(`sha256:${createHash("sha256").update(text).digest("hex")}`);
    expect(text).toContain(`---\nname: dastak\ndescription: ${skill?.description}\n---\n`);
    // The limits of the specification: agentskills.io.
    expect(skill?.description.length).toBeLessThanOrEqual(1_024);
    expect(text.length).toBeLessThan(20_000);
  });
});

/** The pages that a search finds. */
const hits = async (q: string) => {
  const { text } = await new Visitor().get(`/docs/search?q=${encodeURIComponent(q)}`);
  return [...text.slice(text.indexOf("<main")).matchAll(/<li><a href="([^"]+)"/gu)].map(([, at]) => at);
};

describe("the search", () => {
  it("finds guides, operations and codes, and those with the word in their title first", async () => {
    expect((await hits("webhooks"))[0]).toBe("/docs/webhooks");
    expect((await hits("recording upload"))[0]).toBe("/docs/api/uploadVoice");
    expect(await hits("rate_limited")).toContain("/docs/errors");
    expect((await hits("DLT header"))[0]).toBe("/docs/api/putDlt");
    expect(await hits("DLT header")).toContain("/docs/india");
    expect(await hits("zzzz")).toEqual([]);
    expect(await hits("")).toEqual([]);
  });

  it("shows the query as text, whatever is in it, and cuts what is too long", async () => {
    const { status, text } = await new Visitor().get(
      `/docs/search?q=${encodeURIComponent(`<b>"x"</b>${"y".repeat(3_000)}`)}`,
    );
    expect(status).toBe(200);
    expect(text).not.toContain("<b>&quot;x");
    expect(text).toContain("&lt;b&gt;");
    expect(text.slice(text.indexOf("<main"))).not.toContain("y".repeat(101));
  });
});
