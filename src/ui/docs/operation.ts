import type { JsonSchema } from "../../openapi/schemas.ts";
import type { OpenApi } from "../../openapi/types.ts";
import { samplesOf } from "../../samples/emit.ts";
import type { Json, SampleRequest } from "../../samples/sample.ts";
import { docsWords } from "../words/docs.ts";
import type { Block, DocsPage } from "./block.ts";
import { exampleOf, fieldsOf, jsonSchemaOf, operationsOf, parametersIn, resolved } from "./document.ts";
import type { Operation } from "./document.ts";
import { blocksOf } from "./markdown.ts";
import {
  codeOf,
  fieldTable,
  headerTable,
  heading,
  keyNote,
  keyText,
  parameterTable,
  refusals,
} from "./operation-parts.ts";
import type { Reader } from "./reader.ts";

// The page of one operation, made from the API's document.

/** The path of an operation's page below /docs. */
export const operationPath = ({ op }: Operation): string => `api/${op.operationId}`;

/** The field that samples read from a file, and the file. */
const FILE = { field: "base64Data", name: "offer.wav" };

/** The file that samples send as a whole body of a media type. */
const UPLOADS: Readonly<Record<string, string>> = { "text/csv": "templates.csv" };

/** Parameters that samples leave out although they have examples: those that narrow a list. */
const NARROWING: ReadonlySet<string> = new Set(["limit", "after", "since", "q", "mode"]);

/** The address of a base by the name of its setting. */
const baseOf = (server: string, { values }: Reader): string => values[server] ?? "";

