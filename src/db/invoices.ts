import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { invoice } from "./schema.ts";

// Invoices in D1. One statement computes a number and assigns it, and D1 runs one statement at a time.

export type InvoiceRow = typeof invoice.$inferSelect;
export type { InvoiceTerms } from "./schema.ts";

/** Gives an order the next number of a financial year, unless it already has a number. */
export async function insertInvoice(
  binding: D1Database,
  { year, orderId, issuedAt, terms }: Omit<InvoiceRow, "number">,
): Promise<void> {
  await drizzle(binding).run(sql`
    INSERT INTO invoice (year, number, order_id, issued_at, terms)
    SELECT ${year}, coalesce(max(number), 0) + 1, ${orderId}, ${issuedAt}, ${JSON.stringify(terms)}
      FROM invoice WHERE year = ${year}
    ON CONFLICT (order_id) DO NOTHING`);
}

/** The invoice of an order, or null. */
export async function invoiceByOrder(binding: D1Database, orderId: string): Promise<InvoiceRow | null> {
  const rows = await drizzle(binding).select().from(invoice).where(eq(invoice.orderId, orderId));
  return rows[0] ?? null;
}
