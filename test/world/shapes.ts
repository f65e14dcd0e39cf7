// The shapes of values that cross between two versions of the service: which fields there are, of which types.

/** Fields whose few values are words of the protocol: their values count, not only their type. */
const WORDS = new Set(["kind", "state", "reason", "lane", "mode", "operation", "status", "type", "on"]);

/** What stands at one place, over all examples: its types or words, how many have it, and how many are objects. */
interface Seen {
  types: string[];
  count: number;
  objects: number;
}

/** A shape: what stands at each place, such as `jobs[].messages[].to`. */
export type Shape = Record<string, Seen>;

const isBytes = (value: unknown): boolean => value instanceof ArrayBuffer || ArrayBuffer.isView(value);

function typeOf(value: unknown, name: string): string {
  if (value === null || value === undefined) return "null";
  if (isBytes(value)) return "bytes";
  if (Array.isArray(value)) return "list";
  return typeof value === "string" && WORDS.has(name) ? `"${value}"` : typeof value;
}

/** Adds an example to a shape. */
export function addTo(shape: Shape, place: string, value: unknown): void {
  const type = typeOf(value, place.split(".").at(-1) ?? "");
  const seen = (shape[place] ??= { types: [], count: 0, objects: 0 });
  seen.count += 1;
  if (!seen.types.includes(type)) seen.types.push(type);
  if (type === "list") for (const one of value as unknown[]) addTo(shape, `${place}[]`, one);
  if (type !== "object") return;
  seen.objects += 1;
  for (const [name, inner] of Object.entries(value as object)) {
    // To its reader, a field that is undefined is not there.
    if (inner !== undefined) addTo(shape, `${place}.${name}`, inner);
  }
}

const parentOf = (place: string): string =>
  place.endsWith("[]") ? place.slice(0, -2) : place.slice(0, place.lastIndexOf("."));

/** Whether every example of the thing around it has it; of a list's elements: whether there are any. */
function isAlways(shape: Shape, place: string): boolean {
  const [around, here] = [shape[parentOf(place)], shape[place]];
  if (here === undefined || place.endsWith("[]")) return false;
  return around === undefined || here.count >= around.objects;
}

/**
 * What a reader who knows `known` would miss or misread in `given`: a field that was always there and is not always now,
 * and a type or word that it does not know. More fields are no fault.
 */
export function faultsBetween(known: Shape, given: Shape): string[] {
  return Object.entries(known).flatMap(([place, { types }]) => {
    const now = given[place];
    if (now === undefined) return isAlways(known, place) && parentOf(place) in given ? [`${place} is missing`] : [];
    const faults = now.types.filter((type) => !types.includes(type)).map((type) => `${place} is ${type}`);
    if (isAlways(known, place) && !isAlways(given, place)) faults.push(`${place} is not always there`);
    return faults;
  });
}
