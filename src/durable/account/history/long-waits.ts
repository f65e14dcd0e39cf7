import { LANES } from "../../../model/lane.ts";
import type { LongWait } from "../../../model/history.ts";
import { number, text } from "../../rows.ts";

// Messages that have waited long for their carrier, for the operator. Asked when history is, which is not when messages
// are sent.

/** A message that waits for longer than this waits long, in ms. */
const LONG_MS = 60_000;

/** Jobs of a lane that are looked at: those that can be claimed first. Behind them the same wait goes on. */
const JOBS_MAX = 50;

/** The oldest message of each lane that waits long, of the jobs that come first in their lane. */
export function longWaits(sql: SqlStorage, nowMs: number): LongWait[] {
  // What is scheduled waits for its carrier from its time on.
  const first = `SELECT coalesce(send_at, created_at) AS created_at, carrier FROM job
    WHERE lane = ?1 AND ready_at IS NOT NULL AND (send_at IS NULL OR ready_at <= ?2) ORDER BY ready_at LIMIT ${JOBS_MAX}`;
  const query = `SELECT created_at, coalesce(carrier, '') AS carrier FROM (${first}) ORDER BY created_at LIMIT 1`;
  return LANES.flatMap((lane) => {
    const row = sql.exec(query, lane, nowMs).toArray()[0];
    if (!row || number(row, "created_at") > nowMs - LONG_MS) return [];
    return [{ lane, carrier: text(row, "carrier"), oldestAt: number(row, "created_at") }];
  });
}
