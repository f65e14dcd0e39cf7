import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { expectFailure } from "../../world/operating.ts";
import { mediaToken, recordingKey } from "../../../src/recordings/signed-address.ts";
import { base64, wav } from "../../world/recordings.ts";
import { openWorld, post } from "../../world/world.ts";
import { exports } from "cloudflare:workers";

const START_MS = Date.UTC(2026, 7, 1, 12);
const TTL_MS = 60_000;
const BYTES = wav({ seconds: 2 }).map((byte, at) => (at < 44 ? byte : at % 251));

/** Uploads a recording and returns its signed address. */
async function address(): Promise<string> {
  const world = await openWorld();
  const body = { fileName: "a.wav", base64Data: base64(BYTES) };
  await post("http://voice.localhost/api/upload-voice", body, { "x-api-key": world.apiKey });
  const [object] = (await env.RECORDINGS.list({ prefix: `${world.name}/` })).objects;
  const token = mediaToken(env.KEY_SECRET, object?.key ?? "", "audio/wav", Date.now() + TTL_MS);
  return `http://console.localhost/media/${token}`;
}

/** The whole reply, as bytes. */
async function fetchBytes(url: string, init: RequestInit = {}) {
  const reply = await exports.default.fetch(url, init);
  return { status: reply.status, headers: reply.headers, bytes: new Uint8Array(await reply.arrayBuffer()) };
}

