import * as z from "zod";

// JSON Schema (2020-12) from the schemas that the service checks with.

/** JSON Schema, as OpenAPI 3.1 embeds it. */
export type JsonSchema = { [keyword: string]: unknown };

/** Whether this is `optional(…)` of src/http/fields.ts, for which null is the same as absent. */
function takesNullAsAbsent(schema: unknown): boolean {
  if (!(schema instanceof z.ZodPipe) || !(schema.out instanceof z.ZodTransform)) return false;
  return schema.in instanceof z.ZodOptional && schema.in.unwrap() instanceof z.ZodNullable;
}

/** Replaces `anyOf` by its only part. */
function unwrap(schema: JsonSchema, part: JsonSchema): void {
  delete schema["anyOf"];
  for (const [keyword, value] of Object.entries(part)) schema[keyword] ??= value;
}

const isConst = (part: JsonSchema) => "const" in part;

function simplify({ zodSchema, jsonSchema: schema }: { zodSchema: z.core.$ZodType; jsonSchema: JsonSchema }): void {
  // Zod drops these from what it transforms; here they describe what is sent.
  const { examples, default: usual } = (z.globalRegistry.get(zodSchema) ?? {}) as JsonSchema;
  if (examples !== undefined) schema["examples"] = examples;
  if (usual !== undefined) schema["default"] = usual;
  const parts = schema["anyOf"] as JsonSchema[] | undefined;
  if (parts && takesNullAsAbsent(zodSchema)) {
    const [part, ...more] = parts.filter((one) => one["type"] !== "null");
    if (part && more.length === 0) unwrap(schema, part);
  } else if (parts?.length === 1 && parts[0]) unwrap(schema, parts[0]);
  if (parts?.every(isConst)) {
    const values = parts.map((part) => part["const"]);
    unwrap(schema, { type: values.every(Number.isInteger) ? "integer" : typeof values[0], enum: values });
  }
  // JavaScript's own limits say nothing about the value.
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
}

/** The same for a reply, which may have fields that this document does not know yet. */
function opened(context: Parameters<typeof simplify>[0]): void {
  simplify(context);
  if (context.jsonSchema["additionalProperties"] === false) delete context.jsonSchema["additionalProperties"];
}

/** Collects the schemas that have an id, which OpenAPI keeps as components. */
export class Schemas {
  readonly components: Record<string, JsonSchema> = {};

  /** A schema of what is sent (`input`) or replied (`output`); one with an id becomes a component. */
  of(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const made = z.toJSONSchema(schema, { io, target: "draft-2020-12", override: io === "input" ? simplify : opened });
    const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/');
    const { $schema: _, $defs = {}, ...own } = JSON.parse(text) as JsonSchema;
    for (const [name, part] of Object.entries($defs as Record<string, JsonSchema>)) this.#add(name, part);
    const { id, ...rest } = own;
    if (typeof id !== "string") return rest;
    this.#add(id, rest);
    return { $ref: `#/components/schemas/${id}` };
  }

  #add(name: string, { ...schema }: JsonSchema): void {
    delete schema["id"];
    const known = this.components[name];
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`Two different schemas have the id ${name}.`);
    }
    this.components[name] = schema;
  }
}
