import { and, eq, gt, lt, sql } from "drizzle-orm";
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

/** Counts one attempt in a bucket, whose window starts with the first attempt. */
export async function countAttempt(
  binding: D1Database,
  bucket: string,
  windowMs: number,
  nowMs: number,
): Promise<{ count: number; resetsAt: number }> {
  const over = sql`${attempt.resetsAt} <= ${nowMs}`;
  const resetsAt = nowMs + windowMs;
  const rows = await drizzle(binding)
    .insert(attempt)
    .values({ bucket, count: 1, resetsAt })
    .onConflictDoUpdate({
      target: attempt.bucket,
      set: {
        count: sql`CASE WHEN ${over} THEN 1 ELSE ${attempt.count} + 1 END`,
        resetsAt: sql`CASE WHEN ${over} THEN ${resetsAt} ELSE ${attempt.resetsAt} END`,
      },
    })
    .returning({ count: attempt.count, resetsAt: attempt.resetsAt });
  const [row] = rows;
  if (!row) throw new Error("an attempt was not counted");
  return row;
}

/** Deletes counters whose window has ended. */
export async function forgetAttempts(binding: D1Database, nowMs: number): Promise<void> {
  await drizzle(binding).delete(attempt).where(lt(attempt.resetsAt, nowMs));
}
