import { configOf } from "../../config.ts";
import type { Config } from "../../config.ts";
import type { Moment, Timers } from "./message-life.ts";
import type { WindowTimes } from "./window.ts";

// One turn of the account object: what every part that writes gets. The object makes it in `#commit`, and acts on what
// the part noted in `changes` once the transaction is stored, so that no method can forget the alarm or the live feed.

/** What a transaction changed, noted where the row is written. */
export interface Changes {
  /** Jobs whose messages changed. */
  readonly jobs: Set<number>;
  /** The earliest time after now at which one of these jobs is due, in ms since the epoch; null when none is. */
  dueMs: number | null;
  /** Whether the balance, or anything else that the live feed shows of the account itself, changed. */
  account: boolean;
  /** Whether the profile changed that history keeps: name, standing, plan, OTP rate. */
  profile: boolean;
}

/** One synchronous transaction: storage, clock, chance and settings. Nothing in it awaits. */
export interface Turn extends Moment {
  readonly sql: SqlStorage;
  /** The window's times in memory. */
  readonly window: WindowTimes;
  readonly changes: Changes;
}

/** Begins a turn, at this moment. */
export function beginTurn(sql: SqlStorage, window: WindowTimes, env: object): Turn {
  return {
    sql,
    window,
    nowMs: Date.now(),
    random: Math.random,
    changes: { jobs: new Set(), dueMs: null, account: false, profile: false },
    // Read where it is needed: what needs no timer works under a wrong setting as well.
    get timers() {
      return timersOf(configOf(env));
    },
  };
}

/** Notes that a job's messages changed, and when the job is due next (null: never). */
export function noteJob({ changes, nowMs }: Turn, seq: number, dueMs: number | null): void {
  changes.jobs.add(seq);
  if (dueMs !== null && dueMs > nowMs) changes.dueMs = Math.min(changes.dueMs ?? dueMs, dueMs);
}

/** Raises the profile's revision, by which history recognises the newest. */
export function noteProfile({ sql, changes }: Turn): void {
  sql.exec("UPDATE account SET rev = rev + 1");
  changes.account = true;
  changes.profile = true;
}

/** The timers of contract §12 that the account needs. */
function timersOf(config: Config): Timers {
  return {
    retryBaseMs: config.RETRY_BASE_MS,
    attemptsMax: config.ATTEMPTS_MAX,
    unknownWindowMs: config.UNKNOWN_WINDOW_MS,
    receiptWindowMs: config.RECEIPT_WINDOW_MS,
    sweepMs: config.SWEEP_MS,
  };
}
