import type * as z from "zod";
import type { KeyPlace } from "../model/operations.ts";
import type { Permission } from "../model/operator.ts";

// What a middleware demands of a request, noted on the middleware itself: the API's document (OpenAPI) is made from the
// very functions that run. Nothing in the Worker reads it.

/** What a middleware demands. */
export interface Shown {
  /** Where it reads the API key. */
  keyIn?: readonly KeyPlace[];
  /** The schema of the JSON body. */
  body?: z.ZodType;
  /** The schema of the parameters after `?`. */
  query?: z.ZodObject;
  /** What the operator's role must permit. */
  operator?: Permission;
  /** Whether it admits requests to the account's own API (contract §13). */
  ownApi?: true;
  /** Whether the body may be a form too, whose fields are those of the JSON. */
  form?: true;
  /** The largest body, in bytes. */
  bodyBytesMax?: number;
}

/** The property under which a middleware has its `Shown`. */
export const SHOWN: unique symbol = Symbol.for("dastak.shown");

/** Notes on a middleware what it demands, and returns it. */
export function shown<Handler extends object>(what: Shown, handler: Handler): Handler {
  return Object.assign(handler, { [SHOWN]: what });
}
