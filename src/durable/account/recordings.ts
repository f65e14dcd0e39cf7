import type { Caller, UploadDoor } from "../../model/command.ts";
import type { Recording, RecordingPlace, RecordingView } from "../../model/message.ts";
import { number, text } from "../rows.ts";
import { admitRequest, writeTimes } from "./admission.ts";
import { RUNNING_MS, complete, release, remember } from "./idempotency.ts";
import { ledgerHead } from "./ledger.ts";
import type { Turn } from "./turn.ts";

// An upload calls twice: before its bytes are stored in R2 and after, so that a refused request stores nothing there.

/** Admits an upload and holds its Idempotency-Key while the bytes are stored. */
export function beginUpload(turn: Turn, caller: Caller): UploadDoor {
  const admitted = admitRequest(turn, caller);
  if (!admitted.ok || admitted.replayed) return admitted;
  writeTimes(turn);
  const runningUntil = turn.nowMs + RUNNING_MS;
  remember(turn, caller.idempotency, { spent: 0, balance: 0, seq: 0, runningUntil });
  return { ok: true, replayed: false, window: admitted.window };
}

/** Adds the recording to the account, once its bytes are in R2. */
export function finishUpload(turn: Turn, caller: Caller, recording: Recording): void {
  const { sql, nowMs } = turn;
  sql.exec(
    `INSERT OR IGNORE INTO recording (file_id, name, object_key, mime, size_bytes, duration_ms, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    recording.fileId,
    recording.name,
    recording.objectKey,
    recording.mime,
    recording.sizeBytes,
    recording.durationMs,
    nowMs,
  );
  complete(turn, caller.idempotency, ledgerHead(sql).balance);
}

/** Cancels an upload whose bytes were not stored: the same Idempotency-Key can be used again at once. */
export function abandonUpload(turn: Turn, caller: Caller): void {
  release(turn, caller.idempotency);
}

/** The recording that a call plays, or null when the account has no such recording. */
export function findRecording(
  sql: SqlStorage,
  fileId: string,
): { objectKey: string; mime: string; durationMs: number } | null {
  const query = "SELECT object_key, mime, duration_ms FROM recording WHERE file_id = ?";
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
  const query = `SELECT * FROM recording WHERE (created_at, file_id) < (?, ?)
    ORDER BY created_at DESC, file_id DESC LIMIT ?`;
  return sql.exec(query, from.createdAt, from.fileId, limit).toArray().map(viewOf);
}

/** One recording of the account, or null. */
export function readRecording(sql: SqlStorage, fileId: string): RecordingView | null {
  const row = sql.exec("SELECT * FROM recording WHERE file_id = ?", fileId).toArray()[0];
  return row ? viewOf(row) : null;
}
