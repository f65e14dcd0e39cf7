import { consoleKeyId, modeOfKeyId, showKeyId } from "../../crypto/api-key.ts";
import { FIRST_ID } from "../../crypto/secrets.ts";
import type { KeyMade, KeysToExpire, KeyView, Rotation } from "../../model/account.ts";
import type { AskedOnce } from "../../model/command.ts";
import { number, numberOrNull, text } from "../rows.ts";
import { noteEvent } from "./events/note.ts";
import { recallOutcome, rememberOutcome } from "./idempotency.ts";
import type { Turn } from "./turn.ts";

// An account's keys: rows that say which key ids are active, and which secret each was made with. The keys themselves are
// stored nowhere. A key that another secret made is refused, so that a secret that leaked makes none of the newer keys.

/** A key as a request carries it: its id, and that of its secret, which a version before secrets had ids leaves out. */
export interface GivenKey {
  keyId: number;
  secretId?: number | undefined;
}

/** `last_used_at` is written at most once in this time, in ms: it must not double the rows that a send writes. */
export const LAST_USED_STEP_MS = 3_600_000;

/** Keys that one account may have, revoked ones included. */
export const KEYS_MAX = 1_000;

/** Whether this key is active now; records that it was used. */
export function touchKey({ sql, nowMs }: Turn, { keyId, secretId = FIRST_ID }: GivenKey): boolean {
  const query = "SELECT last_used_at, expires_at, revoked_at, secret_id FROM key WHERE key_id = ?";
  const row = sql.exec(query, keyId).toArray()[0];
  if (!row || row["secret_id"] !== secretId || row["revoked_at"] !== null) return false;
  if ((numberOrNull(row, "expires_at") ?? Infinity) <= nowMs) return false;
  if (nowMs - (numberOrNull(row, "last_used_at") ?? 0) >= LAST_USED_STEP_MS) {
    sql.exec("UPDATE key SET last_used_at = ? WHERE key_id = ?", nowMs, keyId);
  }
  return true;
}

/** Whether this key is active now; records nothing. */
export function isActive(sql: SqlStorage, { keyId, secretId = FIRST_ID }: GivenKey, nowMs: number): boolean {
  const active = `
    SELECT 1 FROM key
     WHERE key_id = ? AND secret_id = ? AND revoked_at IS NULL AND coalesce(expires_at, ${Number.MAX_SAFE_INTEGER}) > ?`;
  return sql.exec(active, keyId, secretId, nowMs).toArray().length > 0;
}

/**
 * Adds a key; adding the same id again changes nothing, but that the console's own key is then made with the secret that is
 * given. False when the account has too many.
 */
export function addKey(turn: Turn, { keyId, secretId = FIRST_ID }: GivenKey, name: string): boolean {
  const { sql, nowMs } = turn;
  if (sql.exec("SELECT 1 FROM key WHERE key_id = ?", keyId).toArray().length > 0) {
    if (keyId === consoleKeyId(modeOfKeyId(keyId))) {
      sql.exec("UPDATE key SET secret_id = ? WHERE key_id = ?", secretId, keyId);
    }
    return true;
  }
  if (number(sql.exec("SELECT count(*) AS keys FROM key").one(), "keys") >= KEYS_MAX) return false;
  const insert = "INSERT INTO key (key_id, name, created_at, secret_id) VALUES (?, ?, ?, ?)";
  sql.exec(insert, keyId, name, nowMs, secretId);
  noteEvent(turn, "key.created", { key_id: showKeyId(keyId), name });
  return true;
}

/** Adds a key for a request; a repeated id or Idempotency-Key adds no second one. */
export function makeKey(turn: Turn, asked: GivenKey & { name: string; once?: AskedOnce | undefined }): KeyMade {
  const first = recallOutcome(turn, asked.once);
  if (first) {
    if (!first.ok) return { ok: false, reason: "idempotency_mismatch" };
    // The outcome of a version before it was remembered is empty: the id was derived then as it is now.
    return { ok: true, repeated: true, keyId: asked.keyId, ...(first.outcome as { keyId?: number }) };
  }
  if (!addKey(turn, asked, asked.name)) return { ok: false, reason: "too_many" };
  rememberOutcome(turn, asked.once, { keyId: asked.keyId });
  return { ok: true, repeated: false, keyId: asked.keyId };
}

const viewOf = (row: Record<string, SqlStorageValue>): KeyView => ({
  keyId: number(row, "key_id"),
  mode: modeOfKeyId(number(row, "key_id")),
  name: text(row, "name"),
  secretId: number(row, "secret_id"),
  createdAt: number(row, "created_at"),
  lastUsedAt: numberOrNull(row, "last_used_at"),
  expiresAt: numberOrNull(row, "expires_at"),
  revokedAt: numberOrNull(row, "revoked_at"),
});

