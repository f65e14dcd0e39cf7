import { validator } from "hono/validator";
import * as z from "zod";
import { invalidRequest } from "./body.ts";
import { FailureError } from "./errors.ts";
import { shown } from "./shown.ts";

// The parameters after `?`, validated as a body is (contract §3). Unknown ones are ignored.

/**
 * Validates the parameters of the address against a schema of texts; the handler gets the parsed values. Of a parameter
 * that stands several times, the first counts.
 */
export function query<S extends z.ZodObject>(schema: S) {
  const validate = validator("query", (_, c) => {
    const result = schema.safeParse(c.req.query());
    if (!result.success) throw new FailureError(invalidRequest(result.error));
    return result.data;
  });
  return shown({ query: schema }, validate);
}

/** Rows of a page: the fewest, the most, and as many as a list has that does not ask (contract §10, §13). */
const PAGE = { min: 1, max: 500, usual: 100 };

/** `limit` of a list. */
export const limitField = z
  .string()
  .optional()
  .transform((text, ctx) => {
    if (text === undefined) return PAGE.usual;
    const limit = /^[0-9]{1,4}$/u.test(text) ? Number(text) : 0;
    if (limit >= PAGE.min && limit <= PAGE.max) return limit;
    const message = `limit must be a whole number from ${PAGE.min} to ${PAGE.max}.`;
    ctx.issues.push({ code: "custom", message, input: text });
    return z.NEVER;
  })
  .meta({
    type: "integer",
    description: "How many rows a page has.",
    minimum: PAGE.min,
    maximum: PAGE.max,
    default: PAGE.usual,
  });

/** The sentence for an `after` that no page gave out. */
const NO_PLACE = "after must be the next of the page before.";

/** `after` of a list, read by `read`, which returns null for what is no place; undefined on the first page. */
export function afterField<Place>(read: (text: string) => Place | null, sentence = NO_PLACE) {
  return z
    .string()
    .optional()
    .transform((text, ctx): Place | undefined => {
      if (text === undefined) return undefined;
      const place = read(text);
      if (place !== null) return place;
      ctx.issues.push({ code: "custom", message: sentence, input: text });
      return z.NEVER;
    })
    .meta({ description: "The `next` of the page before." });
}

/** Reads a place that consists of this many whole numbers, as lists with numbered rows write it: `12.3`. */
export const numbersIn = (parts: number) => (text: string) => {
  const numbers = text.split(".").map((part) => (/^[0-9]{1,15}$/u.test(part) ? Number(part) : -1));
  return numbers.length === parts && numbers.every((one) => one >= 0) ? numbers : null;
};

/** One page of a list; `rows` has one row more than `limit` if another page follows. */
export function page<T>(rows: T[], limit: number, placeOf: (row: T) => string) {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const hasMore = rows.length > limit;
  return { rows: data, has_more: hasMore, next: hasMore && last !== undefined ? placeOf(last) : null };
}
