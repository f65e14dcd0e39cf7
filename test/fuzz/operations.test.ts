import * as fc from "fast-check";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { balanceOf, differencesOf, units } from "../../harness/books.ts";
import { startService } from "../../harness/started.ts";
import type { Customer, Service } from "../../harness/started.ts";
import { exchange } from "./wire.ts";
import type { WireRequest } from "./wire.ts";
import { CHARGING } from "./wire-endpoints.ts";
import type { Endpoint } from "./wire-endpoints.ts";
import { jsonBodies } from "./wire-extremes.ts";
import type { WireReply } from "./wire-replies.ts";

// Arbitrary requests to the charging operations: never a 5xx, never a hang, never a charge without a 200.

/** A slower request is repeated once, because a busy machine may be slow for a moment. */
const HANG_MS_MAX = 2_000;
const GIVE_UP_MS = 15_000;
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 120);
const ACCOUNTS = 24;
const OPENING_COINS = 100_000;

/** A value that no field expects: half characters, extreme numbers, names with a meaning in JavaScript. */
const oddValue = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom("", "\u0000", "\uD800", "\uDC00x", "\u202E", "😀".repeat(200), "__proto__", "constructor", "null"),
  fc.constantFrom(-0, 1e308, -1e308, 5e-324, 2 ** 53, 0.1 + 0.2, 1e21),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.integer({ min: 1, max: 300_000 }).map((length) => "a".repeat(length)),
  fc.integer({ min: 1, max: 3_000 }).map((length) => Array.from({ length }, () => "9876543210")),
);

/** A body as text: a valid one, possibly with one change, or something unrelated. */
const bodyText = (own: Record<string, unknown>) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant(JSON.stringify(own)) },
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom(...Object.keys(own), "apiKey", "extra", "__proto__", "toString"), oddValue)
        .map(([field, value]) => JSON.stringify({ ...own, [field]: value })),
    },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(...Object.keys(own), "apiKey")
        .map((field) => JSON.stringify({ ...own, [field]: undefined })),
    },
    // A repeated name: the last value counts, as in JSON.parse.
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...Object.keys(own), "apiKey"), oddValue)
        .map(([field, value]) =>
          JSON.stringify(own).replace("{", `{${JSON.stringify(field)}:${JSON.stringify(value)},`),
        ),
    },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 50_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 20_000 }).map((depth) => '{"a":'.repeat(depth)) },
    { weight: 2, arbitrary: fc.constantFrom(...jsonBodies(own)) },
    { weight: 2, arbitrary: fc.json({ maxDepth: 6 }) },
    { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 400 }) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 10_400_000, max: 10_600_000 }).map((size) => `{"message":"${"a".repeat(size)}"}`),
    },
  );

/** Text as bytes, in an encoding that clients may use by mistake. */
const encoded = (text: string) =>
  fc
    .constantFrom<BufferEncoding>("utf8", "utf8", "utf8", "utf8", "latin1", "utf16le")
    .map((encoding) => Buffer.from(text, encoding));

const oddHeader = fc.oneof(
  fc.constantFrom(
    "Content-Type: application/json; charset=utf-16",
    "Content-Type: text/plain",
    "Content-Type: multipart/form-data",
    "Content-Type: application/x-www-form-urlencoded",
    "Content-Type:",
    "Content-Encoding: gzip",
    "Expect: 100-continue",
    "Idempotency-Key:",
    'Idempotency-Key: "unclosed',
    "Idempotency-Key: \u00e9",
    `Idempotency-Key: ${"k".repeat(5_000)}`,
    "Authorization: Basic x",
    "Authorization: Bearer",
    "X-Api-Key:",
    "Range: bytes=0-",
    "Accept: text/html",
    "If-None-Match: *",
    "X-Forwarded-For: ::1",
    "Cookie: session=x; mode=test",
    "Upgrade: websocket",
  ),
  fc.integer({ min: 1, max: 6_000 }).map((length) => `X-Long: ${"x".repeat(length)}`),
  fc.stringMatching(/^[\x21-\x7e]{1,80}$/u).map((value) => `Idempotency-Key: ${value}`),
);

/** How a request is sent. No body breaks off: that would end the development proxy (test/process/start.test.ts). */
const manner = fc.constantFrom("whole", "whole", "whole", "pieces", "slow", "chunked", "short length");

