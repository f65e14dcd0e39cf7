import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startService } from "./service.ts";
import type { Service } from "./service.ts";
import { exchange } from "./wire.ts";

// The console's pages and forms, the operator's API and the callbacks, with whatever a browser, a program or a prankster
// puts into them: never a 5xx, never a hang.

const HANG_MS_MAX = 2_000;
const GIVE_UP_MS = 15_000;
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 1_000);
const OPERATOR_TOKEN = "local-only-operator-token-for-this-machine";

/** Pages with what their queries take; `:x` stands for an id. */
const PAGES: [string, string[]][] = [
  ["/", []],
  ["/activity", ["q", "older", "newer"]],
  ["/activity/:x", []],
  ["/activity.csv", ["q"]],
  ["/inbox", ["q", "after"]],
  ["/inbox/:x", []],
  ["/recordings", ["after", "added"]],
  ["/send/:x", ["to", "file"]],
  ["/send/voice", ["to", "file"]],
  ["/keys", ["done"]],
  ["/keys/:x/rotate", []],
  ["/billing", []],
  ["/billing/orders/:x", []],
  ["/billing/orders/:x/invoice", []],
  ["/pay/:x", []],
  ["/settings", []],
  ["/sign-in", ["next"]],
  ["/confirm", ["next"]],
  ["/desk", ["q", "after"]],
  ["/desk/accounts/:x", ["mode"]],
  ["/desk/reconcile", ["account", "after"]],
  ["/assets/:x", []],
  ["/media/:x", []],
  ["/v1/test/inbox", ["q", "to", "since", "limit", "after"]],
  ["/v1/test/inbox/:x", []],
  ["/operator/accounts/:x", ["mode"]],
  ["/operator/accounts/:x/ledger", ["limit", "after", "mode"]],
  ["/operator/accounts/:x/messages", ["limit", "after", "mode"]],
  ["/operator/accounts/:x/keys", []],
];

/** Forms with their fields. */
const FORMS: [string, string[]][] = [
  ["/sign-in", ["phone", "next"]],
  ["/sign-in/code", ["code"]],
  ["/sign-in/password", ["email", "password", "next"]],
  ["/sign-up", ["phone", "email", "password", "name"]],
  ["/preferences", ["lang", "theme", "mode", "next"]],
  ["/send/sms", ["phone", "message", "senderId", "once", "mode"]],
  ["/send/bulk", ["recipients", "message", "senderId", "once", "mode", "skip"]],
  ["/send/international", ["phone", "message", "isFlash", "once", "mode"]],
  ["/send/otp", ["phone", "otp", "brandName", "once", "mode"]],
  ["/send/tts", ["callee", "text", "language", "accent", "ssmlGender", "speakingRate", "once", "mode"]],
  ["/send/voice", ["callee", "fileId", "once", "mode"]],
  ["/keys", ["name", "once"]],
  ["/keys/:x/show", []],
  ["/keys/:x/revoke", []],
  ["/keys/:x/rotate", ["overlap", "once"]],
  ["/billing/orders", ["plan", "once"]],
  ["/pay/:x", ["outcome", "twice", "disorder", "wrong"]],
  ["/settings/name", ["name"]],
  ["/settings/phone", ["phone"]],
  ["/settings/buyer", ["buyer_name", "buyer_address", "buyer_state", "buyer_gstin"]],
  ["/confirm/password", ["password", "next"]],
  ["/recordings", ["file", "once", "mode"]],
  ["/inbox/clear", ["q"]],
  ["/desk/sign-in", ["token", "next"]],
  ["/desk/accounts", ["name", "plan", "balance", "once"]],
  ["/desk/accounts/:x/standing", ["status", "plan", "otpRate"]],
  ["/desk/accounts/:x/credits", ["amount", "reference", "note"]],
  ["/desk/rate-card", ["smsIndia", "smsAbroad", "ttsCall", "voiceCallPer30s", "smsByCountry"]],
  ["/desk/payments", ["provider", "event"]],
  ["/desk/queues/dead-letters", ["id", "act"]],
];

