import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Mode } from "../model/ref.ts";

// The tables of each database of history (history-databases.ts). In the migrations they are WITHOUT ROWID, like those of DB.

/**
 * Messages and calls, in groups: a projection of the account objects, ordered by `rev`. A group is one row, because D1
 * bills rows: a bucket of the single messages among 64 job numbers, or one job of a bulk. The narrow columns say what a
 * search may find in the group, and come first, so that most groups are passed over without reading `messages`.
 */
export const messageGroup = sqliteTable(
  "message_group",
  {
    accountId: text("account_id").notNull(),
    mode: text("mode").$type<Mode>().notNull(),
    /** 0: single messages; 1: a job of several messages. */
    kind: integer("kind").$type<0 | 1>().notNull(),
    /** The bucket's first job number, or the job's own. */
    seq: integer("seq").notNull(),
    /** The sum of its jobs' revisions, which only rises. */
    rev: integer("rev").notNull(),
    /** Milliseconds since 1970, like all times here: when its first and its last message were created. */
    firstAt: integer("first_at").notNull(),
    lastAt: integer("last_at").notNull(),
    /** JSON, like the columns after it: `[quarter, operation, messages]`; quarters of an hour since 1970. */
    counts: text("counts").notNull(),
    /** Each `[operation, charge, keyId, carrier]` that occurs; behind it the id of its secret, and segments, where needed. */
    kinds: text("kinds").notNull(),
    /** Each `[state, refunded, errorCode, attempts, path]` that occurs; a path has one letter for each later state. */
    states: text("states").notNull(),
    /** Phone numbers and request ids, separated by spaces; one request id where all messages share it. */
    recipients: text("recipients").notNull(),
    requests: text("requests").notNull(),
    /** `[job − seq, index, kind, state, rev, created − firstAt, ms to each later state]` for each message, in order. */
    messages: text("messages").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.mode, table.kind, table.seq] })],
);

/** Requests with a valid key that were refused, in the last days; the key's first column lets old days go. */
export const refusedRequest = sqliteTable(
  "refused_request",
  {
    /** Days since 1970, UTC. */
    day: integer("day").notNull(),
    accountId: text("account_id").notNull(),
    mode: text("mode").$type<Mode>().notNull(),
    at: integer("at").notNull(),
    requestId: text("request_id").notNull(),
    method: text("method").notNull(),
    path: text("path").notNull(),
    status: integer("status").notNull(),
    code: text("code").notNull(),
    param: text("param"),
    error: text("error").notNull(),
    keyId: integer("key_id").notNull(),
    /** Names of fields with their types, as JSON: never a value. */
    fields: text("fields", { mode: "json" }).$type<Record<string, string>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.accountId, table.mode, table.at, table.requestId] })],
);
