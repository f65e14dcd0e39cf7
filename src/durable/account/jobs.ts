import { unlessFirst } from "../../crypto/secrets.ts";
import type { Lane } from "../../model/lane.ts";
import type { Content, Operation } from "../../model/message.ts";
import { bytesOrNull, number, numberOrNull, text, textOrNull } from "../rows.ts";
import { checkpointOf } from "./archive/checkpoint.ts";
import { payDebt } from "./billing/debt.ts";
import { appendEntry, ledgerHead, refundReference } from "./billing/ledger.ts";
import { noteCallbacks } from "./callbacks/rows.ts";
import { feedOf } from "./events/memory.ts";
import { encodeTold, eventsBetween } from "./events/told.ts";
import { countRefunded } from "./limits/counted.ts";
import { decodeMessages, encodeLives, encodeNumbers } from "./message/codec.ts";
import { PASS_SWEEPS, dueOf, isUsual } from "./message/deadlines.ts";
import { carrierOf, isFinal, readyOf } from "./message/states.ts";
import type { Message, Step } from "./message/states.ts";
import { journalOf } from "./receipts/journal.ts";
import { noteJob, noteTimes } from "./turn.ts";
import type { Turn } from "./turn.ts";

/** One row of the outbox: up to 100 messages of one request. A request's first job is also its debit (schema.ts). */
export interface Job {
  seq: number;
  requestId: string;
  operation: Operation;
  charge: number;
  /** Segments of each of its SMS; null for calls, and for jobs from before this column. */
  segments: number | null;
  createdAt: number;
  expiresAt: number;
  /** For when it was ordered, in ms since the epoch; null: for at once. */
  sendAt: number | null;
  content: Content;
  /** The text as it is stored, wrapped with its day's key: `sealedText` gives what the Worker sealed. */
  storedText: Uint8Array | null;
  carrier: string | null;
  messages: Message[];
  rev: number;
  /** The key that the request used; null for jobs from before this column. */
  keyId: number | null;
  /** The id of the secret that makes the public ids of its messages. */
  secretId: number;
  /** Units that the whole request cost, on its first job; null on the others. */
  debit: number | null;
  lane: Lane;
  /** When the next of its messages can be claimed, as stored; null: none waits. */
  readyAt: number | null;
  /** When the alarm must look at it, as stored: never too late; null: the housekeeping pass is early enough. */
  dueAt: number | null;
  /** Whether the row has its messages in this version's form (message/codec.ts). */
  isCompact: boolean;
}

/** The one place where a row becomes a job: as it is stored, without the receipts that are in the journal. */
export function storedJob(row: Record<string, SqlStorageValue>): Job {
  const createdAt = number(row, "created_at");
  return {
    seq: number(row, "seq"),
    requestId: text(row, "request_id"),
    operation: text(row, "operation") as Operation,
    charge: number(row, "charge"),
    segments: numberOrNull(row, "segments"),
    createdAt,
    expiresAt: number(row, "expires_at"),
    sendAt: numberOrNull(row, "send_at"),
    content: JSON.parse(text(row, "content")) as Content,
    storedText: bytesOrNull(row, "text"),
    carrier: textOrNull(row, "carrier"),
    ...decodeMessages(text(row, "messages"), textOrNull(row, "lives"), createdAt),
    rev: number(row, "rev"),
    keyId: numberOrNull(row, "key_id"),
    secretId: number(row, "secret_id"),
    debit: numberOrNull(row, "debit"),
    lane: text(row, "lane") as Lane,
    readyAt: numberOrNull(row, "ready_at"),
    dueAt: numberOrNull(row, "due_at"),
  };
}

/** A row as the job that it is, with all of its receipts. */
export const jobOf = (sql: SqlStorage, row: Record<string, SqlStorageValue>): Job =>
  journalOf(sql).merge(storedJob(row));

/** A job by its number, with all of its receipts, or null. */
export function readJob(sql: SqlStorage, seq: number): Job | null {
  const row = sql.exec("SELECT * FROM job WHERE seq = ?", seq).toArray()[0];
  return row ? jobOf(sql, row) : null;
}

/** The first job since a time, by binary search: times rise with the numbers, unless the clock was set back. */
export function firstJobSince(sql: SqlStorage, sinceMs: number): number {
  let low = checkpointOf(sql).seq;
  let high = ledgerHead(sql).seq + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = sql.exec("SELECT seq, created_at FROM job WHERE seq >= ? ORDER BY seq LIMIT 1", middle).toArray()[0];
    if (!row || number(row, "created_at") >= sinceMs) high = middle;
    else low = number(row, "seq") + 1;
  }
  return low;
}

