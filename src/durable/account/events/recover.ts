import { logProblem } from "../../../log.ts";
import type { MessageEvent } from "../../../model/event.ts";
import { number, numberOrNull, textOrNull } from "../../rows.ts";
import { firstJobSince, storedJob } from "../jobs.ts";
import type { Job } from "../jobs.ts";
import { journalOf } from "../receipts/journal.ts";
import type { Step } from "../receipts/journal.ts";
import type { FeedMemory } from "./memory.ts";
import { keptEvents } from "./pages.ts";
import { decodeTold, eventsBetween, newestEvent } from "./told.ts";

// What an object that starts has to know of its feed: the changes that are stored and in no page. They stand in jobs after
// the settled mark and in late ones, in the columns `told`, and in the journal of receipts. Every flush raises the number of
// the newest event, so what was stored since the last one has that number beside it.
//
// A release without events, after a rollback, changes jobs and leaves those columns as they were: then a job's revision is
// beyond `told_rev`. Such a job's messages get an event for their newest state, once.

/** Jobs changed without events that one start takes up; the flush after it looks for more. */
const UNSEEN_MAX = 2_000;

/** Rows that one query reads. */
const ROWS_READ = 200;

/** How long before the feed began a job was stored that may still change after it, in ms: windows last days. */
const OLDER_MS = 8 * 86_400_000;

type Row = Record<string, SqlStorageValue>;

/** What a search for changes without a number goes by. */
interface Search {
  sinceMs: number;
  last: number;
}

/** The changes of one job that are in no page. */
interface Found {
  events: MessageEvent[];
  /** Whether some of them were stored without events. */
  isUnseen: boolean;
}

/** What stands in a job's row. */
function inRow(row: Row, job: Job, { sinceMs, last }: Search): Found {
  const told = row["told_at"] === last ? textOrNull(row, "told") : null;
  const events = told === null ? [] : decodeTold(told, job);
  const toldRev = numberOrNull(row, "told_rev") ?? 1;
  const unseen = job.messages.flatMap((message, index) => {
    if ((message.rev ?? 1) <= toldRev) return [];
    return newestEvent(job, index, message, sinceMs) ?? [];
  });
  return { events: [...events, ...unseen], isUnseen: unseen.length > 0 };
}

/** Whether receipts in the journal are in no page: by their number, or because a release without events stored them. */
const isNew =
  ({ sinceMs, last }: Search) =>
  ({ toldAt, atMs }: Step): boolean =>
    toldAt === undefined ? atMs > sinceMs : toldAt === last;

/** What stands in the journal of a job; what its row has already, the journal changes nothing of. */
function inJournal(sql: SqlStorage, job: Job, search: Search): Found {
  const found: Found = { events: [], isUnseen: false };
  journalOf(sql).merge(job, (step, before, after) => {
    if (!isNew(search)(step)) return;
    const events = eventsBetween(job, before, after);
    found.events.push(...events);
    found.isUnseen ||= step.toldAt === undefined && events.length > 0;
  });
  return found;
}

/** The job after which changes without a number may stand; those up to it that are late are looked at, too. */
function lookFrom(sql: SqlStorage, { sinceMs }: Search): number {
  const account = sql.exec("SELECT settled_seq, feed_settled FROM account").one();
  const settled = number(account, "settled_seq");
  if (settled === number(account, "feed_settled")) return settled;
  // A release without events has moved the mark: it may have settled what it changed.
  return Math.min(settled, firstJobSince(sql, sinceMs - OLDER_MS) - 1);
}

/** Rows of jobs whose columns have changes without a number: what was stored since the last flush. */
function* toldRows(sql: SqlStorage, from: number, search: Search): Generator<Row> {
  const { last } = search;
  const told = "SELECT * FROM job WHERE told_at = ?2 AND told IS NOT NULL";
  yield* sql.exec(`${told} AND late = 1 AND seq <= ?1`, from, last).toArray();
  yield* sql.exec(`${told} AND seq > ?1`, from, last).toArray();
  for (const seq of journalOf(sql).jobsWith(isNew(search))) {
    yield* sql.exec("SELECT * FROM job WHERE seq = ?", seq).toArray();
  }
}

/** Rows of jobs whose revision is beyond what the feed knows, in pages. */
function* unknownRows(sql: SqlStorage, from: number): Generator<Row> {
  for (const where of ["late = 1 AND seq <= ?1 AND seq > ?2", "seq > max(?1, ?2)"]) {
    const query = `SELECT * FROM job WHERE ${where} AND rev > coalesce(told_rev, 1) ORDER BY seq LIMIT ${ROWS_READ}`;
    let rows: Row[] = [];
    for (let after = 0; after === 0 || rows.length === ROWS_READ; after = number(rows.at(-1) ?? {}, "seq")) {
      rows = sql.exec(query, from, after).toArray();
      yield* rows;
      if (rows.length < ROWS_READ) break;
    }
  }
}

/** The events in the order of their times; those of one job keep theirs, also where the clock was set back. */
function inOrder(jobs: readonly MessageEvent[][]): MessageEvent[] {
  const timed = jobs.flatMap((events) => {
    let atMs = 0;
    return events.map((event) => {
      atMs = Math.max(atMs, event.at);
      return { atMs, event };
    });
  });
  return timed.toSorted((one, other) => one.atMs - other.atMs).map(({ event }) => event);
}

/** The feed of an object that starts, from its storage; null while the account has none. */
export function recoverFeed(sql: SqlStorage): FeedMemory | null {
  const sinceMs = numberOrNull(sql.exec("SELECT feed_since FROM account").one(), "feed_since");
  if (sinceMs === null) return null;
  const { last } = keptEvents(sql);
  const search = { sinceMs, last };
  const from = lookFrom(sql, search);
  const jobs = new Map<number, MessageEvent[]>();
  const unseen = new Set<number>();
  const take = (row: Row) => {
    const seq = number(row, "seq");
    if (jobs.has(seq)) return;
    jobs.set(seq, []);
    try {
      const job = storedJob(row);
      const found = [inRow(row, job, search), inJournal(sql, job, search)];
      jobs.set(
        seq,
        found.flatMap(({ events }) => events),
      );
      if (found.some(({ isUnseen }) => isUnseen)) unseen.add(seq);
    } catch (problem) {
      logProblem(`events of job ${seq}`, problem);
    }
  };
  for (const row of toldRows(sql, from, search)) take(row);
  for (const row of unknownRows(sql, from)) {
    if (unseen.size >= UNSEEN_MAX) break;
    take(row);
  }
  return { isOn: true, last, tail: inOrder([...jobs.values()]), unseen, isCaughtUp: unseen.size < UNSEEN_MAX };
}
