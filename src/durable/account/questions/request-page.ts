import type { NearRequest, RequestPage } from "../../../model/message-detail.ts";
import type { MessagePlace } from "../../../model/ref.ts";
import { number } from "../../rows.ts";
import { firstJobSince, readJob } from "../jobs.ts";
import { messageViews, stateOf } from "../message/views.ts";

// One request with what became of it (contract §13). A request's jobs have consecutive numbers, 100 at most, and the
// first holds the debit. No index leads from a request's id to them, since it would cost a row for each send: the id
// contains the time at which the request arrived, and the jobs stand in the order of their times.

/** A job is stored this long before its request's time at most, when the clocks differ, or after it, when a body is slow. */
const EARLY_MS = 10_000;
const LATE_MS = 600_000;

/** Rows that are read at most to find a request: more than an account stores in some minutes. */
const ROWS_MAX = 20_000;

/** Of the newest rows, so many are read where the time does not lead to a request: the clock may have been set back. */
const NEWEST_MAX = 2_000;

/** Jobs of one request at most. */
const JOBS_MAX = 100;

/** The first job of a request; null where there is none. */
export function firstSeq(sql: SqlStorage, requestId: string, near: NearRequest): number | null {
  const [low, high] =
    "seq" in near
      ? [near.seq - JOBS_MAX + 1, near.seq + 1]
      : [firstJobSince(sql, near.atMs - EARLY_MS), firstJobSince(sql, near.atMs + LATE_MS)];
  const firstIn = (some: string, ...bindings: number[]) => {
    const query = `SELECT seq FROM (${some}) WHERE request_id = ? AND debit IS NOT NULL LIMIT 1`;
    const row = sql.exec(query, ...bindings, requestId).toArray()[0];
    return row ? number(row, "seq") : null;
  };
  const columns = "SELECT seq, request_id, debit FROM job";
  return (
    firstIn(`${columns} WHERE seq >= ? AND seq < ? ORDER BY seq LIMIT ?`, low, high, ROWS_MAX) ??
    firstIn(`${columns} ORDER BY seq DESC LIMIT ?`, NEWEST_MAX)
  );
}

/**
 * A request, and its messages after a place, at most `limit`; null where the account has no such request. Each job is read
 * to count its states, and only those of the page are shown.
 */
export function requestPage(
  sql: SqlStorage,
  requestId: string,
  near: NearRequest,
  after: MessagePlace | null,
  limit: number,
): RequestPage | null {
  const first = firstSeq(sql, requestId, near);
  const head = first === null ? null : readJob(sql, first);
  if (first === null || !head) return null;
  const { operation, createdAt, debit } = head;
  const request: RequestPage["request"] = {
    requestId,
    operation,
    createdAt,
    recipients: 0,
    byState: {},
    cost: debit ?? 0,
    refunded: 0,
  };
  const messages: RequestPage["messages"] = [];
  const nowMs = Date.now();
  for (let seq = first; seq < first + JOBS_MAX; seq += 1) {
    const job = seq === first ? head : readJob(sql, seq);
    if (job?.requestId !== requestId) break;
    request.recipients += job.messages.length;
    for (const message of job.messages) {
      const state = stateOf(message, job, nowMs);
      request.byState[state] = (request.byState[state] ?? 0) + 1;
      if (message.refunded) request.refunded += job.charge;
    }
    if (messages.length >= limit || (after && seq < after.seq)) continue;
    const beyond = messageViews(job, nowMs).filter(({ index }) => !after || seq > after.seq || index > after.index);
    messages.push(...beyond.slice(0, limit - messages.length));
  }
  return { request, messages };
}
