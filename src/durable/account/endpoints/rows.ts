import type { Attempt, Endpoint, Parked } from "../../../model/webhook.ts";
import { number, numberOrNull, text } from "../../rows.ts";

// The endpoints of an account: a row each, which a run writes once, its attempts included.

type Row = Record<string, SqlStorageValue>;

const COLUMNS = "id, acked, next_at, is_active, about";

type About = Omit<Endpoint, "id" | "acked" | "nextAt">;

function endpointIn(row: Row): Endpoint {
  const about = JSON.parse(text(row, "about")) as About;
  return { ...about, id: text(row, "id"), acked: number(row, "acked"), nextAt: numberOrNull(row, "next_at") };
}

/** How an endpoint stands, without reading more of it. */
export interface Standing {
  id: string;
  acked: number;
  nextAt: number | null;
  /** Whether events are to be sent again. */
  replays: boolean;
}

/** The endpoints that are not disabled. */
export function standings(sql: SqlStorage): Standing[] {
  const query = "SELECT id, acked, next_at, about ->> '$.replay.next' AS replay FROM endpoint WHERE is_active = 1";
  return sql
    .exec(query)
    .toArray()
    .map((row) => ({
      id: text(row, "id"),
      acked: number(row, "acked"),
      nextAt: numberOrNull(row, "next_at"),
      replays: row["replay"] !== null,
    }));
}

/** Every endpoint, oldest first. */
export const readEndpoints = (sql: SqlStorage): Endpoint[] =>
  sql
    .exec(`SELECT ${COLUMNS} FROM endpoint`)
    .toArray()
    .map(endpointIn)
    .toSorted((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));

/** One endpoint; null where the account has none with this id. */
export function readEndpoint(sql: SqlStorage, id: string): Endpoint | null {
  const [row] = sql.exec(`SELECT ${COLUMNS} FROM endpoint WHERE id = ?`, id).toArray();
  return row ? endpointIn(row) : null;
}

/** What it was told lately, oldest first. */
export function readAttempts(sql: SqlStorage, id: string): Attempt[] {
  const [row] = sql.exec("SELECT attempts FROM endpoint WHERE id = ?", id).toArray();
  return row ? (JSON.parse(text(row, "attempts")) as Attempt[]) : [];
}

/** Stores an endpoint, and its attempts where they are given: one row. */
export function writeEndpoint(sql: SqlStorage, endpoint: Endpoint, attempts?: readonly Attempt[]): void {
  const { id, acked, nextAt, ...about } = endpoint;
  const values = [acked, nextAt, about.disabled === null ? 1 : 0, JSON.stringify(about)];
  if (attempts) {
    sql.exec(
      `INSERT INTO endpoint (id, acked, next_at, is_active, about, attempts) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
       ON CONFLICT DO UPDATE SET acked = ?2, next_at = ?3, is_active = ?4, about = ?5, attempts = ?6`,
      id,
      ...values,
      JSON.stringify(attempts),
    );
  } else {
    sql.exec("UPDATE endpoint SET acked = ?2, next_at = ?3, is_active = ?4, about = ?5 WHERE id = ?1", id, ...values);
  }
}

/** Deletes an endpoint and what is parked for it. */
export function deleteEndpoint(sql: SqlStorage, id: string): void {
  sql.exec("DELETE FROM endpoint WHERE id = ?", id);
  unparkAll(sql, id);
}

/** Deletes everything that is parked for an endpoint. */
export const unparkAll = (sql: SqlStorage, id: string): void =>
  void sql.exec("DELETE FROM parked WHERE endpoint = ?", id);

/** What is parked for an endpoint, in order. */
export const readParked = (sql: SqlStorage, id: string): Parked[] =>
  sql
    .exec("SELECT seq, failures, next_at FROM parked WHERE endpoint = ? ORDER BY seq", id)
    .toArray()
    .map((row) => ({ seq: number(row, "seq"), failures: number(row, "failures"), nextAt: number(row, "next_at") }));

/** When the first parked event of an endpoint is tried next, in ms since the epoch; null where none is parked. */
export function nextParkedMs(sql: SqlStorage, id: string): number | null {
  return numberOrNull(sql.exec("SELECT min(next_at) AS at FROM parked WHERE endpoint = ?", id).one(), "at");
}

/** Stores what became of parked events; null: it is settled. */
export function writeParked(sql: SqlStorage, id: string, changed: ReadonlyMap<number, Parked | null>): void {
  for (const [seq, one] of changed) {
    if (one === null) sql.exec("DELETE FROM parked WHERE endpoint = ? AND seq = ?", id, seq);
    else {
      const put = "INSERT OR REPLACE INTO parked (endpoint, seq, failures, next_at) VALUES (?, ?, ?, ?)";
      sql.exec(put, id, seq, one.failures, one.nextAt);
    }
  }
}