async function failed(url: string, init: RequestInit = {}) {
  const { status, headers, bytes } = await fetchBytes(url, init);
  const text = new TextDecoder().decode(bytes);
  return { status, headers, text, body: JSON.parse(text) as unknown };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("GET /media/:token", () => {
  it("returns the whole recording", async () => {
    const { status, headers, bytes } = await fetchBytes(await address());
    expect(status).toBe(200);
    expect(bytes).toEqual(BYTES);
    expect(headers.get("content-type")).toBe("audio/wav");
    expect(headers.get("content-length")).toBe("2044");
    expect(headers.get("accept-ranges")).toBe("bytes");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    // A browser that others use keeps no copy after a sign-out, and runs nothing that it is made to open.
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-security-policy")).toBe("sandbox");
    expect(headers.get("etag")).toMatch(/^".+"$/u);
    expect(headers.get("x-request-id")).toMatch(/^req_/u);
    expect(headers.has("content-range")).toBe(false);
  });

  it("HEAD returns the same headers and no bytes", async () => {
    const url = await address();
    const [get, head] = [await fetchBytes(url), await fetchBytes(url, { method: "HEAD" })];
    expect(head.status).toBe(200);
    expect(head.bytes).toHaveLength(0);
    for (const name of ["content-type", "content-length", "accept-ranges", "etag", "cache-control"]) {
      expect(head.headers.get(name), name).toBe(get.headers.get(name));
    }
  });

  it.each([
    ["bytes=0-99", 0, 99],
    ["bytes=44-44", 44, 44],
    ["bytes=2000-", 2_000, 2_043],
    ["bytes=2000-999999", 2_000, 2_043],
    ["bytes=-44", 2_000, 2_043],
    ["bytes=-999999", 0, 2_043],
  ])("Range %s: 206 with bytes %d to %d", async (range, from, to) => {
    const url = await address();
    const { status, headers, bytes } = await fetchBytes(url, { headers: { range } });
    expect(status).toBe(206);
    expect(headers.get("content-range")).toBe(`bytes ${from}-${to}/2044`);
    expect(headers.get("content-length")).toBe(String(to - from + 1));
    expect(bytes).toEqual(BYTES.slice(from, to + 1));
    const head = await fetchBytes(url, { headers: { range }, method: "HEAD" });
    expect(head.headers.get("content-range")).toBe(`bytes ${from}-${to}/2044`);
  });

  it.each(["bytes=2044-", "bytes=5000-6000", "bytes=-0"])("Range %s: 416", async (range) => {
    const { status, headers, bytes } = await fetchBytes(await address(), { headers: { range } });
    expect(status).toBe(416);
    expect(headers.get("content-range")).toBe("bytes */2044");
    expect(bytes).toHaveLength(0);
  });

  it.each(["bytes=", "bytes=-", "bytes=9-3", "bytes=0-1,5-6", "items=0-1", "0-1", "bytes=a-b"])(
    "Range %s is ignored",
    async (range) => {
      const { status, bytes } = await fetchBytes(await address(), { headers: { range } });
      expect(status).toBe(200);
      expect(bytes).toHaveLength(2_044);
    },
  );

  it.each([
    [" 44-99 ", 44, 99],
    ["0-99999999999999", 0, 2_043],
  ])("a range as some clients write it, bytes=%s, counts", async (written, from, to) => {
    const { status, bytes } = await fetchBytes(await address(), { headers: { range: `Bytes=${written}` } });
    expect(status).toBe(206);
    expect(bytes).toEqual(BYTES.slice(from, to + 1));
  });

  it("If-Range: a part of the same recording, all of another one", async () => {
    const url = await address();
    const { headers } = await fetchBytes(url);
    const [etag, modified] = [headers.get("etag") ?? "", headers.get("last-modified") ?? ""];
    const range = "bytes=5-8";
    for (const same of [etag, modified]) {
      const { status, bytes } = await fetchBytes(url, { headers: { range, "if-range": same } });
      expect(status, same).toBe(206);
      expect(bytes).toEqual(BYTES.slice(5, 9));
    }
    // A weak tag never stands for the same bytes.
    for (const other of ['"another"', `W/${etag}`, "Sat, 01 Aug 2020 12:00:00 GMT", "nonsense"]) {
      const { status, bytes } = await fetchBytes(url, { headers: { range, "if-range": other } });
      expect(status, other).toBe(200);
      expect(bytes).toEqual(BYTES);
    }
  });

  it("what a cache has already: 304 without a body", async () => {
    const url = await address();
    const { headers } = await fetchBytes(url);
    const [etag, modified] = [headers.get("etag") ?? "", headers.get("last-modified") ?? ""];
    const known = [
      { "if-none-match": etag },
      { "if-none-match": `"x", W/${etag}` },
      { "if-none-match": "*" },
      { "if-modified-since": modified },
      { "if-none-match": etag, range: "bytes=0-9" },
    ];
    for (const [sent, method] of known.flatMap((one) => [[one, "GET"] as const, [one, "HEAD"] as const])) {
      const reply = await fetchBytes(url, { headers: sent, method });
      expect(reply.status, JSON.stringify(sent)).toBe(304);
      expect(reply.bytes).toHaveLength(0);
      expect(reply.headers.get("etag")).toBe(etag);
    }
  });

  it("conditions that do not hold: the recording, or 412", async () => {
    const url = await address();
    const etag = (await fetchBytes(url)).headers.get("etag") ?? "";
    const past = "Sat, 01 Aug 2020 12:00:00 GMT";
    const cases: [Record<string, string>, number][] = [
      [{ "if-none-match": '"x"' }, 200],
      // The tag is the better proof: the date beside it is not looked at.
      [{ "if-none-match": '"x"', "if-modified-since": "Fri, 01 Aug 2120 12:00:00 GMT" }, 200],
      [{ "if-modified-since": past }, 200],
      [{ "if-modified-since": "yesterday or so" }, 200],
      [{ "if-match": etag }, 200],
      [{ "if-match": "*", "if-unmodified-since": past }, 200],
      [{ "if-match": '"x"' }, 412],
      [{ "if-match": `W/${etag}` }, 412],
      [{ "if-unmodified-since": past }, 412],
      [{ "if-match": '"x"', range: "bytes=0-9" }, 412],
    ];
    for (const [headers, wanted] of cases) {
      const { status, bytes } = await fetchBytes(url, { headers });
      expect(status, JSON.stringify(headers)).toBe(wanted);
      expect(bytes).toHaveLength(wanted === 200 ? BYTES.length : 0);
    }
  });

  it("sets no cookie, whatever is sent", async () => {
    const url = await address();
    for (const init of [
      {},
      { headers: { cookie: "session=x" } },
      { method: "HEAD" },
      { headers: { range: "bytes=1-" } },
    ]) {
      expect((await fetchBytes(url, init)).headers.has("set-cookie")).toBe(false);
    }
  });

  it("an altered address: 404, whichever letter is altered", async () => {
    const url = await address();
    const token = url.slice(url.lastIndexOf("/") + 1);
    for (let at = 0; at < token.length; at += 1) {
      const altered = token.slice(0, at) + (token.charAt(at) === "A" ? "B" : "A") + token.slice(at + 1);
      const reply = await failed(`http://console.localhost/media/${altered}`);
      expectFailure(reply, 404, "not_found", { error: "There is nothing at this address." });
    }
    for (const other of ["x", `${token}A`, `${token}=`, token.slice(0, -1), token.toLowerCase()]) {
      expectFailure(await failed(`http://console.localhost/media/${other}`), 404, "not_found");
    }
  });

  it("an expired address: 404, from its expiry on", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(START_MS);
    const url = await address();
    vi.setSystemTime(START_MS + TTL_MS - 1);
    expect((await fetchBytes(url)).status).toBe(200);
    vi.setSystemTime(START_MS + TTL_MS);
    expectFailure(await failed(url), 404, "not_found");
    expect((await fetchBytes(url, { method: "HEAD" })).status).toBe(404);
  });

  it("a token under another secret, or for bytes that do not exist: 404", async () => {
    const world = await openWorld();
    const key = recordingKey(world.ref, new Uint8Array(32));
    for (const secret of [env.KEY_SECRET, env.SEAL_SECRET]) {
      const token = mediaToken(secret, key, "audio/wav", Date.now() + TTL_MS);
      expectFailure(await failed(`http://console.localhost/media/${token}`), 404, "not_found");
    }
  });

  it("another method: 405", async () => {
    const reply = await failed(await address(), { method: "POST", body: "" });
    expectFailure(reply, 405, "method_not_allowed");
    expect(reply.headers.get("allow")).toBe("GET, HEAD");
  });
});
