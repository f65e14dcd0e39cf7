import type { SendCommand } from "../../model/command.ts";
import type { Content, MessageView, Operation } from "../../model/message.ts";
import { bytesOrNull, number, numberOrNull, text, textOrNull } from "../rows.ts";
import { payDebt } from "./billing/debt.ts";
import { appendEntry, ledgerHead, refundReference } from "./ledger.ts";
import type { LedgerHead } from "./ledger.ts";
import { dueOf, isFinal } from "./message-life.ts";
import type { Message, Step } from "./message-life.ts";
import { noteJob } from "./turn.ts";
import type { Turn } from "./turn.ts";

/** Messages in one job, so that its row stays far below the limit of 2 MB. */
export const MESSAGES_PER_JOB_MAX = 100;

/** One row of the outbox: up to 100 messages of one request. A request's first job is also its debit (schema.ts). */
export interface Job {
  seq: number;
  requestId: string;
  operation: Operation;
  charge: number;
  createdAt: number;
  expiresAt: number;
  content: Content;
  text: Uint8Array | null;
  carrier: string | null;
  messages: Message[];
  rev: number;
  /** The key that the request used; null for jobs from before this column. */
  keyId: number | null;
  /** Units that the whole request cost, on its first job; null on the others. */
  debit: number | null;
}

function jobOf(row: Record<string, SqlStorageValue>): Job {
  return {
    seq: number(row, "seq"),
    requestId: text(row, "request_id"),
    operation: text(row, "operation") as Operation,
    charge: number(row, "charge"),
    createdAt: number(row, "created_at"),
    expiresAt: number(row, "expires_at"),
    content: JSON.parse(text(row, "content")) as Content,
    text: bytesOrNull(row, "text"),
    carrier: textOrNull(row, "carrier"),
    messages: JSON.parse(text(row, "messages")) as Message[],
    rev: number(row, "rev"),
    keyId: numberOrNull(row, "key_id"),
    debit: numberOrNull(row, "debit"),
  };
}

/** A job by its number, or null. */
export function readJob(sql: SqlStorage, seq: number): Job | null {
  const row = sql.exec("SELECT * FROM job WHERE seq = ?", seq).toArray()[0];
  return row ? jobOf(row) : null;
}

/** The first job since a time, by binary search: times rise with the numbers, unless the clock was set back. */
export function firstJobSince(sql: SqlStorage, sinceMs: number): number {
  let low = 0;
  let high = ledgerHead(sql).seq + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = sql.exec("SELECT seq, created_at FROM job WHERE seq >= ? ORDER BY seq LIMIT 1", middle).toArray()[0];
    if (!row || number(row, "created_at") >= sinceMs) high = middle;
    else low = number(row, "seq") + 1;
  }
  return low;
}

/** Writes a request's jobs, the first with the debit; the caller has checked the balance. Returns their numbers. */
export function insertJobs(
  turn: Turn,
  command: Omit<SendCommand, "price">,
  charge: number,
  head: LedgerHead,
): { seqs: number[]; balance: number } {
  const { sql, timers, nowMs } = turn;
  const debit = charge * command.recipients.length;
  const balance = head.balance - debit;
  const seqs: number[] = [];
  for (let from = 0; from < command.recipients.length; from += MESSAGES_PER_JOB_MAX) {
    const seq = head.seq + 1 + seqs.length;
    const messages = command.recipients
      .slice(from, from + MESSAGES_PER_JOB_MAX)
      .map((to): Message => ({ to, state: "queued", attempts: 0 }));
    const expiresAt = nowMs + command.validityMs;
    const dueMs = Math.min(nowMs + timers.sweepMs, expiresAt);
    sql.exec(
      `INSERT INTO job (seq, request_id, operation, debit, balance_after, charge, created_at, expires_at,
                        content, text, messages, due_at, rev, key_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)`,
      seq,
      command.requestId,
      command.operation,
      seqs.length === 0 ? debit : null,
      balance,
      charge,
      nowMs,
      expiresAt,
      JSON.stringify(command.content),
      command.text,
      JSON.stringify(messages),
      dueMs,
      command.keyId,
    );
    noteJob(turn, seq, dueMs);
    seqs.push(seq);
  }
  return { seqs, balance };
}

