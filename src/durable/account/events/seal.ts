import { coins } from "../../../money/money.ts";
import { numberOrNull } from "../../rows.ts";
import { foldJob } from "../jobs.ts";
import { journalOf } from "../receipts/journal.ts";
import type { Turn } from "../turn.ts";
import { feedOf } from "./memory.ts";
import { noteEvent } from "./note.ts";
import { appendEvents, beginPages, nextPruneMs, prunePages } from "./pages.ts";

// How changes get their numbers. A change of a message is stored with its job, and within a second the changes since the
// last flush are written to the pages of the feed, in one transaction: only that numbers them, so the numbers have no gap.
// Any other event has no row of its own, so the transaction that notes it writes the pages at once.

/** Notes `balance.low` where this transaction takes the balance below the bound that the account has set for that. */
function noteLowBalance(turn: Turn): void {
  const { balance } = turn.changes.events;
  if (!balance || balance.to >= balance.from) return;
  const lowAt = numberOrNull(turn.sql.exec("SELECT balance_low_at FROM account").one(), "balance_low_at");
  if (lowAt === null || balance.from < lowAt || balance.to >= lowAt) return;
  noteEvent(turn, "balance.low", { balance: coins(balance.to), balance_low_at: coins(lowAt) });
}

/** The end of a transaction: numbers what must not wait for the next flush, and all that came before it. */
export function sealTurn(turn: Turn): void {
  const { sql, nowMs } = turn;
  const feed = feedOf(sql);
  if (!feed.isOn) return;
  noteLowBalance(turn);
  const { events } = turn.changes;
  if (!events.seals && events.notes.length === 0) return;
  const all = [...feed.tail, ...events.told, ...events.notes];
  if (all.length === 0) return;
  events.sealed = appendEvents(sql, all, nowMs);
  for (const seq of feed.unseen) {
    if (journalOf(sql).has(seq)) foldJob(turn, seq);
    else sql.exec("UPDATE job SET told_rev = rev WHERE seq = ?", seq);
  }
}

/** Has the transaction number everything that waits for it. */
export function sealAll({ changes }: Turn): void {
  changes.events.seals = true;
}

/**
 * Notes that the settled mark has moved. What waits for its number is looked for after that mark and in late jobs
 * (recover.ts), so nothing may wait when either changes.
 */
export function noteSettled(turn: Turn, before: number, mark: number): void {
  const { isOn, isCaughtUp } = feedOf(turn.sql);
  if (!isOn) return;
  sealAll(turn);
  if (mark > before && isCaughtUp) turn.sql.exec("UPDATE account SET feed_settled = ?", mark);
}

/** Begins the account's feed, once: what changes from now on are its events. */
export function beginFeed({ sql, nowMs }: Turn): void {
  if (feedOf(sql).isOn) return;
  beginPages(sql, nowMs);
  sql.exec("UPDATE account SET feed_since = ?, feed_settled = settled_seq", nowMs);
}

/** When the next events are to be forgotten, in ms since the epoch; null while there are none. */
export const nextEventsMs = (sql: SqlStorage, keptMs: number): number | null =>
  feedOf(sql).isOn ? nextPruneMs(sql, keptMs) : null;

/** Forgets the events that are older than `EVENTS_KEPT_MS`. */
export function forgetEvents({ sql, nowMs, keeps: { eventsMs } }: Turn): void {
  if (feedOf(sql).isOn) prunePages(sql, nowMs - eventsMs);
}
