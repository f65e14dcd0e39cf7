import * as z from "zod";
import type { Doc, SocketDoc } from "../http/docs.ts";
import { STATUS_OF_CODE } from "../http/errors.ts";
import type { ErrorCode } from "../http/errors.ts";
import type { Shown } from "../http/shown.ts";
import { leastRole } from "../model/operator.ts";
import type { Schemas } from "./schemas.ts";
import type { Media, Method, OperationObject, Parameter, Ref, ResponseObject } from "./types.ts";

// One operation of the document: what its middleware demands, joined with its prose and the schema of its reply.

/** An operation as its file has it. */
export interface Found {
  method: Method;
  /** As mounted: `/v1/messages/:id`. */
  path: string;
  /** What its middleware demands, in the order in which it runs. */
  shown: readonly Shown[];
  doc: Doc;
}

/** The schemas of replies by name, and where those of this document are collected. */
export interface Replies {
  byName: Readonly<Record<string, z.ZodType>>;
  schemas: Schemas;
}

/** What all middleware of a route demands together. */
function demandsOf({ shown, doc, method }: Found) {
  const all: Shown = Object.assign({}, ...shown);
  const counted = all.keyIn !== undefined && all.ownApi !== true;
  return {
    ...all,
    queries: shown.flatMap((one) => one.query ?? []),
    counted,
    idempotent: doc.idempotent ?? (method === "post" && counted),
    /** Whether the middleware reads a body, which must then be JSON and not too large. */
    readsBody: all.body !== undefined || (method !== "get" && method !== "delete"),
  };
}

type Demands = ReturnType<typeof demandsOf>;

/** Names in a path as Hono writes it, such as `:id` or `:id{[a-z]+}`. */
const PATH_NAME = /:(\w+)(?:\{(?:[^{}]|\{[^{}]*\})*\})?/gu;

/** A path as OpenAPI writes it. */
export const templateOf = (path: string): string => path.replaceAll(PATH_NAME, "{$1}");

const namesIn = (path: string) => [...path.matchAll(PATH_NAME)].map(([, name = ""]) => name);

/** Every error code that the operation may answer with, in the order of their statuses. */
function codesOf(found: Found, needs: Demands): ErrorCode[] {
  const { doc, method, path } = found;
  const always: ErrorCode[] = ["invalid_request", "permission_denied", "internal_error", "unavailable"];
  const codes = new Set<ErrorCode>(always);
  const add = (when: boolean, ...more: ErrorCode[]) => when && more.forEach((code) => codes.add(code));
  add(needs.keyIn !== undefined || needs.operator !== undefined, "unauthorized");
  add(needs.keyIn !== undefined, "rate_limited");
  add(needs.counted || (needs.ownApi === true && method !== "get"), "account_suspended");
  add(needs.readsBody, "invalid_json", "payload_too_large", "unsupported_media_type");
  add(needs.idempotent, "idempotency_mismatch");
  add(needs.idempotent && needs.counted, "idempotency_in_progress");
  add(doc.matched === true, "dlt_mismatch", "dlt_header", "dlt_hours");
  add(
    doc.billable === true,
    "insufficient_balance",
    "invalid_quote",
    "country_not_allowed",
    "number_blocked",
    "spend_cap_reached",
  );
  add(namesIn(path).length > 0, "not_found");
  add(true, ...(doc.codes ?? []));
  return (Object.keys(STATUS_OF_CODE) as ErrorCode[]).filter((code) => codes.has(code));
}

/** The parameters after `?` of a schema of texts. */
function queryParameters(fields: z.ZodObject, { schemas }: Replies): Parameter[] {
  return Object.entries(fields.shape).map(([name, field]) => {
    const { description, ...schema } = schemas.of(field as z.ZodType, "input");
    return {
      name,
      in: "query",
      required: !z.safeParse(field, undefined).success,
      ...(typeof description === "string" && { description }),
      schema,
    };
  });
}

function parametersOf(found: Found, needs: Demands, replies: Replies): (Parameter | Ref)[] {
  const { path, doc } = found;
  const inPath = namesIn(path).map((name): Parameter => {
    const description = doc.path?.[name];
    if (description === undefined) throw new Error(`says nothing of :${name} in \`path\``);
    return { name, in: "path", required: true, description, schema: { type: "string" } };
  });
  const after = needs.queries.flatMap((schema) => queryParameters(schema, replies));
  const once = needs.idempotent ? [{ $ref: "#/components/parameters/Idempotency-Key" }] : [];
  const quoted = doc.billable ? [{ $ref: "#/components/parameters/Price-Quote" }] : [];
  return [...inPath, ...after, ...once, ...quoted];
}

const mediaOf = (media: Readonly<Record<string, string>>): Record<string, Media> =>
  Object.fromEntries(
    Object.entries(media).map(([type, description]) => [type, { schema: { type: "string", description } }]),
  );

