import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { DISPUTE_STATUSES, isDisputeOpen } from "../../model/paying/dispute.ts";
import { dispute } from "./schema.ts";

// Disputes of payments, in D1: one row each, as the latest report has it.

export type DisputeRow = typeof dispute.$inferSelect;

/** Stores a report; an older one, or the same, changes nothing. Returns the dispute as the latest report has it. */
export async function storeDispute(binding: D1Database, row: DisputeRow): Promise<DisputeRow> {
  const db = drizzle(binding);
  const { provider: _provider, disputeId: _id, firstAt: _first, ...latest } = row;
  await db
    .insert(dispute)
    .values(row)
    .onConflictDoUpdate({
      target: [dispute.provider, dispute.disputeId],
      set: latest,
      setWhere: sql`${dispute.version} < ${row.version}`,
    });
  const rows = await db
    .select()
    .from(dispute)
    .where(and(eq(dispute.provider, row.provider), eq(dispute.disputeId, row.disputeId)));
  return rows[0] ?? row;
}

/** The disputes of some orders, newest first. */
export async function disputesOf(binding: D1Database, orderIds: readonly string[]): Promise<DisputeRow[]> {
  if (orderIds.length === 0) return [];
  return drizzle(binding)
    .select()
    .from(dispute)
    .where(inArray(dispute.orderId, [...orderIds]))
    .orderBy(desc(dispute.firstAt));
}

/** Disputes that are not decided, the one that changed last first. */
export async function openDisputes(binding: D1Database, limit: number): Promise<DisputeRow[]> {
  return drizzle(binding)
    .select()
    .from(dispute)
    .where(inArray(dispute.status, DISPUTE_STATUSES.filter(isDisputeOpen)))
    .orderBy(desc(dispute.updatedAt))
    .limit(limit);
}

/** Every dispute, the one that changed last first. */
export async function latestDisputes(binding: D1Database, limit: number): Promise<DisputeRow[]> {
  return drizzle(binding).select().from(dispute).orderBy(desc(dispute.updatedAt)).limit(limit);
}
