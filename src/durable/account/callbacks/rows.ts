import type { ToldState } from "../../../model/twilio/callback.ts";
import type { MessageEvent } from "../../../model/event.ts";
import type { Content } from "../../../model/message.ts";
import { isTold } from "../../../model/twilio/words.ts";
import { number, numberOrNull, text } from "../../rows.ts";
import type { Message } from "../message/states.ts";
import type { Turn } from "../turn.ts";

// What is to be posted to messages' own addresses: a row for each message of which something is, written in the transaction
// that changes the message, and deleted once everything is settled. A message without an address has none.

/** States that wait to be posted for one message. */
export interface Waiting {
  seq: number;
  nextAt: number;
  host: string;
  /** The place of the first of them among the message's states: no later one of the message has the same. */
  from: number;
  told: ToldState[];
  /** Failures in a row of the first of them. */
  failures: number;
}

/** For so long nothing more tells the queue of what is due, in ms. */
export const QUEUED_MS = 60_000;

type About = Pick<Waiting, "from" | "told" | "failures">;
type Row = Record<string, SqlStorageValue>;

const waitingIn = (row: Row): Waiting => ({
  ...(JSON.parse(text(row, "about")) as About),
  seq: number(row, "seq"),
  nextAt: number(row, "next_at"),
  host: text(row, "host"),
});

/** What waits for a message, or null. */
export function readWaiting(sql: SqlStorage, seq: number): Waiting | null {
  const [row] = sql.exec("SELECT * FROM status_callback WHERE seq = ?", seq).toArray();
  return row ? waitingIn(row) : null;
}

/** Stores what waits for a message; where that is nothing, deletes its row. */
export function writeWaiting(sql: SqlStorage, { seq, nextAt, host, from, told, failures }: Waiting): void {
  if (told.length === 0) sql.exec("DELETE FROM status_callback WHERE seq = ?", seq);
  else {
    const put = `
      INSERT INTO status_callback (seq, next_at, host, about) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT DO UPDATE SET next_at = ?2, about = ?4`;
    sql.exec(put, seq, nextAt, host, JSON.stringify({ from, told, failures } satisfies About));
  }
}

/** What is due, longest first, but for the hosts that are left out. */
export const dueWaiting = (sql: SqlStorage, nowMs: number, without: readonly string[], limit: number): Waiting[] =>
  sql
    .exec(
      `SELECT * FROM status_callback WHERE next_at <= ? AND host NOT IN (SELECT value FROM json_each(?))
        ORDER BY next_at LIMIT ?`,
      nowMs,
      JSON.stringify(without),
      limit,
    )
    .toArray()
    .map(waitingIn);

/** What is due for one host. */
export const dueAt = (sql: SqlStorage, nowMs: number, host: string, limit: number): Waiting[] =>
  sql
    .exec("SELECT * FROM status_callback WHERE next_at <= ? AND host = ? ORDER BY next_at LIMIT ?", nowMs, host, limit)
    .toArray()
    .map(waitingIn);

/** When the first of the others is due, in ms since the epoch; null where nothing waits. */
export const nextWaitingMs = (sql: SqlStorage, without: readonly string[]): number | null =>
  numberOrNull(
    sql
      .exec(
        "SELECT min(next_at) AS at FROM status_callback WHERE host NOT IN (SELECT value FROM json_each(?))",
        JSON.stringify(without),
      )
      .one(),
    "at",
  );

/** Whether something waits for a host. */
export const waitsFor = (sql: SqlStorage, host: string): boolean =>
  sql.exec("SELECT 1 FROM status_callback WHERE host = ? LIMIT 1", host).toArray().length > 0;

/** Gives up what was due so long ago that its host has not answered since. */
export const giveUpBefore = (sql: SqlStorage, beforeMs: number): void =>
  void sql.exec("DELETE FROM status_callback WHERE next_at < ?", beforeMs);

/** Notes changes of a message that has an address, in the transaction that stores them; the job is as it was before. */
export function noteCallbacks(
  turn: Turn,
  { seq, content: { twilio }, messages: [message] }: { seq: number; content: Content; messages: readonly Message[] },
  events: readonly MessageEvent[],
): void {
  const { sql, nowMs, changes } = turn;
  const host = URL.parse(twilio?.callback ?? "")?.host;
  const news = events.flatMap(({ message: { state, errorCode } }) =>
    isTold(state) ? [{ state, why: errorCode }] : [],
  );
  if (host === undefined || news.length === 0) return;
  const from = message?.log?.length ?? 0;
  const before = readWaiting(sql, seq) ?? { seq, nextAt: nowMs, host, from, told: [], failures: 0 };
  writeWaiting(sql, { ...before, told: [...before.told, ...news] });
  changes.callbacks = true;
  // Should the queue lose what it is told now, the alarm tells it again.
  changes.webhookMs = Math.min(changes.webhookMs ?? Infinity, nowMs + QUEUED_MS);
}
