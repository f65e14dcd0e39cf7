import { Validator } from "@cfworker/json-schema";
import type { Schema } from "@cfworker/json-schema";
import type { Header, OpenApi, OperationObject, PathItem, Ref, ResponseObject } from "../../src/openapi/types.ts";

// Compares replies of the running service with what a document of the API says of them.

/** An operation of a document, with where it is. */
export interface Operation extends OperationObject {
  method: string;
  /** With its names in braces. */
  path: string;
}

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  text: string;
}

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** Every operation of a document. */
export function operationsOf(document: OpenApi): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]: [string, PathItem]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ ...operation, method: method.toUpperCase(), path }] : [];
    }),
  );
}

/** What a reference names. */
export function resolved<T extends object>(document: OpenApi, what: T | Ref): T {
  if (!("$ref" in what)) return what;
  const parts = what.$ref.slice(2).split("/");
  const found = parts.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document);
  return resolved(document, found as T | Ref);
}

/** The same schema without room for fields that it does not name: a reply with such a field is not documented. */
export function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, closed(part)]));
  return "properties" in parts && !("additionalProperties" in parts)
    ? { ...parts, additionalProperties: false }
    : parts;
}

const REPLY_ONLY_SOMETIMES: ReadonlySet<string> = new Set(["Retry-After", "Idempotent-Replayed", "X-Dlt-Warning"]);

/** What a value does not fit in a schema of the document. */
function misfits(document: OpenApi, schema: unknown, value: unknown): string[] {
  const whole = { ...(schema as object), components: document.components } as Schema;
  const { valid, errors } = new Validator(whole, "2020-12", false).validate(value);
  return valid ? [] : errors.slice(-3).map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}

function headerFaults(document: OpenApi, response: ResponseObject, { status, headers }: Answer) {
  return Object.entries(response.headers ?? {}).flatMap(([name, header]) => {
    const value = headers[name.toLowerCase()];
    if (value !== undefined) return misfits(document, resolved<Header>(document, header).schema, value);
    // A failure has the limits only where the account was asked, and a wait only where one helps.
    const may = REPLY_ONLY_SOMETIMES.has(name) || (status !== 200 && name !== "X-Request-Id");
    return may ? [] : [`there is no ${name}`];
  });
}

/** Everything in which a reply is not as the document says; `document` is closed (`closed`). */
export function faultsOf(document: OpenApi, operation: Operation, answer: Answer): string[] {
  const { status, headers, text } = answer;
  const found = operation.responses[String(status)];
  if (!found) return [`status ${status} is not documented: ${text.slice(0, 300)}`];
  const response = resolved<ResponseObject>(document, found);
  const type = (headers["content-type"] ?? "").split(";")[0] ?? "";
  const media = response.content?.[type];
  if (!media) return [`the type ${type} is not documented`];
  const faults = headerFaults(document, response, answer);
  if (type !== "application/json" || media.schema["type"] === "string") return faults;
  const body = JSON.parse(text) as { code?: string };
  const { code } = body;
  if (status >= 400 && code !== undefined && !operation["x-error-codes"].includes(code)) {
    faults.push(`the code ${code} is not documented`);
  }
  return [...faults, ...misfits(document, media.schema, body)];
}
