import type { Recorded } from "../../../model/history.ts";
import { enqueueHistory } from "../../../queues/enqueue.ts";
import { nameOf } from "../../name.ts";
import type { AlarmHost } from "./alarm-host.ts";
import { PASS_SWEEPS } from "../message/deadlines.ts";
import { readAccount } from "../profile.ts";
import { firstJobAfter, jobsToName, lookAtJobs, missingSince, noteRecorded } from "./records.ts";
import type { Changes, Turn } from "../turn.ts";

// The housekeeping pass of the account's alarm. It looks at the jobs of the last minutes, and gives those that are still
// open a deadline in the index; then it names what history may be missing (records.ts) to the history queue, whose
// consumer fetches it from the account, writes D1 and reports what is recorded. Should that be lost, a later look names it
// again. Lists read from the account what is not recorded, so nothing here is ever in a hurry.

/** The shortest time between two passes, in sweeps: messages that stay open for minutes do not make one pass each. */
const GAP_SWEEPS = 10;

/** The longest time between two tries while history cannot be written, in ms. */
const GAP_MS_MAX = 2 * 3_600_000;

/**
 * A pass may come this much sooner than it is due, as a share of its time: one alarm then looks for the answer to the last
 * pass, and makes the next one.
 */
const EARLY = 0.5;

/** Jobs after the mark, and late ones, that are named at once. What follows is named when these are recorded. */
export const NAMED_MAX = 4_000;

/** Jobs that one alarm looks at, in slices; the next one follows at once. */
const LOOKED_MAX = 20_000;

/** When the passes are due, and what is known of history in memory. */
export class HistoryPass {
  readonly #host: AlarmHost;
  /** Recorded jobs after the mark, and whether they are still as recorded: what comes before them is not recorded yet. */
  readonly #ahead = new Map<number, boolean>();
  /** Every job up to this one was looked at. */
  #lookedSeq = 0;
  /** The settled mark, as far as it is known here. */
  #settledSeq = Infinity;
  /** The last job that was named where more follow; null otherwise. */
  #cutAt: number | null = null;
  /** No job is looked at, or named, before these times, in ms since the epoch. */
  #lookFromMs = 0;
  #nameFromMs = 0;
  /** When the alarm last asked for a pass. */
  #lastMs = 0;
  /** When the first change came that only `late` or the profile show; 0: before this object started, or never. */
  #lateSinceMs = 0;

  constructor(host: AlarmHost) {
    this.#host = host;
  }

