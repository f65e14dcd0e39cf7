import type { JsonSchema } from "../../openapi/schemas.ts";
import type { OpenApi, OperationObject, Parameter, Ref } from "../../openapi/types.ts";
import type { Json } from "../../samples/sample.ts";

// The API's document as the pages read it: operations, schemas without references, types in words, examples.

/** An operation with its method and address. */
export interface Operation {
  method: string;
  path: string;
  /** The setting with the address of its base: `SMS_URL`. */
  server: string;
  op: OperationObject;
}

const operations = new WeakMap<OpenApi, readonly Operation[]>();

/** Every operation, grouped by tag in the document's order. */
export function operationsOf(document: OpenApi): readonly Operation[] {
  const known = operations.get(document) ?? listed(document);
  operations.set(document, known);
  return known;
}

function listed(document: OpenApi): Operation[] {
  const all = Object.entries(document.paths).flatMap(([path, { servers, ...methods }]) =>
    Object.entries(methods).map(([method, op]) => ({
      method: method.toUpperCase(),
      path,
      server: servers[0]?.description ?? "",
      op,
    })),
  );
  const order = document.tags.map(({ name }) => name);
  const placeOf = ({ op }: Operation) => order.indexOf(op.tags[0] ?? "");
  // Short paths first: the usual operation before its variants, a list before its items.
  return all.toSorted((a, b) => placeOf(a) - placeOf(b) || a.path.length - b.path.length);
}

const isRef = (value: object): value is Ref => "$ref" in value;

/** What a reference of the document stands for; anything else as it is. */
export function resolved<T extends object>(document: OpenApi, value: T | Ref): T {
  let found: unknown = value;
  while (typeof found === "object" && found !== null && isRef(found)) {
    const parts = found.$ref.slice("#/".length).split("/");
    found = parts.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document);
  }
  return found as T;
}

/** The parameters of an operation that are in one place. */
export const parametersIn = (document: OpenApi, op: OperationObject, place: Parameter["in"]): Parameter[] =>
  (op.parameters ?? []).map((one) => resolved(document, one)).filter((one) => one.in === place);

/** The schema of a JSON body or reply; undefined where there is none. */
export const jsonSchemaOf = (content: Record<string, { schema: JsonSchema }> | undefined): JsonSchema | undefined =>
  content?.["application/json"]?.schema;

/** The parts of a schema that pages show; the rest of JSON Schema is for validators. */
interface Part {
  type?: string | string[];
  description?: string;
  examples?: Json[];
  const?: Json;
  enum?: Json[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  default?: Json;
}

/** A schema, without references at its top, with what a reference adds beside itself. */
export function partOf(document: OpenApi, schema: JsonSchema): Part {
  const own = schema as Part;
  return "$ref" in schema ? { ...(resolved(document, schema) as Part), ...own } : own;
}

/** The type of a value in words. */
export function typeOf(document: OpenApi, schema: JsonSchema): string {
  const part = partOf(document, schema);
  if (part.const !== undefined) return JSON.stringify(part.const);
  if (part.enum) return part.enum.map((value) => JSON.stringify(value)).join(", ");
  if (part.anyOf) return part.anyOf.map((one) => typeOf(document, one)).join(" or ");
  if (part.oneOf) return [...new Set(part.oneOf.map((one) => typeOf(document, one)))].join(" or ");
  const types = [part.type ?? "any"].flat();
  return types
    .map((type) => (type === "array" && part.items ? `list of ${typeOf(document, part.items)}` : type))
    .join(" or ");
}

/** A range in words; nothing where it has no end that says something. */
function range(min: number | undefined, max: number | undefined, unit: string): string[] {
  if (max === undefined) return min === undefined || min === 0 ? [] : [`from ${min}${unit}`];
  return [min === undefined ? `at most ${max}${unit}` : `${min} to ${max}${unit}`];
}

/** What a value is limited to, as far as a description does not say it: `1 to 160 characters`. */
export function limitsOf({ minLength, maxLength, minimum, maximum, maxItems, default: usual }: Part): string {
  return [
    ...range(minLength, maxLength, " characters"),
    ...range(minimum, maximum, ""),
    ...range(undefined, maxItems, " items"),
    ...(usual === undefined ? [] : [`\`${JSON.stringify(usual)}\` if absent`]),
  ].join("; ");
}

/** Nested objects deeper than this are not opened; the document has them. */
const DEPTH_MAX = 4;

/** Whether a sample has a field: what is required, and what has an example that is right at any time. */
const isShown = (name: string, part: Part, required: readonly string[]): boolean =>
  name !== "apiKey" && (required.includes(name) || (part.examples !== undefined && part.format !== "date-time"));

/** The beginning of ids in their patterns: `msg_` of `^(msg|call)_[0-9A-Za-z]+$`. */
const BEGINNING = /^\^\(?([a-z]+)(?:\|[a-z]+)*\)?_/u;

/** An id as an example shows it, by its pattern: `msg_…`. */
function exampleId(pattern: string): string {
  const [, beginning] = BEGINNING.exec(pattern) ?? [];
  return beginning === undefined ? "…" : `${beginning}_…`;
}

/** An example of a value: the schema's own, or one made of those of its parts. */
export function exampleOf(document: OpenApi, schema: JsonSchema, depth = 0): Json {
  const part = partOf(document, schema);
  const [given] = part.examples ?? [];
  if (given !== undefined) return given;
  if (part.const !== undefined) return part.const;
  const [first] = part.enum ?? [];
  if (first !== undefined) return first;
  const some = (part.anyOf ?? part.oneOf)?.[0];
  if (some) return exampleOf(document, some, depth);
  const type = [part.type].flat()[0];
  if (type === "array") return part.items && depth < DEPTH_MAX ? [exampleOf(document, part.items, depth + 1)] : [];
  if (type === "object") {
    const fields = Object.entries(part.properties ?? {}).filter(([name, field]) =>
      isShown(name, partOf(document, field), part.required ?? []),
    );
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(document, field, depth + 1)]));
  }
  if (type === "integer" || type === "number") return part.minimum ?? 1;
  if (type === "boolean") return true;
  return type === "null" ? null : part.pattern === undefined ? "…" : exampleId(part.pattern);
}

/** A field with its place: `details.phone`, `data[].id`. */
export interface FieldView {
  name: string;
  required: boolean;
  part: Part;
  type: string;
}

/** The fields of alternatives together; one that several have is of all their types. */
function joined(views: readonly FieldView[]): FieldView[] {
  const byName = Map.groupBy(views, ({ name }) => name);
  return [...byName.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const types = new Set([first, ...others].map(({ type }) => type));
    return [{ ...first, type: [...types].join(", ") }];
  });
}

/** Every field of an object, those of objects inside it too. */
export function fieldsOf(document: OpenApi, schema: JsonSchema, before = "", depth = 0): FieldView[] {
  const { properties = {}, required = [], oneOf } = partOf(document, schema);
  if (oneOf) return joined(oneOf.flatMap((one) => fieldsOf(document, one, before, depth)));
  return Object.entries(properties).flatMap(([own, field]) => {
    const part = partOf(document, field);
    const name = before + own;
    const shown = { name, required: required.includes(own), part, type: typeOf(document, field) };
    if (depth >= DEPTH_MAX) return [shown];
    const inside = part.items
      ? fieldsOf(document, part.items, `${name}[].`, depth + 1)
      : fieldsOf(document, field, `${name}.`, depth + 1);
    return [shown, ...inside];
  });
}
