import type { CarrierSecrets } from "../../model/carrier/carrier.ts";
import { checkedPattern, filled, patternOf, secretsIn } from "./placeholders.ts";
import type { Pattern, Place, Values } from "./placeholders.ts";
import type { Json, TemplateSettings } from "./settings.ts";

// The request of the kind `template`: address, query, headers and body, each with its placeholders.

type Entries = readonly (readonly [string, Pattern])[];

/** A JSON body whose strings are patterns; null, numbers and booleans stand as they are. */
type Body =
  | { kind: "text"; pattern: Pattern }
  | { kind: "list"; of: Body[] }
  | { kind: "object"; of: [string, Body][] }
  | { kind: "as_is"; value: number | boolean | null };

/** A request whose texts are taken apart. */
export interface Compiled {
  url: Pattern;
  query: Entries;
  headers: Entries;
  body: { type: "json"; of: Body } | { type: "form"; of: Entries } | null;
}

/** What is sent for one message. */
export interface Filled {
  url: string;
  headers: Record<string, string>;
  body?: string;
}

const entriesOf = (texts: Readonly<Record<string, string>>): Entries =>
  Object.entries(texts).map(([name, text]) => [name, checkedPattern(text)] as const);

function bodyOf(value: Json): Body {
  if (typeof value === "string") return { kind: "text", pattern: checkedPattern(value) };
  if (value === null || typeof value !== "object") return { kind: "as_is", value };
  if (Array.isArray(value)) return { kind: "list", of: value.map(bodyOf) };
  return { kind: "object", of: Object.entries(value).map(([name, one]) => [name, bodyOf(one)]) };
}

/** Takes the texts of checked settings apart. */
export function compiled({ url, query, headers, body, body_type }: TemplateSettings): Compiled {
  const form = () => entriesOf(body as Record<string, string>);
  const json = () => bodyOf(body as Json);
  return {
    url: checkedPattern(url),
    query: entriesOf(query),
    headers: entriesOf(headers),
    body:
      body === undefined ? null : body_type === "form" ? { type: "form", of: form() } : { type: "json", of: json() },
  };
}

/** `name=value` pairs; an entry that comes out empty is left out. */
function pairs(entries: Entries, values: Values, place: Place): string {
  const written = entries.map(([name, pattern]) => [encodeURIComponent(name), filled(pattern, values, place)]);
  return written
    .filter(([, value]) => value !== "")
    .map((pair) => pair.join("="))
    .join("&");
}

/** The JSON value; undefined where it comes out empty, and is left out. */
function jsonOf(body: Body, values: Values): Json | undefined {
  switch (body.kind) {
    case "text":
      return filled(body.pattern, values, "json") || undefined;
    case "as_is":
      return body.value;
    case "list": {
      const of = body.of.map((one) => jsonOf(one, values)).filter((one) => one !== undefined);
      return of.length > 0 ? of : undefined;
    }
    case "object": {
      const of = body.of.flatMap(([name, one]) => {
        const value = jsonOf(one, values);
        return value === undefined ? [] : [[name, value] as const];
      });
      return of.length > 0 ? Object.fromEntries(of) : undefined;
    }
  }
}

/** Segments that a URL's path loses, with the one before: percent-encoding them changes nothing (WHATWG URL §4.1). */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?=[/?]|$)/iu;

/** The request for one message; null where a value would turn the address into another path. */
export function requestOf({ url, query, headers, body }: Compiled, values: Values): Filled | null {
  const address = filled(url, values, "address");
  if (DOT_SEGMENT.test(address.split("?", 1)[0] ?? "")) return null;
  const asked = pairs(query, values, "query");
  const sent: Record<string, string> = {};
  if (body) sent["content-type"] = body.type === "json" ? "application/json" : "application/x-www-form-urlencoded";
  for (const [name, pattern] of headers) {
    const value = filled(pattern, values, "header").trim();
    if (value !== "") sent[name.toLowerCase()] = value;
  }
  const separator = address.includes("?") ? "&" : "?";
  const text =
    body?.type === "form" ? pairs(body.of, values, "form") : body && JSON.stringify(jsonOf(body.of, values) ?? {});
  return {
    url: asked === "" ? address : `${address}${separator}${asked}`,
    headers: sent,
    ...(text !== null && text !== undefined && { body: text }),
  };
}

/** Every text with placeholders, by its path in the settings. */
function* textsOf({ url, query, headers, body }: TemplateSettings): Generator<[string, string]> {
  yield ["settings.url", url];
  for (const [name, text] of Object.entries(query)) yield [`settings.query.${name}`, text];
  for (const [name, text] of Object.entries(headers)) yield [`settings.headers.${name}`, text];
  if (body !== undefined) yield* stringsIn("settings.body", body);
}

function* stringsIn(path: string, value: Json): Generator<[string, string]> {
  if (typeof value === "string") yield [path, value];
  else if (Array.isArray(value)) for (const [nth, one] of value.entries()) yield* stringsIn(`${path}[${nth}]`, one);
  else if (value !== null && typeof value === "object") {
    for (const [name, one] of Object.entries(value)) yield* stringsIn(`${path}.${name}`, one);
  }
}

/** What is wrong with the placeholders, with the path of the text or of the secret that is missing. */
export function placeholderFault(settings: TemplateSettings, secrets: CarrierSecrets) {
  for (const [param, text] of textsOf(settings)) {
    const pattern = patternOf(text);
    if (typeof pattern === "string") return { param, error: pattern };
    const missing = secretsIn(pattern).find((name) => !Object.hasOwn(secrets, name));
    if (missing !== undefined) return { param: `secrets.${missing}`, error: `${param} needs the secret ${missing}.` };
  }
  return null;
}