/** The lane in which a request waits, `firstSeq` being its first job, if its time has come and no job changed; else null. */
export function waitingLane({ sql, nowMs }: Pick<Turn, "sql" | "nowMs">, firstSeq: number): Lane | null {
  const query = `
    SELECT lane, max(rev) AS rev, count(*) - count(iif(send_at > ?2, NULL, ready_at)) AS taken FROM job
     WHERE seq BETWEEN ?1 AND ?1 + 99 AND request_id = (SELECT request_id FROM job WHERE seq = ?1)`;
  const row = sql.exec(query, firstSeq, nowMs).one();
  return numberOrNull(row, "rev") === 1 && number(row, "taken") === 0 ? (text(row, "lane") as Lane) : null;
}

const earliest = (times: (number | null)[]): number | null => {
  const known = times.filter((time) => time !== null);
  return known.length > 0 ? Math.min(...known) : null;
};

/** When a message of the job can be claimed next, or null. Past its validity nothing is claimed. */
export function readyAtOf(
  { nowMs }: Pick<Turn, "nowMs">,
  job: Pick<Job, "createdAt" | "expiresAt" | "sendAt" | "messages">,
) {
  return job.expiresAt <= nowMs ? null : earliest(job.messages.map((message) => readyOf(message, job)));
}

/**
 * The `due_at` to store. An indexed column costs a row for each change, so a time that is merely too early stays, and a job
 * on the usual way gets none: the housekeeping pass looks in time, and indexes what is still open then.
 */
export function dueAtOf(turn: Turn, job: Job): number | null {
  const due = earliest(job.messages.map((message) => dueOf(message, job)));
  if (due === null) return null;
  if (job.dueAt !== null) return job.dueAt > turn.nowMs && job.dueAt <= due ? job.dueAt : due;
  // The pass looks only at jobs without an entry: one message that needs it speaks for all of the job.
  const isYoung = turn.nowMs < job.createdAt + PASS_SWEEPS * turn.timers.sweepMs;
  return isYoung && job.messages.every((message) => isUsual(turn, message, job)) ? null : due;
}

/** The times that are new: for the others the alarm is set, or a consumer is on its way. */
function changedTimes(before: Job, { lane, readyAt, dueAt }: Pick<Job, "lane" | "readyAt" | "dueAt">) {
  return {
    lane,
    readyAt: readyAt === before.readyAt ? null : readyAt,
    dueAt: dueAt === before.dueAt ? null : dueAt,
  };
}

/**
 * Stores a job as one row: the one place where a job is written. Its receipts leave the journal. The text of a one-time
 * password is deleted once all of the job is final, except at the simulator. Columns that have an index are named only
 * where they change. Returns the job as stored.
 */
function storeJob(turn: Turn, before: Job, changed: Pick<Job, "messages" | "rev">): Job {
  const { sql } = turn;
  const isCaught = (message: Message) => carrierOf(message, before.carrier) === "sim";
  const forget = before.operation === "otp" && changed.messages.every((one) => isFinal(one) && !isCaught(one));
  const job: Job = { ...before, ...changed, isCompact: true, storedText: forget ? null : before.storedText };
  job.readyAt = readyAtOf(turn, job);
  job.dueAt = dueAtOf(turn, job);
  const columns: [string, string | number | null][] = [
    ["lives", encodeLives(job.messages, job.createdAt)],
    ["carrier", job.carrier],
    ["rev", job.rev],
  ];
  if (!before.isCompact) columns.push(["messages", encodeNumbers(job.messages)]);
  if (forget) columns.push(["text", null]);
  if (job.readyAt !== before.readyAt) columns.push(["ready_at", job.readyAt]);
  if (job.dueAt !== before.dueAt) columns.push(["due_at", job.dueAt]);
  columns.push(...toldColumns(turn, job));
  const sets = columns.map(([column]) => `${column} = ?`).join(", ");
  sql.exec(`UPDATE job SET ${sets} WHERE seq = ?`, ...columns.map(([, value]) => value), job.seq);
  journalOf(sql).drop(job.seq);
  return job;
}

/** What the feed of events keeps in a job's row: the job's changes that are in no page yet. Nothing while it is off. */
function toldColumns({ sql, changes }: Turn, { seq, createdAt, rev }: Job): [string, string | number | null][] {
  const { isOn, last, tail } = feedOf(sql);
  if (!isOn) return [];
  const told = [...tail, ...changes.events.told].filter(({ message }) => message.place.seq === seq);
  return [
    ["told", encodeTold(told, createdAt)],
    ["told_at", last],
    ["told_rev", rev],
  ];
}

