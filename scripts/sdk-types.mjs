// TypeScript's types from JSON Schema, as the API's document uses it.

/** Room for the text of a line of a comment. */
const WIDTH = 112;

/** A paragraph in lines of at most `WIDTH` characters, but for longer words. */
function wrapped(paragraph) {
  const lines = [""];
  for (const word of paragraph.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** A comment above a declaration, or nothing. */
export function words(text) {
  if (!text) return "";
  const lines = text.replaceAll("*/", "* /").split("\n").flatMap(wrapped);
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}

const nameIn = (ref) => ref.split("/").at(-1);
const unionOf = (types) => [...new Set(types)].join(" | ");
const inParentheses = (type) => (type.includes(" | ") || type.includes(" & ") ? `(${type})` : type);
const isIdentifier = (name) => /^[A-Za-z_]\w*$/u.test(name);

function objectType(schema, options) {
  const { properties, additionalProperties } = schema;
  if (properties) return `{\n${fieldsOf(schema, options).join("\n")}\n}`;
  const values = typeof additionalProperties === "object" ? typeOf(additionalProperties, options) : "unknown";
  return `Record<string, ${values}>`;
}

function plainType(type, schema, options) {
  switch (type) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return type;
    case "array":
      return `${options.sent ? "readonly " : ""}${inParentheses(typeOf(schema.items ?? {}, options))}[]`;
    case "object":
      return objectType(schema, options);
    default:
      return "unknown";
  }
}

/**
 * The type of what fits a schema; `sent` if the caller passes it, so that its arrays may be read-only ones. `names` has the
 * names of unions that are declared elsewhere, by their values as JSON.
 */
export function typeOf(schema, options = {}) {
  if (schema.$ref) return nameIn(schema.$ref);
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts) return unionOf(parts.map((part) => typeOf(part, options)));
  if (schema.allOf) return schema.allOf.map((part) => inParentheses(typeOf(part, options))).join(" & ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const named = options.names?.get(JSON.stringify(schema.enum));
  if (schema.enum) return named ?? unionOf(schema.enum.map((value) => JSON.stringify(value)));
  return unionOf([schema.type].flat().map((type) => plainType(type, schema, options)));
}

/** The lines of an interface's fields; without `apiKey`, which the client sends as a header. */
export function fieldsOf(schema, options = {}) {
  const needed = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => !(options.sent && name === "apiKey"));
  return fields.map(([name, field]) => {
    const key = isIdentifier(name) ? name : JSON.stringify(name);
    const type = typeOf(field, options);
    return `${words(field.description)}${key}${needed.has(name) ? "" : "?"}: ${type}${needed.has(name) ? "" : " | undefined"};`;
  });
}

/** The types of a body whose other fields are those of the operation that one of its fields names; null for any other. */
export function typesByKind({ properties = {} }, bodyOf) {
  const [name] = Object.entries(properties).find(([, field]) => field["x-fields-of"]) ?? [];
  if (!name) return null;
  const { enum: values, "x-fields-of": operations } = properties[name];
  return values.map((kind) => `({ ${name}: ${JSON.stringify(kind)} } & ${bodyOf(operations[kind])})`);
}

/** Every name that a schema refers to. */
const refsIn = (schema) =>
  [...JSON.stringify(schema ?? null).matchAll(/"\$ref":"([^"]+)"/gu)].map(([, ref]) => nameIn(ref));

/** The declarations of all components that these schemas use, directly or not. */
export function declarations(components, used, options) {
  const names = new Set();
  const queue = used.flatMap(refsIn);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (names.has(name)) continue;
    names.add(name);
    queue.push(...refsIn(components[name]));
  }
  return [...names]
    .toSorted((one, other) => one.localeCompare(other, "en"))
    .flatMap((name) => {
      const schema = components[name];
      const about = words(schema.description);
      if (schema.type === "object" && schema.properties) {
        return [`${about}export interface ${name} {`, ...fieldsOf(schema, options), "}", ""];
      }
      return [`${about}export type ${name} = ${typeOf(schema, options)};`, ""];
    });
}
