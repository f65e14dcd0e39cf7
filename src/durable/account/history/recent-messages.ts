import type { MessageView } from "../../../model/message.ts";
import type { MessagePlace } from "../../../model/ref.ts";
import { matches } from "../../../search/match.ts";
import type { Term } from "../../../search/terms.ts";
import { isBeyond } from "../../../search/look.ts";
import type { Fresh, Look } from "../../../search/look.ts";
import { number } from "../../rows.ts";
import { checkpointOf } from "../archive/checkpoint.ts";
import { firstJobSince, readJob } from "../jobs.ts";
import { messageViews } from "../message/views.ts";
import { readAccount } from "../profile.ts";

// The console's searches, answered by the account itself. History in D1 lags behind, so the account searches the jobs
// that may be missing from it: those after the settled mark, and the late ones that are not recorded yet.

/** Jobs and messages that one search reads: the object is busy for some tens of milliseconds. */
const JOBS_PER_LOOK = 800;
const MESSAGES_PER_LOOK = 20_000;

/** An index above that of every message of a job. */
const PLACE_MAX = 0xffff;

function boundsOf(sql: SqlStorage, terms: Term[]): { low: number; high: number } {
  let since = -Infinity;
  let until = Infinity;
  for (const term of terms) {
    if (term.on !== "after" && term.on !== "before") continue;
    if ((term.on === "after") === term.not) until = Math.min(until, term.atMs);
    else since = Math.max(since, term.atMs);
  }
  // What was archived may still be in history.
  const archived = checkpointOf(sql).seq;
  const low = Math.max(archived === 0 ? 0 : archived + 1, since === -Infinity ? 0 : firstJobSince(sql, since));
  return { low, high: until === Infinity ? Number.MAX_SAFE_INTEGER : firstJobSince(sql, until) };
}

// One lower bound: of two, SQLite may use the wrong one, and read all that the account ever sent.
const lists = {
  older: {
    open: "SELECT seq FROM job WHERE seq > max(?, ? - 1) AND seq <= ? ORDER BY seq DESC LIMIT ?",
    late: "SELECT seq FROM job WHERE late = 1 AND seq <= ? AND seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT ?",
  },
  newer: {
    open: "SELECT seq FROM job WHERE seq > max(?, ? - 1) AND seq <= ? ORDER BY seq LIMIT ?",
    late: "SELECT seq FROM job WHERE late = 1 AND seq <= ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ?",
  },
};

/** Jobs that may be missing from history, in reading order. */
interface FreshJobs {
  seqs: number[];
  /** Those of them that are late: a message of history in one of these jobs is not in its newest state. */
  late: number[];
  /** Whether more jobs follow. */
  isCut: boolean;
}

function freshJobs(sql: SqlStorage, look: Look, bounds: { low: number; high: number }, settledSeq: number): FreshJobs {
  const { direction, from } = look;
  const low = direction === "newer" && from ? Math.max(bounds.low, from.seq) : bounds.low;
  const high = direction === "older" && from ? Math.min(bounds.high - 1, from.seq) : bounds.high - 1;
  const list = (which: "open" | "late") =>
    sql
      .exec(lists[direction][which], settledSeq, low, high, JOBS_PER_LOOK)
      .toArray()
      .map((row) => number(row, "seq"));
  const late = list("late");
  const open = list("open");
  const [first, second] = direction === "older" ? [open, late] : [late, open];
  if (first.length === JOBS_PER_LOOK) return { seqs: first, late, isCut: true };
  return { seqs: [...first, ...second], late, isCut: second.length === JOBS_PER_LOOK };
}

/** The messages that match a search, of those that may be missing from history, in reading order. */
export function lookAtFresh(sql: SqlStorage, look: Look): Fresh {
  const { direction, from, limit } = look;
  const { settledSeq, historyDb } = readAccount(sql);
  const bounds = boundsOf(sql, look.terms);
  const { late, seqs, isCut } = freshJobs(sql, look, bounds, settledSeq);
  const rows: MessageView[] = [];
  let end: MessagePlace | null = null;
  let read = 0;
  let messages = 0;
  const nowMs = Date.now();
  for (const seq of seqs) {
    const job = readJob(sql, seq);
    const views = job ? messageViews(job, nowMs) : [];
    if (direction === "older") views.reverse();
    rows.push(...views.filter((view) => isBeyond(view, from, direction) && matches(look.terms, view)));
    read += 1;
    messages += views.length;
    end = { seq, index: direction === "older" ? 0 : PLACE_MAX };
    if (rows.length >= limit || messages >= MESSAGES_PER_LOOK) break;
  }
  if (rows.length > limit) {
    rows.length = limit;
    const last = rows.at(-1);
    end = last ? { seq: last.seq, index: last.index } : end;
  } else if (read === seqs.length && !isCut) end = null;
  return { rows, end, settledSeq, historyDb, late, ...bounds };
}
