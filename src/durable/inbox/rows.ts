import { unseal } from "../../crypto/seal.ts";
import { matcherOf } from "../../inbox/search.ts";
import type { Caught, InboxFilter, InboxMessage } from "../../inbox/types.ts";
import type { Content, Operation } from "../../model/message.ts";
import { bytesOrNull, number, text } from "../rows.ts";

// The inbox's storage: one row per message, the newest only. Texts are sealed as they came from their account, and
// are opened in memory for whoever reads or searches.

/** Messages that one inbox keeps; older ones give way. */
export const KEPT_MAX = 500;

/** Append-only, as the account's are. */
export const INBOX_MIGRATIONS: readonly string[] = [
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

type Row = Record<string, SqlStorageValue>;

/** Opens a sealed text; null where the secret has changed since. */
function opened(secret: string, account: string, sealed: Uint8Array | null): string | null {
  try {
    return sealed && unseal(secret, account, sealed);
  } catch {
    return null;
  }
}

function messageOf(row: Row, secret: string): InboxMessage {
  const account = text(row, "account");
  return {
    seq: number(row, "seq"),
    ref: text(row, "ref"),
    account,
    requestId: text(row, "request_id"),
    operation: text(row, "operation") as Operation,
    to: text(row, "recipient"),
    content: JSON.parse(text(row, "content")) as Content,
    text: opened(secret, account, bytesOrNull(row, "text")),
    at: number(row, "at"),
  };
}

/** The place of the newest message that was ever kept, or 0 in an empty inbox. */
export function newestSeq(sql: SqlStorage): number {
  return number(sql.exec("SELECT coalesce(max(seq), 0) AS seq FROM caught").one(), "seq");
}

/** Keeps what was caught and forgets the oldest. The same reference again changes nothing. */
export function keep(sql: SqlStorage, caught: readonly Caught[], nowMs: number): void {
  for (const { account, requestId, operation, content, text: sealed, messages } of caught) {
    // One statement per job: a bulk is thousands of messages, and what they share is bound once.
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

/** Which part of the list is read, and from which end. */
export interface Range {
  /** Only what came after this place. */
  above?: number;
  /** Only what came before this place. */
  below?: number | undefined;
  newestFirst: boolean;
}

/** The place after which a filter's messages begin; null when it names a message that is not there. */
function startOf(sql: SqlStorage, { account, since }: InboxFilter): { seq: number; atMs: number } | null {
  if (since === undefined) return { seq: 0, atMs: 0 };
  if ("at" in since) return { seq: 0, atMs: since.at };
  const row = sql.exec("SELECT seq, account FROM caught WHERE ref = ?", since.after).toArray()[0];
  return row && (account === null || row["account"] === account) ? { seq: number(row, "seq"), atMs: 0 } : null;
}

/** Whether `since` names a message that this inbox has. */
export function hasStart(sql: SqlStorage, filter: InboxFilter): boolean {
  return startOf(sql, filter) !== null;
}

/** The messages that match, opened one by one: whoever has enough stops reading. */
export function* matching(
  sql: SqlStorage,
  filter: InboxFilter,
  { above = 0, below = Number.MAX_SAFE_INTEGER, newestFirst }: Range,
  secret: string,
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

/** One message of the account, or null. */
export function messageByRef(
  sql: SqlStorage,
  account: string | null,
  ref: string,
  secret: string,
): InboxMessage | null {
  const row = sql.exec("SELECT * FROM caught WHERE ref = ?", ref).toArray()[0];
  return row && (account === null || row["account"] === account) ? messageOf(row, secret) : null;
}

/** Forgets these messages. */
export function forget(sql: SqlStorage, seqs: readonly number[]): void {
  for (const seq of seqs) sql.exec("DELETE FROM caught WHERE seq = ?", seq);
}
