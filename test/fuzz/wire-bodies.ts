import { deflateSync, gzipSync } from "node:zlib";
import * as fc from "fast-check";
import type { Endpoint } from "./wire-endpoints.ts";

// Bodies as bytes: valid ones with a fault, or unrelated ones.

/** The maximum size of any body (contract §3). */
const CAP_BYTES = 10 * 1024 * 1024;
const DEPTH_MAX = 100_000;

export interface Body {
  bytes: Buffer;
  /** The Content-Type; null for the endpoint's usual one. */
  type: string | null;
}

/** Unexpected texts; wire-sweep.ts sends each of them in each field of each endpoint. */
export const ODD_TEXTS: readonly string[] = [
  ["", " ", "0", "-1", "1e9", "NaN", "null", "undefined", "true", "1.2.3", "9".repeat(400)],
  ["\u0000", "a\u0000b", "\u202Eabc", "\uFEFF", "\u{10FFFF}", "😀".repeat(80), "क".repeat(161), "\r\n\r\n"],
  ["<img src=x onerror=alert(1)>", "'; DROP TABLE person; --", "%", "%zz", "../..", "\\", "//evil", "{}"],
  ["__proto__", "constructor", "toString", "acc_", "msg_0", "key_00000000", "file_", "dsk_live_x"],
  ["live", "test", "starter", "sms", "bulk", "voice", "9876543210", "+14155550132", "2026-01-01T00:00:00Z"],
  ["+91 98765 43210", "098765-43210", "0091 9876543210", "(98765) 43210", "९८७६५४३२१०", "1,00,000.50", "₹ 500", "½"],
  [`/${"a".repeat(2_500)}`, `a@${"a.".repeat(900)}in`, "9876543210,".repeat(150), '"a b\n,'.repeat(250)],
  ["to:9876 -kind:otp", "cost:1..5", "before:x", '"open', "after:9999-99-99", "-".repeat(300), "a".repeat(20_000)],
].flat();

/** An unexpected text for a field. */
export const oddText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 200 }).map((text) => text.toWellFormed()) },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
);

const nested = (open: string, inner: string, close: string) => (depth: number) =>
  open.repeat(depth) + inner + close.repeat(depth);

const depth = fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.constantFrom(50_000, DEPTH_MAX));

/** Deeply nested JSON, closed or not. */
const deep = fc.oneof(
  depth.map(nested("[", "", "]")),
  depth.map(nested('{"a":', "1", "}")),
  depth.map(nested("[", "", "")),
  depth.map(nested('{"a":', "", "")),
  depth.map(nested('[{"a":', "0", "}]")),
);

/** JSON values as text, also ones that no serializer writes, such as escaped half characters. */
export const ODD_JSON: readonly string[] = [
  ODD_TEXTS.map((text) => JSON.stringify(text)),
  ["1e400", "-1e400", "-0", "5e-324", "9007199254740993", "0.1", "1E+2", "01", "+1", ".5", "9".repeat(4_000)],
  ['"\\ud800"', '"\\udc00x"', '"\\ud800\\ud800"', '"\\u0000"', '"\\ude00\\ud83d"', '"\\x"', '"', "'a'"],
  ["null", "true", "[]", "{}", "[null]", "[[]]", '["9876543210",5]', "NaN", "Infinity"],
  ['{"__proto__":{"success":true}}', '{"toString":1}', '{"length":5}', '{"0":1}'],
  [2_000, DEPTH_MAX].flatMap((levels) => [nested("[", "", "]")(levels), nested('{"a":', "1", "}")(levels)]),
].flat();

const oddJson = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...ODD_JSON) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 4 }) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 10_001 }).map((length) => JSON.stringify(Array(length).fill("9876543210"))),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 400_000 }).map((length) => `"${"a".repeat(length)}"`) },
  { weight: 1, arbitrary: deep },
);

type Entries = [string, string][];

export const objectText = (entries: Entries) => `{${entries.map(([name, value]) => `${name}:${value}`).join(",")}}`;

/** The fields as pairs of a name and JSON text. */
export const entriesOf = (fields: Record<string, unknown>): Entries =>
  Object.entries(fields).map(([name, value]) => [JSON.stringify(name), JSON.stringify(value)]);

/** The JSON text of these fields, as they are or with one change. */
function changedObject(fields: Record<string, unknown>): fc.Arbitrary<string> {
  const own = entriesOf(fields);
  const names = fc.constantFrom(...own.map(([name]) => name), '"apiKey"', '"extra"', '"__proto__"', '"\\ud800"', '""');
  const without = (name: string) => own.filter(([other]) => other !== name);
  return fc.oneof(
    { weight: 7, arbitrary: fc.constant(objectText(own)) },
    {
      weight: 6,
      arbitrary: fc.tuple(names, oddJson).map(([name, value]) => objectText([...without(name), [name, value]])),
    },
    { weight: 1, arbitrary: names.map((name) => objectText(without(name))) },
    // A repeated name: the last value counts, as in JSON.parse.
    { weight: 2, arbitrary: fc.tuple(names, oddJson).map(([name, value]) => objectText([[name, value], ...own])) },
    { weight: 1, arbitrary: fc.nat(objectText(own).length).map((length) => objectText(own).slice(0, length)) },
  );
}

