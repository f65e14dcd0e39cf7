import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AlertKind, AlertValues } from "../../model/alert.ts";
import type { Lane } from "../../model/lane.ts";

// Tables of D1 by which the service knows how it does: alerts and their notices, deliveries, long waits.

/** Alerts (src/alerts): one row per kind and subject, for the latest time that it was raised. */
export const alert = sqliteTable(
  "alert",
  {
    kind: text("kind").$type<AlertKind>().notNull(),
    subject: text("subject").notNull(),
    /** Random; a new one each time that the alert begins. */
    episode: text("episode").notNull(),
    firstAt: integer("first_at").notNull(),
    lastAt: integer("last_at").notNull(),
    count: integer("count").notNull(),
    values: text("details", { mode: "json" }).$type<AlertValues>().notNull(),
    endedAt: integer("ended_at"),
    /** When a notice of it was written last; 0 while there was none. */
    noticedAt: integer("noticed_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.subject] })],
);

/** Notices of alerts that the channel has not delivered yet; a notice never changes, and is deleted when delivered. */
export const alertNotice = sqliteTable("alert_notice", {
  /** The order of delivery. */
  seq: integer("seq").primaryKey({ autoIncrement: true }),
  /** The id of the webhook: derived from the alert's episode, so that a notice is written once. */
  id: text("id").notNull().unique(),
  body: text("body").notNull(),
  at: integer("at").notNull(),
  tries: integer("tries").notNull(),
  /** Not tried before this time. */
  nextAt: integer("next_at").notNull(),
});

/** What became of messages (src/db/deliveries.ts), by carrier and the five minutes in which history recorded their end. */
export const deliveryTally = sqliteTable(
  "delivery_tally",
  {
    carrier: text("carrier").notNull(),
    /** When the five minutes begin; 0: all from before those that are kept one by one. */
    slot: integer("slot").notNull(),
    delivered: integer("delivered").notNull(),
    undelivered: integer("undelivered").notNull(),
    failed: integer("failed").notNull(),
    unconfirmed: integer("unconfirmed").notNull(),
    /** The time from acceptance to delivery of all that were delivered, in ms. */
    sumMs: integer("sum_ms").notNull(),
    /** How many of them were delivered within so many seconds. */
    within5: integer("within_5").notNull(),
    within15: integer("within_15").notNull(),
    within60: integer("within_60").notNull(),
    within300: integer("within_300").notNull(),
    within1800: integer("within_1800").notNull(),
  },
  (table) => [primaryKey({ columns: [table.carrier, table.slot] })],
);

/** Accounts with messages that waited long when history heard of them last; a row goes when none waits any more. */
export const longWait = sqliteTable(
  "long_wait",
  {
    accountId: text("account_id").notNull(),
    lane: text("lane").$type<Lane>().notNull(),
    /** The carrier that refused it last; empty where none was asked. */
    carrier: text("carrier").notNull(),
    /** When the oldest of them was created. */
    oldestAt: integer("oldest_at").notNull(),
    seenAt: integer("seen_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.lane] })],
);
