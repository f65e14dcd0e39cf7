import type { Config } from "../config/settings.ts";
import { invoiceByOrder } from "../db/invoices.ts";
import type { InvoiceRow } from "../db/invoices.ts";
import { insertNote, insertNoteBack, latestNotes, noteByNumber, notesOf } from "../db/money/tax-notes.ts";
import type { NoteRow } from "../db/money/tax-notes.ts";
import { NOTE_KINDS, NOTE_LETTERS, addsUp } from "../model/paying/tax-note.ts";
import type { NoteKind } from "../model/paying/tax-note.ts";
import { amountInWords, creditNoteEnd, financialYear, taxOfPart } from "../money/gst.ts";
import type { Tax } from "../money/gst.ts";
import { findInvoice } from "./invoices.ts";
import type { Invoice } from "./invoices.ts";
import type { Order } from "./provider.ts";

export type { NoteRow } from "../db/money/tax-notes.ts";

// Documents about money that went back: credit and debit notes (CGST Act §34, contents by Rule 53(1A) of the CGST Rules),
// or receipts where the seller was not registered. Each refund, and each dispute that was lost, has exactly one; so has a
// dispute that is won after it was lost. A note never changes: it has the seller and the tax of its invoice.

/** Digits of the number: with the longest prefix, the year and the letter it has 16 characters, the most allowed. */
const NUMBER_DIGITS = 5;

/** How many notes the operator's list shows. */
const LISTED_MAX = 100;

/** The number as printed, such as DK/26-27/C00012; the letter sets it apart from the numbers of invoices. */
export function noteNumber({ kind, year, number, terms }: Pick<NoteRow, "kind" | "year" | "number" | "terms">): string {
  return `${terms.prefix}/${year}/${NOTE_LETTERS[kind]}${String(number).padStart(NUMBER_DIGITS, "0")}`;
}

/** The note in an address, such as C26-27-12. */
export const noteSlug = ({ kind, year, number }: Pick<NoteRow, "kind" | "year" | "number">) =>
  `${NOTE_LETTERS[kind]}${year}-${number}`;

const kindFor = (invoice: InvoiceRow, nowMs: number): NoteKind => {
  if (invoice.terms.gstin === null) return "receipt";
  return nowMs < creditNoteEnd(invoice.year) ? "credit" : "financial";
};

/**
 * Issues the note for what went back of an order in all, by its refunds (`refund`) or by one dispute (`dispute:…`), where
 * that differs from what is noted. Idempotent. Nothing happens where the order has no invoice.
 */
export async function issueNote(
  env: Env,
  config: Config,
  { order, source, totalPaise }: { order: Order; source: string; totalPaise: number },
  nowMs: number,
): Promise<void> {
  const invoice = await invoiceByOrder(env.DB, order.id);
  if (!invoice) return;
  const { terms } = invoice;
  const common = { year: financialYear(nowMs), orderId: order.id, source, issuedAt: nowMs };
  // Name, address and prefix as of today; registration and rate are those of the sale.
  const now = { ...terms, name: config.SELLER_NAME, address: config.SELLER_ADDRESS, prefix: config.INVOICE_PREFIX };
  const asked = { ...common, terms: now, totalPaise, invoicePaise: order.amountPaise };
  await insertNote(env.DB, { ...asked, kind: kindFor(invoice, nowMs) });
  const earlier = await notesOf(env.DB, [order.id]);
  const kind = earlier.some((note) => note.source === source && note.kind === "credit") ? "debit" : "reversal";
  await insertNoteBack(env.DB, { ...asked, kind });
}

/** What a printed note shows. */
export interface Note {
  row: NoteRow;
  number: string;
  invoice: Invoice;
  order: Order;
  /** Null on documents that leave the tax as it is. */
  tax: Tax | null;
  totalInWords: string;
}

/** The notes of some orders, in the order of their issue. */
export const notesOfOrders = (env: Env, orders: readonly Order[]): Promise<NoteRow[]> =>
  notesOf(
    env.DB,
    orders.map(({ id }) => id),
  );

/** The latest notes of all orders, for the operator. */
export const newestNotes = (env: Env): Promise<NoteRow[]> => latestNotes(env.DB, LISTED_MAX);

/** A note by its part of an address; null where there is none. */
export async function findNote(env: Env, slug: string): Promise<NoteRow | null> {
  const [, letter, year = "", number] = /^([A-Z])(\d\d-\d\d)-(\d{1,9})$/u.exec(slug) ?? [];
  const kind = NOTE_KINDS.find((one) => NOTE_LETTERS[one] === letter);
  return kind === undefined ? null : noteByNumber(env.DB, { kind, year, number: Number(number) });
}

/** A note with everything that is printed on it; null where its order has no invoice. */
export async function printNote(env: Env, config: Config, order: Order, row: NoteRow): Promise<Note | null> {
  const invoice = await findInvoice(env, config, order, row.issuedAt);
  if (!invoice) return null;
  const { kind, amountPaise, beforePaise, terms } = row;
  const [from, to] = addsUp(kind) ? [beforePaise - amountPaise, beforePaise] : [beforePaise, beforePaise + amountPaise];
  const isTaxed = kind === "credit" || kind === "debit";
  const { states } = invoice;
  return {
    row,
    number: noteNumber(row),
    invoice,
    order,
    tax: isTaxed && states ? taxOfPart(from, to, terms.gstPercent, states.seller, states.place) : null,
    totalInWords: amountInWords(amountPaise),
  };
}
