import type { Line } from "../../../archive/tally.ts";
import { bucketOf } from "../../../model/history.ts";
import { number, numberOrNull, text, textOrNull } from "../../rows.ts";
import { decodeMessages } from "../message/codec.ts";
import { isFinal } from "../message/states.ts";
import { readAccount } from "../profile.ts";
import { journalOf } from "../receipts/journal.ts";
import { checkpointOf, moveCheckpoint } from "./checkpoint.ts";
import type { Turn } from "../turn.ts";

// What may leave the account, and its deletion, as functions over storage: the rows after the checkpoint in the order of
// their numbers, as long as they are old, over and recorded by history, and never a part of a request.

type Row = Record<string, SqlStorageValue>;

/** Work of one slice: so many rows of single messages, or of bulks, that have up to 100 messages each. */
const SINGLES_MAX = 200;
const BULK_MAX = 20;

/** Characters of one slice, and those of a row's numbers where it has only one. */
const CHARACTERS_MAX = 1_000_000;
const ONE_LENGTH_MAX = 40;

/** Rows that one slice reads at most: the last request of it may be a bulk of 100 jobs. */
const ROWS_MAX = SINGLES_MAX + 100;

/** Numbers that one transaction deletes, and the rest of the request that the last of them belongs to. */
const DELETED_MAX = 300;

/** Texts never leave the account, what the feed of events knows says nothing later, and the other columns are NULL by then. */
const LEFT_OUT: ReadonlySet<string> = new Set(["text", "ready_at", "due_at", "late", "told", "told_at", "told_rev"]);

/** Rows that may leave together. */
export interface Slice {
  lines: Line[];
  /** The number of the last of them; the one that was asked for where there are none. */
  through: number;
  /** Whether what follows may not leave now. */
  isEnd: boolean;
}

function lineOf(kind: Line["kind"], row: Row): Line {
  const kept: Record<string, string | number | null> = {};
  for (const [column, value] of Object.entries(row)) {
    if (LEFT_OUT.has(column)) continue;
    if (value instanceof ArrayBuffer) throw new Error(`the column ${column} has no place in the archive`);
    kept[column] = value;
  }
  return { kind, row: kept };
}

/** Whether the messages of a job's row are over. Throws for a row that cannot be read. */
function isOver(row: Row): boolean {
  try {
    const { messages } = decodeMessages(text(row, "messages"), textOrNull(row, "lives"), number(row, "created_at"));
    return messages.every(isFinal);
  } catch {
    throw new Error(`job ${number(row, "seq")} cannot be read`);
  }
}

/** The share of a slice that a job takes. */
function workOf(row: Row): number {
  const length = text(row, "messages").length;
  const characters = length + (textOrNull(row, "lives")?.length ?? 0) + text(row, "content").length;
  return Math.max(1 / (length > ONE_LENGTH_MAX ? BULK_MAX : SINGLES_MAX), characters / CHARACTERS_MAX);
}

/** The rows of both tables after a number, in order; read as far as the caller goes. */
function* rowsAfter(sql: SqlStorage, after: number): Generator<{ kind: Line["kind"]; row: Row }> {
  const [jobs, entries] = ["job", "ledger_entry"].map((table) =>
    sql.exec(`SELECT * FROM ${table} WHERE seq > ? ORDER BY seq LIMIT ${ROWS_MAX}`, after),
  );
  let job = jobs?.next();
  let entry = entries?.next();
  for (let read = 0; read < ROWS_MAX; read += 1) {
    const isJob = job?.value && !(entry?.value && number(entry.value, "seq") < number(job.value, "seq"));
    const row = isJob ? job?.value : entry?.value;
    if (!row) return;
    yield { kind: isJob ? "job" : "ledger_entry", row };
    if (isJob) job = jobs?.next();
    else entry = entries?.next();
  }
}

/** When the first row after the checkpoint was written, in ms since the epoch; null where there is none. */
export function firstRowMs(sql: SqlStorage): number | null {
  for (const { row } of rowsAfter(sql, checkpointOf(sql).seq)) return number(row, "created_at");
  return null;
}

