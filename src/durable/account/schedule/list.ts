import { unlessFirst } from "../../../crypto/secrets.ts";
import type { ScheduledPlace, ScheduledRequest } from "../../../model/message-detail.ts";
import { LANES } from "../../../model/lane.ts";
import type { Lane } from "../../../model/lane.ts";
import type { Operation } from "../../../model/operations.ts";
import { number, text } from "../../rows.ts";
import { readJob } from "../jobs.ts";

// What is scheduled, next first: read along the index of what waits, so that nothing else is looked at.

const COLUMNS = `seq, request_id, operation, send_at, charge, created_at, secret_id, rev,
  json_array_length(messages) AS count, messages ->> 0 AS "first"`;

/** The scheduled jobs of a lane from a place on. */
const LIST = `SELECT ${COLUMNS} FROM job WHERE lane = ?1 AND ready_at >= ?2 AND send_at > ?3 ORDER BY ready_at, seq`;

/** The messages of a job that are scheduled: how many, and the first of them. Only a job that changed is read. */
function scheduledIn(sql: SqlStorage, row: Record<string, SqlStorageValue>) {
  if (number(row, "rev") === 1) return { count: number(row, "count"), index: 0, to: text(row, "first") };
  const messages = readJob(sql, number(row, "seq"))?.messages ?? [];
  const index = messages.findIndex(({ state }) => state === "queued");
  return { count: messages.filter(({ state }) => state === "queued").length, index, to: messages[index]?.to ?? "" };
}

const isBefore = (one: ScheduledPlace, other: ScheduledPlace) => one.sendAt - other.sendAt || one.seq - other.seq;

/** The requests of a lane that are scheduled for after `nowMs`, from a place on (excluded), at most `limit`. */
function ofLane(
  sql: SqlStorage,
  lane: Lane,
  { after, limit, nowMs }: { after: ScheduledPlace | null; limit: number; nowMs: number },
): ScheduledRequest[] {
  const found: ScheduledRequest[] = [];
  for (const row of sql.exec(LIST, lane, Math.max(nowMs + 1, after?.sendAt ?? 0), nowMs)) {
    const [seq, sendAt, requestId] = [number(row, "seq"), number(row, "send_at"), text(row, "request_id")];
    if (after && isBefore({ sendAt, seq }, after) <= 0) continue;
    // The jobs of a request follow each other, here too.
    const last = found.at(-1);
    const isNext = last?.requestId !== requestId;
    if (isNext && found.length === limit) break;
    const own = scheduledIn(sql, row);
    if (!isNext) {
      last.count += own.count;
      last.lastSeq = seq;
      continue;
    }
    found.push({
      requestId,
      seq,
      lastSeq: seq,
      ...own,
      ...unlessFirst(number(row, "secret_id")),
      operation: text(row, "operation") as Operation,
      charge: number(row, "charge"),
      sendAt,
      createdAt: number(row, "created_at"),
    });
  }
  return found;
}

/** The requests that are scheduled, next first, after a place (null: from the first on). */
export function listScheduled(
  sql: SqlStorage,
  after: ScheduledPlace | null,
  limit: number,
  nowMs: number,
): ScheduledRequest[] {
  const all = LANES.flatMap((lane) => ofLane(sql, lane, { after, limit, nowMs }));
  return all.toSorted(isBefore).slice(0, limit);
}
