import { OTHER_FIELDS } from "../model/requests/refused.ts";
import { codePoints } from "../text/code-points.ts";

// What a request's log says of its fields: their names and types, never a value (contract §13).

/** Fields that are named; more are counted together. */
const FIELDS_MAX = 20;
const NAME_LENGTH_MAX = 40;

/** A name as programs give them. One with several digits in a row may be a number or a code. */
const isName = (name: string) =>
  name.length <= NAME_LENGTH_MAX && /^[A-Za-z_$][\w$.-]*$/u.test(name) && !/\d{3}/u.test(name);

/** The type of a value, with its size: `string(5)`, `list(3)`, `object(2)`, `number`, `boolean` or `null`. */
function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return `string(${codePoints(value)})`;
  if (Array.isArray(value)) return `list(${value.length})`;
  if (typeof value === "object") return `object(${Object.keys(value).length})`;
  return typeof value;
}

/** The names and types of an object's fields; of anything else, nothing. */
export function fieldTypes(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  const entries = Object.entries(value);
  const named = entries.filter(([name]) => isName(name)).slice(0, FIELDS_MAX);
  const types = named.map(([name, field]): [string, string] => [name, typeOf(field)]);
  const others = entries.length - named.length;
  if (others > 0) types.push([OTHER_FIELDS, String(others)]);
  return Object.fromEntries(types);
}