/** The whole requests and other entries after a number that were written before a time and may leave, in bounded work. */
export function sliceAfter(sql: SqlStorage, after: number, beforeMs: number): Slice {
  const { settledSeq } = readAccount(sql);
  const journal = journalOf(sql);
  const slice: Slice = { lines: [], through: after, isEnd: true };
  /** How much of `slice` was whole when the request began that the current row belongs to. */
  let whole = { lines: 0, through: after };
  let work = 0;
  for (const { kind, row } of rowsAfter(sql, after)) {
    const seq = number(row, "seq");
    // A request's first job has its debit, and the others follow it without a gap.
    if (kind === "ledger_entry" || row["debit"] !== null) {
      whole = { lines: slice.lines.length, through: slice.through };
      if (work >= 1) return { ...slice, isEnd: false };
    }
    const isYoung = number(row, "created_at") >= beforeMs;
    const isRecorded = kind === "ledger_entry" || (seq <= settledSeq && numberOrNull(row, "late") === null);
    if (isYoung || !isRecorded || journal.has(seq) || (kind === "job" && !isOver(row))) {
      return { lines: slice.lines.slice(0, whole.lines), through: whole.through, isEnd: true };
    }
    slice.lines.push(lineOf(kind, row));
    slice.through = seq;
    work += kind === "job" ? workOf(row) : 1 / SINGLES_MAX;
  }
  return slice;
}

/** Where a transaction that deletes up to `last` ends at the latest: not within a request. */
function endOfBlock(sql: SqlStorage, last: number): number {
  let end = checkpointOf(sql).seq + DELETED_MAX;
  if (end >= last) return last;
  // The rest of a request has consecutive numbers and no debit.
  for (const row of sql.exec("SELECT seq, debit FROM job WHERE seq > ? ORDER BY seq LIMIT 100", end).toArray()) {
    if (row["seq"] !== end + 1 || row["debit"] !== null) break;
    end += 1;
  }
  return Math.min(end, last);
}

/** Gives the refunds that stay, of messages that leave, what the ids of these are made with. */
function nameRefunds(sql: SqlStorage, from: number, end: number): void {
  const refunded = `SELECT seq, operation, secret_id FROM job WHERE seq > ? AND seq <= ?
    AND (lives LIKE '%"refunded":true%' OR messages LIKE '%"refunded":true%')`;
  for (const row of sql.exec(refunded, from, end).toArray()) {
    const reference = `refund:${number(row, "seq")}`;
    sql.exec(
      "UPDATE ledger_entry SET operation = ?, secret_id = ? WHERE reference > ? AND reference < ? AND seq > ?",
      row["operation"],
      row["secret_id"],
      `${reference}.`,
      `${reference}/`,
      end,
    );
  }
}

/** Deletes all rows up to a number that can leave, and moves the checkpoint there. */
export function deleteThrough({ sql }: Pick<Turn, "sql">, end: number): void {
  const before = checkpointOf(sql);
  if (end <= before.seq) return;
  const newest = (table: string) =>
    sql
      .exec(`SELECT seq, balance_after, created_at FROM ${table} WHERE seq <= ? ORDER BY seq DESC LIMIT 1`, end)
      .toArray()[0];
  const [job, entry] = [newest("job"), newest("ledger_entry")];
  const last = [job, entry].find((row) => row?.["seq"] === end);
  if (!last) throw new Error(`row ${end} is missing`);
  const bucket = bucketOf(end);
  const single = "CASE json_valid(messages) WHEN 1 THEN json_array_length(messages) ELSE 1 END = 1";
  const revs = sql
    .exec(`SELECT coalesce(sum(rev), 0) AS revs FROM job WHERE seq >= ? AND seq <= ? AND ${single}`, bucket, end)
    .one();
  nameRefunds(sql, before.seq, end);
  sql.exec("DELETE FROM job WHERE seq <= ?", end);
  sql.exec("DELETE FROM ledger_entry WHERE seq > ? AND seq <= ? AND type = 'refund'", before.seq, end);
  moveCheckpoint(sql, {
    seq: end,
    balance: number(last, "balance_after"),
    atMs: number(last, "created_at"),
    jobAtMs: job ? number(job, "created_at") : before.jobAtMs,
    revs: number(revs, "revs") + (bucketOf(before.seq) === bucket ? before.revs : 0),
  });
}

/** Deletes the next rows up to the last one of a file, in bounded work; true when none of them is left. */
export function deleteBlock(turn: Pick<Turn, "sql">, last: number): boolean {
  const end = endOfBlock(turn.sql, last);
  deleteThrough(turn, end);
  return end >= last;
}
