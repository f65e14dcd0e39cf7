import { HOSTS, OPERATOR_TOKEN } from "../../harness/service.mjs";

// Requests with one right status each: those that a fuzzer found once, and one for every status that the fuzzer's last
// test expects to have seen, since its random requests bring some of them only now and then.

const SOCKET = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Version: 13",
].join("\r\n");
const OPERATOR = `Authorization: Bearer ${OPERATOR_TOKEN}`;
const FROM_HERE = `Origin: http://${HOSTS.console}`;
const AS_FORM = "Content-Type: application/x-www-form-urlencoded";
const FORM = `${FROM_HERE}\r\n${AS_FORM}`;
const IN_CHUNKS = "Transfer-Encoding: chunked\r\n\r\n";

/** The kind of reply, as the fuzzer counts it: who is answered, and whether the request broke off. */
export type Kind = "API" | "page" | `${"API" | "page"}, broken off`;

interface Found {
  what: string;
  kind: Kind;
  request: string;
  status: number;
}

const to = (host: string, line: string, ...rest: string[]) =>
  [`${line} HTTP/1.1`, `Host: ${host}`, ...rest].join("\r\n");
const sms = (line: string, ...rest: string[]) => to(HOSTS.sms, line, ...rest);
const site = (line: string, ...rest: string[]) => to(HOSTS.console, line, ...rest);
/** The end of a head with this body. */
const body = (text: string) => `Content-Length: ${text.length}\r\n\r\n${text}`;

const OF_API: Found[] = [
  { what: "a probe", kind: "API", request: sms("GET /healthz", "", ""), status: 200 },
  { what: "a bad limit", kind: "API", request: site("GET /v1/test/inbox?limit=0", "", ""), status: 400 },
  { what: "no key", kind: "API", request: sms("POST /send-sms", body("{}")), status: 401 },
  { what: "an unknown path", kind: "API", request: sms("GET /nothing", "", ""), status: 404 },
  { what: "another method", kind: "API", request: sms("DELETE /healthz", "", ""), status: 405 },
  { what: "text", kind: "API", request: sms("POST /send-sms", "Content-Type: text/plain", body("a")), status: 415 },
  {
    what: "half a body with a token",
    kind: "API, broken off",
    request: site("POST /operator/accounts", OPERATOR, "Content-Length: 9", "", "{"),
    status: 400,
  },
];

const OF_PAGES: Found[] = [
  { what: "a WebSocket", kind: "page", request: site("GET /inbox/live", FROM_HERE, SOCKET, "", ""), status: 101 },
  { what: "the page of the sign-in", kind: "page", request: site("GET /sign-in", "", ""), status: 200 },
  { what: "a page for customers", kind: "page", request: site("GET /keys", "Accept: text/html", "", ""), status: 303 },
  { what: "a phone that is none", kind: "page", request: site("POST /sign-in", FORM, body("phone=1")), status: 400 },
  { what: "the keys without a session", kind: "page", request: site("GET /keys", "", ""), status: 401 },
  { what: "a form of another site", kind: "page", request: site("POST /sign-in", AS_FORM, body("a=")), status: 403 },
  { what: "an asset that is gone", kind: "page", request: site("GET /assets/gone.js", "", ""), status: 404 },
  { what: "a page by another method", kind: "page", request: site("PUT /sign-in", FROM_HERE, "", ""), status: 405 },
];

const BY_FUZZER: Found[] = [
  {
    what: "a GET of a page with a body",
    kind: "page",
    request: site("GET /sign-in", `${IN_CHUNKS}1\r\na\r\n0\r\n\r\n`),
    status: 200,
  },
  {
    what: "a HEAD that asks for a WebSocket",
    kind: "page",
    request: site("HEAD /inbox/live", FROM_HERE, SOCKET, "", ""),
    status: 426,
  },
  {
    what: "half a form",
    kind: "page, broken off",
    request: site("POST /sign-in", FORM, `${IN_CHUNKS}6\r\nphone=\r\n`),
    status: 400,
  },
  {
    what: "half a body",
    kind: "API, broken off",
    request: sms("POST /send-sms", "Content-Length: 9", "", "{"),
    status: 401,
  },
  {
    what: "half the chunks",
    kind: "API, broken off",
    request: sms("POST /send-sms", `${IN_CHUNKS}2\r\n{}\r\n`),
    status: 401,
  },
  {
    what: "an invalid chunk size",
    kind: "API, broken off",
    request: sms("POST /send-sms", `${IN_CHUNKS}zz\r\n{}\r\n`),
    status: 401,
  },
  {
    what: "a Host with an invalid port",
    kind: "API",
    request: to(`${HOSTS.sms}:99999`, "GET /healthz", "", ""),
    status: 404,
  },
];

export const FOUND: readonly Found[] = [...OF_API, ...OF_PAGES, ...BY_FUZZER];
