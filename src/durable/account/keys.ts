import { modeOfKeyId } from "../../crypto/api-key.ts";
import type { KeyMade, KeyView, Rotation } from "../../model/account.ts";
import type { AskedOnce } from "../../model/command.ts";
import { number, numberOrNull, text } from "../rows.ts";
import { recallOutcome, rememberOutcome } from "./idempotency.ts";
import type { Turn } from "./turn.ts";

// An account's keys: rows that say which key ids are active. The keys themselves are stored nowhere.

/** `last_used_at` is written at most once in this time, in ms: it must not double the rows that a send writes. */
export const LAST_USED_STEP_MS = 3_600_000;

/** Keys that one account may have, revoked ones included. */
export const KEYS_MAX = 1_000;

/** Whether this key is active now; records that it was used. */
export function touchKey({ sql, nowMs }: Turn, keyId: number): boolean {
  const row = sql.exec("SELECT last_used_at, expires_at, revoked_at FROM key WHERE key_id = ?", keyId).toArray()[0];
  if (!row || row["revoked_at"] !== null || (numberOrNull(row, "expires_at") ?? Infinity) <= nowMs) return false;
  if (nowMs - (numberOrNull(row, "last_used_at") ?? 0) >= LAST_USED_STEP_MS) {
    sql.exec("UPDATE key SET last_used_at = ? WHERE key_id = ?", nowMs, keyId);
  }
  return true;
}

/** Whether this key is active now; records nothing. */
export function isActive(sql: SqlStorage, keyId: number, nowMs: number): boolean {
  const active = "SELECT 1 FROM key WHERE key_id = ? AND revoked_at IS NULL AND coalesce(expires_at, ?) > ?";
  return sql.exec(active, keyId, Number.MAX_SAFE_INTEGER, nowMs).toArray().length > 0;
}

/** Adds a key; adding the same id again changes nothing. False when the account has too many. */
export function addKey({ sql, nowMs }: Turn, keyId: number, name: string): boolean {
  if (sql.exec("SELECT 1 FROM key WHERE key_id = ?", keyId).toArray().length > 0) return true;
  if (number(sql.exec("SELECT count(*) AS keys FROM key").one(), "keys") >= KEYS_MAX) return false;
  sql.exec("INSERT INTO key (key_id, name, created_at) VALUES (?, ?, ?)", keyId, name, nowMs);
  return true;
}

/** Adds a key for a request; a repeated id or Idempotency-Key adds no second one. */
export function makeKey(turn: Turn, asked: { keyId: number; name: string; once?: AskedOnce | undefined }): KeyMade {
  const first = recallOutcome(turn, asked.once);
  if (first) return first.ok ? { ok: true, repeated: true } : { ok: false, reason: "idempotency_mismatch" };
  if (!addKey(turn, asked.keyId, asked.name)) return { ok: false, reason: "too_many" };
  rememberOutcome(turn, asked.once, {});
  return { ok: true, repeated: false };
}

/** Every key of the account, oldest first. */
export function listKeys(sql: SqlStorage): KeyView[] {
  return sql
    .exec("SELECT * FROM key ORDER BY created_at, key_id")
    .toArray()
    .map((row) => ({
      keyId: number(row, "key_id"),
      mode: modeOfKeyId(number(row, "key_id")),
      name: text(row, "name"),
      createdAt: number(row, "created_at"),
      lastUsedAt: numberOrNull(row, "last_used_at"),
      expiresAt: numberOrNull(row, "expires_at"),
      revokedAt: numberOrNull(row, "revoked_at"),
    }));
}

/** Revokes a key from this moment on; false when the account has no such key. Revoking twice keeps the first time. */
export function revokeKey({ sql, nowMs }: Turn, keyId: number): boolean {
  return (
    sql.exec("UPDATE key SET revoked_at = coalesce(revoked_at, ?) WHERE key_id = ? RETURNING 1", nowMs, keyId).toArray()
      .length > 0
  );
}

/** Replaces a key for a request, once per Idempotency-Key: both work until `nowMs + overlapMs`. */
export function rotateKey(
  turn: Turn,
  asked: { oldId: number; newId: number; overlapMs: number; once?: AskedOnce | undefined },
): Rotation {
  const first = recallOutcome(turn, asked.once);
  if (first) {
    if (!first.ok) return { ok: false, reason: "idempotency_mismatch" };
    return { ...(first.outcome as Extract<Rotation, { ok: true }>), repeated: true };
  }
  const rotated = replaceKey(turn, asked);
  if (rotated.ok) rememberOutcome(turn, asked.once, rotated);
  return rotated;
}

/** Replaces a key; repeating a rotation changes nothing. */
function replaceKey(
  turn: Turn,
  { oldId, newId, overlapMs }: { oldId: number; newId: number; overlapMs: number },
): Rotation {
  const { sql, nowMs } = turn;
  const old = sql.exec("SELECT * FROM key WHERE key_id = ?", oldId).toArray()[0];
  if (!old) return { ok: false, reason: "unknown" };
  const expiresAt = numberOrNull(old, "expires_at");
  if (old["replaced_by"] === newId) return { ok: true, keyId: newId, oldExpiresAt: expiresAt ?? nowMs };
  if (old["revoked_at"] !== null || (expiresAt ?? Infinity) <= nowMs) return { ok: false, reason: "not_active" };
  if (!addKey(turn, newId, text(old, "name"))) return { ok: false, reason: "too_many" };
  const ends = Math.min(expiresAt ?? Infinity, nowMs + overlapMs);
  sql.exec("UPDATE key SET expires_at = ?, replaced_by = ? WHERE key_id = ?", ends, newId, oldId);
  return { ok: true, keyId: newId, oldExpiresAt: ends };
}
