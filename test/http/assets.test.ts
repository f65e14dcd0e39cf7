import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import documents from "../../src/openapi/built.json";
import browser from "../../src/ui/built.json";
import texts from "../../src/ui/docs/texts.json";
import { callWith, serviceWith } from "../world/deployment.ts";
import { expectFailure } from "../world/operating.ts";
import { bearer, call, openWorld } from "../world/world.ts";

// Static files: the Worker alone serves them, with its own headers, and does without them where they cannot be read.

const CONSOLE = "http://console.localhost";
const HTML = { headers: { accept: "text/html" } };

/** The suite's binding with another answer. */
const assetsThat = (answer: () => Promise<Response>): Partial<Cloudflare.Env> => ({
  ASSETS: { ...env.ASSETS, fetch: answer },
});

/** The ways in which the platform's server of files may fail. */
const AWAY: Record<string, () => Promise<Response>> = {
  "cannot be reached": () => Promise.reject(new Error("Network connection lost.")),
  fails: async () => new Response("unavailable", { status: 500 }),
  "lacks the file": async () => new Response(null, { status: 404 }),
  "breaks off": async () => {
    const { readable, writable } = new TransformStream<Uint8Array>();
    const writer = writable.getWriter();
    void writer.write(new Uint8Array(10)).then(() => writer.abort(new Error("broken")));
    return new Response(readable);
  },
};

describe("the browser's files", () => {
  it.each(Object.entries(browser.types))("%s is served for good, also by HEAD", async (name, type) => {
    const at = `${CONSOLE}/assets/${name}`;
    const visit = serviceWith({});
    const [got, head] = [await visit(at, {}), await visit(at, { method: "HEAD" })];
    for (const { status, headers } of [got, head]) {
      expect([status, headers.get("content-type")]).toEqual([200, type]);
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
    expect((await got.arrayBuffer()).byteLength).toBeGreaterThan(500);
    expect((await head.arrayBuffer()).byteLength).toBe(0);
    for (const host of ["sms", "tts", "voice", "otp"]) {
      expect((await call(`http://${host}.localhost/assets/${name}`)).status).toBe(404);
    }
  });

  it("are those that the pages and the style sheet name", async () => {
    const page = await call(`${CONSOLE}/sign-in`, HTML);
    const named = [...page.text.matchAll(/\/assets\/([\w.-]+-[A-Z0-9]{8}\.\w+)"/gu)].map(([, name]) => name ?? "");
    expect(named.length).toBeGreaterThan(1);
    const css = await call(`${CONSOLE}/assets/${browser.entries["app.css"]}`);
    const fonts = [...css.text.matchAll(/url\("?\.?\/?([\w.-]+\.woff2)"?\)/gu)].map(([, name]) => name ?? "");
    expect(fonts.length).toBeGreaterThan(5);
    expect([...named, ...fonts].filter((name) => !Object.hasOwn(browser.types, name))).toEqual([]);
  });

  it("are all that has an address of its own", async () => {
    for (const name of [documents.api, documents.operator, texts.texts, ".assetsignore", "index.html"]) {
      // As it is addressed inside, and as the browser's files are.
      for (const path of [`/${name}`, `/assets/${name}`]) {
        for (const host of ["console", "sms"]) {
          expectFailure(await call(`http://${host}.localhost${path}`), 404, "not_found");
        }
      }
    }
    expect((await call(`${CONSOLE}/${browser.entries["app.js"]}`)).status).toBe(404);
  });
});

describe.each(Object.entries(AWAY))("where what serves them %s", (_, answer) => {
  const changed = assetsThat(answer);

  it("answers 503, and says so in the log", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    const paths = [
      `/assets/${browser.entries["app.css"]}`,
      "/openapi.json",
      "/openapi-operator.json",
      "/docs.md",
      "/llms.txt",
    ];
    for (const path of paths) {
      const reply = await callWith(changed, CONSOLE + path);
      expectFailure(reply, 503, "unavailable");
      expect(reply.headers.get("retry-after")).toBe("5");
      expect(reply.headers.get("cache-control") ?? "").not.toContain("immutable");
    }
    expect(log).toHaveBeenCalledTimes(paths.length);
    log.mockRestore();
  });

  it("shows a page that says so, in the reader's language", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    const visit = serviceWith(changed);
    for (const [lang, sentence] of Object.entries({
      en: "This can&#39;t be shown right now. Try again in a moment.",
      hi: "यह अभी नहीं दिखाया जा सकता। थोड़ी देर में फिर कोशिश करें।",
    })) {
      const reply = await visit(`${CONSOLE}/docs`, { headers: { accept: "text/html", "accept-language": lang } });
      const page = await reply.text();
      expect([reply.status, page.includes(sentence)], page).toEqual([503, true]);
    }
    log.mockRestore();
  });

  it("serves the API and the other pages all the same", async () => {
    const { apiKey } = await openWorld();
    const reply = await callWith(changed, "http://sms.localhost/account-balance", { headers: bearer(apiKey) });
    expect(reply.status).toBe(200);
    expect((await serviceWith(changed)(`${CONSOLE}/sign-in`, HTML)).status).toBe(200);
  });
});

it("is asked for a file once, and again after a failure", async () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  const asked: string[] = [];
  let fails = true;
  const fetch = async (at: string) => {
    asked.push(new URL(at).pathname);
    if (fails) throw new Error("Network connection lost.");
    return env.ASSETS.fetch(at);
  };
  const visit = serviceWith({ ASSETS: { ...env.ASSETS, fetch } });
  const statuses = [];
  for (fails of [true, false, true]) statuses.push((await visit(`${CONSOLE}/openapi.json`, {})).status);
  expect(statuses).toEqual([503, 200, 200]);
  expect(asked).toEqual([`/${documents.api}`, `/${documents.api}`]);
  log.mockRestore();
});
