import { index, integer, primaryKey, sqliteTable, text, unique } from "drizzle-orm/sqlite-core";
import type { DisputePhase, DisputeStatus } from "../../model/paying/dispute.ts";
import type { NoteKind } from "../../model/paying/tax-note.ts";
import type { InvoiceTerms } from "../schema.ts";

// Tables of D1 for money that goes back: disputes of payments, and the documents of what was refunded.

/** Disputes of payments (chargebacks), as the provider's latest report has them. */
export const dispute = sqliteTable(
  "dispute",
  {
    provider: text("provider").notNull(),
    /** The provider's id. */
    disputeId: text("dispute_id").notNull(),
    /** NULL where its payment is for no order of ours. */
    orderId: text("order_id"),
    accountId: text("account_id"),
    paymentRef: text("payment_ref"),
    status: text("status").$type<DisputeStatus>().notNull(),
    phase: text("phase").$type<DisputePhase>().notNull(),
    /** The provider's code of the reason. */
    reason: text("reason"),
    amountPaise: integer("amount_paise").notNull(),
    /** What it took from the operator; 0 unless it was lost. */
    deductedPaise: integer("deducted_paise").notNull(),
    currency: text("currency"),
    /** By when the operator must answer it; NULL if unknown. */
    respondBy: integer("respond_by"),
    /** Of two reports the one with the higher number is the later. */
    version: integer("version").notNull(),
    firstAt: integer("first_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.provider, table.disputeId] }),
    index("dispute_order").on(table.orderId),
    index("dispute_updated").on(table.updatedAt),
  ],
);

/** Credit notes and the like: consecutive within a financial year and kind. A note never changes. */
export const taxNote = sqliteTable(
  "tax_note",
  {
    kind: text("kind").$type<NoteKind>().notNull(),
    /** Such as 26-27. */
    year: text("year").notNull(),
    number: integer("number").notNull(),
    orderId: text("order_id").notNull(),
    /** Why money went back: `refund`, or `dispute:` and its id. */
    source: text("source").notNull(),
    /** Which note of this order and source it is, from 0. */
    nth: integer("nth").notNull(),
    amountPaise: integer("amount_paise").notNull(),
    /** What the order's notes had taken off its invoice before this one. */
    beforePaise: integer("before_paise").notNull(),
    issuedAt: integer("issued_at").notNull(),
    /** The seller as of the date of issue, with the tax of the invoice. */
    terms: text("terms", { mode: "json" }).$type<InvoiceTerms>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.year, table.number] }),
    unique("tax_note_source").on(table.orderId, table.source, table.nth),
    index("tax_note_issued").on(table.issuedAt),
  ],
);
