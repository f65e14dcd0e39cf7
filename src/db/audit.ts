import { and, asc, desc, eq, inArray, lt, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { ActPlace, Action, RecordedAct } from "../model/audit.ts";
import { auditEntry } from "./schema.ts";

// The audit trail in D1. Rows are added and, when a kind is kept for a time only, deleted; none is ever changed,
// but that the acts of an erased account lose what is personal (leaving.ts).

/** Adds an act; false when it is recorded already. */
export async function insertAct(binding: D1Database, act: RecordedAct): Promise<boolean> {
  const done = await drizzle(binding).insert(auditEntry).values(act).onConflictDoNothing();
  return done.meta.changes > 0;
}

/** Which acts to list; a field that is missing excludes none. */
export interface ActFilter {
  accountId?: string;
  actor?: string;
  action?: Action;
}

const matching = ({ accountId, actor, action }: ActFilter): (SQL | undefined)[] => [
  accountId === undefined ? undefined : eq(auditEntry.accountId, accountId),
  actor === undefined ? undefined : eq(auditEntry.actor, actor),
  action === undefined ? undefined : eq(auditEntry.action, action),
];

/** Acts before a place, newest first; null begins with the newest. */
export async function actsBefore(
  binding: D1Database,
  filter: ActFilter,
  before: ActPlace | null,
  limit: number,
): Promise<RecordedAct[]> {
  const { at, id } = auditEntry;
  const place = before && sql`(${at}, ${id}) < (${before.at}, ${before.id})`;
  return drizzle(binding)
    .select()
    .from(auditEntry)
    .where(and(...matching(filter), place ?? undefined))
    .orderBy(desc(at), desc(id))
    .limit(limit);
}

/** Acts after a place, oldest first; null begins with the oldest. */
export async function actsAfter(
  binding: D1Database,
  filter: ActFilter,
  after: ActPlace | null,
  limit: number,
): Promise<RecordedAct[]> {
  const { at, id } = auditEntry;
  const place = after && sql`(${at}, ${id}) > (${after.at}, ${after.id})`;
  return drizzle(binding)
    .select()
    .from(auditEntry)
    .where(and(...matching(filter), place ?? undefined))
    .orderBy(asc(at), asc(id))
    .limit(limit);
}

/** Deletes at most `limit` acts of these kinds that are older than a time. */
export async function forgetActs(
  binding: D1Database,
  actions: readonly Action[],
  beforeMs: number,
  limit: number,
): Promise<void> {
  const db = drizzle(binding);
  const old = db
    .select({ id: auditEntry.id })
    .from(auditEntry)
    .where(and(inArray(auditEntry.action, [...actions]), lt(auditEntry.at, beforeMs)))
    .limit(limit);
  await db.delete(auditEntry).where(inArray(auditEntry.id, old));
}
