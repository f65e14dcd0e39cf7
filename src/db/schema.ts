import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ActDetails, Action, ActorKind } from "../model/audit.ts";
import type { Buyer } from "../model/person.ts";
import type { Mode } from "../model/ref.ts";
import type { Plan } from "../money/plans.ts";

// Tables of the database DB: people, sign-in, orders and invoices, and the list of accounts. What accounts sent is in
// databases of its own (history-schema.ts). No balance is decided here. In the migrations the tables are WITHOUT ROWID: a
// row whose key is not an integer then costs one row written, not two.

/** Accounts, for lists: a projection of the account objects. */
export const account = sqliteTable(
  "account",
  {
    accountId: text("account_id").notNull(),
    mode: text("mode").$type<Mode>().notNull(),
    rev: integer("rev").notNull(),
    name: text("name").notNull(),
    status: text("status").notNull(),
    plan: text("plan").$type<Plan>().notNull(),
    createdAt: integer("created_at").notNull(),
    /** Until when it may have open work, as far as history knows (`watch.ts`). */
    watchUntil: integer("watch_until").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.mode] }),
    // The operator's list, newest first.
    index("account_created").on(table.mode, table.createdAt, table.accountId),
  ],
);

/** People who sign in; each has one account. */
export const person = sqliteTable(
  "person",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id").notNull().unique(),
    name: text("name").notNull(),
    /** E.164, verified with a one-time password. */
    phone: text("phone").unique(),
    /** Lower case. */
    email: text("email").unique(),
    /** scrypt: parameters, salt and hash. */
    password: text("password"),
    /** The billing details for invoices. */
    buyer: text("buyer", { mode: "json" }).$type<Buyer>(),
    createdAt: integer("created_at").notNull(),
    /** A browser that was remembered before this time counts as unknown. */
    devicesSince: integer("devices_since").notNull().default(0),
    /** A verified phone that replaces `phone` at `nextPhoneAt`; both are NULL while no change waits. */
    nextPhone: text("next_phone"),
    nextPhoneAt: integer("next_phone_at"),
  },
  (table) => [index("person_next_phone").on(table.nextPhone)],
);

