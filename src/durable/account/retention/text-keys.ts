import { WrappingKey, newWrappingKey, wrappingKeyId } from "../../../crypto/wrap.ts";
import { bytesOrNull, number } from "../../rows.ts";
import type { Turn } from "../turn.ts";

// The keys of texts. What the Worker sealed is wrapped once more before it is stored, with a key that all texts of a day
// share. Deleting that one row forgets them all, also in what SQLite keeps of their rows.

/** A day, in ms: a key serves no longer. */
const DAY_MS = 86_400_000;

/** The end of the day of a time, in ms since the epoch; where texts are kept for less than a day, of that span. */
export function dayEndMs(timeMs: number, textMs: number): number {
  const spanMs = Math.min(DAY_MS, Math.ceil(textMs));
  return (Math.floor(timeMs / spanMs) + 1) * spanMs;
}

/** The keys of one object, in memory as in storage; read when they are first needed. */
class TextKeys {
  readonly #sql: SqlStorage;
  /** By the end of their day, in ms since the epoch. An id is when the key was made, or a little later. */
  readonly #ofDays = new Map<number, WrappingKey>();
  /** By id; null for one that was deleted. */
  readonly #known = new Map<number, WrappingKey | null>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The key of the day of a time, which the first text for that day makes. */
  of(timeMs: number, { nowMs, keeps }: Pick<Turn, "nowMs" | "keeps">): WrappingKey {
    const endMs = dayEndMs(timeMs, keeps.textMs);
    const key = this.#ofDays.get(endMs) ?? this.#readOf(endMs) ?? this.#make(nowMs, endMs);
    this.#ofDays.set(endMs, key);
    return key;
  }

  /** The key with this id; null once it was deleted. */
  get(id: number): WrappingKey | null {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const row = this.#sql.exec("SELECT key FROM text_key WHERE since = ?", id).toArray()[0];
    const bytes = row ? bytesOrNull(row, "key") : null;
    if (bytes) return this.#keep(id, bytes);
    this.#known.set(id, null);
    return null;
  }

  #readOf(endMs: number): WrappingKey | null {
    const row = this.#sql.exec("SELECT since FROM text_key WHERE until = ? LIMIT 1", endMs).toArray()[0];
    return row ? this.get(number(row, "since")) : null;
  }

  #make(nowMs: number, endMs: number): WrappingKey {
    const { newest } = this.#sql.exec("SELECT coalesce(max(since), 0) AS newest FROM text_key").one();
    const id = Math.max(nowMs, Number(newest) + 1);
    const bytes = newWrappingKey();
    this.#sql.exec("INSERT INTO text_key (since, until, key) VALUES (?, ?, ?)", id, endMs, bytes);
    return this.#keep(id, bytes);
  }

  #keep(id: number, bytes: Uint8Array): WrappingKey {
    const key = new WrappingKey(id, bytes);
    this.#known.set(id, key);
    return key;
  }
}

const keysOf = new WeakMap<SqlStorage, TextKeys>();

function textKeysOf(sql: SqlStorage): TextKeys {
  const keys = keysOf.get(sql) ?? new TextKeys(sql);
  keysOf.set(sql, keys);
  return keys;
}

/**
 * Wraps a sealed text with the key of the day on which it goes out (ms since the epoch), to be stored; the first text for
 * a day writes a row.
 */
export function wrapText(turn: Pick<Turn, "sql" | "nowMs" | "keeps">, sealed: Uint8Array, timeMs: number): Uint8Array {
  return textKeysOf(turn.sql).of(timeMs, turn).wrap(sealed);
}

/** The sealed text of a stored one; null where there is none, or its day was forgotten. */
export function sealedText(sql: SqlStorage, stored: Uint8Array | null): Uint8Array | null {
  const id = stored && wrappingKeyId(stored);
  // A text from before there were keys is stored as it was sealed.
  if (!stored || id === null) return stored;
  return textKeysOf(sql).get(id)?.unwrap(stored) ?? null;
}

/** Forgets what is in memory, because storage may differ from it: after keys were deleted, or a transaction rolled back. */
export function forgetTextKeys(sql: SqlStorage): void {
  keysOf.delete(sql);
}
