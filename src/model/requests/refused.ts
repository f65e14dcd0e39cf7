import type { Mode } from "../ref.ts";

// Requests with a valid key that were refused, as the request log has them (contract §13).

/** For how long they are kept, in ms. */
export const REFUSED_KEPT_MS = 7 * 86_400_000;

/** How many of them an account keeps, in each mode: in 60 s, and in a day. */
export const REFUSED_PER_MINUTE = 30;
export const REFUSED_PER_DAY = 2_000;

/** The name under which fields are counted that are too many, or whose names may themselves be values. */
export const OTHER_FIELDS = "(others)";

/** A request that was refused. Nothing of it says what the caller sent, but for the names and types of its fields. */
export interface RefusedRequest {
  requestId: string;
  /** When it arrived, in ms. */
  at: number;
  method: string;
  /** The path of its route, such as `/v1/messages/:id`. */
  path: string;
  status: number;
  code: string;
  /** The field at fault, or null. */
  param: string | null;
  /** The reply's sentence. */
  error: string;
  keyId: number;
  /** Each field of the body, or of the address where there is none, with its type: `string(5)`. */
  fields: Record<string, string>;
}

/** Where a list of them goes on: after this one. */
export type RefusedPlace = Pick<RefusedRequest, "at" | "requestId">;

/** What an account answers that is to note some: how many it takes, and which database of history is its own. */
export interface RefusedDoor {
  admitted: number;
  historyDb: number;
}

/** Some of them, of one key. */
export interface RefusedByKey {
  accountId: string;
  mode: Mode;
  keyId: number;
  /** The id of the secret that the key was made with. */
  secretId: number;
  requests: RefusedRequest[];
}
