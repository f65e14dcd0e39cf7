import { inArray } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { serviceSetting } from "./schema.ts";

// What the service stores about itself, by name: each value is stored once and never changes.

/**
 * Stores these values where none is stored yet under their names. Returns what is stored under these names, and under the
 * `others`.
 */
export async function storeOnce(
  binding: D1Database,
  values: Readonly<Record<string, string>>,
  others: readonly string[] = [],
): Promise<ReadonlyMap<string, string>> {
  const db = drizzle(binding);
  const rows = Object.entries(values).map(([name, value]) => ({ name, value }));
  const names = [...Object.keys(values), ...others];
  const [, stored] = await db.batch([
    db.insert(serviceSetting).values(rows).onConflictDoNothing(),
    db.select().from(serviceSetting).where(inArray(serviceSetting.name, names)),
  ]);
  return new Map(stored.map(({ name, value }) => [name, value]));
}