function wire(
  endpoint: Endpoint,
  key: string,
  path: string,
  headers: string[],
  body: Buffer,
  how: string,
): WireRequest {
  const chunked = how === "chunked";
  const length = how === "short length" ? Math.floor(body.length / 2) : body.length;
  const head = [
    `${endpoint.method} ${path} HTTP/1.1`,
    "Host: localhost",
    "Connection: close",
    ...(headers.some((line) => /^content-type/iu.test(line)) ? [] : ["Content-Type: application/json"]),
    ...(headers.some((line) => /^authorization/iu.test(line)) ? [] : [`Authorization: Bearer ${key}`]),
    ...(headers.some((line) => /^x-api-key/iu.test(line)) ? [] : [`X-Api-Key: ${key}`]),
    ...(endpoint.method === "GET" ? [] : [chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`]),
    ...headers,
  ].join("\r\n");
  const start = Buffer.from(`${head}\r\n\r\n`, "latin1");
  if (endpoint.method === "GET") return { pieces: [start], pauseMs: 0 };
  const half = Math.floor(body.length / 2);
  const chunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n0\r\n\r\n")]);
  switch (how) {
    case "pieces":
      return { pieces: [start, body.subarray(0, half), body.subarray(half)], pauseMs: 5 };
    case "slow":
      return {
        pieces: [start, body.subarray(0, 1), body.subarray(1, half), body.subarray(half)],
        pauseMs: 120,
      };
    case "chunked":
      return { pieces: [start, body.length === 0 ? Buffer.from("0\r\n\r\n") : chunk], pauseMs: 0 };
    default:
      return { pieces: [Buffer.concat([start, body])], pauseMs: 0 };
  }
}

let service: Service;
let customers: Customer[];

beforeAll(async () => {
  service = await startService();
  customers = [];
  for (let at = 0; at < ACCOUNTS; at += 1) customers.push(await service.openAccount(OPENING_COINS));
});
afterAll(() => service?.kill9());

/** Units charged by replies with 200, by account. */
const spent = new Map<string, number>();
const seenOnce = new Set<string>();

function account(customer: Customer, reply: WireReply): void {
  if (reply.status !== 200 || reply.headers.get("idempotent-replayed") === "true") return;
  const body = JSON.parse(reply.body) as { coins_used?: number; details?: { cost?: number } };
  const charge = units(body.coins_used ?? body.details?.cost ?? 0);
  spent.set(customer.id, (spent.get(customer.id) ?? 0) + charge);
}

/** The server reads this much of a refused body, and then closes; a client that still writes may miss the reply. */
const UNREAD_BYTES_MAX = 65_536;

/** The fault of a reply, or null. */
function fault({ status, body, headers }: WireReply, sentBytes: number, tail: string): string | null {
  if (status === 0) return sentBytes > UNREAD_BYTES_MAX ? null : "no reply";
  if (status >= 500) return `status ${status}`;
  // The HTTP layer's own refusals have no id and no envelope, because the request never reaches the service.
  if (!headers.has("x-request-id")) return status === 200 || body.startsWith("{") ? "no X-Request-Id" : null;
  // Such a path is a page or unknown; on this host the reply may be a page.
  if (/^(?:\/|%2f)/u.test(tail)) return null;
  const reply = JSON.parse(body) as { success?: unknown; error?: unknown; code?: unknown };
  if (reply.success !== (status === 200)) return `success is ${String(reply.success)} at ${status}`;
  return status === 200 || (typeof reply.error === "string" && typeof reply.code === "string") ? null : "no envelope";
}

it.each(CHARGING)("$name answers any request without a 5xx or a hang", async (endpoint) => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(ACCOUNTS - 1),
      fc.array(oddHeader, { maxLength: 2 }),
      bodyText(endpoint.json ?? {}).chain(encoded),
      manner,
      fc.constantFrom("", "", "", "?x=1", "/", "/..", "%2f", "?apiKey=x", "#x"),
      async (who, headers, body, how, tail) => {
        const customer = customers[who];
        if (!customer) throw new Error("no such customer");
        const request = wire(endpoint, customer.apiKey, endpoint.path + tail, headers, body, how);
        const send = async () => {
          const reply = await exchange(service.port, request, GIVE_UP_MS);
          account(customer, reply);
          return reply;
        };
        let reply = await send();
        if (reply.tookMs > HANG_MS_MAX) reply = await send();
        seenOnce.add(`${endpoint.path} ${reply.status}`);
        expect(reply.tookMs, "a hang").toBeLessThan(HANG_MS_MAX);
        expect(fault(reply, body.length, tail)).toBeNull();
      },
    ),
    { numRuns: RUNS, seed: inject("seed") + CHARGING.indexOf(endpoint) },
  );
  const { status } = await service.call("/healthz");
  expect(status).toBe(200);
});

it("charged only with a 200, and gave replies of every kind", async () => {
  for (const { id } of customers) {
    const left = units(await balanceOf(service, id));
    expect({ id, left }).toEqual({ id, left: units(OPENING_COINS) - (spent.get(id) ?? 0) });
    expect(await differencesOf(service, id)).toEqual([]);
  }
  expect([...spent.values()].some((charge) => charge > 0)).toBe(true);
  for (const status of [200, 400, 401, 413, 415]) {
    expect([...seenOnce].some((seen) => seen.endsWith(` ${status}`))).toBe(true);
  }
});
