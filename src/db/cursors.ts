import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { cursor } from "./schema.ts";

// Where the periodic work that walks something stopped: the next run goes on from there.

/** The place that was noted under this name; null before the first, and after null was noted. */
export async function readCursor(binding: D1Database, name: string): Promise<string | null> {
  const rows = await drizzle(binding).select().from(cursor).where(eq(cursor.name, name));
  return rows[0]?.value ?? null;
}

/** Notes the place under this name; null: the next walk begins at the start. */
export async function writeCursor(binding: D1Database, name: string, value: string | null): Promise<void> {
  const db = drizzle(binding);
  if (value === null) await db.delete(cursor).where(eq(cursor.name, name));
  else {
    await db.insert(cursor).values({ name, value }).onConflictDoUpdate({ target: cursor.name, set: { value } });
  }
}
