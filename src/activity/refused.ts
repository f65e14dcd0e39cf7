import { showKeyId } from "../crypto/api-key.ts";
import { historyDatabase } from "../db/history-databases.ts";
import type { HistoryEnv } from "../db/history-databases.ts";
import { refusedBefore } from "../db/requests/refused.ts";
import type { RefusedPlace, RefusedRequest } from "../model/requests/refused.ts";
import type { AccountRef } from "../model/ref.ts";

// Requests of an account that were refused, for its API and its pages (contract §13).

/** Where the list comes from: the number is that of the database with the account's history. */
export interface RefusedSource {
  env: HistoryEnv;
  ref: AccountRef;
  historyDb: number | undefined;
}

/** A page of refused requests, newest first; one more than `limit` where another page follows. */
export function refusedPage(
  { env, ref, historyDb }: RefusedSource,
  before: RefusedPlace | null,
  limit: number,
  nowMs: number,
): Promise<RefusedRequest[]> {
  return refusedBefore(historyDatabase(env, historyDb), ref, before, { limit: limit + 1, nowMs });
}

/** A place as it is written in an address: `1793491200000.req_…`. */
export const showRefusedPlace = ({ at, requestId }: RefusedPlace): string => `${at}.${requestId}`;

/** The inverse of `showRefusedPlace`, or null. */
export function readRefusedPlace(text: string | undefined): RefusedPlace | null {
  const [, at, requestId] = /^(\d{1,15})\.(req_[0-9A-Za-z]{1,40})$/u.exec(text ?? "") ?? [];
  return at === undefined || requestId === undefined ? null : { at: Number(at), requestId };
}

/** A refused request as the API shows it. */
export function wireRefused({
  requestId,
  at,
  method,
  path,
  status,
  code,
  param,
  error,
  keyId,
  fields,
}: RefusedRequest) {
  return {
    request_id: requestId,
    at: new Date(at).toISOString(),
    method,
    path,
    status,
    code,
    param,
    error,
    key_id: showKeyId(keyId),
    fields,
  };
}
