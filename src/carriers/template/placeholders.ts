import type { CarrierSecrets } from "../../model/carrier/carrier.ts";
import { isGsm } from "../../text/segments.ts";
import type { Outgoing } from "../carrier.ts";

// Placeholders of the kind `template` (contract §16.3): `{to}` in a text of the operator's stands for a value of the
// message. A text is taken apart once, before any value is known, so that nothing in a value is ever filled in again.

const NAMES = [
  "ref",
  "to",
  "to_digits",
  "to10",
  "text",
  "sender",
  "flash",
  "unicode",
  "operation",
  "dlt_entity",
  "dlt_template",
  "dlt_category",
  "callback_url",
] as const;

type Name = (typeof NAMES)[number];

/** The name of a secret, in a placeholder and in the carrier's secrets. */
export const SECRET_NAME = /^[a-z0-9_]{1,32}$/u;

/** Where a text stands, which decides how values are written in it. */
export type Place = "address" | "query" | "form" | "header" | "json";

type Part = { literal: string } | { value: Name } | { secret: string };

/** A text with its placeholders, taken apart. */
export type Pattern = readonly Part[];

/** The values of one message. */
export interface Values {
  named: Readonly<Record<Name, string>>;
  secrets: CarrierSecrets;
}

const isName = (text: string): text is Name => (NAMES as readonly string[]).includes(text);

/** Takes a text apart; a brace that opens neither a known placeholder nor `{{` is an error, returned as a sentence. */
export function patternOf(text: string): Pattern | string {
  const parts: Part[] = [];
  let literal = "";
  let at = 0;
  for (let brace = text.indexOf("{"); brace >= 0; brace = text.indexOf("{", at)) {
    literal += text.slice(at, brace);
    if (text[brace + 1] === "{") {
      literal += "{";
      at = brace + 2;
      continue;
    }
    const end = text.indexOf("}", brace);
    const name = end < 0 ? "" : text.slice(brace + 1, end);
    const secret = name.startsWith("secret.") ? name.slice("secret.".length) : null;
    if (secret === null ? !isName(name) : !SECRET_NAME.test(secret)) {
      const shown = text.slice(brace, end < 0 ? brace + 20 : Math.min(end + 1, brace + 60));
      return `${shown} is no placeholder; a brace is written {{.`;
    }
    if (literal !== "") parts.push({ literal });
    literal = "";
    if (secret !== null) parts.push({ secret });
    else if (isName(name)) parts.push({ value: name });
    at = end + 1;
  }
  literal += text.slice(at);
  if (literal !== "") parts.push({ literal });
  return parts;
}

/** The pattern of a text that was checked when the carrier was set up. */
export function checkedPattern(text: string): Pattern {
  const pattern = patternOf(text);
  if (typeof pattern === "string") throw new Error(`Unchecked template: ${pattern}`);
  return pattern;
}

/** The names of the secrets in a pattern. */
export const secretsIn = (pattern: Pattern): string[] =>
  pattern.flatMap((part) => ("secret" in part ? [part.secret] : []));

/** The values of a message. */
export function valuesOf(message: Outgoing, callbackUrl: string, secrets: CarrierSecrets): Values {
  const digits = message.to.replace(/^\+/u, "");
  const text = message.text ?? "";
  const named = {
    ref: message.ref,
    to: message.to,
    to_digits: digits,
    to10: digits.slice(-10),
    text,
    sender: message.content.sender ?? "",
    flash: message.content.flash === true ? "1" : "0",
    unicode: [...text].every(isGsm) ? "0" : "1",
    operation: message.operation,
    dlt_entity: message.dlt?.entityId ?? "",
    dlt_template: message.dlt?.templateId ?? "",
    dlt_category: message.dlt?.category ?? "",
    callback_url: callbackUrl,
  };
  return { named, secrets };
}

/** Percent-encoded UTF-8; half of a surrogate pair, which no encoding can write, becomes U+FFFD. */
const percent = (value: string): string => encodeURIComponent(value.toWellFormed());

/** A header's value (RFC 9110 §5.5): no line breaks; what is not visible ASCII or a space is percent-encoded. */
const inHeader = (value: string): string => value.replaceAll(/[\r\n]/gu, "").replaceAll(/[^ -~]+/gu, percent);

/** How a value is written in each place; JSON's own quoting is done when the whole body is written. */
const WRITTEN: Record<Place, (value: string) => string> = {
  address: percent,
  query: percent,
  form: percent,
  header: inHeader,
  json: (value) => value.toWellFormed(),
};

/** How the operator's own text is written there: an address is one already, and a header may hold no line breaks. */
const LITERAL: Record<Place, (text: string) => string> = { ...WRITTEN, address: (text) => text };

/** The text with its values, written for its place. */
export function filled(pattern: Pattern, { named, secrets }: Values, place: Place): string {
  const pieces = pattern.map((part) => {
    if ("literal" in part) return LITERAL[place](part.literal);
    return WRITTEN[place]("value" in part ? named[part.value] : (secrets[part.secret] ?? ""));
  });
  return pieces.join("");
}