/** An example of what stands in an address. */
function inAddress(document: OpenApi, schema: JsonSchema): string {
  const value = exampleOf(document, schema);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Examples of ids, by what stands before them in an address. */
const ID_EXAMPLES: Readonly<Record<string, string>> = {
  recordings: "file_4bK2mQ9xW1",
  inbox: "msg_4bK2mQ9xW1",
  messages: "msg_4bK2mQ9xW1",
  requests: "req_4bK2mQ9xW1",
  webhooks: "wh_4bK2mQ9xW1",
};

/** The address of a sample: with an example for each part of the path, and for what a caller always says. */
function sampleUrl({ op, path, server }: Operation, reader: Reader): string {
  const { document } = reader;
  const filledPath = path.replaceAll(
    /([\w-]+)\/\{(\w+)\}/gu,
    (_whole, before: string, name: string) => `${before}/${ID_EXAMPLES[before] ?? name.toUpperCase()}`,
  );
  const query = parametersIn(document, op, "query")
    .filter(
      ({ name, required, schema }) => required === true || (schema["examples"] !== undefined && !NARROWING.has(name)),
    )
    .map(({ name, schema }) => `${name}=${encodeURIComponent(inAddress(document, schema))}`);
  return baseOf(server, reader) + filledPath + (query.length === 0 ? "" : `?${query.join("&")}`);
}

/** The header with the key: the first place that the operation reads it from. */
function authOf({ op }: Operation, { document }: Reader): SampleRequest["auth"] {
  const [scheme] = op.security.flatMap((one) => Object.keys(one));
  const { type, name } = document.components.securitySchemes[scheme ?? ""] ?? {};
  if (type === "http") return { name: "Authorization", before: "Bearer " };
  return name === undefined ? null : { name, before: "" };
}

/** The request that an operation's samples send. */
function requestOf(operation: Operation, reader: Reader): SampleRequest {
  const { document } = reader;
  const { op, method, path } = operation;
  const schema = jsonSchemaOf(op.requestBody?.content);
  const body = schema && (exampleOf(document, schema) as Record<string, Json>);
  const [type = ""] = Object.keys(op.requestBody?.content ?? {});
  const upload = UPLOADS[type];
  const isIdempotent = parametersIn(document, op, "header").some(({ name }) => name === "Idempotency-Key");
  return {
    method,
    url: sampleUrl(operation, reader),
    auth: authOf(operation, reader),
    key: reader.testKey,
    body,
    file: body && FILE.field in body ? FILE : undefined,
    upload: upload === undefined ? undefined : { type, name: upload },
    // A key of its own for each operation: one that was used for another request is refused.
    idempotencyKey: isIdempotent ? `${path.split("/").at(-1)}-4711` : undefined,
  };
}

/** The samples of an operation; none where the document does not have it. */
export function operationSamples(id: string, reader: Reader): Block[] {
  const operation = operationsOf(reader.document).find(({ op }) => op.operationId === id);
  if (!operation) return [];
  const samples = samplesOf(requestOf(operation, reader), operation.op["x-billable"] === true);
  return [{ kind: "samples", id: `sample-${id}`, samples }];
}

function input({ op }: Operation, reader: Reader): Block[] {
  const { document } = reader;
  const t = docsWords[reader.lang];
  const schema = jsonSchemaOf(op.requestBody?.content);
  const headers = parametersIn(document, op, "header");
  return [
    ...parameterTable([...parametersIn(document, op, "path"), ...parametersIn(document, op, "query")], reader),
    ...(schema ? [heading(t.requestBody, "body"), fieldTable(fieldsOf(document, schema), reader, "request")] : []),
    ...(headers.length === 0
      ? []
      : [
          heading(t.headers, "headers"),
          headerTable(
            headers.map((one) => [one.name, one]),
            reader,
          ),
        ]),
  ];
}

/** The headers of a reply, as far as they say something of this operation. */
function replyHeaders({ op }: Operation, reader: Reader): Block[] {
  const { document } = reader;
  const found = Object.entries(op.responses).find(([status]) => status.startsWith("2"));
  const { headers = {} } = found ? resolved(document, found[1]) : {};
  const rows = Object.entries(headers).map(([name, header]) => [name, resolved(document, header)] as const);
  return rows.length === 0
    ? []
    : [heading(docsWords[reader.lang].replyHeaders, "reply-headers"), headerTable(rows, reader)];
}

function reply({ op }: Operation, reader: Reader): Block[] {
  const { document } = reader;
  const t = docsWords[reader.lang];
  const found = Object.entries(op.responses).find(([status]) => status.startsWith("2"));
  if (!found) return [];
  const { content = {}, description } = resolved(document, found[1]);
  const schema = jsonSchemaOf(content);
  const others = Object.keys(content).filter((type) => type !== "application/json");
  return [
    heading(t.reply, "reply"),
    ...(schema ? [] : [{ kind: "text", text: description, english: true } as const]),
    ...(others.length === 0 ? [] : [{ kind: "text", text: others.map(codeOf).join(", ") } as const]),
    ...(schema
      ? [
          { kind: "code", language: "json", code: JSON.stringify(exampleOf(document, schema), null, 2) } as const,
          fieldTable(fieldsOf(document, schema), reader, "reply"),
        ]
      : []),
  ];
}

/** The page of an operation. */
export function operationPage(operation: Operation, reader: Reader): DocsPage {
  const { op, method, path, server } = operation;
  const t = docsWords[reader.lang];
  const request = requestOf(operation, reader);
  const described = blocksOf(op.description ?? "", () => []).map((block) => ({ ...block, english: true }));
  return {
    path: operationPath(operation),
    title: op.summary,
    english: true,
    lead: "",
    blocks: [
      { kind: "code", language: "http", code: `${method} ${baseOf(server, reader)}${path}` },
      ...described,
      {
        kind: "text",
        text: `${op["x-billable"] === true ? t.billed : t.free} ${keyText(op, reader.document, reader.lang)}`,
      },
      ...operationSamples(op.operationId, reader),
      ...(request.auth === null ? [] : [keyNote(reader)]),
      ...(request.idempotencyKey === undefined ? [] : [{ kind: "text", text: t.oftenRepeated } as const]),
      ...input(operation, reader),
      ...reply(operation, reader),
      ...replyHeaders(operation, reader),
      ...refusals(op, reader),
    ],
  };
}