/** Every key of the account, oldest first. */
export function listKeys(sql: SqlStorage): KeyView[] {
  return sql.exec("SELECT * FROM key ORDER BY created_at, key_id").toArray().map(viewOf);
}

/**
 * Revokes the active keys that were made with one of these secrets, or before this time, by default all that the present
 * secret did not make, and returns them; repeating it revokes no more. The console's own key is made anew, so that nothing
 * that an older secret makes opens the account.
 */
export function expireKeys(turn: Turn, { secretIds, madeBefore, current }: KeysToExpire): KeyView[] {
  const { sql, nowMs } = turn;
  const own = `key_id IN (${consoleKeyId("live")}, ${consoleKeyId("test")})`;
  sql.exec(`UPDATE key SET secret_id = ? WHERE ${own}`, current);
  const query = `
    UPDATE key SET revoked_at = ?1
     WHERE NOT ${own} AND revoked_at IS NULL AND coalesce(expires_at, ${Number.MAX_SAFE_INTEGER}) > ?1
       AND CASE
         WHEN ?2 IS NOT NULL THEN secret_id IN (SELECT value FROM json_each(?2))
         WHEN ?3 IS NOT NULL THEN created_at < ?3
         ELSE secret_id <> ?4 END
     RETURNING *`;
  const ids = secretIds ? JSON.stringify(secretIds) : null;
  const expired = sql
    .exec(query, nowMs, ids, madeBefore ?? null, current)
    .toArray()
    .map(viewOf);
  for (const { keyId, name } of expired) noteEvent(turn, "key.revoked", { key_id: showKeyId(keyId), name });
  return expired;
}

/** Revokes a key from this moment on; false when the account has no such key. Revoking twice keeps the first time. */
export function revokeKey(turn: Turn, keyId: number): boolean {
  const { sql, nowMs } = turn;
  const key = sql.exec("SELECT name, revoked_at FROM key WHERE key_id = ?", keyId).toArray()[0];
  if (!key) return false;
  if (key["revoked_at"] !== null) return true;
  sql.exec("UPDATE key SET revoked_at = ? WHERE key_id = ?", nowMs, keyId);
  noteEvent(turn, "key.revoked", { key_id: showKeyId(keyId), name: text(key, "name") });
  return true;
}

/** Replaces a key for a request, once per Idempotency-Key: both work until `nowMs + overlapMs`. */
export function rotateKey(
  turn: Turn,
  asked: {
    oldId: number;
    newId: number;
    secretId?: number | undefined;
    overlapMs: number;
    once?: AskedOnce | undefined;
  },
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
  { oldId, newId, secretId = FIRST_ID, overlapMs }: Omit<Parameters<typeof rotateKey>[1], "once">,
): Rotation {
  const { sql, nowMs } = turn;
  const old = sql.exec("SELECT * FROM key WHERE key_id = ?", oldId).toArray()[0];
  if (!old) return { ok: false, reason: "unknown" };
  const expiresAt = numberOrNull(old, "expires_at");
  if (old["replaced_by"] === newId) {
    const made = sql.exec("SELECT secret_id FROM key WHERE key_id = ?", newId).one();
    return { ok: true, keyId: newId, secretId: number(made, "secret_id"), oldExpiresAt: expiresAt ?? nowMs };
  }
  if (old["revoked_at"] !== null || (expiresAt ?? Infinity) <= nowMs) return { ok: false, reason: "not_active" };
  if (!addKey(turn, { keyId: newId, secretId }, text(old, "name"))) return { ok: false, reason: "too_many" };
  const ends = Math.min(expiresAt ?? Infinity, nowMs + overlapMs);
  sql.exec("UPDATE key SET expires_at = ?, replaced_by = ? WHERE key_id = ?", ends, newId, oldId);
  return { ok: true, keyId: newId, secretId, oldExpiresAt: ends };
}

/** Replacements of a key that are followed. */
const REPLACED_MAX = 100;

/**
 * The key with which what is told of a message is signed: the one that sent it or, once that has ended, the one that
 * replaced it. Null where neither is left.
 */
export function signingKey(sql: SqlStorage, keyId: number, nowMs: number): { keyId: number; secretId: number } | null {
  let next: number | null = keyId;
  for (let at = 0; next !== null && at < REPLACED_MAX; at += 1) {
    const [row] = sql.exec("SELECT secret_id, replaced_by FROM key WHERE key_id = ?", next).toArray();
    if (!row) return null;
    const key = { keyId: next, secretId: number(row, "secret_id") };
    if (isActive(sql, key, nowMs)) return key;
    next = numberOrNull(row, "replaced_by");
  }
  return null;
}
