import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { randomId } from "../crypto/ids.ts";
import type { AppEnv } from "../http/app.ts";
import { STATUS_OF_CODE, fail } from "../http/errors.ts";
import type { ErrorCode } from "../http/errors.ts";
import type { Sentence } from "../http/faults.ts";
import type { Told } from "../http/told.ts";
import type { Lang } from "../ui/lang.ts";
import type { FormFault } from "../ui/parts.tsx";
import { failureText } from "../ui/words/failures.ts";
import { saidText } from "../ui/words/replies.ts";
import { send } from "../ui/words/send.ts";
import { damaged, viewOf, wantsJson } from "./page.tsx";

// Posted forms, and how every page refuses one.

export interface PostedForm {
  typed: Record<string, string>;
  /** The chosen files, by field. */
  files: Readonly<Record<string, File>>;
  /** The form's mark: the Idempotency-Key of its request. */
  once: string;
}

const ONCE = /^[\w-]{8,100}$/u;

async function fieldsOf(c: Context<AppEnv>): Promise<Omit<PostedForm, "once">> {
  const body = await c.req.parseBody().catch(damaged);
  const typed: Record<string, string> = {};
  const files: Record<string, File> = {};
  for (const [name, value] of Object.entries(body)) {
    if (typeof value === "string") typed[name] = value;
    // If no file was chosen, the browser sends an empty one without a name (HTML, form submission).
    else if (value instanceof File && (value.name !== "" || value.size > 0)) files[name] = value;
  }
  return { typed, files };
}

/** A form's fields as strings; a file counts as absent. */
export async function formOf(c: Context<AppEnv>): Promise<Record<string, string>> {
  return (await fieldsOf(c)).typed;
}

/** A form that sends. A form without a mark gets a fresh one; a malformed mark is refused. */
export async function readForm(c: Context<AppEnv>): Promise<PostedForm> {
  const { typed, files } = await fieldsOf(c);
  const once = typed["once"] ?? randomId("once");
  return ONCE.test(once) ? { typed, files, once } : damaged();
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
