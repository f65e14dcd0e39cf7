import { count, desc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { deadLetter } from "./schema.ts";

// Dead letters in D1, for the operator's page.

type DeadLetterRow = typeof deadLetter.$inferSelect;

/** How many dead letters are kept. Older ones can be deleted: the accounts' alarms handle the rows that they name. */
export const DEAD_LETTERS_MAX = 1_000;

/** Rows of three parameters per statement; D1 allows 100 parameters. */
const ROWS_PER_STATEMENT = 30;

/** Stores dead letters, each id once, and deletes the oldest beyond DEAD_LETTERS_MAX. */
export async function insertDeadLetters(binding: D1Database, rows: DeadLetterRow[]): Promise<void> {
  const db = drizzle(binding);
  const inserts = [];
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    const some = rows.slice(at, at + ROWS_PER_STATEMENT);
    inserts.push(db.insert(deadLetter).values(some).onConflictDoNothing());
  }
  const newest = sql`(SELECT id FROM dead_letter ORDER BY at DESC, id LIMIT ${DEAD_LETTERS_MAX})`;
  const prune = db.delete(deadLetter).where(sql`${deadLetter.id} NOT IN ${newest}`);
  const [first, ...rest] = inserts;
  if (first !== undefined) await db.batch([first, ...rest, prune]);
}

/** The newest dead letters. */
export async function newestDeadLetters(binding: D1Database, limit: number): Promise<DeadLetterRow[]> {
  return drizzle(binding).select().from(deadLetter).orderBy(desc(deadLetter.at), deadLetter.id).limit(limit);
}

export async function countDeadLetters(binding: D1Database): Promise<number> {
  const rows = await drizzle(binding).select({ letters: count() }).from(deadLetter);
  return rows[0]?.letters ?? 0;
}

/** A dead letter, or null. */
export async function deadLetterById(binding: D1Database, id: string): Promise<DeadLetterRow | null> {
  const rows = await drizzle(binding).select().from(deadLetter).where(eq(deadLetter.id, id));
  return rows[0] ?? null;
}

/** Deletes a dead letter; false when it does not exist. */
export async function deleteDeadLetter(binding: D1Database, id: string): Promise<boolean> {
  const done = await drizzle(binding).delete(deadLetter).where(eq(deadLetter.id, id));
  return done.meta.changes > 0;
}
