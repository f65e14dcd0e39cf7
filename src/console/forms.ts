import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { randomId } from "../crypto/ids.ts";
import type { AppEnv } from "../http/app.ts";
import { bodyBytesMax } from "../http/body.ts";
import { STATUS_OF_CODE, fail } from "../http/errors.ts";
import type { ErrorCode } from "../http/errors.ts";
import type { Sentence } from "../http/faults.ts";
import { bytesUpTo } from "../http/streams.ts";
import type { Told } from "../http/told.ts";
import { TOKEN_LENGTH_MAX } from "../sign-in/turnstile.ts";
import { LENGTH_MAX } from "../text/lengths.ts";
import { count } from "../ui/format.ts";
import type { Lang } from "../ui/lang.ts";
import type { FormFault } from "../ui/parts.tsx";
import { failureText } from "../ui/words/failures.ts";
import { limitWords } from "../ui/words/limits.ts";
import { saidText } from "../ui/words/replies.ts";
import { send } from "../ui/words/send.ts";
import { damaged, tooLarge, viewOf, wantsJson } from "./page.tsx";

// Posted forms, and how every page refuses one.

export interface PostedForm {
  typed: Record<string, string>;
  /** The chosen files, by field. */
  files: Readonly<Record<string, File>>;
  /** The form's mark: the Idempotency-Key of its request. */
  once: string;
}

const ONCE = /^[\w-]{8,100}$/u;

/** Fields of one form; the longest has about twenty. */
const FIELDS_MAX = 1_000;

/** The delimiter of a multipart form (RFC 2046 §5.1.1). */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+./:=?-]{1,70}))\s*(?:;|$)/iu;

/** How often a text stands in these bytes; counting ends where no form has that many. */
function countOf(text: string, bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(text); at >= 0 && count < FIELDS_MAX + 2; at = bytes.indexOf(text, at + text.length)) {
    count += 1;
  }
  return count;
}

const wordsOf = (c: Context<AppEnv>) => limitWords[viewOf(c).lang];

function refuseMany(c: Context<AppEnv>): never {
  return fail("invalid_request", wordsOf(c).tooManyFields(count(FIELDS_MAX, viewOf(c).lang)), { forReader: true });
}

/** The fields of a form in its bytes, which are counted before they are parsed. A body of another type has none. */
async function entriesOf(c: Context<AppEnv>, bytes: Uint8Array): Promise<Iterable<[string, string | File]>> {
  const type = c.req.header("content-type") ?? "";
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (type.split(";")[0]?.trim().toLowerCase()) {
    case "application/x-www-form-urlencoded":
      return countOf("&", body) < FIELDS_MAX ? new URLSearchParams(body.toString()) : refuseMany(c);
    case "multipart/form-data": {
      const [, quoted, bare] = BOUNDARY.exec(type) ?? [];
      const boundary = quoted ?? bare ?? damaged();
      // One delimiter stands before each field, and one at the end.
      if (countOf(`--${boundary}`, body) > FIELDS_MAX + 1) refuseMany(c);
      const headers = { "content-type": `multipart/form-data; boundary="${boundary}"` };
      return new Response(body, { headers }).formData().catch(damaged);
    }
    default:
      return [];
  }
}

/**
 * Fields with another limit than LENGTH_MAX.field. Only the form's limit bounds a list; a path that is too long leads to
 * the overview (`safeNext`), so that a language can be chosen on any page.
 */
const FIELD_LENGTH_MAX = new Map<string, number>([
  ["message", LENGTH_MAX.text],
  ["text", LENGTH_MAX.text],
  ["cf-turnstile-response", TOKEN_LENGTH_MAX],
  ["recipients", Infinity],
  ["countries", Infinity],
  ["next", Infinity],
  // The file of all carriers and routes, and what a carrier answers.
  ["set", Infinity],
  ["answerHeaders", LENGTH_MAX.text],
  ["answerBody", Infinity],
  ["receiptBody", Infinity],
]);

/** Settings and secrets of a carrier, which its kind limits. */
const OF_CARRIER = /^(?:settings|secrets)\./u;

