import type { Context } from "hono";
import { randomId } from "../crypto/ids.ts";
import type { AppEnv } from "../http/app.ts";
import { fail } from "../http/errors.ts";

// Forms as they are posted: their fields and, of those that send, a file and the mark that makes a form one send.

export interface PostedForm {
  typed: Record<string, string>;
  /** A file that was chosen, by its field. */
  files: Readonly<Record<string, File>>;
  /** The form's mark: the Idempotency-Key of its request. */
  once: string;
}

/** Refuses a body that is no form after all. */
export const damaged = () => fail("invalid_request", "This form is damaged; open the page again.");

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
