import { configOf } from "../../../config/config.ts";
import { FileWriter } from "../../../archive/writer.ts";
import { accountOfName } from "../../../crypto/ids.ts";
import { logProblem } from "../../../log.ts";
import type { ArchiveState } from "../../../model/archive.ts";
import { enqueueClear } from "../../../queues/enqueue.ts";
import { nameOf } from "../../name.ts";
import type { AlarmHost } from "../history/alarm-host.ts";
import type { Changes } from "../turn.ts";
import { checkpointOf, sealedSeq } from "./checkpoint.ts";
import { FILE_BYTES, clearNext, manifestFor, noteFile, storeFile } from "./files.ts";
import type { Written } from "./files.ts";
import { deleteBlock, deleteThrough, firstRowMs, sliceAfter } from "./rows.ts";
import { archiveState, keptDays, leavesBeforeMs, monthOf, noteFailure, noteStep, plan } from "./schedule.ts";

// The archive's part of the account's alarm. What is older than HISTORY_DAYS is written to R2, verified, noted, and only
// then deleted; in test mode, what is older than TEST_DAYS is deleted. One alarm does one step, in slices between which
// the account answers other calls. Whatever ends in between is done again: a file that is not noted is written anew, at
// the same key, and of a noted one the rest is deleted.

/** Slices that one alarm of a test account deletes: some ten thousand messages. */
const SLICES_MAX = 60;

/** Retention below a day is for tests, which do not wait for the night. */
const TRIAL_DAYS = 1;

/** The archive's part of one account's alarm. */
export class ArchivePass {
  readonly #host: AlarmHost;
  /** While a file is written: its last number so far, and whether a row up to it changed since it was read. */
  #reading: { through: number; isChanged: boolean } | null = null;

  constructor(host: AlarmHost) {
    this.#host = host;
  }

  /** Notes what a transaction changed. */
  noteChanges({ jobs }: Changes): void {
    const reading = this.#reading;
    if (reading) for (const seq of jobs) if (seq <= reading.through) reading.isChanged = true;
  }

  /** When the alarm must ring for the next step, in ms since the epoch; null: not for this. */
  nextMs(): number | null {
    return archiveState(this.#host.ctx.storage.sql).nextAt;
  }

  /** Plans a run if one is due, and has history cleared of what left. Returns how archiving is going. */
  async plan(): Promise<ArchiveState> {
    const { beforeMs, isTrial } = this.#retention();
    const state = this.#host.commit((turn) => plan(turn, beforeMs, isTrial));
    if (state.nextAt === null) await this.#clear();
    return state;
  }

  /** Does the next step, if it is due. Never throws: what fails is noted, and tried again after a growing gap. */
  async step(): Promise<void> {
    const dueMs = this.nextMs();
    if (dueMs === null || dueMs > Date.now()) return;
    try {
      const { beforeMs, isTest } = this.#retention();
      const more = isTest ? await this.#forget(beforeMs) : await this.#archive(beforeMs);
      this.#host.commit((turn) => noteStep(turn, more));
      if (!more) await this.#clear();
    } catch (problem) {
      logProblem("archive", problem);
      const why = problem instanceof Error ? problem.message : "not an error";
      this.#host.commit((turn) => noteFailure(turn, why));
    } finally {
      this.#reading = null;
    }
  }

  #retention(): { beforeMs: number; isTest: boolean; isTrial: boolean } {
    const config = configOf(this.#host.env());
    const { mode } = accountOfName(nameOf(this.#host.ctx));
    return {
      beforeMs: leavesBeforeMs(config, mode, Date.now()),
      isTest: mode === "test",
      isTrial: keptDays(config, mode) < TRIAL_DAYS,
    };
  }

  /** Has the consumer of history delete what left the account; if that is lost, the next plan asks again. */
  async #clear(): Promise<void> {
    const { ctx, env } = this.#host;
    if (clearNext(ctx.storage.sql, null) !== null) await enqueueClear(env().HISTORY, nameOf(ctx));
  }

  /** Deletes what is old, without a file; whether more follows. */
  async #forget(beforeMs: number): Promise<boolean> {
    for (let slices = 0; slices < SLICES_MAX; slices += 1) {
      const isEnd = this.#host.commit((turn) => {
        const slice = sliceAfter(turn.sql, checkpointOf(turn.sql).seq, beforeMs);
        deleteThrough(turn, slice.through);
        return slice.isEnd;
      });
      if (isEnd) return false;
      await scheduler.wait(0);
    }
    return true;
  }

  /** Writes one file, and deletes what it holds; or only the latter, where a file was noted before. Whether more follows. */
  async #archive(beforeMs: number): Promise<boolean> {
    const { ctx, commit, env } = this.#host;
    const { sql } = ctx.storage;
    if (sealedSeq(sql) <= checkpointOf(sql).seq) {
      const written = await this.#write(beforeMs);
      if (!written) return false;
      await storeFile(env().ARCHIVE, nameOf(ctx), written);
      const reading = this.#reading;
      // A late receipt came meanwhile: the file is written again.
      if (!reading || reading.isChanged) return true;
      commit((turn) => noteFile(turn.sql, written.manifest));
    }
    const last = sealedSeq(sql);
    while (!commit((turn) => deleteBlock(turn, last))) await scheduler.wait(0);
    return true;
  }

  /** The next file: all of a month that may leave, or its first part; null where nothing may. */
  async #write(beforeMs: number): Promise<Written | null> {
    const { sql } = this.#host.ctx.storage;
    const firstMs = firstRowMs(sql);
    if (firstMs === null) return null;
    const { month, endMs } = monthOf(firstMs);
    const after = checkpointOf(sql);
    const reading = { through: after.seq, isChanged: false };
    this.#reading = reading;
    const writer = new FileWriter(after);
    for (let isEnd = false; !isEnd && writer.bytes < FILE_BYTES;) {
      const slice = sliceAfter(sql, reading.through, Math.min(beforeMs, endMs));
      reading.through = slice.through;
      ({ isEnd } = slice);
      await writer.add(slice.lines);
      await scheduler.wait(0);
    }
    const written = await manifestFor(writer, accountOfName(nameOf(this.#host.ctx)), month);
    return written.manifest.last < written.manifest.first ? null : written;
  }
}
