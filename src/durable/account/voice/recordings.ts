import type { Caller, UploadDoor } from "../../../model/command.ts";
import type { Recording, RecordingPlace, RecordingQuota, RecordingView, Upload } from "../../../model/message.ts";
import { number, text } from "../../rows.ts";
import { admitRequest, writeTimes } from "../admission.ts";
import { RUNNING_MS, complete, release, remember } from "../idempotency.ts";
import { ledgerHead } from "../billing/ledger.ts";
import { noteRecording } from "../turn.ts";
import type { Turn } from "../turn.ts";

// An upload calls twice: before its bytes are stored in R2 and after. Its row is there before the bytes are, so that the
// quota holds for uploads that come together, and the alarm finds the bytes of one that was interrupted.

/** An upload has failed after this, in ms. It is far longer than an invocation lives that could still write to R2. */
export const UPLOAD_MS_MAX = 15 * 60_000;

/** A write to R2 that failed may still arrive there: its bytes are deleted this much later, in ms. */
const LANDING_MS = 60_000;

/** The bytes of a removed recording are deleted at once; if that is lost, the alarm repeats it after this, in ms. */
export const REPAIR_MS = 60_000;

/** Whether a recording of this size fits, together with all that are there, being uploaded, or not yet deleted. */
function fits(sql: SqlStorage, sizeBytes: number, quota: RecordingQuota): boolean {
  const row = sql.exec("SELECT count(*) AS recordings, coalesce(sum(size_bytes), 0) AS bytes FROM recording").one();
  return number(row, "recordings") < quota.recordings && number(row, "bytes") + sizeBytes <= quota.bytes;
}

/**
 * The key of a recording with the same content. One that is removed is never shared: the deletion of its bytes may be
 * under way, so the same content is stored again under a key of its own.
 */
function keyOfSame({ sql, nowMs }: Turn, content: string): string | null {
  const query = `SELECT object_key FROM recording
    WHERE content = ? AND (state = 'stored' OR (state = 'uploading' AND due_at > ?)) LIMIT 1`;
  const row = sql.exec(query, content, nowMs).toArray()[0];
  return row ? text(row, "object_key") : null;
}

/** Stores that bytes may arrive at this key until `dueMs`. Without its content, no other upload shares the key. */
function expectBytes(turn: Turn, upload: Recording, content: string | null, dueMs: number): void {
  const { sql, nowMs } = turn;
  sql.exec(
    `INSERT OR IGNORE INTO recording
       (file_id, name, object_key, mime, size_bytes, duration_ms, created_at, content, state, due_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'uploading', ?)`,
    upload.fileId,
    upload.name,
    upload.objectKey,
    upload.mime,
    upload.sizeBytes,
    upload.durationMs,
    nowMs,
    content,
    dueMs,
  );
  noteRecording(turn, dueMs);
}

/** Admits an upload, reserves its place in the quota, and holds its Idempotency-Key while the bytes are stored. */
export function beginUpload(turn: Turn, caller: Caller, upload: Upload, quota: RecordingQuota): UploadDoor {
  const { sql, nowMs } = turn;
  const admitted = admitRequest(turn, caller);
  if (!admitted.ok || admitted.replayed) return admitted;
  const { window } = admitted;
  const { closesAt } = admitted.account;
  writeTimes(turn);
  if (closesAt !== null) return { ok: false, reason: "account_closing", closesAt, window };
  if (!fits(sql, upload.sizeBytes, quota)) return { ok: false, reason: "recordings_full", quota, window };
  const objectKey = keyOfSame(turn, upload.content) ?? upload.objectKey;
  expectBytes(turn, { ...upload, objectKey }, upload.content, nowMs + UPLOAD_MS_MAX);
  remember(turn, caller.idempotency, { spent: 0, balance: 0, seq: 0, runningUntil: nowMs + RUNNING_MS });
  return { ok: true, replayed: false, objectKey, window };
}

