import { expect } from "vitest";
import type { Service } from "../../harness/started.ts";

/**
 * Follows a page to its style sheet, scripts and fonts, and asks for the documents, each by GET and HEAD, as a browser
 * would; and for what is beside them in the folder, which has no address.
 */
export async function expectStaticFiles(service: Service): Promise<void> {
  const get = (at: string, method = "GET", headers: Record<string, string> = {}) =>
    service.call(at, { method, headers });
  const page = (await get("/docs", "GET", { accept: "text/html" })).bytes.toString();
  const named = [...page.matchAll(/"(\/assets\/[\w.-]+\.(?:css|js))"/gu)].map(([, at]) => at ?? "");
  expect(named.length).toBeGreaterThan(1);
  const css = (await get(named.find((at) => at.endsWith(".css")) ?? "")).bytes.toString();
  const fonts = [...css.matchAll(/url\("?\.?\/?([\w.-]+\.woff2)"?\)/gu)].map(([, name]) => `/assets/${name}`);
  expect(fonts.length).toBeGreaterThan(5);
  for (const at of [...named, ...fonts]) {
    const [whole, head] = [await get(at), await get(at, "HEAD")];
    for (const { status, headers } of [whole, head]) {
      expect([at, status, headers["cache-control"]]).toEqual([at, 200, "public, max-age=31536000, immutable"]);
      expect(headers["content-type"]).toMatch(
        at.endsWith("2") ? /^font\/woff2$/u : /^text\/(?:css|javascript); charset/u,
      );
    }
    expect([at, whole.bytes.length > 500, head.bytes.length]).toEqual([at, true, 0]);
    // The name inside the folder is not an address: nothing stands before the Worker.
    expect((await get(at.replace("/assets", ""))).status).toBe(404);
  }
  for (const at of ["/openapi.json", "/openapi-operator.json"]) {
    const [whole, head] = [await get(at), await get(at, "HEAD")];
    expect([whole.status, head.status, head.bytes.length]).toEqual([200, 200, 0]);
    const { etag = "" } = whole.headers;
    expect([etag.length, head.headers.etag]).toEqual([24, etag]);
    expect((await get(at, "GET", { "if-none-match": etag })).status).toBe(304);
  }
  for (const at of ["/docs.md", "/llms.txt", "/docs/errors.md"]) {
    const [whole, head] = [await get(at), await get(at, "HEAD")];
    expect([whole.status, head.status, head.bytes.length]).toEqual([200, 200, 0]);
    expect(whole.bytes.toString()).toMatch(/^[>#] /u);
    expect(head.headers["content-type"]).toBe(whole.headers["content-type"]);
  }
}
