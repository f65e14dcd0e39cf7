import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { MessageState, Operation } from "../durable/account-types.ts";
import type { Mode } from "../ids.ts";
import type { Plan } from "../plans.ts";

// D1 holds what people look at afterwards. Nothing here decides about money (design §1).
// Both tables are WITHOUT ROWID in the migration: a row with a compound key then costs one row written, not two.

/** Messages and calls: a projection of the account objects, ordered by `rev`. */
export const message = sqliteTable(
  "message",
  {
    accountId: text("account_id").notNull(),
    mode: text("mode").$type<Mode>().notNull(),
    seq: integer("seq").notNull(),
    place: integer("place").notNull(),
    rev: integer("rev").notNull(),
    requestId: text("request_id").notNull(),
    operation: text("operation").$type<Operation>().notNull(),
    recipient: text("recipient").notNull(),
    state: text("state").$type<MessageState>().notNull(),
    /** Units; kept after a refund. */
    charge: integer("charge").notNull(),
    refunded: integer("refunded", { mode: "boolean" }).notNull(),
    carrier: text("carrier"),
    attempts: integer("attempts").notNull(),
    errorCode: text("error_code"),
    /** Milliseconds since 1970, as all times here. */
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    /** States with their times, oldest first. */
    timeline: text("timeline", { mode: "json" }).$type<{ state: MessageState; at: number }[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.mode, table.seq, table.place] })],
);

/** Accounts, for lists; the object is the truth. */
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
  },
  (table) => [primaryKey({ columns: [table.accountId, table.mode] })],
);