  get #passMs(): number {
    return PASS_SWEEPS * this.#host.sweepMs();
  }

  /** The time. Where the clock was set back, the times of before say nothing, and the passes begin anew. */
  #now(): number {
    const nowMs = Date.now();
    if (nowMs < this.#lastMs) this.#lookFromMs = this.#nameFromMs = 0;
    this.#lastMs = nowMs;
    return nowMs;
  }

  /** Whether history has been missing something for so long that no alarm or answer is still to be expected. */
  isOverdue(nowMs: number): boolean {
    const { jobs, late } = missingSince(this.#host.ctx.storage.sql);
    return late || (jobs !== null && jobs <= nowMs - 3 * this.#passMs);
  }

  /** Notes what a transaction changed. */
  noteChanges({ jobs, profile }: Changes, nowMs: number): void {
    let isLate = profile;
    for (const seq of jobs) {
      if (this.#ahead.has(seq)) this.#ahead.set(seq, false);
      isLate ||= seq <= this.#settledSeq;
    }
    if (isLate && this.#lateSinceMs === 0) this.#lateSinceMs = nowMs;
  }

  /** Notes what is recorded. Returns when the alarm must ring for what is missing now, in ms; null: not for this. */
  recorded(turn: Turn, recorded: Recorded): number | null {
    const isLate = noteRecorded(turn, recorded, this.#ahead);
    this.#settledSeq = readAccount(turn.sql).settledSeq;
    if (isLate && this.#lateSinceMs === 0) this.#lateSinceMs = turn.nowMs;
    if (this.#cutAt !== null && this.#settledSeq >= this.#cutAt) {
      this.#cutAt = null;
      this.#nameFromMs = turn.nowMs;
      return turn.nowMs;
    }
    return isLate ? turn.nowMs + this.#passMs : null;
  }

  /** Forgets what is recorded, in memory and storage. Returns when the alarm must ring for it, in ms. */
  rebuild({ sql, nowMs }: Turn, database: number | null): number | null {
    const { history_db: own } = sql.exec("SELECT history_db FROM account").one();
    if (database !== null && own !== database) return null;
    sql.exec("UPDATE account SET settled_seq = 0, feed_settled = 0, looked_seq = 0, recorded_rev = 0");
    sql.exec("UPDATE job SET late = NULL WHERE late IS NOT NULL");
    this.#ahead.clear();
    this.#lookedSeq = this.#settledSeq = this.#lookFromMs = this.#nameFromMs = 0;
    this.#cutAt = null;
    // The profile too is named with the first pass.
    this.#lateSinceMs = nowMs - this.#passMs;
    return nowMs;
  }

  /** Notes that history could not be written for a while. Returns when the alarm must ring for the next try, in ms. */
  postpone(nowMs: number): number {
    const { jobs } = missingSince(this.#host.ctx.storage.sql);
    // As long again as it has been missing, so that the gaps double.
    const missingMs = nowMs - (jobs ?? this.#lateSinceMs);
    const gapMs = Math.min(GAP_MS_MAX, Math.max(this.#passMs, missingMs));
    this.#nameFromMs = Math.max(this.#nameFromMs, nowMs + gapMs);
    return this.#nameFromMs;
  }

  /**
   * Looks at the jobs that no pass has seen, if that is due. Returns when the alarm must ring for the next ones, in ms since
   * the epoch, or null.
   */
  async look(): Promise<number | null> {
    const { commit, ctx } = this.#host;
    const { sql } = ctx.storage;
    const nowMs = this.#now();
    const { settledSeq, lookedSeq } = readAccount(sql);
    this.#lookedSeq = Math.max(this.#lookedSeq, lookedSeq, settledSeq);
    const next = firstJobAfter(sql, this.#lookedSeq);
    if (next === null) return null;
    const dueMs = Math.max(this.#lookFromMs, Math.min(next, nowMs) + this.#passMs);
    if (Math.max(this.#lookFromMs, dueMs - EARLY * this.#passMs) > nowMs) return dueMs;
    const end = this.#lookedSeq + LOOKED_MAX;
    let until: number | null | undefined;
    while (until === undefined && this.#lookedSeq < end) {
      const slice = commit((turn) => lookAtJobs(turn, this.#lookedSeq));
      this.#lookedSeq = slice.through;
      ({ until } = slice);
      // Between two slices, other calls to the object have their turn.
      if (until === undefined) await scheduler.wait(0);
    }
    // Far ahead of the mark, because history cannot be written: no object that starts has to look so far again.
    if (this.#lookedSeq - Math.max(lookedSeq, settledSeq) > NAMED_MAX) {
      commit((turn) => void turn.sql.exec("UPDATE account SET looked_seq = ?", this.#lookedSeq));
    }
    if (until === undefined) return nowMs;
    this.#lookFromMs = nowMs + GAP_SWEEPS * this.#host.sweepMs();
    return until === null ? null : Math.max(this.#lookFromMs, until + this.#passMs);
  }

  /** Names what history may be missing, if that is due. Returns when the alarm must ring for more, in ms, or null. */
  async name(): Promise<number | null> {
    const { ctx, env } = this.#host;
    const { sql } = ctx.storage;
    const nowMs = this.#now();
    const { jobs, late } = missingSince(sql);
    if (jobs === null && !late) return null;
    const since = Math.min(jobs ?? nowMs, late ? this.#lateSinceMs : nowMs, nowMs);
    const dueMs = Math.max(this.#nameFromMs, since + this.#passMs);
    if (Math.max(this.#nameFromMs, dueMs - EARLY * this.#passMs) > nowMs) return dueMs;
    this.#nameFromMs = nowMs + GAP_SWEEPS * this.#host.sweepMs();
    this.#lateSinceMs = 0;
    const { rev, recordedRev } = readAccount(sql);
    const { messages, cutAt, hasMoreLate } = jobsToName(sql, this.#lookedSeq, NAMED_MAX);
    this.#cutAt = cutAt;
    const isSent = await enqueueHistory(env().HISTORY, nameOf(ctx), messages, rev > recordedRev);
    return isSent && cutAt === null && !hasMoreLate ? nowMs + this.#passMs : this.postpone(nowMs);
  }
}
