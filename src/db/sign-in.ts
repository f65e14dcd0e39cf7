import { and, eq, gt, lt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { attempt, challenge } from "./schema.ts";

// One-time passwords that wait for their answer, and counts of attempts. Whatever decides does so in one statement.

type ChallengeRow = typeof challenge.$inferSelect;

export async function insertChallenge(binding: D1Database, row: ChallengeRow): Promise<void> {
  await drizzle(binding).insert(challenge).values(row);
}

/** A challenge, also one that is over. */
export async function challengeByHash(binding: D1Database, hash: string): Promise<ChallengeRow | null> {
  const rows = await drizzle(binding).select().from(challenge).where(eq(challenge.hash, hash));
  return rows[0] ?? null;
}

/** Takes one try at a challenge, before the answer is looked at; null when none is left, or it is over. */
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

/** Deletes a challenge; of several at once, one gets true. */
export async function deleteChallenge(binding: D1Database, hash: string): Promise<boolean> {
  const done = await drizzle(binding).delete(challenge).where(eq(challenge.hash, hash));
  return done.meta.changes > 0;
}

/** Forgets challenges that ended before a time. */
export async function forgetChallenges(binding: D1Database, beforeMs: number): Promise<void> {
  await drizzle(binding).delete(challenge).where(lt(challenge.expiresAt, beforeMs));
}

/** Counts one attempt in the bucket's window, which begins with its first one. */
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

/** Forgets counts whose window is over. */
export async function forgetAttempts(binding: D1Database, nowMs: number): Promise<void> {
  await drizzle(binding).delete(attempt).where(lt(attempt.resetsAt, nowMs));
}