/**
 * Ends an upload. If its bytes are stored, adds the recording to the account; else cancels it, so that the same
 * Idempotency-Key can be used again at once. False where the account has no such recording: the upload failed, or came
 * so late that it had been given up. Its bytes are then deleted.
 */
export function endUpload(turn: Turn, caller: Caller, upload: Recording, isStored: boolean): boolean {
  const { sql, nowMs } = turn;
  const own = "file_id = ? AND state = 'uploading'";
  if (isStored) {
    const query = `UPDATE recording SET state = 'stored', due_at = NULL, created_at = ? WHERE ${own} RETURNING file_id`;
    if (sql.exec(query, nowMs, upload.fileId).toArray().length > 0) {
      complete(turn, caller.idempotency, ledgerHead(sql).balance);
      return true;
    }
  }
  // The row may be gone, and its bytes may have arrived after their deletion: then a new one has them deleted again.
  const dueMs = nowMs + LANDING_MS;
  sql.exec(`UPDATE recording SET due_at = ?, content = NULL WHERE ${own}`, dueMs, upload.fileId);
  expectBytes(turn, upload, null, dueMs);
  release(turn, caller.idempotency);
  return false;
}

/** The recording that a call plays, or null when the account has no such recording. */
export function findRecording(
  sql: SqlStorage,
  fileId: string,
): { objectKey: string; mime: string; durationMs: number } | null {
  const query = "SELECT object_key, mime, duration_ms FROM recording WHERE file_id = ? AND state = 'stored'";
  const row = sql.exec(query, fileId).toArray()[0];
  return row
    ? { objectKey: text(row, "object_key"), mime: text(row, "mime"), durationMs: number(row, "duration_ms") }
    : null;
}

function viewOf(row: Record<string, SqlStorageValue>): RecordingView {
  return {
    fileId: text(row, "file_id"),
    name: text(row, "name"),
    objectKey: text(row, "object_key"),
    mime: text(row, "mime"),
    sizeBytes: number(row, "size_bytes"),
    durationMs: number(row, "duration_ms"),
    createdAt: number(row, "created_at"),
  };
}

/** Recordings, newest first, from a place on. */
export function listRecordings(sql: SqlStorage, after: RecordingPlace | null, limit: number): RecordingView[] {
  const from = after ?? { createdAt: Number.MAX_SAFE_INTEGER, fileId: "" };
  const query = `SELECT * FROM recording WHERE (created_at, file_id) < (?, ?) AND state = 'stored'
    ORDER BY created_at DESC, file_id DESC LIMIT ?`;
  return sql.exec(query, from.createdAt, from.fileId, limit).toArray().map(viewOf);
}

/** One recording of the account, or null. */
export function readRecording(sql: SqlStorage, fileId: string): RecordingView | null {
  const row = sql.exec("SELECT * FROM recording WHERE file_id = ? AND state = 'stored'", fileId).toArray()[0];
  return row ? viewOf(row) : null;
}

/** Gives a recording another name; null when the account has no such recording. */
export function renameRecording({ sql }: Turn, fileId: string, name: string): RecordingView | null {
  const query = "UPDATE recording SET name = ? WHERE file_id = ? AND state = 'stored' RETURNING *";
  const row = sql.exec(query, name, fileId).toArray()[0];
  return row ? viewOf(row) : null;
}

/**
 * Removes a recording: from now on it is in no list, and no call can be made with it. Returns the key of its bytes, which
 * `discard.ts` deletes; null when the account has no such recording.
 */
export function removeRecording(turn: Turn, fileId: string): string | null {
  const dueMs = turn.nowMs + REPAIR_MS;
  const query = `UPDATE recording SET state = 'removed', due_at = ? WHERE file_id = ? AND state = 'stored'
    RETURNING object_key`;
  const row = turn.sql.exec(query, dueMs, fileId).toArray()[0];
  if (!row) return null;
  noteRecording(turn, dueMs);
  return text(row, "object_key");
}
