import * as fc from "fast-check";
import { oddText } from "./wire-bodies.ts";
import type { Endpoint } from "./wire-endpoints.ts";

// The heads of requests: targets, header fields, and faults of the whole head.

export interface Head {
  method: string;
  target: string;
  version: string;
  host: string;
  fields: string[];
  /** The line ending. */
  eol: string;
}

const withField =
  (...fields: string[]) =>
  (head: Head): Head => ({ ...head, fields: [...fields, ...head.fields] });

const withoutHost =
  (...fields: string[]) =>
  (head: Head) =>
    withField(...fields)({ ...head, host: "" });

const withHost = (change: (host: string) => string) => (head: Head) => ({ ...head, host: change(head.host) });

const withMethod = (method: string) => (head: Head) => ({ ...head, method });

const withVersion = (version: string) => (head: Head) => ({ ...head, version });

/** Faults of a head, by name. The HTTP server may refuse some of them before the service sees a request. */
export const FAULTS: Record<string, (head: Head) => Head> = {
  "a method that nobody knows": withMethod("FOO"),
  "a method in lower case": (head) => ({ ...head, method: head.method.toLowerCase() }),
  "no method": withMethod(""),
  ...Object.fromEntries(
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"].map((method) => [
      `the method ${method}`,
      withMethod(method),
    ]),
  ),
  "HTTP/1.0": withVersion(" HTTP/1.0"),
  "HTTP/2.0": withVersion(" HTTP/2.0"),
  "HTTP of no version": withVersion(" HTTP/x"),
  "HTTP/0.9": withVersion(""),
  "no Host": withoutHost(),
  "an empty Host": withoutHost("Host:"),
  "two Hosts": withField("Host: other.example"),
  "a Host that is no name": withoutHost("Host: a b%"),
  "a Host with half an address": withoutHost("Host: [::"),
  "a Host with a port that is none": withHost((host) => `${host}:99999`),
  "a Host with a port": withHost((host) => `${host}:8080`),
  "a Host in capitals": withHost((host) => host.toUpperCase()),
  "a Host that ends with a dot": withHost((host) => `${host}.`),
  "a Host with a user": withHost((host) => `user:pass@${host}`),
  "a Host that is nobody's": withHost(() => "other.example"),
  "another base's Host": withHost((host) => (host.startsWith("sms") ? "otp.localhost" : "sms.localhost")),
  "a whole URL for a target": (head) => ({ ...head, target: `http://${head.host}${head.target}` }),
  "another base's URL for a target": (head) => ({ ...head, target: `http://tts.localhost${head.target}` }),
  "an asterisk for a target": (head) => ({ ...head, target: "*" }),
  "a target without its slash": (head) => ({ ...head, target: head.target.slice(1) }),
  "a target with a space": (head) => ({ ...head, target: `${head.target} x` }),
  "a target with odd bytes": (head) => ({ ...head, target: `${head.target}\u00ff\u0001` }),
  "a target of 20 kB": (head) => ({ ...head, target: `${head.target}?${"x".repeat(20_000)}` }),
  "two lengths": withField("Content-Length: 3"),
  "a length below 0": withField("Content-Length: -1"),
  "a length in hexadecimals": withField("Content-Length: 0x10"),
  "a length beyond all numbers": withField("Content-Length: 99999999999999999999999"),
  "a length and chunks": withField("Transfer-Encoding: chunked"),
  "an encoding that nobody knows": withField("Transfer-Encoding: gzip, chunked"),
  "chunks twice": withField("Transfer-Encoding: chunked, chunked"),
  "the encoding identity": withField("Transfer-Encoding: identity"),
  "NUL in a field": withField("X-Odd: a\u0000b"),
  "a control character in a field": withField("X-Odd: a\u0007b"),
  "bytes beyond ASCII in a field": withField("X-Odd: \u00ff\u00fe\u0080"),
  "bytes beyond ASCII in a field's name": withField("X-\u00e9: a"),
  "a space in a field's name": withField("X Odd: a"),
  "a space behind a field's name": withField("X-Odd : a"),
  "a field without a colon": withField("X-Odd"),
  "a field without a name": withField(": a"),
  "a folded field": withField("X-Odd: a", " b"),
  "a field of 60 kB": withField(`X-Long: ${"x".repeat(60_000)}`),
  "a field of 1 MB": withField(`X-Long: ${"x".repeat(1_000_000)}`),
  "4,000 fields": withField(...Array.from({ length: 4_000 }, (_, at) => `X-${at}: a`)),
  "an empty line before it": (head) => ({ ...head, method: `\r\n${head.method}` }),
  "line feeds alone": (head) => ({ ...head, eol: "\n" }),
  "carriage returns alone": (head) => ({ ...head, eol: "\r" }),
};

