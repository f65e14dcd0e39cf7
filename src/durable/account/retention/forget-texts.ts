import { number } from "../../rows.ts";
import type { Turn } from "../turn.ts";
import { dayEndMs, forgetTextKeys } from "./text-keys.ts";

// Forgets the texts of messages after TEXT_DAYS: the key of a whole day, and the texts from before there were keys one by
// one. Both are due at the end of a day, so that one alarm a day is enough.

/** Texts without a key that one slice deletes: each rewrites its job's row. */
const SLICE = 200;

/** How far the texts without a key are deleted. */
function keylessOf(sql: SqlStorage): { through: number; last: number } {
  const row = sql.exec("SELECT forgotten_seq, keyless_seq FROM account").one();
  return { through: number(row, "forgotten_seq"), last: number(row, "keyless_seq") };
}

/** When the next texts are to be forgotten, in ms since the epoch; null while there are none. */
export function nextTextsMs(sql: SqlStorage, textMs: number): number | null {
  const times: number[] = [];
  const oldest = sql.exec("SELECT min(until) AS until FROM text_key").one();
  if (oldest["until"] !== null) times.push(number(oldest, "until") + textMs);
  const { through, last } = keylessOf(sql);
  if (through < last) {
    const query = "SELECT created_at FROM job WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT 1";
    const next = sql.exec(query, through, last).toArray()[0];
    if (next) times.push(dayEndMs(number(next, "created_at"), textMs) + textMs);
  }
  return times.length > 0 ? Math.min(...times) : null;
}

/** Forgets texts that are due, in one bounded slice; `nextTextsMs` then says whether more are. */
export function forgetTexts({ sql, nowMs, keeps: { textMs } }: Turn): void {
  sql.exec("DELETE FROM text_key WHERE until <= ?", nowMs - textMs);
  forgetTextKeys(sql);
  const { through, last } = keylessOf(sql);
  if (through >= last) return;
  const query = `SELECT seq, created_at FROM job WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${SLICE}`;
  const rows = sql.exec(query, through, last).toArray();
  let done = rows.length === 0 ? last : through;
  for (const row of rows) {
    if (dayEndMs(number(row, "created_at"), textMs) + textMs > nowMs) break;
    done = number(row, "seq");
    sql.exec("UPDATE job SET text = NULL WHERE seq = ? AND text IS NOT NULL", done);
  }
  if (done > through) sql.exec("UPDATE account SET forgotten_seq = ?", done);
}
