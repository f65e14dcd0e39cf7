import type { Header, OpenApi, OperationObject, Parameter } from "../../openapi/types.ts";
import type { Lang } from "../lang.ts";
import { docsWords } from "../words/docs.ts";
import type { Block } from "./block.ts";
import { fieldsOf, jsonSchemaOf, limitsOf, typeOf } from "./document.ts";
import type { FieldView } from "./document.ts";
import type { Reader } from "./reader.ts";

// The parts of which the pages of operations and WebSockets are made.

export const codeOf = (text: string) => `\`${text}\``;

/** A table of fields; what the document says is English. What a reply always has needs no mark. */
export function fieldTable(fields: readonly FieldView[], { lang }: Reader, of: "request" | "reply"): Block {
  const t = docsWords[lang];
  const rows = fields.map(({ name, required, part, type }) => [
    codeOf(name) + (required && of === "request" ? ` **${t.required}**` : ""),
    type,
    [part.description ?? "", limitsOf(part)].filter((text) => text !== "").join(" · "),
  ]);
  return { kind: "table", head: [t.field, t.type, t.meaning], rows, english: true };
}

export const heading = (text: string, id: string): Block => ({ kind: "heading", level: 2, text, id });

/** The parameters in an address, with their heading; nothing where there are none. */
export function parameterTable(parameters: readonly Parameter[], reader: Reader): Block[] {
  const views = parameters.flatMap(({ name, description, required, schema: own }) =>
    fieldsOf(reader.document, {
      properties: { [name]: { ...own, ...(description !== undefined && { description }) } },
    }).map((view) => ({ ...view, required: required === true })),
  );
  if (views.length === 0) return [];
  return [heading(docsWords[reader.lang].query, "parameters"), fieldTable(views, reader, "request")];
}

/** A table of headers; what the document says is English. */
export function headerTable(headers: readonly (readonly [string, Header | Parameter])[], reader: Reader): Block {
  const t = docsWords[reader.lang];
  const rows = headers.map(([name, { description = "", schema }]) => [
    codeOf(name),
    typeOf(reader.document, schema),
    description,
  ]);
  return { kind: "table", head: [t.header, t.type, t.meaning], rows, english: true };
}

/** What says where the key of a request is. */
type Keyed = Pick<OperationObject, "security" | "requestBody">;

/** Where the key goes, as a sentence. */
export function keyText({ security, requestBody }: Keyed, document: OpenApi, lang: Lang): string {
  const t = docsWords[lang];
  const places = security.map((one) => {
    const { type, name } = document.components.securitySchemes[Object.keys(one)[0] ?? ""] ?? {};
    if (type === "http") return "`Authorization: Bearer`";
    if (name !== undefined) return codeOf(name);
    return jsonSchemaOf(requestBody?.content) ? "`apiKey` (body)" : null;
  });
  const known = places.filter((place) => place !== null);
  return known.length === 0 ? t.noKey : `${t.keyIn} ${known.join(` ${t.keyOrOther} `)}.`;
}

/** The statuses of refusals with their codes, each a link to what it means. */
export function refusals(
  { "x-error-codes": found }: Pick<OperationObject, "x-error-codes">,
  { lang, document }: Reader,
): Block[] {
  const t = docsWords[lang];
  const byStatus = Map.groupBy(found, (code) => document["x-status-of-code"][code] ?? 0);
  const rows = [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, codes]) => [
      String(status),
      codes.map((code) => `[${codeOf(code)}](/docs/errors#${code})`).join(", "),
    ]);
  return rows.length === 0 ? [] : [heading(t.refusals, "refusals"), { kind: "table", head: [t.status, t.codes], rows }];
}

/** Where the key of the samples comes from. */
export function keyNote({ lang, testKey, signedIn }: Reader): Block {
  const t = docsWords[lang];
  const text = testKey === null ? `${t.keyFromVariable} ${signedIn ? t.noTestKey : t.signInForKey}` : t.yourKey;
  return { kind: "text", text };
}
