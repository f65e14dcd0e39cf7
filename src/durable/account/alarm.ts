import { logProblem } from "../../log.ts";
import type { ArchiveState } from "../../model/archive.ts";
import type { Recorded } from "../../model/history.ts";
import { LANES } from "../../model/lane.ts";
import type { Lane } from "../../model/lane.ts";
import { enqueueFollow, enqueueToken } from "../../queues/enqueue.ts";
import { nameOf } from "../name.ts";
import { ArchivePass } from "./archive/pass.ts";
import { sealAll } from "./events/seal.ts";
import type { AlarmHost } from "./history/alarm-host.ts";
import { HistoryPass } from "./history/pass.ts";
import { FORGET_FROM_START, forgetOld, nextForgetMs } from "./idempotency.ts";
import { LaneWatch } from "./lanes.ts";
import { PASS_SWEEPS } from "./message/deadlines.ts";
import { hasOpenJobs, nextDueMs } from "./open-jobs.ts";
import { readAccount } from "./profile.ts";
import { forgetAged, nextAgedMs } from "./retention/aged.ts";
import { foldReceipts } from "./receipts/fold.ts";
import { journalOf } from "./receipts/journal.ts";
import { sweep } from "./sweep.ts";
import { discard, nextRecordingDueMs } from "./voice/discard.ts";
import type { Changes, Turn } from "./turn.ts";

// The account's one alarm, set to the earliest of what it looks after: deadlines of jobs, messages that become claimable,
// recordings, expired keys and texts, and the housekeeping pass that everything else can wait for. Its work is done in bounded
// slices, between which the account answers other calls.

/** A failed alarm is set again after this, in ms. It also stands for `SWEEP_MS` while the configuration is broken. */
const RETRY_MS = 30_000;

/** What is already due when the alarm is set rings after this, in ms, so that an alarm never rings without a pause. */
const SOON_MS = 1_000;

/** An alarm that should have rung this long ago, in ms, is taken for lost. */
const LOST_MS = 60_000;
const isLost = (setTo: number) => setTo < Date.now() - LOST_MS;

/** The alarm of one account object. */
export class AccountAlarm {
  readonly #host: AlarmHost;
  /** When the alarm is set to ring, in ms since the epoch; null when it is not set. */
  #setTo: number | null = null;
  #isSweeping = false;
  /** While it rings: when that was set for. */
  #ringing: { setTo: number | null } | null = null;
  #wasLost = false;
  #isStopped = false;
  readonly #lanes = new LaneWatch();
  readonly #history: HistoryPass;
  readonly #archive: ArchivePass;

  constructor(host: AlarmHost) {
    this.#host = host;
    this.#archive = new ArchivePass(host);
    this.#history = new HistoryPass({ ...host, commit: (work) => this.#inSweep(work), sweepMs: () => this.#sweepMs() });
  }

  /**
   * Reads the stored alarm when the object starts, and sets it where it was lost. `hasGrown`: the start has migrated the
   * storage, which may have made work that no alarm was set for. Never throws.
   */
  async wake(hasGrown = false): Promise<void> {
    try {
      this.#wasLost = (await this.#restore()) && !hasGrown;
    } catch (problem) {
      logProblem("alarm", problem);
      this.#setBy(Date.now() + RETRY_MS);
    }
  }

  /** Sets the alarm where it was lost; true where it was, also if the object's start has found that already. */
  async heal(): Promise<boolean> {
    const wasLost = this.#wasLost || (!this.#ringing && (await this.#restore()));
    this.#wasLost = false;
    return wasLost;
  }

