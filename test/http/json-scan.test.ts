import * as fc from "fast-check";
import { expect, it } from "vitest";
import { JSON_DEPTH_MAX, scanJson } from "../../src/http/json-scan.ts";

/** Levels of lists and objects in a value. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** The string under `apiKey` of an object, as a program reads it. */
function keyOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { apiKey } = value as { apiKey?: unknown };
  return typeof apiKey === "string" ? apiKey : null;
}

const tree = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    fc.oneof(fc.string({ unit: fc.constantFrom('"', "\\", "[", "{", "}", ":", "a", "क") }), fc.constant(5)),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("apiKey", '"apiKey":', "a\\", "b"), tie("value"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value;

/** A value inside lists and objects, as many as are allowed and more. */
const wrapped = fc
  .tuple(tree, fc.array(fc.boolean(), { maxLength: JSON_DEPTH_MAX + 4, size: "max" }))
  .map(([value, wraps]) => wraps.reduce((inner: unknown, list) => (list ? [inner] : { inner }), value));

/** An object that may have a key of its own, as a request has. */
const keyed = fc.record({ a: tree, apiKey: fc.oneof(fc.string(), tree) }, { requiredKeys: [], noNullPrototype: true });

const spaced = fc.constantFrom("", " ", "\n\t ");

it("finds the same key as JSON.parse, and no text that is nested too deep", () => {
  let tooDeep = 0;
  let keys = 0;
  fc.assert(
    fc.property(fc.oneof(tree, wrapped, keyed), spaced, (value, space) => {
      const text = space + JSON.stringify(value, null, space);
      const scanned = scanJson(text, "apiKey");
      expect(scanned.tooDeep).toBe(depthOf(value) > JSON_DEPTH_MAX);
      if (!scanned.tooDeep) expect(scanned.found).toBe(keyOf(JSON.parse(text)));
      tooDeep += Number(scanned.tooDeep);
      keys += Number(scanned.found !== null);
    }),
    { numRuns: 2_000 },
  );
  expect(tooDeep).toBeGreaterThan(50);
  expect(keys).toBeGreaterThan(50);
});

it.each([
  ['{"apiKey":"a","apiKey":"b"}', "b"],
  ['{"apiKey":"a","apiKey":null}', null],
  ['{"\\u0061piKey" : "\\u0061"}', "a"],
  ['{"apiKey"\n:\t"a\\"b"}', 'a"b'],
  ['{"x":"apiKey","y":"a"}', null],
  ['{"x":{"apiKey":"a"}}', null],
  ['{"x":[{"apiKey":"a"}],"apiKey":"b"}', "b"],
])("reads the key of %s", (text, key) => {
  expect(scanJson(text, "apiKey")).toEqual({ tooDeep: false, found: key });
  expect(keyOf(JSON.parse(text))).toBe(key);
});

it.each(["", "{", '{"apiKey', '{"apiKey"', '{"apiKey":', '{"apiKey":"', '{"apiKey":"\\', '{"apiKey":"\\x"}', "]]]["])(
  "finds no key in %j",
  (text) => expect(scanJson(text, "apiKey")).toEqual({ tooDeep: false, found: null }),
);
