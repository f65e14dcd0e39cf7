import { zValidator } from "@hono/zod-validator";
import type { Context } from "hono";
import type * as z from "zod";
import type { AppEnv } from "./app.ts";
import { FailureError, fail, failureBy } from "./errors.ts";
import type { Failure } from "./errors.ts";
import type { Fault } from "./faults.ts";
import { readText } from "./streams.ts";

// Reads a request's body once, up to a limit, and validates it against a schema (contract §3).

/** The largest body of any request. */
export const BODY_BYTES_MAX = 10 * 1024 * 1024;

const JSON_TYPE = /^application\/([\w.-]+\+)?json$/iu;

function tooLarge(): never {
  fail("payload_too_large", `The body is larger than ${BODY_BYTES_MAX / 1024 / 1024} MiB.`);
}

/** Refuses a body that is too large or not JSON before any of it is read; without a Content-Type it counts as JSON. */
export function acceptBody(c: Context<AppEnv>): void {
  if (Number(c.req.header("content-length") ?? 0) > BODY_BYTES_MAX) tooLarge();
  const type = c.req.header("content-type");
  if (type === undefined || type === "") {
    const headers = new Headers(c.req.raw.headers);
    headers.set("content-type", "application/json");
    c.req.raw = new Request(c.req.raw, { headers });
  } else if (!JSON_TYPE.test(type.split(";")[0]?.trim() ?? "")) {
    fail("unsupported_media_type", "The body must be JSON; send it with Content-Type: application/json.");
  }
}

/**
 * Reads the body and keeps its text for the validator. `onBroken` is called for a body that is not UTF-8 or, where it
 * is to be parsed, not JSON; it may throw a refusal other than the usual 400.
 */
export async function readBody(
  c: Context<AppEnv>,
  onBroken: () => void,
  { parse = true, whenEmpty = "" } = {},
): Promise<unknown> {
  const read = await readText(c.req.raw, BODY_BYTES_MAX).catch(() => {
    // Only the sender can cause this: the bytes are not UTF-8, or the upload was aborted.
    onBroken();
    return fail("invalid_json", "The body is not valid UTF-8 text, or did not come whole.");
  });
  if (read === null) return tooLarge();
  const text = read === "" ? whenEmpty : read;
  // Hono types this cache as the text itself, but awaits what it reads from it, so that a promise works too.
  Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
  if (!parse) return undefined;
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

/** The first fault of a body as a failure: one sentence, the field, and a hint where one is known. */
function invalidRequest(error: z.core.$ZodError): Failure {
  const issue = error.issues[0];
  if (issue?.code === "unrecognized_keys") {
    const [param = ""] = issue.keys;
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
  return zValidator("json", schema, (result) => {
    if (!result.success) throw new FailureError(invalidRequest(result.error));
  });
}
