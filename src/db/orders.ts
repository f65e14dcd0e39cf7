import { and, asc, desc, eq, getTableColumns, inArray, isNull, lt, lte, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { paymentOrder } from "./schema.ts";
import type { PaymentState } from "./schema.ts";

// Orders of plans in D1. The price and the credit of an order are written once and never changed.

export type OrderRow = typeof paymentOrder.$inferSelect;
export type { Buyer } from "../model/person.ts";
export type { PaymentState } from "./schema.ts";

/** States only rise, in this order. */
const STATES: readonly PaymentState[] = ["created", "pending", "failed", "paid", "credited", "refunded"];

/**
 * Adds an order, unless its account has made `max` since `sinceMs`; false when it was not added, and when its id exists,
 * whose order is left unchanged. One statement: of several orders at once, none passes the limit.
 */
export async function insertOrder(
  binding: D1Database,
  row: OrderRow,
  { sinceMs, max }: { sinceMs: number; max: number },
): Promise<boolean> {
  const recent = sql`SELECT count(*) FROM ${paymentOrder}
    WHERE ${paymentOrder.accountId} = ${row.accountId} AND ${paymentOrder.createdAt} > ${sinceMs}`;
  // Every column in the table's order, as drizzle names them for an insert from a query.
  const columns = getTableColumns(paymentOrder);
  const values = Object.keys(columns).map((name) => {
    const column = name as keyof typeof columns;
    return sql`${sql.param(row[column], columns[column])}`;
  });
  const done = await drizzle(binding)
    .insert(paymentOrder)
    .select(sql`SELECT ${sql.join(values, sql`, `)} WHERE (${recent}) < ${max}`)
    .onConflictDoNothing();
  return done.meta.changes > 0;
}

/** An order by its id, or null. */
export async function orderById(binding: D1Database, id: string): Promise<OrderRow | null> {
  const rows = await drizzle(binding).select().from(paymentOrder).where(eq(paymentOrder.id, id));
  return rows[0] ?? null;
}

/** The order to which a provider gave one of these ids, or null. */
export async function orderByRef(
  binding: D1Database,
  provider: string,
  refs: { providerRef: string | null; paymentRef: string | null },
): Promise<OrderRow | null> {
  for (const [column, ref] of [
    [paymentOrder.providerRef, refs.providerRef],
    [paymentOrder.paymentRef, refs.paymentRef],
  ] as const) {
    if (ref === null) continue;
    const rows = await drizzle(binding)
      .select()
      .from(paymentOrder)
      .where(and(eq(column, ref), eq(paymentOrder.provider, provider)))
      .limit(1);
    if (rows[0]) return rows[0];
  }
  return null;
}

/** An account's orders, newest first. */
export async function ordersOf(binding: D1Database, accountId: string, limit: number): Promise<OrderRow[]> {
  return drizzle(binding)
    .select()
    .from(paymentOrder)
    .where(eq(paymentOrder.accountId, accountId))
    .orderBy(desc(paymentOrder.createdAt), desc(paymentOrder.id))
    .limit(limit);
}

/** Raises an order's state; false, without any change, when the order is in that state or a higher one already. */
export async function raiseOrder(
  binding: D1Database,
  id: string,
  state: PaymentState,
  change: Partial<Pick<OrderRow, "paymentRef" | "reason" | "checkAt">> & { updatedAt: number },
): Promise<boolean> {
  const done = await drizzle(binding)
    .update(paymentOrder)
    .set({ ...change, state })
    .where(and(eq(paymentOrder.id, id), inArray(paymentOrder.state, STATES.slice(0, STATES.indexOf(state)))));
  return done.meta.changes > 0;
}

/** Records how much of an order was refunded so far; false, without any change, when that much or more is recorded. */
export async function refundOrder(
  binding: D1Database,
  id: string,
  refundedPaise: number,
  nowMs: number,
): Promise<boolean> {
  const done = await drizzle(binding)
    .update(paymentOrder)
    .set({ state: "refunded", refundedPaise, checkAt: null, updatedAt: nowMs })
    .where(and(eq(paymentOrder.id, id), lt(paymentOrder.refundedPaise, refundedPaise)));
  return done.meta.changes > 0;
}

/** Stores the provider's id of an order, unless the order has one already. */
export async function nameOrder(binding: D1Database, id: string, providerRef: string): Promise<void> {
  await drizzle(binding)
    .update(paymentOrder)
    .set({ providerRef })
    .where(and(eq(paymentOrder.id, id), isNull(paymentOrder.providerRef)));
}

/** Orders whose next check with their provider is due. */
export async function ordersToCheck(binding: D1Database, nowMs: number, limit: number): Promise<OrderRow[]> {
  return drizzle(binding)
    .select()
    .from(paymentOrder)
    .where(lte(paymentOrder.checkAt, nowMs))
    .orderBy(asc(paymentOrder.checkAt))
    .limit(limit);
}

/** Claims one check of an order with its provider; false when another caller claimed it, so that it is made once. */
export async function takeCheck(
  binding: D1Database,
  order: Pick<OrderRow, "id" | "checkAt" | "updatedAt">,
  checkAt: number | null,
  nowMs: number,
): Promise<boolean> {
  const done = await drizzle(binding)
    .update(paymentOrder)
    .set({ checkAt, updatedAt: nowMs })
    .where(
      and(
        eq(paymentOrder.id, order.id),
        eq(paymentOrder.updatedAt, order.updatedAt),
        order.checkAt === null ? isNull(paymentOrder.checkAt) : eq(paymentOrder.checkAt, order.checkAt),
      ),
    );
  return done.meta.changes > 0;
}
