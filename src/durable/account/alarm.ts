import { accountOfName } from "../../crypto/ids.ts";
import { recordedJobs, recordedProfile } from "../../db/history.ts";
import { logProblem } from "../../log.ts";
import type { Recorded } from "../../model/message.ts";
import { enqueueDispatch, enqueueHistory } from "../../queues/enqueue.ts";
import { nameOf } from "../name.ts";
import { discard, nextRecordingDueMs } from "./voice/discard.ts";
import { lateJobsUnrecorded, nextDueMs } from "./open-jobs.ts";
import { readAccount } from "./profile.ts";
import { settle, sweep } from "./sweep.ts";
import type { Changes, Turn } from "./turn.ts";

// The account's one alarm: set to the earliest time at which a job or recording is due, it repairs what queues and requests lost.

/** A failed alarm is set again after this. */
const RETRY_MS = 30_000;

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
  /** When the account was last compared with D1, in ms since the epoch. */
  #comparedMs = 0;

  constructor(host: AlarmHost) {
    this.#host = host;
  }

  /** Reads the stored alarm when the object starts, and sets it for the next job that is due. */
  async wake(): Promise<void> {
    this.#setTo = await this.#host.ctx.storage.getAlarm();
    this.#setForDue(Date.now());
  }

  /** Sets the alarm after a transaction: for the next due job, and at most one sweep ahead, to complete history. */
  setFor({ jobs, dueMs, recordingDueMs, profile }: Changes): void {
    if (recordingDueMs !== null) this.#setBy(recordingDueMs);
    // After its sweep, `ring` itself sets the alarm for everything that is due.
    if (this.#isSweeping || (jobs.size === 0 && !profile)) return;
    const soonMs = Date.now() + this.#host.sweepMs();
    this.#setBy(Math.min(soonMs, dueMs ?? soonMs));
  }

  /** Sweeps, enqueues again what the queues lost, and completes history. Never throws: the alarm must be set again. */
  async ring(): Promise<void> {
    this.#setTo = null;
    try {
      const { dispatch, follow } = this.#sweep();
      await this.#enqueue("send", dispatch);
      await this.#enqueue("follow", follow);
      await this.discard();
      // While D1 cannot be reached, history waits, and nothing else does.
      const isIncomplete = await this.#completeHistory().catch((problem: unknown) => {
        logProblem("history", problem);
        return true;
      });
      if (isIncomplete) this.#setBy(Date.now() + this.#host.sweepMs());
      this.#setForDue(Date.now());
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

  #sweep() {
    const { ctx, commit } = this.#host;
    this.#isSweeping = true;
    try {
      return commit((turn) => sweep(turn, (work) => ctx.storage.transactionSync(work)));
    } finally {
      this.#isSweeping = false;
    }
  }

  #enqueue(kind: "send" | "follow", seqs: number[]): Promise<void> {
    return enqueueDispatch(this.#host.env().DISPATCH, kind, nameOf(this.#host.ctx), seqs);
  }

  /** Enqueues what is missing from history in D1; true when something was. D1 decides nothing else. */
  async #completeHistory(): Promise<boolean> {
    const { ctx, commit, sweepMs } = this.#host;
    const { sql } = ctx.storage;
    const nowMs = Date.now();
    if (sweepMs() < COMPARE_MS_MIN && Math.abs(nowMs - this.#comparedMs) < COMPARE_MS_MIN) {
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
    if (againMs !== null) this.#setBy(againMs);
    if (missing.length === 0 && !profile) return false;
    await enqueueHistory(HISTORY, { account: name, seqs: missing, profile });
    return true;
  }

  /** Moves the alarm earlier, never later: another job may be due at the earlier time. */
  #setBy(timeMs: number): void {
    if (this.#setTo !== null && this.#setTo <= timeMs) return;
    this.#setTo = timeMs;
    void this.#host.ctx.storage.setAlarm(timeMs);
  }

  #setForDue(nowMs: number): void {
    const { sql } = this.#host.ctx.storage;
    for (const dueMs of [nextDueMs(sql, readAccount(sql).settledSeq), nextRecordingDueMs(sql)]) {
      if (dueMs !== null) this.#setBy(dueMs <= nowMs ? nowMs + this.#host.sweepMs() : dueMs);
    }
  }
}
