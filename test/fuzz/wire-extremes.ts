import { MULTIPART, partText } from "./wire-bodies.ts";
import type { Body } from "./wire-bodies.ts";
import type { Endpoint } from "./wire-endpoints.ts";
import { pathWith } from "./wire-sweep.ts";
import type { Plan } from "./wire-requests.ts";

// The most expensive bodies for each endpoint: nested deep, of many parts, and of long fields, below and above the limits
// of 64 KiB, 512 KiB, 1 MiB and 10 MiB.

const MIB = 1_048_576;
const ROOM = 60_000;

/** A piece repeated up to this many bytes. */
const upTo = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / piece.length));

/** Names that differ, each with this end. */
const names = (count: number, end: string) => Array.from({ length: count }, (_, at) => `a${at}${end}`);

/** Lists of recipients that made a parser slow, or that no person writes. */
const LISTS = [
  `a b,c d${upTo(",", ROOM / 4)}\n${upTo("a\n", ROOM / 4)}`,
  upTo("+91 98765-43210;", ROOM),
  upTo('"9876543210\n', ROOM),
  upTo("९८७६५४३२१०\n", ROOM / 8),
];

/** JSON with one of its values replaced. */
export function jsonBodies(fields: Record<string, unknown>): string[] {
  const [first = "extra"] = Object.keys(fields);
  const withValue = (value: string) => `${JSON.stringify({ ...fields, [first]: 0 }).slice(0, -1)},"${first}":${value}}`;
  return [
    withValue(`${upTo("[", 25_000)}${upTo("]", 25_000)}`),
    upTo("[", ROOM),
    upTo('{"a":', 3 * MIB),
    withValue(`[${upTo("1,", ROOM - 1_000)}1]`),
    withValue(`[${upTo('"",', 500_000)}""]`),
    `{${names(5_000, "")
      .map((name) => `"${name}":{}`)
      .join(",")}}`,
    withValue(`"${"a".repeat(ROOM)}"`),
    withValue(`"${"\\u0000".repeat(10_000)}"`),
    withValue(`"${"a".repeat(9 * MIB)}"`),
    `{"apiKey":"${"d".repeat(ROOM)}"}`,
  ];
}

const text = (body: string, type: string | null = null): Body => ({ bytes: Buffer.from(body), type });

/** A form, encoded in both ways, whose fields are long, or many. */
export function formBodies(fields: Record<string, string>): Body[] {
  const typed = (changed: Record<string, string>) => text(new URLSearchParams({ ...fields, ...changed }).toString());
  const own = Object.keys(fields).filter((name) => name !== "once");
  return [
    ...own.flatMap((name) => [typed({ [name]: "a".repeat(3_000) }), typed({ [name]: `/${"a@a.".repeat(12_000)}` })]),
    ...(own.includes("recipients") ? LISTS.map((recipients) => typed({ recipients })) : []),
    ...(own.includes("recipients") ? LISTS.map((list) => typed({ recipients: upTo(`${list}\n`, MIB / 2) })) : []),
    typed({ next: `/${"a".repeat(50_000)}` }),
    typed({ next: `/${"a".repeat(300_000)}` }),
    text(upTo("a=&", ROOM)),
    text(upTo("a=&", 9 * MIB)),
    text(names(8_000, "=").join("&")),
    text(
      `${names(1_200, "")
        .map((name) => partText([name, ""]))
        .join("")}--x--\r\n`,
      MULTIPART,
    ),
    text(upTo("--x\r\n", ROOM), MULTIPART),
    text(upTo("--x", 3 * MIB), MULTIPART),
  ];
}

/** A plan for each such body, half of which come in chunks without a declared length; with credentials, and without. */
export function extremesOf(endpoint: Endpoint, idFor: (name: string) => string): Plan[] {
  const { json, form, method, path, isApi } = endpoint;
  if (method === "GET" || method === "DELETE") return [];
  const bodies = json
    ? jsonBodies(json).map((body) => ({ bytes: Buffer.from(body), type: null }))
    : formBodies(form ?? {});
  return [...bodies, { bytes: Buffer.alloc(11 * MIB, " "), type: null }].flatMap((body, at) =>
    (["known", "nobody"] as const).map((sender): Plan => ({
      target: pathWith(path, idFor),
      body,
      fields: [],
      fault: null,
      sending:
        at % 2 === 1 && body.bytes.length < 10 * MIB
          ? { how: "chunked", chunkBytes: 65_536, trailer: "", pauseMs: 0 }
          : { how: "whole", pieces: 1, pauseMs: 0 },
      sender,
      accept: isApi ? "application/json" : "text/html",
    })),
  );
}