/** Lengths around the maximum, in bytes. */
const nearCap = fc.constantFrom(CAP_BYTES - 1, CAP_BYTES, CAP_BYTES + 1, CAP_BYTES + 100_000);

const filledTo = (bytes: number) => {
  const start = '{"message":"';
  return `${start}${"a".repeat(bytes - start.length - 2)}"}`;
};

/** Text as bytes, in an encoding that clients may use by mistake. */
const inBytes = (text: string): fc.Arbitrary<Buffer> => {
  const plain = Buffer.from(text, "utf8");
  const middle = Math.floor(plain.length / 2);
  const split = (...bytes: number[]) =>
    Buffer.concat([plain.subarray(0, middle), Buffer.from(bytes), plain.subarray(middle)]);
  const wide = () => Buffer.from(text, "utf16le");
  const changed: (() => Buffer)[] = [
    () => Buffer.from(text, "latin1"),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain]),
    wide,
    () => Buffer.concat([Buffer.from([0xff, 0xfe]), wide()]),
    () => Buffer.concat([Buffer.from([0xfe, 0xff]), wide().swap16()]),
    // Invalid UTF-8: a surrogate, an overlong slash, an impossible byte, a truncated character; and a NUL.
    () => split(0xed, 0xa0, 0x80),
    () => split(0xc0, 0xaf),
    () => split(0xff),
    () => split(0xf0, 0x9f),
    () => split(0),
    () => gzipSync(plain),
    () => deflateSync(plain),
  ];
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(plain) },
    { weight: 1, arbitrary: fc.constantFrom(...changed).map((make) => make()) },
  );
};

const bytesOf = (text: fc.Arbitrary<string>, type: string | null = null): fc.Arbitrary<Body> =>
  text.chain(inBytes).map((bytes) => ({ bytes, type }));

/** A body that is unrelated to the endpoint. */
const anything: fc.Arbitrary<Body> = fc.oneof(
  bytesOf(fc.oneof(oddJson, deep, fc.constantFrom("", " ", "//", "{,}", '{"a":1,}', "{'a':1}", "\u2028", "a=1&b=2"))),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => ({ bytes: Buffer.from(bytes), type: null })),
);

const huge: fc.Arbitrary<Body> = nearCap.map((length) => ({ bytes: Buffer.from(filledTo(length)), type: null }));

export const MULTIPART = "multipart/form-data; boundary=x";

export const partText = ([name, value]: [string, string]) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

const filePart = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n\u0000\u0001\r\n';

/** A form in one of its encodings, with a fault. */
function changedForm(fields: Record<string, string>): fc.Arbitrary<Body> {
  const values = fc.tuple(
    ...Object.entries(fields).map(([name, own]) =>
      (name === "once" ? fc.stringMatching(/^\w{8,12}$/u) : fc.option(oddText, { nil: own, freq: 2 })).map(
        (value): [string, string] => [name, value],
      ),
    ),
  );
  const chosen = values.chain((entries) => fc.subarray(entries, { minLength: Math.floor(entries.length / 2) }));
  const query = chosen.map((entries) => new URLSearchParams(entries).toString());
  const parts = chosen.map((entries) => entries.map(partText).join(""));
  return fc.oneof(
    { weight: 4, arbitrary: bytesOf(query) },
    { weight: 1, arbitrary: query.map((text) => ({ bytes: Buffer.from(`%${text}&%zz=%&=&&`), type: null })) },
    { weight: 1, arbitrary: query.map((text) => ({ bytes: Buffer.from(`${text}&${text}`), type: null })) },
    {
      weight: 2,
      arbitrary: bytesOf(
        parts.map((text) => `${text}${filePart}--x--\r\n`),
        MULTIPART,
      ),
    },
    { weight: 1, arbitrary: bytesOf(parts, MULTIPART) },
    { weight: 1, arbitrary: bytesOf(oddText, MULTIPART) },
  );
}

const none: fc.Arbitrary<Body> = fc.constant({ bytes: Buffer.alloc(0), type: null });

/** A body for an endpoint; about one in a hundred has around the maximum size. */
export function bodyFor({ method, json, form, csv }: Endpoint): fc.Arbitrary<Body> {
  if (method === "GET") return fc.oneof({ weight: 9, arbitrary: none }, { weight: 1, arbitrary: anything });
  const file =
    csv === undefined
      ? null
      : fc.oneof(
          fc.constant(csv),
          oddText.map((text) => `${csv},${text}`),
        );
  const own = file ? bytesOf(file, "text/csv") : json ? bytesOf(changedObject(json)) : changedForm(form ?? {});
  return fc.oneof(
    { weight: 85, arbitrary: own },
    { weight: 10, arbitrary: anything },
    { weight: 4, arbitrary: none },
    { weight: 1, arbitrary: huge },
  );
}
