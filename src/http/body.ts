import { zValidator } from "@hono/zod-validator";
import type { Context, MiddlewareHandler, Next } from "hono";
import type * as z from "zod";
import type { AppEnv } from "./app.ts";
import { FailureError, fail, failureBy } from "./errors.ts";
import type { Failure } from "./errors.ts";
import type { Fault } from "./faults.ts";
import { JSON_DEPTH_MAX, scanJson } from "./json-scan.ts";
import { shown } from "./shown.ts";
import { textUpTo } from "./streams.ts";

// Reads a request's body once, up to the limit of its route, and validates it against a schema (contract §3).

/** The largest body of any request; a larger one is a 413. */
export const BODY_BYTES_MAX = 10 * 1024 * 1024;

/** The largest body of a route that declares no other: fields of a form, or of one message, with room to spare. */
const USUAL_BYTES_MAX = 64 * 1024;

const NOT_JSON = { tooDeep: false, found: null } as const;

const JSON_TYPE = /^application\/([\w.-]+\+)?json$/iu;
const FORM_TYPE = /^application\/x-www-form-urlencoded$/iu;

/** Lets the body of a route be a form too; it stands before the middleware that reads the body. */
export function formToo(): MiddlewareHandler<AppEnv> {
  return shown({ form: true }, (c: Context<AppEnv>, next: Next) => {
    c.set("formBody", "allowed");
    return next();
  });
}

/**
 * The fields of a form as JSON: texts, and a list of them under a name that stands more than once. JSON that was sent as a
 * form, as curl and axios do with a text, stays as it is: no form begins with a brace.
 */
function jsonOfForm(text: string): string {
  if (text.trimStart().startsWith("{")) return text;
  const lists = new Map<string, string[]>();
  // One pass: `getAll` of each name would go through the whole form, and a form may be read before its key is known.
  for (const [name, value] of new URLSearchParams(text)) {
    const list = lists.get(name);
    if (list) list.push(value);
    else lists.set(name, [value]);
  }
  const fields = [...lists].map(([name, list]) => [name, list.length === 1 ? list[0] : list] as const);
  return JSON.stringify(Object.fromEntries(fields));
}

/** Lets the body of a route be CSV and nothing else; it stands before the middleware that reads the body. */
export function csvBody(bytesMax: number): MiddlewareHandler<AppEnv> {
  return shown({ bodyBytesMax: bytesMax }, (c: Context<AppEnv>, next: Next) => {
    c.set("bodyBytesMax", bytesMax);
    c.set("isCsv", true);
    return next();
  });
}

/** The body that `csvBody` declared, once it was read. */
export const csvOf = async (c: Context<AppEnv>): Promise<string> => (await Promise.resolve(c.req.bodyCache.text)) ?? "";

/** Declares the largest body of a route, in bytes; it stands before the middleware that reads the body. */
export function bodyUpTo(bytesMax: number): MiddlewareHandler<AppEnv> {
  return shown({ bodyBytesMax: bytesMax }, (c: Context<AppEnv>, next: Next) => {
    c.set("bodyBytesMax", bytesMax);
    return next();
  });
}

/** The largest body that the route of this request takes. */
export const bodyBytesMax = (c: Context<AppEnv>): number => c.get("bodyBytesMax") ?? USUAL_BYTES_MAX;

/** How long a request declares its body to be; 0 where it does not. */
export const declaredBytes = (c: Context<AppEnv>): number => Number(c.req.header("content-length") ?? 0);