/** Sessions of signed-in browsers. Only a hash of the token is stored: reading this table does not allow signing in. */
export const session = sqliteTable(
  "session",
  {
    hash: text("hash").primaryKey(),
    /** A person's id, or `operator`. */
    holder: text("holder").notNull(),
    /** A short form of the browser's User-Agent, for the list of sessions. */
    device: text("device").notNull(),
    createdAt: integer("created_at").notNull(),
    /** When the holder last authenticated. */
    authenticatedAt: integer("authenticated_at").notNull(),
    /** When the holder last answered a code to their phone in this session; NULL if never. */
    phoneProvedAt: integer("phone_proved_at"),
    /** Where the sign-in came from, as the platform tells it: ISO 3166-1 alpha-2, and a city; empty if unknown. */
    country: text("country").notNull().default(""),
    city: text("city").notNull().default(""),
    /** Written at most once per SEEN_STEP_MS of sign-in/sessions.ts. */
    seenAt: integer("seen_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("session_holder").on(table.holder), index("session_expires").on(table.expiresAt)],
);

/** One-time passwords that were sent for signing in, until they are used or expired. */
export const challenge = sqliteTable(
  "challenge",
  {
    /** Hash of the token in the browser's cookie: only the browser that requested the code can answer. */
    hash: text("hash").primaryKey(),
    phone: text("phone").notNull(),
    /** MAC of the code. */
    code: text("code").notNull(),
    purpose: text("purpose").notNull(),
    /** Data for the action that follows a right answer, such as the e-mail of a sign-up. */
    payload: text("payload", { mode: "json" }).$type<Record<string, string>>().notNull(),
    tries: integer("tries").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("challenge_expires").on(table.expiresAt)],
);

/** Counters of attempts. A bucket says what was tried and by whom; its window ends at `resetsAt`. */
export const attempt = sqliteTable(
  "attempt",
  {
    bucket: text("bucket").primaryKey(),
    count: integer("count").notNull(),
    resetsAt: integer("resets_at").notNull(),
  },
  (table) => [index("attempt_resets").on(table.resetsAt)],
);

export type PaymentState = "created" | "pending" | "failed" | "paid" | "credited" | "refunded";

/** Orders of plans. What is credited is read from here, never from a payment provider's event. */
export const paymentOrder = sqliteTable(
  "payment_order",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id").notNull(),
    plan: text("plan").$type<Plan>().notNull(),
    amountPaise: integer("amount_paise").notNull(),
    currency: text("currency").notNull(),
    creditUnits: integer("credit_units").notNull(),
    provider: text("provider").notNull(),
    /** The provider's own id of the order or link. */
    providerRef: text("provider_ref"),
    /** The provider's id of the payment that paid it. */
    paymentRef: text("payment_ref"),
    state: text("state").$type<PaymentState>().notNull(),
    /** How much of it was refunded. */
    refundedPaise: integer("refunded_paise").notNull(),
    /** Why the payment failed; NULL unless it did. */
    reason: text("reason"),
    buyer: text("buyer", { mode: "json" }).$type<Buyer>(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** When it is checked with its provider next; NULL when nothing is left to check. */
    checkAt: integer("check_at"),
  },
  (table) => [
    index("payment_order_account").on(table.accountId, table.createdAt),
    index("payment_order_check").on(table.checkAt),
    index("payment_order_provider_ref").on(table.providerRef),
    index("payment_order_payment_ref").on(table.paymentRef),
  ],
);

/** Events from payment providers, one row per event id. */
export const paymentEvent = sqliteTable(
  "payment_event",
  {
    provider: text("provider").notNull(),
    eventId: text("event_id").notNull(),
    orderId: text("order_id"),
    kind: text("kind").notNull(),
    /** The provider's id of the payment in the event. */
    paymentRef: text("payment_ref"),
    amountPaise: integer("amount_paise"),
    refundedPaise: integer("refunded_paise").notNull(),
    currency: text("currency"),
    /** Why it was quarantined, for the operator; NULL when it was applied. */
    quarantined: text("quarantined"),
    receivedAt: integer("received_at").notNull(),
    /** When the operator resolved it. */
    resolvedAt: integer("resolved_at"),
  },
  (table) => [primaryKey({ columns: [table.provider, table.eventId] })],
);

/** The seller and the tax at the time when an invoice was issued. */
export interface InvoiceTerms {
  name: string;
  address: string;
  /** Null when the seller is not registered: the document is then a receipt. */
  gstin: string | null;
  sac: string;
  /** Percent. */
  gstPercent: number;
  /** The prefix of the number. */
  prefix: string;
}

/** Invoice numbers: consecutive within a financial year, one per paid order. */
export const invoice = sqliteTable(
  "invoice",
  {
    /** Such as 26-27. */
    year: text("year").notNull(),
    number: integer("number").notNull(),
    orderId: text("order_id").notNull().unique(),
    issuedAt: integer("issued_at").notNull(),
    /** Seller and tax as of the date of issue: an issued invoice never changes. */
    terms: text("terms", { mode: "json" }).$type<InvoiceTerms>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.year, table.number] })],
);

/** What the service stores about itself once: the account that sends sign-in codes, and which secrets it has used. */
export const serviceSetting = sqliteTable("service_setting", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
});

/** Queue messages that failed at every attempt; the rows they name are safe in the account objects. */
export const deadLetter = sqliteTable("dead_letter", {
  id: text("id").primaryKey(),
  body: text("body").notNull(),
  at: integer("at").notNull(),
});

/** The audit trail (src/audit): what operators, customers and the service did. Rows are only added. */
export const auditEntry = sqliteTable(
  "audit",
  {
    id: text("id").primaryKey(),
    at: integer("at").notNull(),
    actorKind: text("actor_kind").$type<ActorKind>().notNull(),
    actor: text("actor").notNull(),
    accountId: text("account_id"),
    action: text("action").$type<Action>().notNull(),
    subject: text("subject"),
    details: text("details", { mode: "json" }).$type<ActDetails>().notNull(),
    /** A MAC; the address itself is stored nowhere. */
    address: text("address"),
    requestId: text("request_id"),
    session: text("session"),
  },
  (table) => [
    index("audit_at").on(table.at, table.id),
    index("audit_account").on(table.accountId, table.at, table.id),
    index("audit_actor").on(table.actor, table.at, table.id),
    index("audit_action").on(table.action, table.at, table.id),
  ],
);

/** Where each periodic work that walks something goes on (src/db/cursors.ts). */
export const cursor = sqliteTable("cursor", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
});