/** Notes the events of a change of a job, for the feed and for the address that its messages have of their own. */
export function noteTold(turn: Turn, job: Job, changed: readonly Message[]): void {
  const { sql, changes } = turn;
  const { isOn } = feedOf(sql);
  const isCalledBack = job.content.twilio?.callback !== undefined;
  if (!isOn && !isCalledBack) return;
  const events = eventsBetween(job, job.messages, changed);
  if (isOn) changes.events.told.push(...events);
  if (isCalledBack) noteCallbacks(turn, job, events);
}

/** Marks a job as missing from history again, if it changes after it was settled. */
export function markChanged({ sql }: Turn, seq: number): void {
  sql.exec("UPDATE job SET late = 1 WHERE seq = ? AND late IS NULL AND seq <= (SELECT settled_seq FROM account)", seq);
}

/** Stores a job whose messages changed. Each of these gets the job's new revision. Returns the job as stored. */
export function writeJob(turn: Turn, before: Job, changed: readonly Message[]): Job {
  noteTold(turn, before, changed);
  const rev = before.rev + 1;
  const messages = changed.map((message, at) => (message === before.messages[at] ? message : { ...message, rev }));
  const job = storeJob(turn, before, { messages, rev });
  noteJob(turn, { seq: job.seq, ...changedTimes(before, job) });
  markChanged(turn, job.seq);
  return job;
}

/** Writes a job's receipts from the journal into its row. No reader sees a difference. */
export function foldJob(turn: Turn, seq: number): void {
  const row = turn.sql.exec("SELECT * FROM job WHERE seq = ?", seq).toArray()[0];
  const stored = row && storedJob(row);
  const journal = journalOf(turn.sql);
  const job = stored && journal.merge(stored);
  if (!stored || !job || job === stored) journal.drop(seq);
  else noteTimes(turn, storeJob(turn, stored, job));
}

/**
 * Stores when a job can be claimed and when its next deadline passes, where no message changed but these did. `index`: also
 * where it was left to the housekeeping pass, which calls this for what is still open.
 */
export function writeTimes(turn: Turn, job: Job, index = false): void {
  const readyAt = readyAtOf(turn, job);
  const dueAt = index ? earliest(job.messages.map((message) => dueOf(message, job))) : dueAtOf(turn, job);
  const { sql } = turn;
  if (readyAt !== job.readyAt) sql.exec("UPDATE job SET ready_at = ? WHERE seq = ?", readyAt, job.seq);
  if (dueAt !== job.dueAt) sql.exec("UPDATE job SET due_at = ? WHERE seq = ?", dueAt, job.seq);
  noteTimes(turn, changedTimes(job, { lane: job.lane, readyAt, dueAt }));
}

/** Changes to one job that are written together: its messages so far, and the places of those to refund. */
export interface Draft {
  job: Job;
  messages: Message[];
  refunds: number[];
}

/** Begins to change a job. */
export function draftOf(job: Job): Draft {
  return { job, messages: job.messages, refunds: [] };
}

/** Applies a step to each message of the draft. */
export function stepDraft(draft: Draft, step: (message: Message, index: number) => Step): void {
  draft.messages = draft.messages.map((message, index) => {
    const next = step(message, index);
    if (next.refund) draft.refunds.push(index);
    return next.message;
  });
}

/**
 * Writes the job once, and refunds the messages whose steps require it; what the account owes is paid from that first.
 * Returns the job as stored, or null where nothing changed.
 */
export function storeDraft(turn: Turn, { job, messages, refunds }: Draft): Job | null {
  if (messages.every((message, index) => message === job.messages[index])) return null;
  const stored = writeJob(turn, job, messages);
  if (refunds.length === 0) return stored;
  let head = ledgerHead(turn.sql);
  for (const index of refunds) {
    const message = { seq: job.seq, index };
    const reference = refundReference(job.seq, index);
    const entry = { type: "refund" as const, amount: job.charge, reference, requestId: job.requestId, message };
    head = appendEntry(turn, head, entry);
  }
  countRefunded(turn, job, job.charge * refunds.length);
  payDebt(turn, head, job.charge * refunds.length, job.requestId);
  return stored;
}

/** The secret of a job's public ids, as it is passed on. */
export const secretOf = ({ secretId }: Pick<Job, "secretId">) => unlessFirst(secretId);