const POSTED_JSON = [
  "/operator/accounts",
  "/operator/accounts/:x/credits",
  "/operator/accounts/:x/keys",
  "/callbacks/http",
  "/callbacks/:x",
  "/webhooks/payments/sandbox",
  "/webhooks/payments/:x",
];

const odd = fc.oneof(
  fc.constantFrom(
    "",
    "0",
    "-1",
    "1e9",
    "9".repeat(400),
    "null",
    "undefined",
    "NaN",
    "1.2.3",
    "acc_",
    "msg_",
    "key_00000000",
  ),
  fc.constantFrom(
    "<img src=x onerror=alert(1)>",
    "\u202Eabc",
    "😀".repeat(80),
    "\u0000",
    "'; DROP TABLE person; --",
    "%",
    "../..",
    "\\",
  ),
  fc.constantFrom(
    "to:9876 -kind:otp",
    "cost:1..5",
    "before:x",
    '"open',
    "after:9999-99-99",
    "state:delivered,failed",
    "-".repeat(300),
  ),
  fc.constantFrom(
    "live",
    "test",
    "starter",
    "premium",
    "sms",
    "bulk",
    "9876543210",
    "+14155550132",
    "once_abcdefgh",
    "/keys",
    "//evil",
  ),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ maxLength: 60 }),
);

const well = (text: string) => (text.isWellFormed() ? text : text.toWellFormed());

interface Asked {
  path: string;
  body: string | null;
  type: string;
}

const fill = (path: string, id: string) => path.replaceAll(":x", encodeURIComponent(well(id)) || "x");

const fieldsOf = (names: string[]) =>
  fc.tuple(...names.map(() => fc.option(odd, { nil: null }))).map((values) => {
    const form = new URLSearchParams();
    for (const [at, name] of names.entries()) {
      const value = values[at];
      if (value !== null && value !== undefined) form.append(name, well(value));
    }
    return form.toString();
  });

const asked: fc.Arbitrary<Asked> = fc.oneof(
  fc
    .constantFrom(...PAGES)
    .chain(([path, names]) =>
      fc
        .tuple(odd, fieldsOf(names))
        .map(([id, query]) => ({ path: `${fill(path, id)}?${query}`, body: null, type: "" })),
    ),
  fc
    .constantFrom(...FORMS)
    .chain(([path, names]) =>
      fc
        .tuple(
          odd,
          fieldsOf(names),
          fc.constantFrom("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", ""),
        )
        .map(([id, body, type]) => ({ path: fill(path, id), body, type })),
    ),
  fc
    .tuple(fc.constantFrom(...POSTED_JSON), odd, fc.oneof(fc.json(), fc.string({ unit: "binary", maxLength: 100 })))
    .map(([path, id, body]) => ({ path: fill(path, id), body, type: "application/json" })),
);

let service: Service;
let cookie = "";

/** Cookies of a customer's and the operator's session. */
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

function wire({ path, body, type }: Asked, accept: string, withToken: boolean): Buffer {
  const bytes = Buffer.from(body ?? "");
  const head = [
    `${body === null ? "GET" : "POST"} ${path} HTTP/1.1`,
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

it("takes whatever is put into its pages, forms, the operator's API and callbacks", async () => {
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
        seen.add(`${what.body === null ? "page" : "form"} ${reply.status}`);
      },
    ),
    { numRuns: RUNS, seed: 20_261_121 },
  );
  // Signed in all the way: pages open, forms are taken, and some are refused.
  expect([...seen]).toEqual(
    expect.arrayContaining(["page 200", "page 404", "form 200", "form 303", "form 400", "form 404"]),
  );
  expect(service.program.output).not.toMatch(/"internal_error"/u);
});
