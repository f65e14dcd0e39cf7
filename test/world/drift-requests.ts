import type { JsonSchema } from "../../src/openapi/schemas.ts";
import type { OpenApi, Parameter } from "../../src/openapi/types.ts";
import { resolved } from "./drift.ts";
import type { Answer, Operation } from "./drift.ts";

// Makes the requests of an operation from its document alone: its examples, and what must be refused.

export interface Asked {
  /** What is tried. */
  name: string;
  path: string;
  headers: Record<string, string>;
  /** A text is sent as it is. */
  body?: object | string;
}

type Fields = Record<string, unknown>;

interface Properties {
  properties: Record<string, JsonSchema>;
  required: string[];
}

const snake = (name: string) => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);

/** What earlier replies named: the ids by which the next requests can ask for what exists. */
export class Known {
  readonly #fields = new Map<string, string>();
  /** The first id of each list, by the list's path. */
  readonly #first = new Map<string, string>();

  /** Notes the names in a reply that succeeded. */
  learn({ path }: Operation, { status, headers, text }: Answer): void {
    if (status !== 200 || !headers["content-type"]?.startsWith("application/json")) return;
    const body = JSON.parse(text) as Fields;
    this.#note(body);
    const { "x-message-id": messageId, "x-request-id": requestId } = headers;
    if (messageId !== undefined) this.#note({ message_id: messageId, request_id: requestId });
    const rows = body["data"];
    const row = Array.isArray(rows) ? (rows[0] as Fields | undefined) : undefined;
    const id = row && (row["id"] ?? Object.entries(row).find(([name]) => name.endsWith("_id"))?.[1]);
    if (typeof id === "string") this.#first.set(path, id);
  }

  /** The rows of a list are left out: they may belong to others, as in a list of all accounts. */
  #note(value: unknown): void {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    for (const [name, part] of Object.entries(value)) {
      if (typeof part === "string") this.#fields.set(snake(name), part);
      else this.#note(part);
    }
  }

  /** The value of a field that names something. */
  field(name: string): string | undefined {
    return /(?:Id|_id)$/u.test(name) ? this.#fields.get(snake(name)) : undefined;
  }

  /** The value of a name in a path. */
  inPath(path: string, name: string): string | undefined {
    const before = path.slice(0, path.indexOf(`/{${name}}`));
    const thing = before.split("/").at(-1)?.replace(/s$/u, "") ?? "";
    return (
      this.#first.get(before) ??
      this.#fields.get(`${thing}_id`) ??
      this.field(name) ??
      this.#fields.get(`${snake(name)}_id`)
    );
  }
}

/** The body's schema; undefined where there is none in JSON. */
function bodySchema(document: OpenApi, operation: Operation): Properties | undefined {
  const schema = operation.requestBody?.content["application/json"]?.schema;
  if (!schema) return undefined;
  const { properties = {}, required = [] } = resolved<Partial<Properties>>(document, schema);
  return { properties, required };
}

/** A field's example; undefined where it has none and may be left out. */
function exampleOf(schema: JsonSchema): unknown {
  const { examples, default: usual, enum: values, const: only } = schema;
  return (examples as unknown[] | undefined)?.[0] ?? usual ?? (values as unknown[] | undefined)?.[0] ?? only;
}

function bodyOf({ properties }: Properties, known: Known): Fields {
  const entries = Object.entries(properties).map(([name, schema]) => [name, known.field(name) ?? exampleOf(schema)]);
  return Object.fromEntries(entries.filter(([name, value]) => value !== undefined && name !== "apiKey"));
}

const parametersIn = (document: OpenApi, operation: Operation, place: Parameter["in"]) =>
  (operation.parameters ?? []).map((one) => resolved<Parameter>(document, one)).filter((one) => one.in === place);

/** A value of another type than the schema's. */
const ofOtherType = ({ type }: JsonSchema) => (type === "object" || type === undefined ? "x" : { not: "this" });

export interface Asking {
  document: OpenApi;
  known: Known;
  /** The headers with the key that an operation wants. */
  key: (operation: Operation) => Record<string, string>;
  /** Values for one operation, instead of those in `known` and of its own defaults. */
  values?: Record<string, string>;
}

