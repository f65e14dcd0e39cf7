import { describe, expect, it } from "vitest";
import * as z from "zod";
import { authenticate } from "../../src/http/auth.ts";
import { jsonBody } from "../../src/http/body.ts";
import type { Api } from "../../src/http/app.ts";
import type { Doc, Docs } from "../../src/http/docs.ts";
import { optional } from "../../src/http/fields.ts";
import { afterField, limitField, numbersIn, query } from "../../src/http/query.ts";
import { documentOf } from "../../src/openapi/document.ts";
import { PLACEHOLDERS } from "../../src/openapi/placeholders.ts";
import type { OperationObject } from "../../src/openapi/types.ts";

// What the document has of a route, and what the build says of a route that is not documented.

const DOC = { id: "listThings", tag: "Messages", summary: "List things", reply: "Thing" } as const satisfies Doc;
const THING = z.object({ success: z.literal(true), name: z.string().nullable() }).meta({ id: "Thing" });
const REPLIES = { Thing: THING };
const ABOUT = { title: "A", summary: "B", description: "C", version: "1.0.0", addresses: PLACEHOLDERS };

type Add = (app: Api) => unknown;

const madeOf = (add: Add, docs: Docs | undefined, name = "src/routes/v1/things.ts") =>
  documentOf([{ name, exported: { add, ...(docs && { docs }) } }], REPLIES, ABOUT);

/** The only operation of a route with this prose. */
function only(add: Add, name: keyof Docs, more: Partial<Doc> = {}): OperationObject {
  const [method = "", path = ""] = name.split(" ");
  const { paths } = madeOf(add, { [name]: { ...DOC, ...more } });
  const item = paths[path.replaceAll(/:(\w+)(\{.*\})?/gu, "{$1}")];
  return item?.[method.toLowerCase() as "get"] as OperationObject;
}

const things: Add = (app) => app.get("/v1/things", (c) => c.json({}));
const thing: Add = (app) => app.get("/v1/things/:id", (c) => c.json({}));

/** The addresses of the route, in a file of this folder. */
const at = (folder: string, more: Partial<Doc> = {}) => {
  const { paths } = madeOf(things, { "GET /v1/things": { ...DOC, ...more } }, `src/routes/${folder}/things.ts`);
  return paths["/v1/things"]?.servers.map(({ url }) => url);
};

describe("a route that is not documented", () => {
  const two: Add = (app) => {
    things(app);
    thing(app);
  };
  it.each<[string, Add, Docs | undefined, RegExp]>([
    ["no docs at all", things, undefined, /^src\/routes\/v1\/things\.ts mounts GET \/v1\/things, and exports no docs/u],
    ["no docs for one of two", two, { "GET /v1/things": DOC }, /mounts GET \/v1\/things\/:id, and exports no docs/u],
    [
      "docs of another route",
      things,
      { "GET /v1/thing": DOC },
      /has docs for GET \/v1\/thing, which it does not mount/u,
    ],
    ["no reply", things, { "GET /v1/things": { id: "a", tag: "SMS", summary: "b" } }, /neither `reply` nor `media`/u],
    ["an unknown reply", things, { "GET /v1/things": { ...DOC, reply: "Nothing" } }, /names the reply Nothing/u],
    ["nothing of a name in its path", thing, { "GET /v1/things/:id": DOC }, /says nothing of :id/u],
    [
      "an id that another has",
      two,
      { "GET /v1/things": DOC, "GET /v1/things/:id": { ...DOC, path: { id: "An id." } } },
      /GET \/v1\/things\/:id: uses the id listThings, which another operation has/u,
    ],
  ])("ends the build with one sentence: %s", (_, add, docs, sentence) => {
    expect(() => madeOf(add, docs)).toThrow(sentence);
    expect(() => madeOf(add, docs)).toThrow(/CONTRIBUTING\.md/u);
  });

  it("may be left out with a reason", () => {
    expect(madeOf(things, { "GET /v1/things": { leftOut: "It is for tests." } }).paths).toEqual({});
  });

  it("is no route where an export takes something else", () => {
    const exported = { add: things, docs: { "GET /v1/things": DOC }, help: (text: string) => text.length, COUNT: 5 };
    const document = documentOf([{ name: "src/routes/v1/things.ts", exported }], REPLIES, ABOUT);
    expect(Object.keys(document.paths)).toEqual(["/v1/things"]);
  });
});

