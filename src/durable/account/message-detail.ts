import type { MessageDetail } from "../../model/message-detail.ts";
import type { Content } from "../../model/message.ts";
import type { MessagePlace } from "../../model/ref.ts";
import { number, text } from "../rows.ts";
import { readJob } from "./jobs.ts";
import { messageViews } from "./message/views.ts";
import { sealedText } from "./retention/text-keys.ts";
import type { Job } from "./jobs.ts";
import { entryByReference, refundReference } from "./billing/ledger.ts";

// One message with everything that its page in the console shows.

/** Recipients of a request that the page lists; the rest of a longer list is only counted. */
export const DETAIL_RECIPIENTS_MAX = 100;

/** The first job of a request. A request's jobs have consecutive numbers, and the first holds the debit. */
function firstJob(sql: SqlStorage, job: Job): Job {
  let first = job;
  while (first.debit === null) {
    const before = readJob(sql, first.seq - 1);
    if (before?.requestId !== job.requestId) break;
    first = before;
  }
  return first;
}

function requestOf(sql: SqlStorage, job: Job): MessageDetail["request"] {
  const first = firstJob(sql, job);
  const recipients = first.messages.map(({ to }) => to).slice(0, DETAIL_RECIPIENTS_MAX);
  const query = `
    SELECT balance_after, (
      SELECT total(json_array_length(later.messages)) FROM job later
       WHERE later.seq BETWEEN job.seq AND job.seq + 99 AND later.request_id = job.request_id) AS count
      FROM job WHERE seq = ?`;
  const row = sql.exec(query, first.seq).one();
  const count = number(row, "count");
  return {
    seq: first.seq,
    recipients,
    count,
    spent: first.debit ?? first.charge * count,
    balance: number(row, "balance_after"),
  };
}

function recordingOf(sql: SqlStorage, { recording }: Content): MessageDetail["recording"] {
  if (!recording) return null;
  const query = "SELECT file_id, name, duration_ms FROM recording WHERE object_key = ? ORDER BY created_at LIMIT 1";
  const row = sql.exec(query, recording.objectKey).toArray()[0];
  return row ? { fileId: text(row, "file_id"), name: text(row, "name"), durationMs: number(row, "duration_ms") } : null;
}

/** A message with its text, request, price and refund, or null where the account has no such message. */
export function messageDetail(sql: SqlStorage, { seq, index }: MessagePlace): MessageDetail | null {
  const job = readJob(sql, seq);
  const message = job && messageViews(job, Date.now())[index];
  if (!message) return null;
  const key = sql.exec("SELECT name FROM key WHERE key_id = ?", job.keyId).toArray()[0];
  return {
    message,
    text: sealedText(sql, job.storedText),
    content: job.content,
    expiresAt: job.expiresAt,
    request: requestOf(sql, job),
    recording: recordingOf(sql, job.content),
    refund: message.refunded ? entryByReference(sql, refundReference(seq, index)) : null,
    keyName: key ? text(key, "name") : null,
  };
}
