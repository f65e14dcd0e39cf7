import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { exchange } from "./wire.ts";
import { oddText } from "./wire-bodies.ts";
import type { Body } from "./wire-bodies.ts";
import { ASKED_BY_PROGRAMS, CONSOLE } from "./wire-endpoints.ts";
import { formBodies, jsonBodies } from "./wire-extremes.ts";
import { shortWait } from "./wire-heads.ts";

// The console's pages and forms, the operator API and the callbacks, with arbitrary input: never a 5xx, never a hang.

const HANG_MS_MAX = 2_000;
const GIVE_UP_MS = 15_000;
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 1_000);
const ENDS_SESSION =
  /sign-out|sign-in\/demo|\/confirm|settings\/(?:sessions|login)|desk\/(?:sign-in|sessions\/end-all)/u;
const OPERATOR_TOKEN = "local-only-operator-token-for-this-machine";

const odd = oddText.map((text) => text.toWellFormed());

interface Asked {
  method: string;
  path: string;
  body: string | null;
  type: string;
}

const fill = (path: string, id: string) =>
  path.replaceAll(/:\w+(?:\{.*?\})?(?=\/|$)/gu, encodeURIComponent(id.slice(0, 500)) || "x");

/** Some of the fields, some with odd values. A `timeout` is always short: a long poll would look like a hang. */
const fieldsOf = (fields: Record<string, string>) =>
  fc
    .tuple(
      ...Object.keys(fields).map((name) =>
        name === "timeout" ? odd.map(shortWait) : fc.option(fc.oneof(odd, fc.constant(fields[name])), { nil: null }),
      ),
    )
    .map((values) => {
      const given = Object.keys(fields).flatMap((name, at): [string, string][] => {
        const value = values[at];
        return value === null || value === undefined ? [] : [[name, value]];
      });
      return new URLSearchParams(given).toString();
    });

/** The server reads this much of a refused body, and then closes; a client that still writes may miss the reply. */
const UNREAD_BYTES_MAX = 65_536;

/** Those of these deep, wide and long bodies that get a reply in any case. */
const wholeOf = (bodies: (string | Body)[]) =>
  fc.constantFrom(
    ...bodies
      .map((body) => (typeof body === "string" ? body : body.bytes.toString()))
      .filter((text) => text.length < UNREAD_BYTES_MAX),
  );

const FORM_TYPES = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", ""];

const asked: fc.Arbitrary<Asked> = fc
  .constantFrom(...ASKED_BY_PROGRAMS, ...CONSOLE)
  // Without the endpoints that end the session, which all later requests need.
  .filter(({ name }) => !ENDS_SESSION.test(name))
  .chain(({ method, path, query = {}, form, json }) =>
    fc.record({
      method: fc.constant(method),
      path: fc.tuple(odd, fieldsOf(query)).map(([id, search]) => `${fill(path, id)}?${search}`),
      body: form
        ? fc.oneof({ weight: 6, arbitrary: fieldsOf(form) }, { weight: 1, arbitrary: wholeOf(formBodies(form)) })
        : json
          ? fc.oneof(fc.json(), fc.string({ unit: "binary", maxLength: 100 }), wholeOf(jsonBodies(json)))
          : fc.constant(null),
      type: form ? fc.constantFrom(...FORM_TYPES) : fc.constant(json ? "application/json" : ""),
    }),
  );

let service: Service;
let cookie = "";

/** The session cookies of a customer and of the operator. */
async function signIn(path: string, body: string): Promise<string> {
  const origin = `http://localhost:${service.port}`;
  const headers = { origin, "content-type": "application/x-www-form-urlencoded", accept: "text/html" };
  const reply = await fetch(`${origin}${path}`, { method: "POST", headers, body, redirect: "manual" });
  return reply.headers
    .getSetCookie()
    .map((set) => set.split(";")[0])
    .join("; ");
}

beforeAll(async () => {
  service = await startService();
  cookie = `${await signIn("/sign-in/demo", "")}; ${await signIn("/desk/sign-in", `token=${OPERATOR_TOKEN}`)}`;
});
afterAll(() => service?.kill9());

function wire({ method, path, body, type }: Asked, accept: string, withToken: boolean): Buffer {
  const bytes = Buffer.from(body ?? "");
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: localhost:${service.port}`,
    "Connection: close",
    `Origin: http://localhost:${service.port}`,
    `Accept: ${accept}`,
    `Cookie: ${cookie}`,
    ...(withToken ? [`Authorization: Bearer ${OPERATOR_TOKEN}`] : []),
    ...(type === "" ? [] : [`Content-Type: ${type}`]),
    ...(body === null ? [] : [`Content-Length: ${bytes.length}`]),
  ].join("\r\n");
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, "latin1"), bytes]);
}

it("answers any input to pages, forms, the operator API and callbacks without a 5xx or a hang", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      asked,
      fc.constantFrom("text/html", "application/json"),
      fc.boolean(),
      async (what, accept, withToken) => {
        const request = { pieces: [wire(what, accept, withToken)], pauseMs: 0 };
        let reply = await exchange(service.port, request, GIVE_UP_MS);
        if (reply.tookMs > HANG_MS_MAX) reply = await exchange(service.port, request, GIVE_UP_MS);
        expect(reply.status, JSON.stringify({ ...what, reply: reply.body.slice(0, 300) })).toBeGreaterThan(0);
        expect(reply.status, JSON.stringify({ ...what, reply: reply.body.slice(0, 300) })).toBeLessThan(500);
        expect(reply.tookMs).toBeLessThan(HANG_MS_MAX);
        seen.add(`${what.method === "GET" ? "page" : "form"} ${reply.status}`);
      },
    ),
    { numRuns: RUNS },
  );
  // Pages and accepted forms show that the session lasted to the end; some forms must have been refused.
  expect([...seen]).toEqual(
    expect.arrayContaining(["page 200", "page 404", "form 200", "form 303", "form 400", "form 404"]),
  );
  expect(service.program.output).not.toMatch(/"internal_error"/u);
});
