import { describe, expect, it } from "vitest";
import { openWorld } from "../world.ts";
import type { World } from "../world.ts";
import { CAP_BYTES, USUAL_BYTES, ask, bodyText, expectDone, expectEdge, keyOf } from "./endpoint.ts";
import type { Endpoint } from "./endpoint.ts";

/** A body in chunks, so that no header declares its length. */
function inPieces(text: string): ReadableStream {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + 65_536));
      at += 65_536;
    },
  });
}

function methodSuite(endpoint: Endpoint): void {
  const allow = endpoint.method === "GET" ? "GET, HEAD" : "POST";
  const others = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

  it.each(others.filter((method) => !allow.split(", ").includes(method)))("%s: 405 with Allow", async (method) => {
    const world = await openWorld();
    for (const keys of [keyOf(endpoint, world), {}]) {
      const preflight = { origin: "https://app.example", "access-control-request-method": endpoint.method };
      const reply = await ask(endpoint, world, { method, keys, raw: "{}", headers: preflight });
      expect(reply.status).toBe(405);
      expect(reply.headers.get("allow")).toBe(allow);
      if (method !== "HEAD") expectEdge(reply, 405, "method_not_allowed", { error: `This address takes ${allow}.` });
    }
  });

  it("another path below it: 404", async () => {
    const world = await openWorld();
    for (const path of ["/", "/more", "%20"]) {
      const elsewhere = { ...endpoint, url: endpoint.url + path };
      expectEdge(await ask(elsewhere, world), 404, "not_found");
    }
  });
}

/** Bodies that are not JSON, or no object (contract §3). */
export function jsonSuite(endpoint: Endpoint): void {
  it.each(["", "{", "{'phone': 1}", '{"a":1,}', "phone=9876543210", "\ufffd", "NaN"])(
    "%j is not JSON: 400",
    async (raw) => {
      const world = await openWorld();
      const inBody = endpoint.keyPlaces.includes("body");
      const bearer = { [inBody ? "bearer" : endpoint.keyPlaces[0]!]: world.apiKey };
      expectEdge(await ask(endpoint, world, { raw, keys: bearer }), 400, "invalid_json");
      // If the key may only be in the body, this request has none.
      expectEdge(await ask(endpoint, world, { raw, keys: {} }), 401, "unauthorized");
    },
  );

  it("a body that is not UTF-8: 400", async () => {
    const world = await openWorld();
    const [place = "bearer"] = endpoint.keyPlaces.filter((one) => one !== "body");
    const raw = Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d);
    expectEdge(await ask(endpoint, world, { raw, keys: { [place]: world.apiKey } }), 400, "invalid_json");
  });

  it.each(["[]", "null", '"text"', "5", "true"])("%s is JSON but not an object: 400", async (raw) => {
    const world = await openWorld();
    const [place = "bearer"] = endpoint.keyPlaces.filter((one) => one !== "body");
    const reply = await ask(endpoint, world, { raw, keys: { [place]: world.apiKey } });
    expectEdge(reply, 400, "invalid_request", { error: "The body must be a JSON object." });
    expectEdge(await ask(endpoint, world, { raw, keys: {} }), 401, "unauthorized");
  });
}

/** The content types that are read as JSON, and those that are not (contract §3). */
export function typeSuite(endpoint: Endpoint): void {
  const form = endpoint.form ? [] : ["application/x-www-form-urlencoded"];
  it.each(["text/plain", ...form, "multipart/form-data; boundary=x", "json"])("content type %s: 415", async (type) => {
    const world = await openWorld();
    const reply = await ask(endpoint, world, { type });
    expectEdge(reply, 415, "unsupported_media_type");
  });

  it.each(["application/json", "Application/JSON; charset=UTF-8", "application/problem+json"])(
    "content type %s is read as JSON",
    async (type) => {
      expectDone(await ask(endpoint, await openWorld(), { type }));
    },
  );

  it.each([null, ""])("content type %j is read as JSON", async (type) => {
    const world = await openWorld();
    // Bytes have no content type by default; a string would have one.
    const raw = new TextEncoder().encode(await bodyText(endpoint, world));
    expectDone(await ask(endpoint, world, { raw, type }));
  });
}

/** JSON with this many lists inside each other. */
const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

function sizeSuite(endpoint: Endpoint): void {
  const max = endpoint.bodyBytesMax ?? USUAL_BYTES;
  const name = max < 1024 * 1024 ? `${max / 1024} KiB` : `${max / 1024 / 1024} MiB`;
  const padded = async (world: World, bytes: number) => {
    const text = await bodyText(endpoint, world);
    return text + " ".repeat(bytes - new TextEncoder().encode(text).length);
  };

  it("a body of its limit is read; one byte more is a 400, whether or not its length is declared", async () => {
    const world = await openWorld();
    const whole = await padded(world, max);
    expectDone(await ask(endpoint, world, { raw: whole }));
    expectDone(await ask(endpoint, world, { raw: inPieces(whole) }));
    if (max === CAP_BYTES) return;
    const error = `The body is larger than ${name}, the most for this address.`;
    for (const raw of [`${whole} `, inPieces(`${whole} `)]) {
      expectEdge(await ask(endpoint, world, { raw }), 400, "invalid_request", { error });
    }
  });

  it("one byte more than 10 MiB is a 413, whether or not its length is declared", async () => {
    const world = await openWorld();
    const whole = await padded(world, CAP_BYTES + 1);
    expectEdge(await ask(endpoint, world, { raw: whole }), 413, "payload_too_large");
    expectEdge(await ask(endpoint, world, { raw: inPieces(whole) }), 413, "payload_too_large");
  });

  it("a body of 20 levels is read; a deeper one is a 400, or a 401 without a key in a header", async () => {
    const world = await openWorld();
    const deep = async (levels: number) =>
      (await bodyText(endpoint, world)).replace("{", `{"extra":${nested(levels - 1)},"text[[[[":"\\"{",`);
    const [place = "bearer"] = endpoint.keyPlaces.filter((one) => one !== "body");
    const keys = { [place]: world.apiKey };
    expectDone(await ask(endpoint, world, { raw: await deep(20), keys }));
    for (const raw of [await deep(21), nested(30_000), "[".repeat(60_000), `{"a":`.repeat(10_000)]) {
      const error = "The body is nested deeper than 20 levels.";
      expectEdge(await ask(endpoint, world, { raw, keys }), 400, "invalid_request", { error });
      expectEdge(await ask(endpoint, world, { raw, keys: {} }), 401, "unauthorized");
    }
  });
}

/** Method, path, content type, size and JSON of a request (contract §3). */
export function transportSuite(endpoint: Endpoint): void {
  describe("method and path", () => methodSuite(endpoint));
  if (endpoint.method === "GET") return;
  describe("body", () => {
    jsonSuite(endpoint);
    typeSuite(endpoint);
    sizeSuite(endpoint);
  });
}