/** The text of a head, one character per byte. */
export function headText({ method, target, version, host, fields, eol }: Head): string {
  const lines = [`${method} ${target}${version}`, ...(host === "" ? [] : [`Host: ${host}`]), ...fields, "", ""];
  return lines.join(eol);
}

/** Odd but well-formed header fields. */
export const oddField = fc.oneof(
  fc.constantFrom(
    "Content-Type: application/json; charset=utf-16",
    "Content-Type: application/json; charset=",
    'Content-Type: application/json; charset="utf-8"; x=";"',
    "Content-Type: application/merge-patch+json",
    "Content-Type: APPLICATION/JSON;",
    "Content-Type: text/plain",
    "Content-Type: multipart/form-data",
    "Content-Type: application/x-www-form-urlencoded; charset=utf-7",
    "Content-Type: ,",
    "Content-Type:",
    "Content-Encoding: gzip",
    "Content-Encoding: br, gzip",
    "Content-Encoding: identity",
    "Expect: 200-ok",
    "TE: trailers",
    "Trailer: Authorization",
    "X-HTTP-Method-Override: DELETE",
  ),
  fc.constantFrom(
    'Idempotency-Key: "again"',
    "Idempotency-Key:",
    'Idempotency-Key: "unclosed',
    "Idempotency-Key: \u00e9",
    "Idempotency-Key: a b",
    `Idempotency-Key: ${"k".repeat(5_000)}`,
    "Authorization: Basic x",
    "Authorization: Bearer",
    "Authorization: Bearer \u00e9",
    "Authorization: bEaReR  dsk_live_x",
    "X-Api-Key:",
    "X-Api-Key: dsk_test_x",
    "Origin: null",
    "Origin: http://[",
    "Referer: //",
  ),
  fc.constantFrom(
    "Range: bytes=0-",
    "Range: bytes=-0",
    "Range: bytes=99999999999-",
    "Range: lines=1-2, 3-4",
    "Accept-Language: hi;q=x",
    "Accept-Encoding: br;q=0",
    "If-None-Match: *",
    "X-Forwarded-For: ::1",
    "X-Forwarded-Host: evil.example",
    "CF-Connecting-IP: not an address",
    "Cookie: session=x; mode=test; lang=xx",
    "Cookie: =; ;;=%zz; session=%E0%A4%A",
    "Upgrade: websocket",
    "Upgrade: h2c",
    "Connection: close, Authorization",
    "Sec-WebSocket-Key: short",
    "webhook-id: x",
    "webhook-timestamp: 99999999999999",
    "webhook-signature: v1,",
  ),
  fc.integer({ min: 1, max: 6_000 }).map((length) => `X-Long: ${"x".repeat(length)}`),
  fc.stringMatching(/^[\x21-\x7e]{1,80}$/u).map((value) => `Idempotency-Key: ${value}`),
);

/** Replaces a valid `timeout` by a short one, because a long poll would look like a hang. */
export const shortWait = (text: string) => (/^[\d.]*$/u.test(text) ? "0.1" : text);

function queryFor(query: Record<string, string>): fc.Arbitrary<string> {
  const values = Object.entries(query).map(([name, own]) => {
    const value = fc.oneof({ weight: 2, arbitrary: fc.constant(own) }, { weight: 1, arbitrary: oddText });
    const given = value.map((text) => `${name}=${encodeURIComponent(name === "timeout" ? shortWait(text) : text)}`);
    return name === "timeout" ? given : fc.option(given, { nil: "", freq: 2 });
  });
  return fc.tuple(...values).map((parts) => parts.filter((part) => part !== "").join("&"));
}

const TAILS = ["/", "/..", "//", "%2f", "%00", "%zz", ";x", "?apiKey=x", "?", "&", "#x", "?a[]=1&a=2&=3&%zz=%E0%A4"];

/** Targets of an endpoint. `idFor` returns a value for each `:name` in its path. */
export function targetFor({ path, query = {} }: Endpoint, idFor: (name: string) => string): fc.Arbitrary<string> {
  const segments = path.split("/").map((segment): fc.Arbitrary<string> => {
    const name = /^:(\w+)/u.exec(segment)?.[1];
    if (name === undefined) return fc.constant(segment);
    const odd = oddText.map((text) => encodeURIComponent(text.slice(0, 500)) || "x");
    return fc.oneof({ weight: 3, arbitrary: fc.constant(idFor(name)) }, { weight: 1, arbitrary: odd });
  });
  const plain = fc
    .tuple(fc.tuple(...segments), queryFor(query))
    .map(([parts, asked]) => parts.join("/") + (asked === "" ? "" : `?${asked}`));
  return fc.oneof(
    { weight: 16, arbitrary: plain },
    { weight: 1, arbitrary: fc.tuple(plain, fc.constantFrom(...TAILS)).map(([target, tail]) => target + tail) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(plain, fc.constantFrom("/", "/x/..", "/.", "/%2e%2e", "//x@y:1"))
        .map(([target, start]) => start + target),
    },
  );
}
