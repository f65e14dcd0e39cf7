import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { randomId } from "../crypto/ids.ts";
import type { AppEnv } from "../http/app.ts";
import { STATUS_OF_CODE, fail } from "../http/errors.ts";
import type { ErrorCode } from "../http/errors.ts";
import type { FormFault } from "../ui/parts.tsx";
import { send } from "../ui/words/send.ts";
import { damaged, viewOf, wantsJson } from "./page.tsx";

// Forms as they are posted, and the one way in which every page refuses one.

export interface PostedForm {
  typed: Record<string, string>;
  /** A file that was chosen, by its field. */
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
    // A browser sends an empty file without a name where none was chosen (HTML, form submission).
    else if (value instanceof File && (value.name !== "" || value.size > 0)) files[name] = value;
  }
  return { typed, files };
}

/** A form's fields as strings; a file counts as absent. */
export async function formOf(c: Context<AppEnv>): Promise<Record<string, string>> {
  return (await fieldsOf(c)).typed;
}

/** A form that sends. One without a mark gets a fresh one; one with a broken mark is refused. */
export async function readForm(c: Context<AppEnv>): Promise<PostedForm> {
  const { typed, files } = await fieldsOf(c);
  const once = typed["once"] ?? randomId("once");
  return ONCE.test(once) ? { typed, files, once } : damaged();
}

/** Why a form was not followed: a sentence in the reader's language, its field, and the code that it travels under. */
export interface Refused extends FormFault {
  code: ErrorCode;
  retryAfterSec?: number;
}

/**
 * Refuses a form: marks the reply, and returns the status for its page, which shows the sentence beside the field and
 * what was typed. Where JSON is wanted, the refusal itself is the reply. 200 where nothing was refused.
 */
export function refusedStatus(c: Context<AppEnv>, refused: Refused | undefined): ContentfulStatusCode {
  if (!refused) return 200;
  const { code, error, field, retryAfterSec } = refused;
  const headers = retryAfterSec === undefined ? {} : { "Retry-After": String(retryAfterSec) };
  if (wantsJson(c)) return fail(code, error, { headers, ...(field !== undefined && { param: field }) });
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  c.set("failureCode", code);
  return STATUS_OF_CODE[code];
}

/** The refusal of a form that was shown in the other mode than the page is in now: it is not meant for this one. */
export function otherMode(c: Context<AppEnv>, { mode }: Record<string, string>): Refused | undefined {
  const { lang, mode: now } = viewOf(c);
  return mode === undefined || mode === now ? undefined : { code: "invalid_request", error: send[lang].otherMode };
}
