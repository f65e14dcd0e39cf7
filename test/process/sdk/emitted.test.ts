import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../../harness/program.ts";
import { documentsOf, routeFiles } from "../../../scripts/openapi.mjs";
import { emittedFiles } from "../../../scripts/sdk-operations.mjs";

// The files of the client that are made from the API's document.

const { api } = await documentsOf(routeFiles());

it("are those that are committed; `npm run sdk:operations` makes them anew", async () => {
  for (const [name, text] of Object.entries(await emittedFiles(api))) {
    expect(readFileSync(path.join(ROOT, "sdk/src", name), "utf8"), name).toBe(text);
  }
});

/** A document with one more operation. */
const documentWith = (route: string, method: string, operation: object, schemas: object = {}) => ({
  ...api,
  paths: { [route]: { servers: [{ url: "https://x.test", description: "CONSOLE_URL" }], [method]: operation } },
  components: { ...api.components, schemas: { ...api.components.schemas, ...schemas } },
});

const replyOf = (schema: object, type = "application/json") => ({ 200: { content: { [type]: { schema } } } });
const security = [{ bearer: [] }];
const limit = { name: "limit", in: "query", schema: { type: "integer" } };
const wait = { name: "wait", in: "query", schema: { type: "number", default: 5 } };
const after = { name: "after", in: "query", schema: { type: "string" } };

const LISTED = { $ref: "#/components/schemas/ThingList" };
const SCHEMAS = {
  Thing: { type: "object", properties: { "a-b": { type: ["string", "null"] } }, required: ["a-b"] },
  ThingList: {
    type: "object",
    properties: {
      data: { type: "array", items: { $ref: "#/components/schemas/Thing" } },
      has_more: { type: "boolean" },
      next: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
    required: ["data", "has_more", "next"],
  },
};

const operationsOf = async (document: object) => (await emittedFiles(document))["operations.ts"];

it("have an iterable for a list, and know how long its request may be held", async () => {
  const operation = {
    operationId: "listThings",
    tags: ["Messages"],
    summary: "List things */ of yours",
    security,
    parameters: [{ name: "box", in: "path", required: true, schema: { type: "string" } }, limit, after, wait],
    responses: replyOf(LISTED),
  };
  const text = await operationsOf(documentWith("/v1/boxes/{box}/things", "get", operation, SCHEMAS));
  expect(text).toContain(
    "listThings(box: string, query?: ListThingsQuery, options?: CallOptions): Listing<Reply<ThingList>>;",
  );
  expect(text).toMatch(/"a-b": string \| null;[\s\S]*limit\?: number \| undefined;\n\s*after\?: string \| undefined;/u);
  expect(text).toMatch(/takes: "query",\s*gives: "list",\s*held: \{ by: "wait", usualSec: 5 \}/u);
  expect(text).toContain("List things * / of yours.");
});

it("have pieces of text for a reply that is no JSON", async () => {
  const operation = { operationId: "exportThings", tags: ["Messages"], summary: "Export", security };
  const document = documentWith("/v1/things.csv", "get", { ...operation, responses: replyOf({}, "text/csv") });
  expect(await operationsOf(document)).toContain("exportThings(options?: CallOptions): AsyncIterable<string>;");
});

it("have the fields of the operation that a field names, and the codes of failures once", async () => {
  const { "operations.ts": text = "", "error-code.ts": codes = "" } = await emittedFiles(api);
  expect(text).toContain('| ({ operation: "sms_international" } & SendInternationalSmsBody)');
  expect(text).toContain("code: ErrorCode;");
  expect([text.includes('"idempotency_in_progress"'), codes.includes('"idempotency_in_progress"')]).toEqual([
    false,
    true,
  ]);
  const kind = { type: "string", enum: ["sms"], "x-fields-of": { sms: "sendNothing" } };
  const schema = { type: "object", properties: { operation: kind }, required: ["operation"] };
  const requestBody = { content: { "application/json": { schema } } };
  const operation = { operationId: "ask", tags: ["Messages"], summary: "Ask", security, requestBody };
  const document = documentWith("/v1/ask", "post", { ...operation, responses: replyOf({}) });
  await expect(operationsOf(document)).rejects.toThrow("No operation with a body is sendNothing.");
});

it("leave out the ways in for other software, and refuse a name that the client has already", async () => {
  const operation = { operationId: "gateway", tags: ["Ways in"], summary: "Send", security, responses: replyOf({}) };
  expect(await operationsOf(documentWith("/v1/gateway", "post", operation))).not.toContain("gateway");
  const taken = { ...operation, operationId: "events", tags: ["Events"] };
  await expect(operationsOf(documentWith("/v1/events", "get", taken))).rejects.toThrow("events is a member");
});
