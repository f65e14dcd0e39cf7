import type { ReceiptState } from "../../model/message.ts";
import { number, text, textOrNull } from "../rows.ts";

// Which message each id of the carrier stands for, and what receipts mean for messages: of binds over SMPP, and of carriers
// over HTTP whose receipts do not name our reference. Synchronous over SQL, inside the caller's transaction.

const DAY_MS = 86_400_000;

/** How long a receipt without a message is kept: its answer may be on the way, or another program's of the same login. */
const EARLY_DAYS = 1;

/** Receipts without a message that are kept at once; further ones are forgotten, for they are of another program. */
const EARLY_MAX = 50_000;

/** A part of a message that the carrier took under an id. */
export interface Given {
  id: string;
  ref: string;
  /** From 1. */
  nth: number;
  parts: number;
}

/** What a receipt says, and by which id. */
export interface KnownById {
  id: string;
  state: ReceiptState;
  code: string | null;
}

/** What an account is to be told of a message. */
export interface Told {
  ref: string;
  state: ReceiptState;
  code: string | null;
}

const STATES: readonly string[] = ["submitted", "delivered", "undelivered", "failed"] satisfies ReceiptState[];

const isState = (word: string): word is ReceiptState => STATES.includes(word);

/** The days, newest first, in which a receipt may find its message. */
function daysOf(nowMs: number, keptMs: number): string {
  const today = Math.floor(nowMs / DAY_MS);
  const days = Math.ceil(keptMs / DAY_MS) + 1;
  // A clock that was set back must not hide what was stored the day after.
  return JSON.stringify(Array.from({ length: days + 1 }, (_, at) => today + 1 - at));
}

export class Ledger {
  readonly #sql: SqlStorage;
  readonly #earlyMax: number;
  /** Receipts without a message; null: they were not counted yet. */
  #early: number | null = null;

  constructor(sql: SqlStorage, earlyMax = EARLY_MAX) {
    this.#sql = sql;
    this.#earlyMax = earlyMax;
  }

  /** Stores an id; returns what its message's early receipt says. May be repeated. */
  given({ id, ref, nth, parts }: Given, nowMs: number): Told[] {
    const day = Math.floor(nowMs / DAY_MS);
    this.#sql.exec(
      "INSERT OR REPLACE INTO part (day, id, ref, nth, parts) VALUES (?, ?, ?, ?, ?)",
      day,
      id,
      ref,
      nth,
      parts,
    );
    const query = `SELECT day, state, code FROM early
                   WHERE day IN (SELECT value FROM json_each(?)) AND id = ? ORDER BY state = 'submitted', state != 'delivered', day DESC`;
    const all = this.#sql.exec(query, daysOf(nowMs, EARLY_DAYS * DAY_MS), id).toArray();
    const [early] = all;
    if (!early) return [];
    for (const row of all) this.#sql.exec("DELETE FROM early WHERE day = ? AND id = ?", number(row, "day"), id);
    this.#early = null;
    const state = text(early, "state");
    return isState(state) ? this.#told({ ref, nth, parts }, { id, state, code: textOrNull(early, "code") }, day) : [];
  }

  /** What a receipt says of its message; one whose id nothing stands for yet is kept for a day or two. */
  receipt(receipt: KnownById, nowMs: number, keptMs: number): Told[] {
    const day = Math.floor(nowMs / DAY_MS);
    const query = `SELECT ref, nth, parts FROM part
                   WHERE day IN (SELECT value FROM json_each(?)) AND id = ? ORDER BY day DESC LIMIT 1`;
    const [row] = this.#sql.exec(query, daysOf(nowMs, keptMs), receipt.id).toArray();
    if (row) {
      const part = { ref: text(row, "ref"), nth: number(row, "nth"), parts: number(row, "parts") };
      return this.#told(part, receipt, day);
    }
    this.#keep(receipt, day);
    return [];
  }

  /** Whether no message is known for which a receipt could come. */
  get isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM part LIMIT 1").toArray().length === 0;
  }

  /** Receipts that wait for their message. */
  get early(): number {
    this.#early ??= number(this.#sql.exec("SELECT count(*) AS number FROM early").one(), "number");
    return this.#early;
  }

  /** Forgets what is older than `keptMs`; returns how many receipts never found a message. */
  prune(nowMs: number, keptMs: number): number {
    const oldest = Math.floor((nowMs - keptMs) / DAY_MS);
    this.#sql.exec("DELETE FROM part WHERE day < ?", oldest);
    this.#sql.exec("DELETE FROM arrived WHERE day < ?", oldest);
    const before = this.early;
    this.#sql.exec("DELETE FROM early WHERE day < ?", Math.floor(nowMs / DAY_MS) - EARLY_DAYS);
    this.#early = null;
    return before - this.early;
  }

  /** Forgets everything. */
  clear(): void {
    for (const table of ["part", "arrived", "early"]) this.#sql.exec(`DELETE FROM ${table}`);
    this.#early = null;
  }

  /** Keeps a receipt whose id nothing stands for: of several the delivery, else the first that is final (contract §9). */
  #keep({ id, state, code }: KnownById, day: number): void {
    const key = [day, id] as const;
    if (this.#sql.exec("SELECT 1 FROM early WHERE day = ? AND id = ?", ...key).toArray().length > 0) {
      const change = `UPDATE early SET state = ?1, code = ?2 WHERE day = ?3 AND id = ?4
                      AND (state = 'submitted' OR (?1 = 'delivered' AND state != 'delivered'))`;
      this.#sql.exec(change, state, code, ...key);
      return;
    }
    if (this.early >= this.#earlyMax) return;
    this.#sql.exec("INSERT INTO early (day, id, state, code) VALUES (?, ?, ?, ?)", ...key, state, code);
    this.#early = this.early + 1;
  }

  /** A message is delivered when every part is; undelivered or failed when one is (contract-carriers §16.3). */
  #told({ ref, nth, parts }: Omit<Given, "id">, { state, code }: KnownById, day: number): Told[] {
    if (parts === 1 || state !== "delivered") return [{ ref, state, code }];
    this.#sql.exec("INSERT OR IGNORE INTO arrived (ref, nth, day) VALUES (?, ?, ?)", ref, nth, day);
    const all = number(this.#sql.exec("SELECT count(*) AS number FROM arrived WHERE ref = ?", ref).one(), "number");
    return all >= parts ? [{ ref, state, code }] : [];
  }
}
