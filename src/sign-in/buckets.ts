import { mac } from "../crypto/bytes.ts";
import { countInAll, countsOf } from "../db/sign-in.ts";
import type { Bucket, Counted } from "../db/sign-in.ts";

// Counters of attempts: an attempt counts in all of its buckets, or is refused and counts in none. So refused attempts
// write nothing, and never use up a wider limit.

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** How many attempts of one subject are admitted in a window. */
export interface Limit {
  /** Part of the bucket's key, so that each limit counts separately. */
  name: string;
  /** Who or what is limited. */
  subject: string;
  max: number;
  windowMs: number;
}

/** Counted: what each bucket then holds, in the order of the limits. Refused: the limits that were full. */
export type Taken = { ok: true; counts: number[] } | { ok: false; full: FullLimit[] };

export interface FullLimit {
  limit: Limit;
  count: number;
  resetsAt: number;
}

/** A bucket's key: a MAC, so that the table reveals no phone number and no address. */
export function bucketOf(secret: string, { name, subject }: Pick<Limit, "name" | "subject">): string {
  return Buffer.from(mac(secret, `attempt/v1/${name}`, subject, 16)).toString("base64url");
}

/** The buckets of some limits, in their order. */
export function bucketsOf(secret: string, limits: readonly Limit[]): Bucket[] {
  return limits.map((limit) => ({ bucket: bucketOf(secret, limit), max: limit.max, windowMs: limit.windowMs }));
}

/** Counts one attempt against all of these limits; when one is full, against none. */
export async function takeAttempt(
  { db, secret }: { db: D1Database; secret: string },
  limits: readonly Limit[],
  nowMs: number,
): Promise<Taken> {
  if (limits.length === 0) return { ok: true, counts: [] };
  const buckets = bucketsOf(secret, limits);
  const countOf = (rows: readonly Counted[], at: number) => rows.find(({ bucket }) => bucket === buckets[at]?.bucket);
  const counted = await countInAll(db, buckets, nowMs);
  if (counted) return { ok: true, counts: limits.map((_, at) => countOf(counted, at)?.count ?? 0) };
  const keys = buckets.map(({ bucket }) => bucket);
  const rows = await countsOf(db, keys, nowMs);
  const full = limits.flatMap((limit, at) => {
    const row = countOf(rows, at);
    return row && row.count >= limit.max ? [{ limit, count: row.count, resetsAt: row.resetsAt }] : [];
  });
  return { ok: false, full };
}

/** Seconds until every one of these limits admits again; 1 when the windows ended meanwhile. */
export function retryAfter(full: readonly FullLimit[], nowMs: number): number {
  const lastMs = Math.max(nowMs, ...full.map(({ resetsAt }) => resetsAt));
  return Math.max(1, Math.ceil((lastMs - nowMs) / 1000));
}
