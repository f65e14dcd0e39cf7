import { numberOrNull } from "../../rows.ts";
import { firstJobSince } from "../jobs.ts";

/** A job is stored this long before its request's time at most, when the clocks differ, or after it, when a body is slow. */
const EARLY_MS = 10_000;
const LATE_MS = 600_000;

/** Rows that are read at most to find a request: more than an account stores in some minutes. */
const ROWS_MAX = 20_000;

/** The first job of a request, near one of its jobs or the time (ms) of its arrival; null where there is none. */
export function firstSeq(sql: SqlStorage, requestId: string, near: { seq: number } | { atMs: number }): number | null {
  const [low, high] =
    "seq" in near
      ? [near.seq - 99, near.seq + 1]
      : [firstJobSince(sql, near.atMs - EARLY_MS), firstJobSince(sql, near.atMs + LATE_MS)];
  const some = "SELECT seq, request_id FROM job WHERE seq >= ? AND seq < ? ORDER BY seq LIMIT ?";
  const query = `SELECT min(seq) AS first FROM (${some}) WHERE request_id = ?`;
  return numberOrNull(sql.exec(query, low, high, ROWS_MAX, requestId).one(), "first");
}
