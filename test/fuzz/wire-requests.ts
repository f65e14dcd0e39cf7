import * as fc from "fast-check";
import type { WireRequest } from "./wire.ts";
import { bodyFor } from "./wire-bodies.ts";
import type { Body } from "./wire-bodies.ts";
import type { Endpoint } from "./wire-endpoints.ts";
import { FAULTS, headText, oddField, targetFor } from "./wire-heads.ts";
import type { Head } from "./wire-heads.ts";

// Complete plans of requests: a head, a body, and how they are sent, which includes breaking off.

/** How a request is sent. */
type Sending =
  | { how: "whole"; pieces: number; pauseMs: number }
  | { how: "chunked"; chunkBytes: number; trailer: string; pauseMs: number }
  | { how: "after 100-continue" }
  | { how: "twice at once" }
  /** The declared length is less than the body. */
  | { how: "too long" }
  | { how: "broken off"; in: "head" | "body" | "chunks"; share: number; ending: "finish" | "reset"; stallMs: number }
  | { how: "broken chunk size"; size: string; ending: "finish" | "reset" };

/** The client's credentials: valid ones, none, or forged ones. */
export type Sender = "known" | "nobody" | "forger";

export interface Plan {
  target: string;
  body: Body;
  fields: string[];
  /** Name of the head's fault, or null. */
  fault: string | null;
  sending: Sending;
  sender: Sender;
  accept: string;
}

const sending: fc.Arbitrary<Sending> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      how: fc.constant("whole" as const),
      pieces: fc.constantFrom(1, 1, 1, 2, 7),
      pauseMs: fc.constantFrom(0, 1, 20),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      how: fc.constant("chunked" as const),
      chunkBytes: fc.constantFrom(1, 7, 4_096, 1_000_000),
      trailer: fc.constantFrom("", "", "X-Trailer: a\r\n", "Authorization: Bearer x\r\n"),
      pauseMs: fc.constantFrom(0, 0, 15),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ how: "after 100-continue" } as const) },
  { weight: 1, arbitrary: fc.constant({ how: "twice at once" } as const) },
  { weight: 1, arbitrary: fc.constant({ how: "too long" } as const) },
  {
    weight: 5,
    arbitrary: fc.record({
      how: fc.constant("broken off" as const),
      in: fc.constantFrom("head" as const, "body" as const, "body" as const, "chunks" as const, "chunks" as const),
      // In half of the cases the content is complete, and only the end mark is missing.
      share: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
      ending: fc.constantFrom("finish" as const, "reset" as const),
      stallMs: fc.constantFrom(0, 0, 1, 10, 60),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      how: fc.constant("broken chunk size" as const),
      size: fc.constantFrom("zz", "-1", "0x5", "ffffffffffffffffffff", "7fffffffffffffff", "\u0000", "5;a=b"),
      ending: fc.constantFrom("finish" as const, "reset" as const),
    }),
  },
);

/** A short description of a plan, for reading counterexamples. */
function inWords(plan: Plan): string {
  const { body, ...rest } = plan;
  const start = body.bytes.subarray(0, 300).toString("latin1");
  const words = { ...rest, type: body.type, bytes: body.bytes.length, start };
  return JSON.stringify(words, (_, value: unknown) => (typeof value === "string" ? value.slice(0, 300) : value));
}

/** All plans of requests to an endpoint. */
export function planFor(endpoint: Endpoint, idFor: (name: string) => string): fc.Arbitrary<Plan> {
  return fc
    .record({
      target: targetFor(endpoint, idFor),
      body: bodyFor(endpoint),
      fields: fc.oneof(
        { weight: 4, arbitrary: fc.constant<string[]>([]) },
        // A fixed key, so that it meets both repeated and different requests.
        { weight: 2, arbitrary: fc.constant<string[]>(["Idempotency-Key: again"]) },
        { weight: 3, arbitrary: fc.array(oddField, { minLength: 1, maxLength: 3 }) },
      ),
      fault: fc.oneof(
        { weight: 6, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.constantFrom(...Object.keys(FAULTS)) },
      ),
      sending,
      sender: fc.oneof(
        { weight: 8, arbitrary: fc.constant("known" as const) },
        { weight: 1, arbitrary: fc.constantFrom("nobody" as const, "forger" as const) },
      ),
      accept: fc.constantFrom("text/html", "application/json", "*/*"),
    })
    .map((plan) => Object.assign(plan, { [fc.toStringMethod]: () => inWords(plan) }));
}

const named = (name: string) => (field: string) => field.toLowerCase().startsWith(`${name.toLowerCase()}:`);

