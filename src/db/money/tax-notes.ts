import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { NoteKind } from "../../model/paying/tax-note.ts";
import { taxNote } from "./schema.ts";

// Credit notes and the like, in D1. One statement computes the number and the amount and assigns them, and D1 runs one
// statement at a time: no number is missing or given twice, and no amount is noted twice.

export type NoteRow = typeof taxNote.$inferSelect;

/** A note to issue, without what the statement computes. */
export interface NoteAsked extends Pick<NoteRow, "kind" | "year" | "orderId" | "source" | "issuedAt" | "terms"> {
  /** What went back for this source in all, so far. */
  totalPaise: number;
  /** The total of the invoice. */
  invoicePaise: number;
}

/** What the notes of the order took off its invoice: for this source, and in all; and how many the source has. */
const sumsOf = ({ orderId, source }: NoteAsked) => sql`
  SELECT coalesce(sum(paise) FILTER (WHERE source = ${source}), 0) AS noted, coalesce(sum(paise), 0) AS net,
         count(*) FILTER (WHERE source = ${source}) AS nth
    FROM (SELECT source, CASE WHEN kind IN ('debit', 'reversal') THEN -amount_paise ELSE amount_paise END AS paise
            FROM tax_note WHERE order_id = ${orderId})`;

async function insert(binding: D1Database, asked: NoteAsked, amount: ReturnType<typeof sql>): Promise<void> {
  const { kind, year, orderId, source, issuedAt, terms } = asked;
  await drizzle(binding).run(sql`
    INSERT INTO tax_note (kind, year, number, order_id, source, nth, amount_paise, before_paise, issued_at, terms)
    SELECT ${kind}, ${year},
           (SELECT coalesce(max(number), 0) + 1 FROM tax_note WHERE kind = ${kind} AND year = ${year}),
           ${orderId}, ${source}, nth, ${amount}, net, ${issuedAt}, ${JSON.stringify(terms)}
      FROM (${sumsOf(asked)}) WHERE ${amount} > 0`);
}

/** Issues the note of what went back since the last one for its source; none where nothing did, or all is noted. */
export async function insertNote(binding: D1Database, asked: NoteAsked): Promise<void> {
  await insert(binding, asked, sql`min(${asked.totalPaise} - noted, ${asked.invoicePaise} - net)`);
}

/** Issues the note of what came back again; none where no more is noted than what went back. */
export async function insertNoteBack(binding: D1Database, asked: NoteAsked): Promise<void> {
  await insert(binding, asked, sql`(noted - ${asked.totalPaise})`);
}

/** The notes of some orders, in the order of their issue. */
export async function notesOf(binding: D1Database, orderIds: readonly string[]): Promise<NoteRow[]> {
  if (orderIds.length === 0) return [];
  return drizzle(binding)
    .select()
    .from(taxNote)
    .where(inArray(taxNote.orderId, [...orderIds]))
    .orderBy(asc(taxNote.issuedAt), asc(taxNote.source), asc(taxNote.nth));
}

/** A note by its number, or null. */
export async function noteByNumber(
  binding: D1Database,
  { kind, year, number }: { kind: NoteKind; year: string; number: number },
): Promise<NoteRow | null> {
  const rows = await drizzle(binding)
    .select()
    .from(taxNote)
    .where(and(eq(taxNote.kind, kind), eq(taxNote.year, year), eq(taxNote.number, number)));
  return rows[0] ?? null;
}

/** The latest notes of all orders, newest first. */
export async function latestNotes(binding: D1Database, limit: number): Promise<NoteRow[]> {
  return drizzle(binding).select().from(taxNote).orderBy(desc(taxNote.issuedAt)).limit(limit);
}
