import * as z from "zod";
import { expressionOf } from "./expression.ts";

// The settings of the kind `template` (contract §16.3).

/** What a JSON body may be made of. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

const text = z.string().max(4_000);

/** Entries of a query, of headers, and of the words of receipts. */
const ENTRIES_MAX = 100;

const few = (entries: object): boolean => Object.keys(entries).length <= ENTRIES_MAX;

const TOO_MANY = `At most ${ENTRIES_MAX} entries.`;

/** Headers that belong to the connection, or that fetch sets itself. */
const OWN_HEADERS = new Set(["host", "content-length", "transfer-encoding", "connection", "upgrade", "expect", "te"]);

const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/u, "A header's name has letters, digits and - only.")
  .refine((name) => !OWN_HEADERS.has(name.toLowerCase()), "This header is set by the connection.");

/** A dotted path in JSON, such as `messages.0.status`. */
const path = z.string().regex(/^[^.]{1,100}(?:\.[^.]{1,100}){0,9}$/u, "A path is names with dots between them.");

/** A regular expression that is linear in the text (expression.ts), with as many groups as are read of it. */
const expression = (groups: "any" | "one") =>
  z.string().superRefine((source, context) => {
    const read = expressionOf(source);
    if (typeof read === "string") context.addIssue({ code: "custom", message: read });
    else if (groups === "one" && read.groups !== 1) {
      context.addIssue({ code: "custom", message: "The expression needs one group, (…), that is the id." });
    }
  });

const status = z.union([z.int().min(100).max(599), z.stringFormat("status class", /^[1-5]xx$/u)]);

const part = z
  .strictObject({
    status: z.union([status, z.array(status).min(1).max(50)]).optional(),
    json: z
      .record(path, z.union([text, z.array(text).min(1).max(50)]))
      .refine((entries) => few(entries) && Object.keys(entries).length > 0, "Between one and 100 paths.")
      .optional(),
    body: expression("any").optional(),
  })
  .refine((one) => Object.values(one).some((value) => value !== undefined), "A rule needs status, json or body.");

const rule = z.array(part).max(50);

const id = z.union([
  z.strictObject({ json: path }),
  z.strictObject({ header: headerName }),
  z.strictObject({ body: expression("one") }),
]);

/** A name in a query or form, or a dotted path in JSON: any text, since a form's names are any. */
const field = z.string().min(1).max(200);

const receipt = z
  .strictObject({
    ref: field.optional(),
    id: field.optional(),
    state: field,
    states: z
      .record(z.string().min(1).max(100), z.enum(["submitted", "delivered", "undelivered", "failed"]))
      .refine((words) => few(words) && Object.keys(words).length > 0, "Between one and 100 words."),
    code: field.optional(),
    hmac: z.strictObject({ header: headerName, encoding: z.enum(["hex", "base64"]) }).optional(),
  })
  .refine(({ ref, id: own }) => (ref === undefined) !== (own === undefined), {
    error: "A receipt is found by ref or by id: one of them.",
    path: ["ref"],
  });

/** `https://host/…`, without a user, a fragment, or a placeholder before the path. */
const url = z
  .string()
  .max(2_000)
  .regex(
    /^https?:\/\/[^/?#@{}\s\\]+(?:[/?][^#\s\\]*)?$/iu,
    "url must be an address whose host is fixed, without # and @.",
  )
  .refine((one) => URL.canParse(one), "url must be an https address.");

const json: z.ZodType<Json> = z.json();

const clientError = (but: readonly number[]): number[] =>
  Array.from({ length: 100 }, (_, nth) => 400 + nth).filter((one) => !but.includes(one));

/**
 * What is rejected for good where the settings say nothing: every 4xx but those that are busy (429), those that say
 * nothing of the message (401, 402, 403: the deployment's own account), and those without a known outcome (408, 425).
 */
const REJECTED = [{ status: clientError([401, 402, 403, 408, 425, 429]) }];

export const templateSettings = z.strictObject({
  url,
  method: z.enum(["GET", "POST"]).default("POST"),
  query: z.record(z.string().min(1).max(200), text).refine(few, TOO_MANY).default({}),
  headers: z.record(headerName, text).refine(few, TOO_MANY).default({}),
  body: z.record(z.string().min(1).max(200), json).optional(),
  body_type: z.enum(["json", "form"]).default("json"),
  operations: z
    .array(z.enum(["sms", "sms_international", "otp"]))
    .min(1)
    .max(3)
    .default(["sms", "sms_international", "otp"]),
  busy: rule.default([{ status: [429, 503] }]),
  rejected: rule.optional(),
  accepted: rule.default([{ status: "2xx" }]),
  id: id.optional(),
  receipt: receipt.optional(),
});

export type TemplateSettings = z.output<typeof templateSettings>;
export type Rule = z.output<typeof rule>;
export type IdSettings = z.output<typeof id>;
export type ReceiptSettings = z.output<typeof receipt>;

/** The rule of rejection, with its default: no list of fifty entries, so that it is not among the schema's defaults. */
export const rejectedRule = ({ rejected }: TemplateSettings): Rule => rejected ?? REJECTED;

/** What the schema cannot say of settings: what depends on several of them. */
export function settingsFault({ method, body, body_type, id: own, receipt: read }: TemplateSettings) {
  if (method === "GET" && body !== undefined) return { param: "settings.body", error: "A GET has no body." };
  const nested = Object.entries(body ?? {}).find(([, value]) => typeof value !== "string");
  if (body_type === "form" && nested) {
    return { param: `settings.body.${nested[0]}`, error: "A form's entries are strings." };
  }
  if (read?.id !== undefined && own === undefined) {
    return { param: "settings.id", error: "Receipts by id need the id of the answer." };
  }
  const words = Object.keys(read?.states ?? {});
  const twice = words.find((word, nth) => words.some((one, at) => at < nth && sameWord(one, word)));
  if (twice !== undefined) return { param: `settings.receipt.states.${twice}`, error: "The word is there twice." };
  return null;
}

/** Words of receipts are compared without regard to case. */
export const sameWord = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