  /**
   * Sets the alarm after a transaction: for the earliest time that it noted, and at the latest for the housekeeping pass,
   * which everything until then shares.
   */
  setFor(changes: Changes): void {
    const { jobs, dueMs, ready, visit, hasGone, recordingDueMs, webhookMs, profile } = changes;
    const times = [recordingDueMs, webhookMs].filter((at) => at !== null);
    const nowMs = Date.now();
    this.#history.noteChanges(changes, nowMs);
    this.#archive.noteChanges(changes);
    // After its sweep, `ring` itself sets the alarm for everything that is due.
    if (!this.#isSweeping) {
      if (jobs.size > 0 || profile) times.push(nowMs + this.#passMs());
      if (dueMs !== null) times.push(dueMs);
      if (visit) this.#lanes.visited(visit.lane, visit.took, nowMs);
      for (const [lane, readyMs] of ready) if (lane !== visit?.lane) this.#lanes.waits(lane, readyMs, nowMs);
      const lanes = new Set(ready.keys());
      if (hasGone) {
        this.#lanes.gone("bulk", nowMs);
        lanes.add("bulk");
      }
      // A consumer that got nothing goes, whatever it was told; one that took something may not come back for the rest.
      if (visit) lanes.add(visit.lane);
      for (const lane of lanes) times.push(this.#laneMs(lane) ?? Infinity);
    }
    // Once: each time costs a row.
    if (times.length > 0) this.#setBy(Math.min(...times));
  }

  /** Sweeps, sends tokens, repairs what queues and requests lost. Never throws: the alarm must be set again. */
  async ring(): Promise<void> {
    this.#ringing = { setTo: this.#setTo };
    this.#setTo = null;
    this.#wasLost = false;
    try {
      const lookMs = await this.#history.look();
      for (let more = true; more;) {
        const swept = this.#inSweep((turn) => sweep(turn, (work) => this.#host.ctx.storage.transactionSync(work)));
        await enqueueFollow(this.#host.env(), nameOf(this.#host.ctx), swept.follow);
        more = swept.more;
        // Between two slices, other calls to the object have their turn.
        if (more) await scheduler.wait(0);
      }
      await this.#sendTokens();
      await this.#foldReceipts();
      await this.discard();
      await this.#forgetOld();
      await this.#forgetAged();
      this.#inSweep(sealAll);
      for (const posts of this.#host.posts()) posts.name();
      const nameMs = await this.#history.name();
      await this.#archive.step();
      this.#setForDue(Date.now() + SOON_MS, [lookMs, nameMs]);
    } catch (problem) {
      logProblem("alarm", problem);
      // A constant, since the configuration itself may be what failed.
      this.#setBy(Date.now() + RETRY_MS);
    } finally {
      this.#ringing = null;
    }
  }

  /** Never sets the alarm again, because the account is being erased. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Notes what history has recorded, or (null) that it cannot be written for now. */
  recorded(recorded: Recorded | null): true {
    if (recorded) this.#setForHistory(this.#host.commit((turn) => this.#history.recorded(turn, recorded)));
    else this.#setForHistory(this.#history.postpone(Date.now()));
    return true;
  }

  /** Plans the archive's next run if one is due; returns how archiving is going. */
  async archive(): Promise<ArchiveState> {
    const state = await this.#archive.plan();
    if (state.nextAt !== null) this.#setBy(Math.max(state.nextAt, Date.now() + SOON_MS));
    return state;
  }

  /** Lets history record everything again; false where another database has it. */
  rebuildHistory(database: number | null): boolean {
    const lookMs = this.#host.commit((turn) => this.#history.rebuild(turn, database));
    this.#setForHistory(lookMs);
    return lookMs !== null;
  }

  /** Deletes the bytes of removed recordings: those at a key, or all that are due. Never throws. */
  discard(objectKey?: string): Promise<void> {
    return discard({ bucket: () => this.#host.env().RECORDINGS, commit: this.#host.commit }, objectKey);
  }

  /** Reads the stored alarm, and sets it where there is work that it leaves out; true where it was lost. */
  async #restore(): Promise<boolean> {
    const before = this.#setTo;
    const stored = await this.#host.ctx.storage.getAlarm();
    // Work that went on meanwhile has just set it.
    if (this.#setTo !== before) return false;
    const nowMs = Date.now();
    const isThere = stored !== null && !isLost(stored);
    this.#setTo = stored;
    // One beyond the next pass was set for something else, or by a clock that was set back since.
    const isSet = isThere && stored <= nowMs + this.#passMs();
    this.#setForDue(nowMs + this.#sweepMs());
    // What it was set for is still to be done, also where nothing else is due before a text is forgotten.
    if (stored !== null && !isThere) this.#setBy(nowMs);
    const { sql } = this.#host.ctx.storage;
    const isLeft = () => hasOpenJobs(sql, readAccount(sql).settledSeq) || this.#history.isOverdue(nowMs);
    if (!isSet && isLeft()) this.#setBy(nowMs + this.#sweepMs());
    return !isThere && this.#setTo !== stored;
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

  /** Writes the receipts that are in the journal for long into their jobs' rows, in slices. */
  async #foldReceipts(): Promise<void> {
    const { sql } = this.#host.ctx.storage;
    while ((journalOf(sql).foldAtMs ?? Infinity) <= Date.now()) {
      this.#inSweep(foldReceipts);
      await scheduler.wait(0);
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

  /** Forgets the texts and events that are too old, in slices. */
  async #forgetAged(): Promise<void> {
    while ((this.#agedMs() ?? Infinity) <= Date.now()) {
      this.#host.commit(forgetAged);
      await scheduler.wait(0);
    }
  }

  /** When the next of them are to be forgotten; null also while the configuration is broken. */
  #agedMs(): number | null {
    try {
      return nextAgedMs(this.#host.ctx.storage.sql, this.#host.keeps());
    } catch (problem) {
      logProblem("retention", problem);
      return null;
    }
  }

  /** Moves the alarm earlier, never later. In place of a lost one it rings soon: what that was set for is still to be done. */
  #setBy(timeMs: number): void {
    if (timeMs === Infinity || this.#isStopped) return;
    const wasLost = this.#setTo !== null && isLost(this.#setTo);
    if (this.#setTo !== null && this.#setTo <= timeMs && !wasLost) return;
    const atMs = Math.ceil(wasLost ? Math.min(timeMs, Date.now() + SOON_MS) : timeMs);
    // The runtime never rings one that is set, while it rings, to the same time again: it takes that for no change.
    this.#setTo = atMs === this.#ringing?.setTo ? atMs + 1 : atMs;
    void this.#host.ctx.storage.setAlarm(this.#setTo);
  }

  #setForHistory(timeMs: number | null): void {
    if (timeMs !== null) this.#setBy(Math.max(timeMs, Date.now() + SOON_MS));
  }

  /** When the alarm must send a token for a lane, but not at once; null while nothing waits in it. */
  #laneMs(lane: Lane): number | null {
    const nowMs = Date.now();
    const nextMs = this.#lanes.nextMs(this.#host.ctx.storage.sql, lane, nowMs, this.#sweepMs());
    return nextMs === null ? null : Math.max(nextMs, nowMs + SOON_MS);
  }

  /** Sets the alarm once, for the next of everything that is due; what is overdue, for `overdueMs`. */
  #setForDue(overdueMs: number, historyMs: (number | null)[] = []): void {
    const { sql } = this.#host.ctx.storage;
    const nowMs = Date.now();
    const lanes = LANES.map((lane) => this.#lanes.nextMs(sql, lane, nowMs, this.#sweepMs()));
    const days = [nextForgetMs(sql), this.#agedMs(), this.#archive.nextMs()];
    const dueMs = [nextDueMs(sql), journalOf(sql).foldAtMs, nextRecordingDueMs(sql), ...days, ...lanes];
    const times = dueMs.map((at) => (at === null ? Infinity : at <= nowMs ? overdueMs : at));
    const others = [...historyMs, ...this.#host.posts().map((one) => one.nextMs())].filter((at) => at !== null);
    times.push(...others.map((at) => Math.max(at, nowMs + SOON_MS)));
    this.#setBy(Math.min(...times));
  }
}
