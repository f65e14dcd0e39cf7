import { needCode } from "../../migrate.ts";
import { number, numberOrNull } from "../../rows.ts";

// The checkpoint: everything with a number up to it left the account for the archive, or, in test mode, for good. It
// stands in the ledger for all of these, so that the balance stays the sum of the entries.

/** What the account remembers of all that left it. */
export interface Checkpoint {
  /** The last number that left; 0: none did. */
  seq: number;
  /** Units, after that number. */
  balance: number;
  /** When its row was written, in ms since the epoch. */
  atMs: number;
  /** When the last job that left was sent, in ms since the epoch; null: none left. */
  jobAtMs: number | null;
  /** The revisions, added up, of the single messages that left out of the bucket of history that `seq` is in. */
  revs: number;
}

const COLUMNS = "checkpoint_seq, checkpoint_balance, checkpoint_at, checkpoint_job_at, checkpoint_revs";

const NOTHING: Checkpoint = { seq: 0, balance: 0, atMs: 0, jobAtMs: null, revs: 0 };

/** The checkpoint, as stored; with the number 0 while nothing has left, as on the day of its opening. */
export function checkpointOf(sql: SqlStorage): Checkpoint {
  const row = sql.exec(`SELECT ${COLUMNS} FROM account`).toArray()[0];
  if (!row) return NOTHING;
  return {
    seq: number(row, "checkpoint_seq"),
    balance: number(row, "checkpoint_balance"),
    atMs: numberOrNull(row, "checkpoint_at") ?? 0,
    jobAtMs: numberOrNull(row, "checkpoint_job_at"),
    revs: number(row, "checkpoint_revs"),
  };
}

/** The schema of the releases that begin the ledger at the checkpoint. Older ones would count a balance without what left. */
const SINCE_SCHEMA = 6;

/** Stores where the checkpoint is now. From the first time on, only a release that knows it can serve the account. */
export function moveCheckpoint(sql: SqlStorage, { seq, balance, atMs, jobAtMs, revs }: Checkpoint): void {
  needCode(sql, SINCE_SCHEMA);
  sql.exec(`UPDATE account SET (${COLUMNS}) = (?, ?, ?, ?, ?)`, seq, balance, atMs, jobAtMs, revs);
}

const sealed = new WeakMap<SqlStorage, number>();

/**
 * The last number that a file of the archive holds: nothing up to it changes any more, though its rows may still be here.
 * Read once, because every receipt asks.
 */
export function sealedSeq(sql: SqlStorage): number {
  let seq = sealed.get(sql);
  if (seq === undefined) {
    const row = sql.exec("SELECT last_seq FROM archive_file ORDER BY first_seq DESC LIMIT 1").toArray()[0];
    seq = row ? number(row, "last_seq") : 0;
    sealed.set(sql, seq);
  }
  return seq;
}

/** Forgets what `sealedSeq` has read: when a file was noted, and when a transaction was rolled back. */
export function forgetSeal(sql: SqlStorage): void {
  sealed.delete(sql);
}