function bodyOf({ doc }: Found, needs: Demands, { schemas }: Replies) {
  const { body } = needs;
  if (!body && !doc.bodyMedia) return undefined;
  const schema = body && schemas.of(body, "input");
  const json = schema && {
    "application/json": { schema },
    ...(needs.form && { "application/x-www-form-urlencoded": { schema } }),
  };
  // An empty body of the operator API is read as an object without fields.
  const required = needs.operator === undefined || !body?.safeParse({}).success;
  return { required, content: { ...json, ...mediaOf(doc.bodyMedia ?? {}) } };
}

/** A header by its name, with the component that describes it. */
export const headerRef = (name: string) => [name, { $ref: `#/components/headers/${name}` }] as const;

function replyOf({ doc }: Found, needs: Demands, { byName, schemas }: Replies): ResponseObject {
  const { reply, media } = doc;
  if (reply === undefined && !media) throw new Error("has neither `reply` nor `media`");
  const schema = reply === undefined ? undefined : byName[reply];
  if (reply !== undefined && !schema) throw new Error(`names the reply ${reply}, which src/openapi/replies.ts lacks`);
  const headers = [
    "X-Request-Id",
    ...(needs.counted ? ["RateLimit-Policy", "RateLimit"] : []),
    ...(doc.billable ? ["X-Message-Id"] : []),
    ...(doc.matched ? ["X-Dlt-Warning"] : []),
    ...(needs.idempotent ? ["Idempotent-Replayed"] : []),
  ];
  return {
    description: "Done.",
    headers: Object.fromEntries(headers.map(headerRef)),
    content: {
      ...(schema && { "application/json": { schema: schemas.of(schema, "output") } }),
      ...mediaOf(media ?? {}),
    },
  };
}

/** The response of a status, for failures that are not those of contract §3. */
function foreignFailure(name: string, { byName, schemas }: Replies): ResponseObject {
  const schema = byName[name];
  if (!schema) throw new Error(`names the failure ${name}, which src/openapi/replies.ts lacks`);
  return {
    description: "It was refused.",
    headers: Object.fromEntries([headerRef("X-Request-Id")]),
    content: { "application/json": { schema: schemas.of(schema, "output") } },
  };
}

function responsesOf(found: Found, needs: Demands, codes: ErrorCode[], replies: Replies) {
  const { failure } = found.doc;
  const statuses = new Set(codes.map((code) => STATUS_OF_CODE[code]));
  const failures = [...statuses].map((status): [string, ResponseObject | Ref] => [
    String(status),
    failure === undefined ? { $ref: `#/components/responses/Failure${status}` } : foreignFailure(failure, replies),
  ]);
  return Object.fromEntries([["200", replyOf(found, needs, replies)], ...failures]);
}

const IN_HEADER: Readonly<Record<string, string>> = { "x-api-key": "apiKeyHeader", bare: "keyAlone" };

/** Where the key may be, in OpenAPI's words; `{}` where the body may have it instead. */
function securityOf({ keyIn = [], operator }: Shown): Record<string, string[]>[] {
  if (operator !== undefined) return [{ operatorToken: [] }];
  return keyIn.map((place) => (place === "body" ? {} : { [IN_HEADER[place] ?? place]: [] }));
}

/** What a client sends to connect, and what it then gets. */
export function socketOf(found: Found, { takes, closes }: SocketDoc, replies: Replies) {
  const { doc, path } = found;
  const needs = demandsOf(found);
  const schema = replies.byName[doc.reply ?? ""];
  if (!schema) throw new Error(`names the reply ${doc.reply}, which src/openapi/replies.ts lacks`);
  return {
    operationId: doc.id,
    tags: [doc.tag],
    path: templateOf(path),
    summary: doc.summary,
    ...(doc.description !== undefined && { description: doc.description }),
    security: securityOf(needs),
    parameters: parametersOf(found, needs, replies).filter((one): one is Parameter => "name" in one),
    message: replies.schemas.of(schema, "output"),
    takes,
    closes,
    "x-error-codes": codesOf(found, needs),
  };
}

/** The operation of a route. Throws what is wrong with its `docs`, as the end of a sentence about them. */
export function operationOf(found: Found, replies: Replies): OperationObject {
  const { doc } = found;
  const needs = demandsOf(found);
  const codes = codesOf(found, needs);
  const parameters = parametersOf(found, needs, replies);
  const requestBody = bodyOf(found, needs, replies);
  return {
    operationId: doc.id,
    tags: [doc.tag],
    summary: doc.summary,
    ...(doc.description !== undefined && { description: doc.description }),
    security: securityOf(needs),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(found, needs, codes, replies),
    "x-error-codes": codes,
    ...(needs.bodyBytesMax !== undefined && { "x-body-bytes-max": needs.bodyBytesMax }),
    ...(doc.billable && { "x-billable": true }),
    ...(needs.operator !== undefined && { "x-role": leastRole(needs.operator) }),
  };
}