/** The request with an operation's examples. */
export function example(operation: Operation, asking: Asking): Asked {
  const { document, known, key, values = {} } = asking;
  const path = operation.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
    encodeURIComponent(values[name] ?? known.inPath(operation.path, name) ?? "none"),
  );
  const query = parametersIn(document, operation, "query").flatMap(({ name, schema, required }) => {
    const value = values[name] ?? (schema["examples"] as unknown[] | undefined)?.[0] ?? (required ? "none" : undefined);
    return value === undefined ? [] : [[name, typeof value === "string" ? value : JSON.stringify(value)]];
  });
  const schema = bodySchema(document, operation);
  return {
    name: "its examples",
    path: query.length === 0 ? path : `${path}?${new URLSearchParams(query).toString()}`,
    headers: key(operation),
    ...(schema && { body: bodyOf(schema, known) }),
  };
}

/** Variants of the body: the least, broken ones, one without each required field, one with each field of another type. */
function ofBody(asked: Asked, { properties, required }: Properties): Asked[] {
  const body = asked.body as Fields;
  const without = (name: string) => Object.fromEntries(Object.entries(body).filter(([other]) => other !== name));
  const least = Object.fromEntries(Object.entries(body).filter(([name]) => required.includes(name)));
  return [
    { ...asked, name: "what is required", body: least },
    { ...asked, name: "broken JSON", body: "{" },
    { ...asked, name: "a list", body: "[]" },
    { ...asked, name: "a form", body: "a=b", headers: { ...asked.headers, "content-type": "text/plain" } },
    ...required.map((name) => ({ ...asked, name: `without ${name}`, body: without(name) })),
    ...Object.entries(properties)
      .filter(([name]) => name !== "apiKey")
      .map(([name, schema]) => ({
        ...asked,
        name: `${name} of another type`,
        body: { ...body, [name]: ofOtherType(schema) },
      })),
  ];
}

/** Variants of the parameters: none, each number below its minimum, and each as a text that no schema expects. */
function ofQuery(asked: Asked, parameters: readonly Parameter[], isSlow: boolean): Asked[] {
  const [path = "", query = ""] = asked.path.split("?");
  const set = (name: string, value: string) => {
    const others = new URLSearchParams(query);
    others.delete(name);
    return `${path}?${[others.toString(), `${name}=${value}`].filter((part) => part !== "").join("&")}`;
  };
  const none =
    isSlow || parameters.some(({ required }) => required) ? [] : [{ ...asked, name: "without parameters", path }];
  return [
    ...none,
    ...parameters.flatMap(({ name, schema: { minimum } }) =>
      typeof minimum === "number"
        ? [{ ...asked, name: `${name} below its minimum`, path: set(name, String(minimum - 1)) }]
        : [],
    ),
    ...parameters.map(({ name }) => ({ ...asked, name: `${name} of half a character`, path: set(name, "%25%FF") })),
  ];
}

/** Every request for an operation, the one with its examples first. */
export function requestsFor(operation: Operation, asking: Asking): Asked[] {
  const { document } = asking;
  const asked = example(operation, asking);
  const schema = bodySchema(document, operation);
  const types = Object.keys(resolved<{ content?: object }>(document, operation.responses["200"] ?? {}).content ?? {});
  const parameters = parametersIn(document, operation, "query");
  const once = parametersIn(document, operation, "header").some(({ name }) => name === "Idempotency-Key");
  const withKey = { ...asked, headers: { ...asked.headers, "idempotency-key": `drift-${operation.operationId}` } };
  const unknown = operation.path.replaceAll(/\{\w+\}/gu, "none");
  return [
    asked,
    ...types.map((type) => ({ ...asked, name: `as ${type}`, headers: { ...asked.headers, accept: type } })),
    { ...asked, name: "without a key", headers: {} },
    { ...asked, name: "with another key", headers: { authorization: "Bearer none", "x-api-key": "none" } },
    ...(unknown === operation.path ? [] : [{ ...asked, name: "for what is unknown", path: unknown }]),
    ...(schema ? ofBody(asked, schema) : []),
    ...ofQuery(asked, parameters, asking.values !== undefined),
    ...(once
      ? [
          { ...withKey, name: "with an Idempotency-Key" },
          { ...withKey, name: "with the same Idempotency-Key" },
          { ...asked, name: "with a bad Idempotency-Key", headers: { ...asked.headers, "idempotency-key": "a b" } },
        ]
      : []),
  ];
}

const ENDS = /\/(?:close|keep|expire|rotate|revoke|cancel)$/u;
const ORDER = ["POST", "GET", "PUT", "PATCH", "DELETE"];

/** Where an operation stands in the order of a run: what makes something comes first, and what ends it last. */
export function rankOf({ method, path }: Operation): number {
  if (method === "DELETE") return 20 - path.split("/").length / 100;
  if (ENDS.test(path)) return 10;
  return ORDER.indexOf(method) + path.split("/").length / 100;
}