function chunks(bytes: Buffer, chunkBytes: number): Buffer[] {
  const parts: Buffer[] = [];
  // A large body in tiny chunks would take too long.
  const step = Math.max(chunkBytes, Math.ceil(bytes.length / 500));
  for (let at = 0; at < bytes.length; at += step) {
    const piece = bytes.subarray(at, at + step);
    parts.push(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`, "latin1"), piece, Buffer.from("\r\n")]));
  }
  return parts;
}

/** Cuts bytes into about this many pieces, and large ones into few. */
function cut(bytes: Buffer, pieces: number): Buffer[] {
  const step = Math.max(1, Math.ceil(bytes.length / pieces));
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += step) found.push(bytes.subarray(at, at + step));
  return found;
}

const ended = (how: "finish" | "reset", afterMs: number) => ({ ending: { how, afterMs } });

export interface Composed extends WireRequest {
  /** The request is incomplete, so that a 200 would be wrong. */
  brokenOff: boolean;
}

const TYPE_OF_FORMS = "application/x-www-form-urlencoded";

/** The bytes of a plan; `senderFields` are the client's credentials. */
export function compose(endpoint: Endpoint, plan: Plan, host: string, senderFields: string[]): Composed {
  const { body, sending: how } = plan;
  const { bytes } = body;
  const bodiless = endpoint.method === "GET" && bytes.length === 0;
  const given = [...plan.fields, ...(body.type === null ? [] : [`Content-Type: ${body.type}`])];
  const usual = [
    ...senderFields,
    `Accept: ${plan.accept}`,
    ...(bodiless ? [] : [`Content-Type: ${endpoint.form ? TYPE_OF_FORMS : "application/json"}`]),
  ];
  const own = usual.filter((field) => !given.some(named(field.split(":")[0] ?? "")));
  const fault = plan.fault === null ? undefined : FAULTS[plan.fault];
  const plain: Head = {
    method: endpoint.method,
    target: plan.target,
    version: " HTTP/1.1",
    host,
    fields: [...own, ...given],
    eol: "\r\n",
  };
  const head = fault ? fault(plain) : plain;
  const start = (...framing: string[]) =>
    Buffer.from(headText({ ...head, fields: [...head.fields, ...framing] }), "latin1");
  const length = (count = bytes.length) => (bodiless ? [] : [`Content-Length: ${count}`]);
  const whole = () => Buffer.concat([start(...length()), bytes]);
  // The server may find another end of a request with a broken head, so the client closes its side after it.
  const done = fault ? ended("finish", 5) : {};
  const common = { methods: [head.method], pauseMs: 0, brokenOff: false, ...done };
  switch (how.how) {
    case "whole":
      return { ...common, pieces: [start(...length()), ...cut(bytes, how.pieces)], pauseMs: how.pauseMs };
    case "chunked": {
      const pieces = chunks(bytes, how.chunkBytes);
      const paced = how.pauseMs > 0 && pieces.length <= 20;
      const all = [start("Transfer-Encoding: chunked"), ...pieces, Buffer.from(`0\r\n${how.trailer}\r\n`)];
      return { ...common, pieces: paced ? all : [Buffer.concat(all)], pauseMs: how.pauseMs };
    }
    case "after 100-continue":
      return { ...common, pieces: [start(...length(), "Expect: 100-continue"), bytes], pauseMs: 30 };
    case "twice at once":
      return { ...common, pieces: [Buffer.concat([whole(), whole()])], methods: [head.method, head.method] };
    case "too long":
      return { ...common, pieces: [Buffer.concat([start(...length(Math.floor(bytes.length / 2))), bytes])] };
    case "broken off":
      return { ...common, ...ended(how.ending, how.stallMs), ...brokenOff(how, start, bytes) };
    case "broken chunk size": {
      const broken = Buffer.from(`${how.size}\r\n`, "latin1");
      const pieces = [Buffer.concat([start("Transfer-Encoding: chunked"), ...chunks(bytes, 64), broken])];
      return { ...common, ...ended(how.ending, 5), pieces, brokenOff: true };
    }
  }
}

function brokenOff(
  { in: where, share }: Extract<Sending, { how: "broken off" }>,
  start: (...framing: string[]) => Buffer,
  bytes: Buffer,
): Pick<Composed, "pieces" | "brokenOff"> {
  const part = bytes.subarray(0, Math.ceil(bytes.length * share));
  if (where === "head") {
    const head = start(`Content-Length: ${bytes.length}`);
    // Its last byte is always missing.
    return { pieces: [head.subarray(0, Math.floor((head.length - 1) * share))], brokenOff: true };
  }
  if (where === "body") {
    return { pieces: [Buffer.concat([start(`Content-Length: ${bytes.length + 1}`), part])], brokenOff: true };
  }
  return { pieces: [Buffer.concat([start("Transfer-Encoding: chunked"), ...chunks(part, 64)])], brokenOff: true };
}
