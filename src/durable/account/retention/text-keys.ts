import { WrappingKey, newWrappingKey, wrappingKeyId } from "../../../crypto/wrap.ts";
import { bytesOrNull, number } from "../../rows.ts";
import type { Turn } from "../turn.ts";

// The keys of texts. What the Worker sealed is wrapped once more before it is stored, with a key that all texts of a day
// share. Deleting that one row forgets them all, also in what SQLite keeps of their rows.

/** A day, in ms: a key serves no longer. */
const DAY_MS = 86_400_000;

/** The newest key, which the texts of its day get. Its id is when it was made, in ms since the epoch. */
interface TextKey {
  key: WrappingKey;
  /** When its day ends, in ms since the epoch. */
  until: number;
}

/** The end of the day of a time, in ms since the epoch; where texts are kept for less than a day, of that span. */
export function dayEndMs(timeMs: number, textMs: number): number {
  const spanMs = Math.min(DAY_MS, Math.ceil(textMs));
  return (Math.floor(timeMs / spanMs) + 1) * spanMs;
}

/** The keys of one object, in memory as in storage; read when they are first needed. */
class TextKeys {
  readonly #sql: SqlStorage;
  /** Undefined until it is read; null where there is none. */
  #newest: TextKey | null | undefined;
  /** By id; null for one that was deleted. */
  readonly #known = new Map<number, WrappingKey | null>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The key of this day, which the first text of the day makes. */
  current({ nowMs, keeps }: Pick<Turn, "nowMs" | "keeps">): WrappingKey {
    this.#newest ??= this.#readNewest();
    const newest = this.#newest;
    const endMs = dayEndMs(nowMs, keeps.textMs);
    // Neither one of an earlier day, nor one that was made before the clock was set back.
    if (newest && nowMs < newest.until && newest.until <= endMs) return newest.key;
    const id = Math.max(nowMs, (newest?.key.id ?? 0) + 1);
    const bytes = newWrappingKey();
    this.#sql.exec("INSERT INTO text_key (since, until, key) VALUES (?, ?, ?)", id, endMs, bytes);
    this.#newest = { key: this.#keep(id, bytes), until: endMs };
    return this.#newest.key;
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

  #readNewest(): TextKey | null {
    const row = this.#sql.exec("SELECT since, until FROM text_key ORDER BY since DESC LIMIT 1").toArray()[0];
    const key = row && this.get(number(row, "since"));
    return row && key ? { key, until: number(row, "until") } : null;
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

/** Wraps a sealed text with the key of the day, to be stored; the first text of a day writes a row. */
export function wrapText(turn: Pick<Turn, "sql" | "nowMs" | "keeps">, sealed: Uint8Array): Uint8Array {
  return textKeysOf(turn.sql).current(turn).wrap(sealed);
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
