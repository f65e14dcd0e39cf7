import { unseal } from "../../crypto/seal.ts";
import type { Secrets } from "../../crypto/secrets.ts";
import { matcherOf } from "../../inbox/search.ts";
import type { Caught, InboxFilter, InboxMessage } from "../../inbox/types.ts";
import type { Content, Operation } from "../../model/message.ts";
import { outgoingText } from "../../text/otp-text.ts";
import { bytesOrNull, number, numberOrNull, text } from "../rows.ts";
import type { Schema, Step } from "../tables.ts";

// The inbox's storage: one row per message, for the newest ones. Texts are stored as their account sealed them, and are
// unsealed in memory to be read or searched.

/** Messages that one inbox keeps; older ones are deleted. */
export const KEPT_MAX = 500;

/** Append-only, as the account's migrations are. */
const INBOX_MIGRATIONS: readonly Step[] = [
  `
  CREATE TABLE caught (
    -- Never given twice, also after everything was deleted: it is the place in the list that a browser remembers.
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    ref TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL,
    request_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    recipient TEXT NOT NULL,
    content TEXT NOT NULL,
    text BLOB,
    at INTEGER NOT NULL
  );
  `,
];

export const INBOX_SCHEMA: Schema = { steps: INBOX_MIGRATIONS, counted: 1 };

type Row = Record<string, SqlStorageValue>;

/** Unseals a text; null where that fails, as when its secret is not listed any more. */
function opened(secret: Secrets, account: string, sealed: Uint8Array | null): string | null {
  try {
    return sealed && unseal(secret, account, sealed);
  } catch {
    return null;
  }
}

function messageOf(row: Row, secret: Secrets): InboxMessage {
  const account = text(row, "account");
  const content = JSON.parse(text(row, "content")) as Content;
  const stored = opened(secret, account, bytesOrNull(row, "text"));
  return {
    seq: number(row, "seq"),
    ref: text(row, "ref"),
    account,
    requestId: text(row, "request_id"),
    operation: text(row, "operation") as Operation,
    to: text(row, "recipient"),
    content,
    text: stored && outgoingText(stored, content.otp),
    at: number(row, "at"),
  };
}

/** The place of the newest message, or 0 in an empty inbox. */
export function newestSeq(sql: SqlStorage): number {
  return number(sql.exec("SELECT coalesce(max(seq), 0) AS seq FROM caught").one(), "seq");
}

/** Stores messages and deletes the oldest beyond `KEPT_MAX`. A repeated reference changes nothing. */
export function keep(sql: SqlStorage, caught: readonly Caught[], nowMs: number): void {
  for (const { account, requestId, operation, content, text: sealed, messages } of caught) {
    // One statement per job, so that what its messages share is bound once: a bulk has thousands of messages.
    sql.exec(
      `INSERT INTO caught (ref, recipient, account, request_id, operation, content, text, at)
       SELECT value ->> 'ref', value ->> 'to', ?, ?, ?, ?, ?, ? FROM json_each(?) WHERE true ORDER BY key
       ON CONFLICT (ref) DO NOTHING`,
      account,
      requestId,
      operation,
      JSON.stringify(content),
      sealed,
      nowMs,
      JSON.stringify(messages),
    );
  }
  sql.exec("DELETE FROM caught WHERE seq <= (SELECT seq FROM caught ORDER BY seq DESC LIMIT 1 OFFSET ?)", KEPT_MAX);
}

/** When the oldest message arrived, in ms since the epoch; null in an empty inbox. */
export function oldestAtMs(sql: SqlStorage): number | null {
  return numberOrNull(sql.exec("SELECT min(at) AS at FROM caught").one(), "at");
}

/** Which part of the list is read, and from which end. */
export interface Range {
  /** Only messages after this place. */
  above?: number;
  /** Only messages before this place. */
  below?: number | undefined;
  newestFirst: boolean;
}

/** The place after which a filter's messages begin; null when it names a message that the inbox does not hold. */
function startOf(sql: SqlStorage, { account, since }: InboxFilter): { seq: number; atMs: number } | null {
  if (since === undefined) return { seq: 0, atMs: 0 };
  if ("at" in since) return { seq: 0, atMs: since.at };
  const row = sql.exec("SELECT seq, account FROM caught WHERE ref = ?", since.after).toArray()[0];
  return row && (account === null || row["account"] === account) ? { seq: number(row, "seq"), atMs: 0 } : null;
}

/** Whether the inbox holds the message that `since` names, if it names one. */
export function hasStart(sql: SqlStorage, filter: InboxFilter): boolean {
  return startOf(sql, filter) !== null;
}

/** The matching messages, unsealed one by one, so that a caller that has enough can stop. */
export function* matching(
  sql: SqlStorage,
  filter: InboxFilter,
  { above = 0, below = Number.MAX_SAFE_INTEGER, newestFirst }: Range,
  secret: Secrets,
): Generator<InboxMessage> {
  const start = startOf(sql, filter);
  if (!start) return;
  const { account, to = "" } = filter;
  const rows = sql.exec(
    `SELECT * FROM caught
     WHERE seq > ? AND seq < ? AND at >= ? AND (? IS NULL OR account = ?) AND (? = '' OR recipient = ?)
     ORDER BY seq ${newestFirst ? "DESC" : "ASC"}`,
    Math.max(above, start.seq),
    below,
    start.atMs,
    account,
    account,
    to,
    to,
  );
  const matches = matcherOf(filter, Date.now());
  for (const row of rows.toArray()) {
    const message = messageOf(row, secret);
    if (matches(message)) yield message;
  }
}

/** One message of the account (null: of any account), or null. */
export function messageByRef(
  sql: SqlStorage,
  account: string | null,
  ref: string,
  secret: Secrets,
): InboxMessage | null {
  const row = sql.exec("SELECT * FROM caught WHERE ref = ?", ref).toArray()[0];
  return row && (account === null || row["account"] === account) ? messageOf(row, secret) : null;
}

/** Deletes these messages. */
export function forget(sql: SqlStorage, seqs: readonly number[]): void {
  for (const seq of seqs) sql.exec("DELETE FROM caught WHERE seq = ?", seq);
}