/** The number of a request's jobs, `firstSeq` being the first, if none of them has changed yet; else 0. */
export function untouchedJobs(sql: SqlStorage, firstSeq: number): number {
  const query = `
    SELECT count(*) AS jobs, max(rev) AS rev FROM job
     WHERE seq BETWEEN ?1 AND ?1 + 99 AND request_id = (SELECT request_id FROM job WHERE seq = ?1)`;
  const row = sql.exec(query, firstSeq).one();
  return numberOrNull(row, "rev") === 1 ? number(row, "jobs") : 0;
}

/**
 * Stores a job whose messages changed, as one row. Each changed message gets the job's new revision. The text of a
 * one-time password is deleted once all of the job is final, except at the simulator. Returns the job as stored.
 */
export function writeJob(turn: Turn, job: Job, changed: readonly Message[]): Job {
  const { sql } = turn;
  const rev = job.rev + 1;
  const messages = changed.map((message, at) => (message === job.messages[at] ? message : { ...message, rev }));
  const dues = messages.map((message) => dueOf(turn, message, job)).filter((due) => due !== null);
  const forget = messages.every(isFinal) && job.operation === "otp" && job.carrier !== "sim";
  const text = forget ? null : job.text;
  const dueMs = dues.length > 0 ? Math.min(...dues) : null;
  sql.exec(
    "UPDATE job SET messages = ?, carrier = ?, text = ?, due_at = ?, rev = ? WHERE seq = ?",
    JSON.stringify(messages),
    job.carrier,
    text,
    dueMs,
    rev,
    job.seq,
  );
  noteJob(turn, job.seq, dueMs);
  // A job that changes after it was settled, or recorded while late, is missing from history again: mark it so.
  sql.exec(
    `UPDATE job SET late = 1 WHERE seq = ?
      AND (late = 2 OR (late IS NULL AND seq <= (SELECT settled_seq FROM account)))`,
    job.seq,
  );
  return { ...job, messages, text, rev };
}

/**
 * Applies a step to each message of a job, writes the job once, and refunds the messages whose steps require it; what
 * the account owes is paid from that first.
 * Returns the job as stored, or null where nothing changed.
 */
export function stepJob(turn: Turn, job: Job, step: (message: Message, index: number) => Step): Job | null {
  const refunds: number[] = [];
  const messages = job.messages.map((message, index) => {
    const next = step(message, index);
    if (next.refund) refunds.push(index);
    return next.message;
  });
  if (messages.every((message, index) => message === job.messages[index])) return null;
  const stepped = writeJob(turn, job, messages);
  if (refunds.length === 0) return stepped;
  let head = ledgerHead(turn.sql);
  for (const index of refunds) {
    const message = { seq: job.seq, index };
    const reference = refundReference(job.seq, index);
    const entry = { type: "refund" as const, amount: job.charge, reference, requestId: job.requestId, message };
    head = appendEntry(turn, head, entry);
  }
  payDebt(turn, head, job.charge * refunds.length);
  return stepped;
}

/** The messages of a job as history and the operator see them. */
export function messageViews(job: Job): MessageView[] {
  return job.messages.map((message, index) => ({
    seq: job.seq,
    index,
    rev: message.rev ?? 1,
    requestId: job.requestId,
    keyId: job.keyId,
    operation: job.operation,
    to: message.to,
    state: message.state,
    charge: job.charge,
    refunded: message.refunded === true,
    carrier: job.carrier,
    attempts: message.attempts,
    errorCode: message.code ?? null,
    createdAt: job.createdAt,
    updatedAt: message.log?.at(-1)?.[1] ?? job.createdAt,
    timeline: [["queued", job.createdAt] as const, ...(message.log ?? [])].map(([state, at]) => ({ state, at })),
  }));
}

/** The messages of the job with this number; none if there is no such job. */
export function viewsOfJob(sql: SqlStorage, seq: number): MessageView[] {
  const job = readJob(sql, seq);
  return job ? messageViews(job) : [];
}

/** Messages after a place, oldest first (contract §10). */
export function messagePage(sql: SqlStorage, after: { seq: number; index: number }, limit: number): MessageView[] {
  const page: MessageView[] = [];
  for (let seq = after.seq; page.length < limit;) {
    const row = sql.exec("SELECT * FROM job WHERE seq >= ? ORDER BY seq LIMIT 1", seq).toArray()[0];
    if (!row) break;
    const job = jobOf(row);
    page.push(...messageViews(job).filter((view) => view.seq > after.seq || view.index > after.index));
    seq = job.seq + 1;
  }
  return page.slice(0, limit);
}
