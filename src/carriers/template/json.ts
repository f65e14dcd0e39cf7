// JSON of carriers, whose values are compared as texts.

/** An id of 19 digits would lose its last ones as a number. */
const exact = (_: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === "number" ? (context?.source ?? String(value)) : value;

/** A JSON text in which each number is the text that stood there; undefined where it is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text, exact) as unknown;
  } catch {
    return undefined;
  }
}

/** What stands at a dotted path, such as `messages.0.status`, as text; null where no text, number, boolean or JSON null does. */
export function textAt(json: unknown, path: string): string | null {
  let value = json;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Record<string, unknown>)[name];
  }
  if (typeof value === "string") return value;
  return typeof value === "boolean" || value === null ? String(value) : null;
}
