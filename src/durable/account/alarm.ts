import { accountOfName } from "../../crypto/ids.ts";
import { recordedJobs, recordedProfile } from "../../db/history.ts";
import { logProblem } from "../../log.ts";
import type { Recorded } from "../../model/message.ts";
import { LANES } from "../../model/lane.ts";
import type { Lane } from "../../model/lane.ts";
import { enqueueFollow, enqueueHistory, enqueueToken } from "../../queues/enqueue.ts";
import { nameOf } from "../name.ts";
import { FORGET_FROM_START, forgetOld, nextForgetMs } from "./idempotency.ts";
import { LaneWatch } from "./lanes.ts";
import { PASS_SWEEPS } from "./message/deadlines.ts";
import { hasOpenJobs, lateJobsUnrecorded, nextDueMs } from "./open-jobs.ts";
import { readAccount } from "./profile.ts";
import { indexOpenJobs, settle, sweep } from "./sweep.ts";
import { discard, nextRecordingDueMs } from "./voice/discard.ts";
import type { Changes, Turn } from "./turn.ts";

// The account's one alarm, set to the earliest of what it looks after: deadlines of jobs, messages that become claimable,
// recordings, expired keys, and the housekeeping pass that everything else can wait for. Its work is done in bounded
// slices, between which the account answers other calls.

/** A failed alarm is set again after this, in ms. It also stands for `SWEEP_MS` while the configuration is broken. */
const RETRY_MS = 30_000;

/** What is already due when the alarm is set rings after this, in ms, so that an alarm never rings without a pause. */
const SOON_MS = 1_000;

/** An alarm that should have rung this long ago, in ms, is taken for lost. */
const LOST_MS = 60_000;

/**
 * The shortest time between two comparisons of an account with D1, in ms, even if the sweep is shorter. The invocation
 * that reports a finished job records it itself, so comparing more often would cost more than it finds.
 */
const COMPARE_MS_MIN = 10_000;

/** What the alarm needs from its object. */
export interface AlarmHost {
  readonly ctx: DurableObjectState;
  /** The bindings as they are now. */
  readonly env: () => Env;
  /** The interval between two sweeps, in ms (`SWEEP_MS`). */
  readonly sweepMs: () => number;
  /** Runs `work` in one transaction and acts on its changes. */
  readonly commit: <T>(work: (turn: Turn) => T) => T;
}

/** The alarm of one account object. */
export class AccountAlarm {
  readonly #host: AlarmHost;
  /** When the alarm is set to ring, in ms since the epoch; null when it is not set. */
  #setTo: number | null = null;
  #isSweeping = false;
  readonly #lanes = new LaneWatch();
  /** The last job that the housekeeping pass looked at. In memory only: after an eviction it begins at the settled mark. */
  #passedSeq = 0;
  /** When the account was last compared with D1, in ms since the epoch. */
  #comparedMs = 0;

  constructor(host: AlarmHost) {
    this.#host = host;
  }

  /** Reads the stored alarm when the object starts, and sets it where it was lost. Never throws. */
  async wake(): Promise<void> {
    const { ctx } = this.#host;
    try {
      this.#setTo = await ctx.storage.getAlarm();
      const isSet = this.#setTo !== null && !this.#isLost(this.#setTo);
      this.#setForDue(Date.now() + this.#sweepMs());
      if (isSet) return;
      const { sql } = ctx.storage;
      if (hasOpenJobs(sql, readAccount(sql).settledSeq)) this.#setBy(Date.now() + this.#sweepMs());
    } catch (problem) {
      logProblem("alarm", problem);
      this.#setBy(Date.now() + RETRY_MS);
    }
  }

  /**
   * Sets the alarm after a transaction: for the earliest time that it noted, and at the latest for the housekeeping pass,
   * which everything until then shares.
   */
  setFor({ jobs, dueMs, ready, visit, recordingDueMs, profile }: Changes): void {
    const times: number[] = [];
    if (recordingDueMs !== null) times.push(recordingDueMs);
    const nowMs = Date.now();
    // After its sweep, `ring` itself sets the alarm for everything that is due.
    if (!this.#isSweeping) {
      if (jobs.size > 0 || profile) times.push(nowMs + this.#passMs());
      if (dueMs !== null) times.push(dueMs);
      if (visit) this.#lanes.visited(visit.lane, visit.took, nowMs);
      for (const [lane, readyMs] of ready) if (lane !== visit?.lane) this.#lanes.waits(lane, readyMs, nowMs);
      const lanes = new Set(ready.keys());
      // A consumer that got nothing goes, whatever it was told.
      if (visit && !visit.took) lanes.add(visit.lane);
      for (const lane of lanes) times.push(this.#laneMs(lane) ?? Infinity);
    }
    // Set once: each time the alarm is set costs a row.
    if (times.length > 0) this.#setBy(Math.min(...times));
  }

  /** Sweeps, sends tokens, repairs what queues and requests lost. Never throws: the alarm must be set again. */
  async ring(): Promise<void> {
    this.#setTo = null;
    try {
      await this.#pass();
      for (let more = true; more;) {
        const swept = this.#inSweep((turn) => sweep(turn, (work) => this.#host.ctx.storage.transactionSync(work)));
        await enqueueFollow(this.#host.env(), nameOf(this.#host.ctx), swept.follow);
        more = swept.more;
        // Between two slices, other calls to the object have their turn.
        if (more) await scheduler.wait(0);
      }
      await this.#sendTokens();
      await this.discard();
      await this.#forgetOld();
      // While D1 cannot be reached, history waits, and nothing else does.
      const isIncomplete = await this.#completeHistory().catch((problem: unknown) => {
        logProblem("history", problem);
        return true;
      });
      if (isIncomplete) this.#setBy(Date.now() + this.#sweepMs());
      this.#setForDue(Date.now() + SOON_MS);
    } catch (problem) {
      logProblem("alarm", problem);
      // A constant, since the configuration itself may be what failed.
      this.#setBy(Date.now() + RETRY_MS);
    }
  }

  /** Deletes the bytes of removed recordings: those at a key, or all that are due. Never throws. */
  discard(objectKey?: string): Promise<void> {
    const { env, commit } = this.#host;
    return discard({ bucket: () => env().RECORDINGS, commit }, objectKey);
  }

  /** `SWEEP_MS`; a constant while the configuration is broken, since the alarm must be set all the same. */
  #sweepMs(): number {
    try {
      return this.#host.sweepMs();
    } catch {
      return RETRY_MS;
    }
  }

