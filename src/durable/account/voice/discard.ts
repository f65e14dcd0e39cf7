import { logProblem } from "../../../log.ts";
import { telephoneKey } from "../../../model/message.ts";
import { number, numberOrNull, text } from "../../rows.ts";
import { readJob } from "../jobs.ts";
import { isFinal } from "../message/states.ts";
import { REPAIR_MS } from "./recordings.ts";
import { noteRecording } from "../turn.ts";
import type { Turn } from "../turn.ts";

// Deletes the bytes of removed recordings and of interrupted uploads from R2. A row is deleted after its bytes are, so
// whatever is lost in between is repeated by the alarm. A key whose rows are all removed never gets another one
// (`keyOfSame` in recordings.ts), so that no deletion, however late it arrives, can delete the bytes of a recording.

/** While a call under way plays a removed recording, the alarm looks again after this, in ms. */
const IN_USE_MS = 10 * 60_000;

/** Keys that one alarm handles; the next alarm handles more. */
const KEYS_PER_PASS_MAX = 100;

/** Bytes to delete, and the rows to delete after them. */
interface Discarded {
  objectKey: string;
  fileIds: string[];
}

/** Calls that play these bytes and may be open: those after the settled mark, and those that wait for a deadline. */
function callsThatPlay(sql: SqlStorage, objectKey: string): number[] {
  const plays = "operation = 'voice' AND json_extract(content, '$.recording.objectKey') = ?1";
  const query = `
    SELECT seq FROM job WHERE seq > (SELECT settled_seq FROM account) AND ${plays}
    UNION SELECT seq FROM job WHERE due_at IS NOT NULL AND ${plays}`;
  const rows = sql.exec(query, objectKey).toArray();
  return rows.map((row) => number(row, "seq"));
}

/**
 * Until when bytes are in use at least, in ms: a call that is not over yet plays them, or one that is scheduled will. Null
 * where none does.
 */
function inUseUntil({ sql, nowMs }: Turn, objectKey: string): number | null {
  const jobs = callsThatPlay(sql, objectKey).map((seq) => readJob(sql, seq));
  const open = jobs.filter((job) => !job?.messages.every(isFinal));
  if (open.length === 0) return null;
  return Math.max(nowMs + IN_USE_MS, Math.min(...open.map((job) => job?.sendAt ?? 0)));
}

/** Prepares the deletion of the bytes at a key; null when they are still needed. */
function prepare(turn: Turn, objectKey: string): Discarded | null {
  const { sql, nowMs } = turn;
  sql.exec(
    "UPDATE recording SET state = 'removed' WHERE object_key = ? AND state = 'uploading' AND due_at <= ?",
    objectKey,
    nowMs,
  );
  const needed = "SELECT 1 FROM recording WHERE object_key = ? AND state <> 'removed' LIMIT 1";
  if (sql.exec(needed, objectKey).toArray().length > 0) {
    sql.exec("DELETE FROM recording WHERE object_key = ? AND state = 'removed'", objectKey);
    return null;
  }
  const untilMs = inUseUntil(turn, objectKey);
  const dueMs = untilMs ?? nowMs + REPAIR_MS;
  noteRecording(turn, dueMs);
  const rows = sql.exec("UPDATE recording SET due_at = ? WHERE object_key = ? RETURNING file_id", dueMs, objectKey);
  const fileIds = rows.toArray().map((row) => text(row, "file_id"));
  return untilMs === null ? { objectKey, fileIds } : null;
}

/** Keys whose recordings are due. */
function keysDue({ sql, nowMs }: Turn): string[] {
  const query = `SELECT DISTINCT object_key FROM recording WHERE due_at <= ? LIMIT ${KEYS_PER_PASS_MAX}`;
  return sql
    .exec(query, nowMs)
    .toArray()
    .map((row) => text(row, "object_key"));
}

/** The earliest time at which the alarm must look at a recording, in ms since the epoch, or null. */
export function nextRecordingDueMs(sql: SqlStorage): number | null {
  return numberOrNull(sql.exec("SELECT min(due_at) AS due FROM recording WHERE due_at IS NOT NULL").one(), "due");
}

/** What deleting needs from the object. */
interface DiscardHost {
  /** The bucket as it is now. */
  readonly bucket: () => R2Bucket;
  /** Runs `work` in one transaction and acts on its changes. */
  readonly commit: <T>(work: (turn: Turn) => T) => T;
}

/**
 * Deletes the bytes at a key, or all that are due, and then their rows. Never throws: what fails is logged, and the
 * alarm repeats it.
 */
export async function discard({ bucket, commit }: DiscardHost, objectKey?: string): Promise<void> {
  try {
    const discarded = commit((turn) => {
      const keys = objectKey === undefined ? keysDue(turn) : [objectKey];
      return keys.map((key) => prepare(turn, key)).filter((one) => one !== null);
    });
    if (discarded.length === 0) return;
    await bucket().delete(discarded.flatMap((one) => [one.objectKey, telephoneKey(one.objectKey)]));
    commit(({ sql }) => {
      for (const fileId of discarded.flatMap(({ fileIds }) => fileIds)) {
        sql.exec("DELETE FROM recording WHERE file_id = ? AND state = 'removed'", fileId);
      }
    });
  } catch (problem) {
    logProblem("deleting recordings", problem);
  }
}
