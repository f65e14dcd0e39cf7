// Writes two files of the client from the API's document: an interface for each body and reply with the table of
// operations that the client runs on, and the codes of failures. test/process/sdk/emitted.test.ts says when they are stale.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { ROOT } from "./local.mjs";
import { documentsOf, routeFiles } from "./openapi.mjs";
import { declarations, fieldsOf, typeOf, typesByKind, words } from "./sdk-types.mjs";

/** Where the files are. */
const FOLDER = path.join(ROOT, "sdk/src");

/** Members of the client that are written by hand (sdk/src/index.ts). */
const RESERVED = new Set(["events", "request", "waitFor", "then"]);

/** Ways in for software that has its own client, such as Twilio's: this client has the operations themselves. */
const isForeign = ({ tags }) => tags.includes("Ways in");

const camel = (name) => name.replaceAll(/_(\w)/gu, (_whole, letter) => letter.toUpperCase());
const upper = (name) => name[0].toUpperCase() + name.slice(1);

/** The parameter after `?` that says for how many seconds the service may hold the request, if there is one. */
function heldBy(inQuery) {
  const found = inQuery.find(({ name, schema }) => ["wait", "timeout"].includes(name) && schema.type !== "string");
  return found && { by: found.name, usualSec: found.schema.default ?? 0 };
}

function baseOf({ servers }) {
  const [, base] = /^(SMS|TTS|VOICE|OTP|CONSOLE)_URL$/u.exec(servers[0].description) ?? [];
  if (!base) throw new Error(`No base is named by ${servers[0].description}.`);
  return base.toLowerCase();
}

/** A referred part of the document, or the part itself. */
const resolved = (document, part) =>
  part?.$ref
    ? part.$ref
        .slice(2)
        .split("/")
        .reduce((at, name) => at[name], document)
    : part;

/** What the client's method is made of. */
function operationOf(document, item, method, route, operation) {
  const parameters = (operation.parameters ?? []).map((one) => resolved(document, one));
  const inQuery = parameters.filter((one) => one.in === "query");
  const body = operation.requestBody?.content["application/json"]?.schema;
  const isFile = operation.requestBody?.content["text/csv"] !== undefined;
  if ((body || isFile) && inQuery.length > 0) {
    throw new Error(`${operation.operationId} has both a body and parameters.`);
  }
  const done = resolved(document, operation.responses["200"]);
  const reply = done.content["application/json"]?.schema;
  const shape = resolved(document, reply);
  const has = (name) => shape?.properties?.[name] !== undefined;
  return {
    id: operation.operationId,
    words: [`${operation.summary}.`, operation.description].filter(Boolean).join("\n\n"),
    method: method.toUpperCase(),
    base: baseOf(item),
    path: route,
    inPath: parameters.filter((one) => one.in === "path").map((one) => one.name),
    inQuery,
    body,
    isFile,
    bodyRequired: body !== undefined && (resolved(document, body).required ?? []).some((name) => name !== "apiKey"),
    reply,
    // The key in a header of its own only where Authorization is not read.
    key: operation.security.some((one) => one.bearer) ? undefined : "x-api-key",
    keyed: parameters.some((one) => one.name === "Idempotency-Key"),
    sends: done.headers?.["X-Message-Id"] !== undefined,
    // Events are numbered, and their feed has no last page: the client follows them by hand.
    list: inQuery.some(({ name, schema }) => name === "after" && schema.type === "string") && has("has_more"),
  };
}