  #passMs(): number {
    return PASS_SWEEPS * this.#sweepMs();
  }

  /** Commits without setting the alarm, which `ring` sets at its end for everything. */
  #inSweep<T>(work: (turn: Turn) => T): T {
    this.#isSweeping = true;
    try {
      return this.#host.commit(work);
    } finally {
      this.#isSweeping = false;
    }
  }

  /** The housekeeping pass: indexes what is still open so long after it was stored. */
  async #pass(): Promise<void> {
    const { settledSeq } = readAccount(this.#host.ctx.storage.sql);
    this.#passedSeq = Math.max(this.#passedSeq, settledSeq);
    for (let more = true; more;) {
      const passed = this.#inSweep((turn) => indexOpenJobs(turn, this.#passedSeq));
      this.#passedSeq = passed.seq;
      more = passed.more;
      if (more) await scheduler.wait(0);
      // Not for each message on its own: those that are stored until then share one pass.
      else if (passed.againMs !== null) this.#setBy(Math.max(passed.againMs, Date.now() + this.#passMs() / 2));
    }
  }

  /** Sends a token for each lane with messages that became claimable, or that no consumer visits. */
  async #sendTokens(): Promise<void> {
    const { ctx, env } = this.#host;
    const nowMs = Date.now();
    for (const lane of LANES) {
      const nextMs = this.#lanes.nextMs(ctx.storage.sql, lane, nowMs, this.#sweepMs());
      if (nextMs === null || nextMs > nowMs) continue;
      this.#lanes.sent(lane, nowMs);
      await enqueueToken(env(), nameOf(ctx), lane);
    }
  }

  /** Deletes expired idempotency keys once they are due, in slices. */
  async #forgetOld(): Promise<void> {
    const { ctx, commit } = this.#host;
    const dueMs = nextForgetMs(ctx.storage.sql);
    if (dueMs === null || dueMs > Date.now()) return;
    let pass = FORGET_FROM_START;
    while (pass.after !== null) {
      const from = pass;
      pass = commit((turn) => forgetOld(turn, from));
      await scheduler.wait(0);
    }
  }

  /** Enqueues what is missing from history in D1; true when something was. D1 decides nothing else. */
  async #completeHistory(): Promise<boolean> {
    const { ctx, commit } = this.#host;
    const { sql } = ctx.storage;
    const nowMs = Date.now();
    if (this.#sweepMs() < COMPARE_MS_MIN && Math.abs(nowMs - this.#comparedMs) < COMPARE_MS_MIN) {
      this.#setBy(this.#comparedMs + COMPARE_MS_MIN);
      return false;
    }
    this.#comparedMs = nowMs;
    const { DB, HISTORY } = this.#host.env();
    const name = nameOf(ctx);
    const ref = accountOfName(name);
    const account = readAccount(sql);
    let recorded: Recorded | null = null;
    let profile = false;
    try {
      recorded = await recordedJobs(DB, ref, account.settledSeq, lateJobsUnrecorded(sql));
      profile = (await recordedProfile(DB, ref)) < account.rev;
    } finally {
      // Also when D1 fails, old jobs are marked late, so that they stop holding the settled mark back.
      if (!recorded) commit((turn) => settle(turn, null));
    }
    const { missing, againMs } = commit((turn) => settle(turn, recorded));
    if (againMs !== null) this.#setBy(Math.max(againMs, Date.now() + this.#passMs() / 2));
    if (missing.length === 0 && !profile) return false;
    await enqueueHistory(HISTORY, { account: name, seqs: missing, profile });
    return true;
  }

  #isLost(setTo: number): boolean {
    return setTo < Date.now() - LOST_MS;
  }

  /** Moves the alarm earlier, never later: another job may be due at the earlier time. */
  #setBy(timeMs: number): void {
    if (timeMs === Infinity) return;
    if (this.#setTo !== null && this.#setTo <= timeMs && !this.#isLost(this.#setTo)) return;
    this.#setTo = timeMs;
    void this.#host.ctx.storage.setAlarm(timeMs);
  }

  /** When the alarm must send a token for a lane, but not at once; null while nothing waits in it. */
  #laneMs(lane: Lane): number | null {
    const nowMs = Date.now();
    const nextMs = this.#lanes.nextMs(this.#host.ctx.storage.sql, lane, nowMs, this.#sweepMs());
    return nextMs === null ? null : Math.max(nextMs, nowMs + SOON_MS);
  }

  /** Sets the alarm for the next of everything that is due; what is overdue, for `overdueMs`. */
  #setForDue(overdueMs: number): void {
    const { sql } = this.#host.ctx.storage;
    const nowMs = Date.now();
    const lanes = LANES.map((lane) => this.#lanes.nextMs(sql, lane, nowMs, this.#sweepMs()));
    for (const dueMs of [nextDueMs(sql), nextRecordingDueMs(sql), nextForgetMs(sql), ...lanes]) {
      if (dueMs !== null) this.#setBy(dueMs <= nowMs ? overdueMs : dueMs);
    }
  }
}