describe("an operation", () => {
  it("has the key's places, the body and the errors of the middleware that runs", () => {
    const schema = z.object({
      phone: z.string().meta({ description: "A number.", examples: ["1"] }),
      note: optional(z.string().max(5)),
      limit: z.number().nullish(),
    });
    const send: Add = (app) =>
      app.post("/v1/things", authenticate("x-api-key", "body"), jsonBody(schema), (c) => c.json({}));
    const operation = only(send, "POST /v1/things", { billable: true });
    expect(operation.security).toEqual([{ apiKeyHeader: [] }, {}]);
    expect(operation.requestBody).toEqual({
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            properties: {
              phone: { type: "string", description: "A number.", examples: ["1"] },
              // For an optional field null is the same as absent; elsewhere it is a value.
              note: { type: "string", maxLength: 5 },
              limit: { type: ["number", "null"] },
            },
            required: ["phone"],
          },
        },
      },
    });
    expect(operation["x-error-codes"]).toEqual([
      "invalid_request",
      "invalid_json",
      "invalid_quote",
      "unauthorized",
      "insufficient_balance",
      "account_suspended",
      "permission_denied",
      "country_not_allowed",
      "number_blocked",
      "spend_cap_reached",
      "idempotency_in_progress",
      "payload_too_large",
      "unsupported_media_type",
      "idempotency_mismatch",
      "rate_limited",
      "internal_error",
      "unavailable",
    ]);
    expect(Object.keys(operation.responses)).toEqual([
      "200",
      "400",
      "401",
      "403",
      "409",
      "413",
      "415",
      "422",
      "429",
      "500",
      "503",
    ]);
    expect(operation.parameters).toEqual([
      { $ref: "#/components/parameters/Idempotency-Key" },
      { $ref: "#/components/parameters/Price-Quote" },
    ]);
  });

  it("has the parameters of its query and of its path", () => {
    const list = query(z.object({ kind: z.enum(["a", "b"]), limit: limitField, after: afterField(numbersIn(1)) }));
    const add: Add = (app) => app.get("/v1/things/:id{[a-z]+(?:x{2})}/parts", list, (c) => c.json({}));
    const operation = only(add, "GET /v1/things/:id{[a-z]+(?:x{2})}/parts", { path: { id: "Which thing." } });
    expect(operation.parameters).toEqual([
      { name: "id", in: "path", required: true, description: "Which thing.", schema: { type: "string" } },
      { name: "kind", in: "query", required: true, schema: { type: "string", enum: ["a", "b"] } },
      {
        name: "limit",
        in: "query",
        required: false,
        description: "How many rows a page has.",
        schema: { type: "integer", minimum: 1, maximum: 500, default: 100 },
      },
      {
        name: "after",
        in: "query",
        required: false,
        description: "The `next` of the page before.",
        schema: { type: "string" },
      },
    ]);
    expect(operation["x-error-codes"]).toContain("not_found");
  });

  it("may have a body under any method, and replies of other types", () => {
    const body = jsonBody(z.object({ name: z.string() }));
    for (const method of ["PUT", "PATCH", "DELETE"] as const) {
      const add: Add = (app) => app.on(method, "/v1/things", body, (c) => c.json({}));
      expect(only(add, `${method} /v1/things`).requestBody?.required, method).toBe(true);
    }
    const { responses } = only(things, "GET /v1/things", { media: { "text/csv": "A line for each thing." } });
    expect(responses["200"]).toMatchObject({
      content: {
        "application/json": { schema: { $ref: "#/components/schemas/Thing" } },
        "text/csv": { schema: { type: "string", description: "A line for each thing." } },
      },
    });
  });

  it("leaves a reply room for later fields, and keeps null where it is a value", () => {
    const { components } = madeOf(things, { "GET /v1/things": DOC });
    expect(components.schemas["Thing"]).toEqual({
      type: "object",
      properties: { success: { type: "boolean", const: true }, name: { type: ["string", "null"] } },
      required: ["success", "name"],
    });
  });

  it("is under the address of its base", () => {
    expect(at("sms")).toEqual([PLACEHOLDERS.sms]);
    expect(at("voice")).toEqual([PLACEHOLDERS.voice]);
    expect(at("v1")).toEqual([PLACEHOLDERS.console]);
    expect(at("ways", { base: "otp" })).toEqual([PLACEHOLDERS.otp]);
  });

  it("stands apart where it is a WebSocket", () => {
    const document = madeOf(things, {
      "GET /v1/things": { ...DOC, socket: { takes: { ping: "pong" }, closes: { 4000: "again" } } },
    });
    expect(document.paths).toEqual({});
    expect(document["x-websockets"]).toEqual([
      {
        operationId: "listThings",
        tags: ["Messages"],
        path: "/v1/things",
        summary: "List things",
        security: [],
        parameters: [],
        message: { $ref: "#/components/schemas/Thing" },
        takes: { ping: "pong" },
        closes: { 4000: "again" },
        "x-error-codes": ["invalid_request", "permission_denied", "internal_error", "unavailable"],
        server: PLACEHOLDERS.console,
      },
    ]);
  });
});
