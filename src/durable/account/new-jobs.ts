import { FIRST_ID } from "../../crypto/secrets.ts";
import type { SendCommand } from "../../model/command.ts";
import { laneOf } from "../../model/lane.ts";
import type { ClaimedJob } from "../../model/message.ts";
import { dueAtOf, readyAtOf, secretOf } from "./jobs.ts";
import type { Job } from "./jobs.ts";
import type { LedgerHead } from "./billing/ledger.ts";
import { noteBalance } from "./events/note.ts";
import { claim } from "./message-life.ts";
import { wrapText } from "./retention/text-keys.ts";
import { encodeLives, encodeNumbers } from "./message/codec.ts";
import type { Message } from "./message/states.ts";
import { noteJob } from "./turn.ts";
import type { Turn } from "./turn.ts";

// The jobs of a new request. A single message whose sender submits it itself is stored already claimed: one row, no index.

/** Messages in one job, so that its row stays far below the limit of 2 MB. */
export const MESSAGES_PER_JOB_MAX = 100;

/** What a request's jobs hold of it. */
type Order = Omit<SendCommand, "price">;

/** For when a request is scheduled, in ms since the epoch; null: for at once, as where that time has come meanwhile. */
export function sendAtOf({ nowMs }: Pick<Turn, "nowMs">, { sendAtMs }: Pick<Order, "sendAtMs">): number | null {
  return sendAtMs !== undefined && sendAtMs > nowMs ? sendAtMs : null;
}

/**
 * Writes a request's jobs, the first with the debit; the caller has checked the balance. Returns their numbers, and what
 * of them the caller now holds the claim of.
 */
export function insertJobs(
  turn: Turn,
  command: Order,
  charge: number,
  head: LedgerHead,
): { seqs: number[]; balance: number; claimed: ClaimedJob[] } {
  const debit = charge * command.recipients.length;
  const sendAt = sendAtOf(turn, command);
  // Once for all of the request's jobs.
  const storedText = command.text && wrapText(turn, command.text, sendAt ?? turn.nowMs);
  const balance = head.balance - debit;
  const seqs: number[] = [];
  const claimed: ClaimedJob[] = [];
  for (let from = 0; from < command.recipients.length; from += MESSAGES_PER_JOB_MAX) {
    const seq = head.seq + 1 + seqs.length;
    const fresh = command.recipients
      .slice(from, from + MESSAGES_PER_JOB_MAX)
      .map((to): Message => ({ to, state: "queued", attempts: 0, ...(sendAt !== null && { dueMs: sendAt }) }));
    const job = newJob(turn, { ...command, storedText, sendAt }, seq, charge, fresh, seqs.length === 0 ? debit : null);
    const taken = command.take && takeOnly(turn, job, command, command.take);
    if (taken) claimed.push(taken.claimed);
    insertJob(turn, taken?.job ?? job, balance);
    seqs.push(seq);
  }
  noteBalance(turn, head.balance, balance);
  return { seqs, balance, claimed };
}

function newJob(
  turn: Turn,
  command: Order & Pick<Job, "storedText" | "sendAt">,
  seq: number,
  charge: number,
  messages: Message[],
  debit: number | null,
): Job {
  const { requestId, operation, content, storedText, keyId, sendAt, idSecret = FIRST_ID } = command;
  return {
    seq,
    requestId,
    operation,
    charge,
    segments: command.segments ?? null,
    createdAt: turn.nowMs,
    expiresAt: (sendAt ?? turn.nowMs) + command.validityMs,
    sendAt,
    content,
    storedText,
    carrier: null,
    messages,
    rev: 1,
    keyId,
    secretId: idSecret,
    debit,
    lane: laneOf(operation, command.recipients.length),
    readyAt: null,
    dueAt: null,
    isCompact: true,
  };
}

/** Claims the message of a job that has only this one, for the caller that stores it; null where it cannot be claimed. */
function takeOnly(
  turn: Turn,
  job: Job,
  { text }: Pick<Order, "text">,
  take: NonNullable<Order["take"]>,
): { job: Job; claimed: ClaimedJob } | null {
  const [only] = job.messages;
  if (!only || job.lane === "bulk") return null;
  const lease = { leaseMs: take.leaseMs, resubmits: take.resubmits === true, plan: take.fallbacks };
  const taken = claim(turn, only, 0, lease);
  if (!taken) return null;
  const { seq, requestId, operation, content } = job;
  const { carrier } = take;
  const shared = { seq, carrier, requestId, operation, content, text, ...secretOf(job) };
  const claimed: ClaimedJob = { ...shared, messages: [taken[1]] };
  return { job: { ...job, carrier, messages: [taken[0]] }, claimed };
}

function insertJob(turn: Turn, job: Job, balance: number): void {
  const isFresh = job.sendAt === null && job.messages.every(({ attempts }) => attempts === 0);
  const readyAt = readyAtOf(turn, job);
  // What is scheduled is still open when the housekeeping pass looks, which would write the row once more to index it.
  const dueAt = job.sendAt === null ? dueAtOf(turn, job) : job.expiresAt;
  turn.sql.exec(
    `INSERT INTO job (seq, request_id, operation, debit, balance_after, charge, created_at, expires_at,
                      content, text, carrier, messages, due_at, rev, key_id, lane, ready_at, lives, secret_id, segments,
                      send_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?)`,
    job.seq,
    job.requestId,
    job.operation,
    job.debit,
    balance,
    job.charge,
    job.createdAt,
    job.expiresAt,
    JSON.stringify(job.content),
    job.storedText,
    job.carrier,
    encodeNumbers(job.messages),
    dueAt,
    job.keyId,
    job.lane,
    readyAt,
    isFresh ? null : encodeLives(job.messages, job.createdAt),
    job.secretId,
    job.segments,
    job.sendAt,
  );
  noteJob(turn, { seq: job.seq, lane: job.lane, readyAt, dueAt });
}