const lengthMaxOf = (name: string): number =>
  FIELD_LENGTH_MAX.get(name) ?? (OF_CARRIER.test(name) ? Infinity : LENGTH_MAX.field);

function fieldsIn(c: Context<AppEnv>, entries: Iterable<[string, string | File]>): Omit<PostedForm, "once"> {
  const typed: Record<string, string> = {};
  const files: Record<string, File> = {};
  for (const [name, value] of entries) {
    const lengthMax = lengthMaxOf(name);
    if (typeof value !== "string") {
      // If no file was chosen, the browser sends an empty one without a name (HTML, form submission).
      if (value.name !== "" || value.size > 0) files[name] = value;
    } else if (value.length > lengthMax) {
      fail("invalid_request", wordsOf(c).fieldTooLong(count(lengthMax, viewOf(c).lang)), {
        param: name,
        forReader: true,
      });
    } else typed[name] = value;
  }
  return { typed, files };
}

/** A form that was read, or the length of one that is larger than its route takes. */
type Read<T> = ({ ok: true } & T) | { ok: false; bytes: number };

/** Reads a form up to the limit of its route. More than FIELDS_MAX fields, or one that is too long, are refused. */
async function fieldsOf(c: Context<AppEnv>): Promise<Read<Omit<PostedForm, "once">>> {
  const { value, bytes } = await bytesUpTo(c.req.raw, bodyBytesMax(c)).catch(damaged);
  return value ? { ok: true, ...fieldsIn(c, await entriesOf(c, value)) } : { ok: false, bytes };
}

/** A form's fields as strings; a file counts as absent. */
export async function formOf(c: Context<AppEnv>): Promise<Record<string, string>> {
  const read = await fieldsOf(c);
  return read.ok ? read.typed : tooLarge(c, read.bytes);
}

/** A form that sends, unless it is too large. A form without a mark gets a fresh one; a malformed mark is refused. */
export async function readLargeForm(c: Context<AppEnv>): Promise<Read<PostedForm>> {
  const read = await fieldsOf(c);
  if (!read.ok) return read;
  const once = read.typed["once"] ?? randomId("once");
  return ONCE.test(once) ? { ...read, once } : damaged();
}

/** A form that sends, as `readLargeForm` reads it; one that is too large is refused. */
export async function readForm(c: Context<AppEnv>): Promise<PostedForm> {
  const read = await readLargeForm(c);
  return read.ok ? read : tooLarge(c, read.bytes);
}

/** Why a form was refused: a sentence in the reader's language, the field, and the error code. */
export interface Refused extends FormFault {
  code: ErrorCode;
  retryAfterSec?: number;
}

/**
 * Refuses a form: sets the reply's headers, and returns the status for the page, which shows the form again with the
 * sentence beside its field. If the client wants JSON, throws the refusal as the reply. 200 without a refusal.
 */
export function refusedStatus(c: Context<AppEnv>, refused: Refused | undefined): ContentfulStatusCode {
  if (!refused) return 200;
  const { code, error, field, retryAfterSec } = refused;
  const headers = retryAfterSec === undefined ? {} : { "Retry-After": String(retryAfterSec) };
  if (wantsJson(c)) {
    return fail(code, error, { forReader: true, headers, ...(field !== undefined && { param: field }) });
  }
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  c.set("failureCode", code);
  return STATUS_OF_CODE[code];
}

/** Why the API refused a page's request, in the reader's language. */
export function refusalIn({ failure }: Told, lang: Lang): Sentence {
  if (!failure) throw new Error("the API refused a request and did not say why");
  return failureText(failure, lang);
}

/** What the API did for a page, in the reader's language. */
export function doneIn({ said }: Told, lang: Lang): string {
  if (!said) throw new Error("the API did something and did not say what");
  return saidText(said, lang);
}

/** Refuses a form that was shown in the other mode than the console is in now: it was meant for the other account. */
export function otherMode(c: Context<AppEnv>, { mode }: Record<string, string>): Refused | undefined {
  const { lang, mode: now } = viewOf(c);
  return mode === undefined || mode === now ? undefined : { code: "invalid_request", error: send[lang].otherMode };
}
