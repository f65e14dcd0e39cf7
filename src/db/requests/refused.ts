import { and, desc, eq, gte, inArray, lt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { REFUSED_KEPT_MS } from "../../model/requests/refused.ts";
import type { RefusedByKey, RefusedPlace, RefusedRequest } from "../../model/requests/refused.ts";
import type { AccountRef } from "../../model/ref.ts";
import { refusedRequest } from "../history-schema.ts";

// The log of refused requests, in the databases of history. Its key begins with the day, so that old days are deleted
// along it, without an index, which would cost a second row for each request.

const DAY_MS = 86_400_000;

const dayOf = (ms: number) => Math.floor(ms / DAY_MS);

/** The days of which some requests are still kept, and of which the list may have some before a place. */
function daysUpTo(lastMs: number, nowMs: number): number[] {
  const first = dayOf(nowMs - REFUSED_KEPT_MS);
  return Array.from({ length: Math.max(0, dayOf(lastMs) - first + 1) }, (_, at) => first + at);
}

const ownOf = ({ accountId, mode }: AccountRef) =>
  and(eq(refusedRequest.accountId, accountId), eq(refusedRequest.mode, mode));

/** Adds requests, each once. */
export async function insertRefused(binding: D1Database, given: readonly RefusedByKey[]): Promise<void> {
  const rows = given.flatMap(({ accountId, mode, requests }) =>
    requests.map(({ requestId, at, method, path, status, code, param, error, keyId, fields }) => {
      const told = [method, path, status, code, param, error, keyId, JSON.stringify(fields)];
      return [dayOf(at), accountId, mode, at, requestId, ...told];
    }),
  );
  const values = sql.raw(Array.from({ length: 13 }, (_, at) => `value ->> ${at}`).join(", "));
  await drizzle(binding)
    .insert(refusedRequest)
    .select(sql`SELECT ${values} FROM json_each(${JSON.stringify(rows)}) WHERE true`)
    .onConflictDoNothing();
}

/** The query of a page: a range of the primary key for each day that is kept. */
export function refusedQuery(
  binding: D1Database,
  ref: AccountRef,
  before: RefusedPlace | null,
  { limit, nowMs }: { limit: number; nowMs: number },
) {
  const { day, at, requestId } = refusedRequest;
  const place = before && sql`(${at}, ${requestId}) < (${before.at}, ${before.requestId})`;
  const days = daysUpTo(Math.min(before?.at ?? nowMs + DAY_MS, nowMs + DAY_MS), nowMs);
  return drizzle(binding)
    .select()
    .from(refusedRequest)
    .where(and(inArray(day, days), ownOf(ref), gte(at, nowMs - REFUSED_KEPT_MS), place ?? undefined))
    .orderBy(desc(day), desc(at), desc(requestId))
    .limit(limit);
}

/** Requests before a place, newest first; null begins with the newest. */
export async function refusedBefore(
  binding: D1Database,
  ref: AccountRef,
  before: RefusedPlace | null,
  range: { limit: number; nowMs: number },
): Promise<RefusedRequest[]> {
  const rows = await refusedQuery(binding, ref, before, range);
  return rows.map(({ day: _day, accountId: _account, mode: _mode, ...row }) => row);
}

/** Deletes at most `limit` requests of the days of which none is kept any more. */
export async function forgetRefused(binding: D1Database, nowMs: number, limit: number): Promise<void> {
  const { day, accountId, mode, at, requestId } = refusedRequest;
  const db = drizzle(binding);
  const old = db
    .select({ day, accountId, mode, at, requestId })
    .from(refusedRequest)
    .where(lt(day, dayOf(nowMs - REFUSED_KEPT_MS)))
    .limit(limit);
  await db.delete(refusedRequest).where(sql`(${day}, ${accountId}, ${mode}, ${at}, ${requestId}) IN ${old}`);
}

/** Days of which an erasure deletes: more than are kept, for where the periodic work is behind. */
const ERASED_DAYS_MS = 60 * DAY_MS;

/** Deletes all that an account has, in one mode: some thousand rows at most. */
export async function eraseRefused(binding: D1Database, ref: AccountRef, nowMs: number): Promise<void> {
  const days = daysUpTo(nowMs + DAY_MS, nowMs - ERASED_DAYS_MS);
  await drizzle(binding)
    .delete(refusedRequest)
    .where(and(inArray(refusedRequest.day, days), ownOf(ref)));
}