/** A number of bytes in words, from 1 MiB on rounded down to a tenth: `64 KiB`, `10 MiB`. */
export const sizeText = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${Math.floor(bytes / 1024 / 102.4) / 10} MiB`;

/** Refuses a body of this length: 413 above the limit of all requests, 400 above that of its route. */
function tooLarge(c: Context<AppEnv>, bytes: number): never {
  if (bytes > BODY_BYTES_MAX) fail("payload_too_large", `The body is larger than ${sizeText(BODY_BYTES_MAX)}.`);
  return fail("invalid_request", `The body is larger than ${sizeText(bodyBytesMax(c))}, the most for this address.`);
}

/**
 * Refuses a body that is too large, or neither JSON nor a form that the route takes, before any of it is read; without a
 * Content-Type it counts as JSON. From here on a form counts as JSON, which `readBody` makes of it.
 */
export function acceptBody(c: Context<AppEnv>): void {
  if (declaredBytes(c) > BODY_BYTES_MAX) tooLarge(c, declaredBytes(c));
  const type = c.req.header("content-type")?.split(";")[0]?.trim() ?? "";
  if (c.get("isCsv")) {
    if (/^text\/csv$/iu.test(type)) return;
    fail("unsupported_media_type", "The body must be CSV; send it with Content-Type: text/csv.");
  }
  const form = c.get("formBody");
  const isForm = form !== undefined && FORM_TYPE.test(type);
  if (isForm) c.set("formBody", "given");
  if (type === "" || isForm) {
    const headers = new Headers(c.req.raw.headers);
    headers.set("content-type", "application/json");
    c.req.raw = new Request(c.req.raw, { headers });
  } else if (!JSON_TYPE.test(type)) {
    const kinds = form === undefined ? "JSON" : "JSON or a form";
    const types = form === undefined ? "application/json" : "application/json or application/x-www-form-urlencoded";
    fail("unsupported_media_type", `The body must be ${kinds}; send it with Content-Type: ${types}.`);
  }
}

export interface BodyText {
  text: string;
  /** The string under `apiKey` in the body, which the sender wrote; null for none. */
  apiKey: string | null;
}

/**
 * Reads the body's text and keeps it for the validator. Nothing is parsed here. `onBroken` is called for a body that is
 * not UTF-8 or is nested too deep; it may throw a refusal other than the usual 400.
 */
export async function readBody(c: Context<AppEnv>, onBroken: () => void, whenEmpty = ""): Promise<BodyText> {
  const { value, bytes } = await textUpTo(c.req.raw, bodyBytesMax(c)).catch(() => {
    // Only the sender can cause this: the bytes are not UTF-8, or the upload was aborted.
    onBroken();
    return fail("invalid_json", "The body is not valid UTF-8 text, or did not come whole.");
  });
  if (value === null) return tooLarge(c, bytes);
  const given = c.get("formBody") === "given" ? jsonOfForm(value) : value;
  const text = given === "" ? whenEmpty : given;
  const { tooDeep, found } = c.get("isCsv") ? NOT_JSON : scanJson(text, "apiKey");
  if (tooDeep) {
    onBroken();
    fail("invalid_request", `The body is nested deeper than ${JSON_DEPTH_MAX} levels.`);
  }
  // Hono types this cache as the text itself, but awaits what it reads from it, so that a promise works too.
  Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
  return { text, apiKey: found };
}

/** Parses a body's text; `onBroken` as for `readBody`, for text that is not JSON. */
export function parseBody(text: string, onBroken: () => void): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    onBroken();
    return fail("invalid_json", "The body is not valid JSON.");
  }
}

function pathOf(path: PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}

/** The first fault of a body, or of parameters, as a failure: one sentence, the field, and a hint where one is known. */
export function invalidRequest(error: z.core.$ZodError): Failure {
  return failureOfIssue(error.issues[0]);
}

/** One fault of a body as a failure. */
export function failureOfIssue(issue: z.core.$ZodIssue | undefined): Failure {
  if (issue?.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const param = pathOf([...issue.path, key]);
    return { code: "invalid_request", error: `There is no field ${param}.`, param };
  }
  const param = pathOf(issue?.path ?? []);
  const fault = issue?.code === "custom" ? (issue.params?.["fault"] as Fault | undefined) : undefined;
  if (fault) return failureBy("invalid_request", fault, { param });
  return {
    code: "invalid_request",
    error: param === "" ? "The body must be a JSON object." : (issue?.message ?? "The body is not valid."),
    ...(param !== "" && { param }),
  };
}

/** Validates a JSON body against a schema; the handler gets the parsed fields. */
export function jsonBody<S extends z.ZodObject>(schema: S) {
  const validate = zValidator("json", schema, (result) => {
    if (!result.success) throw new FailureError(invalidRequest(result.error));
  });
  return shown({ body: schema }, validate);
}
