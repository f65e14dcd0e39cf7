import { describe, expect, it } from "vitest";
import { call } from "../../world/world.ts";

const AT = "http://console.localhost";

describe.each(["/openapi.json", "/openapi-operator.json"])("%s", (path) => {
  it("is a document with the addresses of this deployment, and no other", async () => {
    const { status, headers, body, text } = await call(AT + path);
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(body.openapi).toBe("3.1.1");
    expect(text).not.toContain(".invalid");
    expect(body.servers).toEqual([{ url: AT, description: "CONSOLE_URL" }]);
    for (const [at, { servers }] of Object.entries(body.paths as Record<string, { servers: { url: string }[] }>)) {
      // The first address answers the path: with anything but a 404.
      const reply = await call(`${servers[0]?.url}${at}`, { method: "OPTIONS" });
      expect([at, reply.status]).toEqual([at, 405]);
    }
  });

  it("is public: any page may read it, without a key", async () => {
    const headers = { origin: "https://editor.example", "sec-fetch-site": "cross-site" };
    const reply = await call(AT + path, { headers });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
    expect(reply.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  });

  it("is not sent again to a client that has it", async () => {
    const first = await call(AT + path);
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]{22}"$/u);
    expect(first.headers.get("cache-control")).toBe("public, max-age=300");
    for (const given of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await call(AT + path, { headers: { "if-none-match": given } });
      expect([given, again.status, again.text, again.headers.get("etag")]).toEqual([given, 304, "", etag]);
    }
    const other = await call(AT + path, { headers: { "if-none-match": '"other"' } });
    expect([other.status, other.text]).toEqual([200, first.text]);
  });
});

it("is served by the console's host alone", async () => {
  // Locally the console's host answers all bases, and no other host does.
  for (const base of ["sms", "tts", "voice", "otp"]) {
    expect((await call(`http://${base}.localhost/openapi.json`)).status).toBe(404);
  }
});
