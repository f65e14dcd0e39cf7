import { and, eq, gt, inArray, lt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { attempt, challenge } from "./schema.ts";

// One-time passwords that await an answer, and counters of attempts. Each decision is one statement, hence atomic.

type ChallengeRow = typeof challenge.$inferSelect;

export async function insertChallenge(binding: D1Database, row: ChallengeRow): Promise<void> {
  await drizzle(binding).insert(challenge).values(row);
}

/** A challenge, even if it has expired; null when it does not exist. */
export async function challengeByHash(binding: D1Database, hash: string): Promise<ChallengeRow | null> {
  const rows = await drizzle(binding).select().from(challenge).where(eq(challenge.hash, hash));
  return rows[0] ?? null;
}

/** Uses up one try of a challenge before the answer is compared; null when none is left, or when it has expired. */
export async function takeTry(
  binding: D1Database,
  hash: string,
  purpose: string,
  triesMax: number,
  nowMs: number,
): Promise<ChallengeRow | null> {
  const open = and(
    eq(challenge.hash, hash),
    eq(challenge.purpose, purpose),
    gt(challenge.expiresAt, nowMs),
    lt(challenge.tries, triesMax),
  );
  const rows = await drizzle(binding)
    .update(challenge)
    .set({ tries: sql`${challenge.tries} + 1` })
    .where(open)
    .returning();
  return rows[0] ?? null;
}

/** Deletes a challenge; of several concurrent calls, exactly one gets true. */
export async function deleteChallenge(binding: D1Database, hash: string): Promise<boolean> {
  const done = await drizzle(binding).delete(challenge).where(eq(challenge.hash, hash));
  return done.meta.changes > 0;
}

/** Deletes challenges that expired before a time. */
export async function forgetChallenges(binding: D1Database, beforeMs: number): Promise<void> {
  await drizzle(binding).delete(challenge).where(lt(challenge.expiresAt, beforeMs));
}

/** A counter of attempts: how many it takes in a window, which starts with its first attempt. */
export interface Bucket {
  bucket: string;
  max: number;
  windowMs: number;
}

/** What a bucket has counted in its present window, which ends at `resetsAt`. */
export type Counted = typeof attempt.$inferSelect;

// One statement, hence one decision: D1 runs no other statement between the comparison and the counting.
const COUNT_IN_ALL = `
  INSERT INTO attempt (bucket, count, resets_at)
  SELECT value ->> 0, 1, ?2 + (value ->> 1) FROM json_each(?1)
  WHERE NOT EXISTS (
    SELECT 1 FROM json_each(?1) AS asked CROSS JOIN attempt AS kept ON kept.bucket = asked.value ->> 0
    WHERE kept.resets_at > ?2 AND kept.count >= asked.value ->> 2
  )
  ON CONFLICT (bucket) DO UPDATE SET
    count = iif(attempt.resets_at <= ?2, 1, attempt.count + 1),
    resets_at = iif(attempt.resets_at <= ?2, excluded.resets_at, attempt.resets_at)
  RETURNING bucket, count, resets_at AS resetsAt`;

/** The statement of `countInAll`, for callers that send several in one batch; its rows are of type `Counted`. */
export function countingStatement(binding: D1Database, buckets: readonly Bucket[], nowMs: number): D1PreparedStatement {
  const asked = buckets.map(({ bucket, windowMs, max }) => [bucket, windowMs, max]);
  return binding.prepare(COUNT_IN_ALL).bind(JSON.stringify(asked), nowMs);
}

/** Counts one attempt in every bucket or, when one of them is full, in none and answers null. */
export async function countInAll(
  binding: D1Database,
  buckets: readonly Bucket[],
  nowMs: number,
): Promise<Counted[] | null> {
  const { results } = await countingStatement(binding, buckets, nowMs).all<Counted>();
  return results.length > 0 ? results : null;
}

/** What these buckets have counted in their present windows; a bucket without a window is absent. */
export async function countsOf(binding: D1Database, buckets: readonly string[], nowMs: number): Promise<Counted[]> {
  return drizzle(binding)
    .select()
    .from(attempt)
    .where(and(inArray(attempt.bucket, [...buckets]), gt(attempt.resetsAt, nowMs)));
}

/** Deletes counters whose window has ended. */
export async function forgetAttempts(binding: D1Database, nowMs: number): Promise<void> {
  await drizzle(binding).delete(attempt).where(lt(attempt.resetsAt, nowMs));
}