/** The operations of a document that get a method. */
function operationsOf(document) {
  const all = Object.entries(document.paths).flatMap(([route, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.operationId && !isForeign(operation))
      .map(([method, operation]) => operationOf(document, item, method, route, operation)),
  );
  const taken = all.find(({ id }) => RESERVED.has(id));
  if (taken) throw new Error(`${taken.id} is a member of the client already; rename the operation of ${taken.path}.`);
  return all;
}

/** The name of what a method takes as its body; throws where no method has that id. */
function bodyNamed(operations, id) {
  if (!operations.some((one) => one.id === id && one.body)) throw new Error(`No operation with a body is ${id}.`);
  return `${upper(id)}Body`;
}

/** The types of what a method takes. */
function inputOf({ id, body, inQuery }, operations) {
  const about = words(`What \`${id}\` takes.`);
  const kinds = body && typesByKind(body, (other) => bodyNamed(operations, other));
  if (kinds) return [`${about}export type ${upper(id)}Body = ${kinds.join(" | ")};`, ""];
  if (body) return [`${about}export interface ${upper(id)}Body {`, ...fieldsOf(body, { sent: true }), "}", ""];
  if (inQuery.length === 0) return [];
  const fields = inQuery.map(({ name, required, description, schema }) => {
    const type = typeOf(schema);
    return `${words(description)}${name}${required ? "" : "?"}: ${type}${required ? "" : " | undefined"};`;
  });
  return [`${about}export interface ${upper(id)}Query {`, ...fields, "}", ""];
}

/** What a method resolves to, or returns. */
function outputOf({ reply, list, sends, keyed }) {
  if (!reply) return "AsyncIterable<string>";
  if (list) return `Listing<Reply<${typeOf(reply)}>>`;
  const facts = sends ? "Sent" : keyed ? "Keyed" : "Reply";
  return `Promise<${facts}<${typeOf(reply)}>>`;
}

function signatureOf(operation) {
  const { id, inPath, inQuery, body, isFile, bodyRequired, keyed } = operation;
  const path = inPath.map((name) => `${camel(name)}: string`);
  const queryRequired = inQuery.some((one) => one.required);
  const given = isFile
    ? ["csv: string"]
    : body
      ? [`body${bodyRequired ? "" : "?"}: ${upper(id)}Body`]
      : inQuery.length > 0
        ? [`query${queryRequired ? "" : "?"}: ${upper(id)}Query`]
        : [];
  const options = `options?: ${keyed ? "SendOptions" : "CallOptions"}`;
  return `${words(operation.words)}${id}(${[...path, ...given, options].join(", ")}): ${outputOf(operation)};`;
}

function rowOf({ id, method, base, path, key, keyed, body, isFile, inQuery, reply, list }) {
  const takes = isFile ? "csv" : body ? "body" : inQuery.length > 0 ? "query" : undefined;
  const gives = reply ? (list ? "list" : undefined) : "text";
  const row = { method, base, path, key, keyed: keyed || undefined, takes, gives, held: heldBy(inQuery) };
  return `${id}: ${JSON.stringify(row)},`;
}

const MADE = "// Made from the API's document by `npm run sdk:operations`; do not edit.\n";

/** What the interfaces may use of the client's own types. */
const OWN = ["CallOptions", "Keyed", "Reply", "SendOptions", "Sent"];

/** The codes of failures, as their union has them. */
const codesOf = (document) => Object.keys(document["x-status-of-code"]);

function operationsText(document) {
  const names = new Map([[JSON.stringify(codesOf(document)), "ErrorCode"]]);
  const operations = operationsOf(document);
  const { Failure: _, ...schemas } = document.components.schemas;
  const used = operations.flatMap(({ reply, body, inQuery }) => [reply, body, ...inQuery.map((one) => one.schema)]);
  const methods = operations.map(signatureOf);
  const text = methods.join("\n");
  const declared = declarations(schemas, used, { names });
  return [
    MADE,
    declared.some((line) => /\bErrorCode\b/u.test(line)) ? 'import type { ErrorCode } from "./error-code.ts";' : "",
    text.includes("Listing<") ? 'import type { Listing } from "./listing.ts";' : "",
    `import type { ${OWN.filter((name) => new RegExp(`\\b${name}\\b`, "u").test(text)).join(", ")} } from "./options.ts";`,
    'import type { OperationRoute } from "./route.ts";',
    "",
    ...declared,
    ...operations.flatMap((one) => inputOf(one, operations)),
    "/** The operations of the service, each a method of the client. */",
    "export interface Operations {",
    ...methods,
    "}",
    "",
    "/** How each becomes a request. */",
    "export const OPERATIONS: Readonly<Record<keyof Operations, OperationRoute>> = {",
    ...operations.map(rowOf),
    "};",
  ].join("\n");
}

function codesText(document) {
  const codes = codesOf(document).map((code) => JSON.stringify(code));
  return [MADE, "/** The codes of the service's refusals. */", `export type ErrorCode = ${codes.join(" | ")};`].join(
    "\n",
  );
}

/** The files that are made from a document, by name in sdk/src. */
export async function emittedFiles(document) {
  const files = { "operations.ts": operationsText(document), "error-code.ts": codesText(document) };
  const style = { ...(await resolveConfig(path.join(FOLDER, "operations.ts"))), parser: "typescript" };
  const formatted = Object.entries(files).map(async ([name, text]) => [name, await format(text, style)]);
  return Object.fromEntries(await Promise.all(formatted));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { api } = await documentsOf(routeFiles());
  for (const [name, text] of Object.entries(await emittedFiles(api))) writeFileSync(path.join(FOLDER, name), text);
}
