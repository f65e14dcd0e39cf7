import type { ReceiptState } from "../../../model/message.ts";
import { number, text } from "../../rows.ts";
import { applyReceipt } from "../message-life.ts";
import type { Message } from "../message/states.ts";

// The journal of receipts. Receipts of a bulk come in any order, so those that arrive together belong to many jobs, and
// writing each job's row for them would be most of what a bulk costs. Instead they are appended to a row of the journal,
// and every reader of a job gets it with its receipts (`merge`). Later the job is written with them (receipts/fold.ts).
// A receipt that is in the job's row already changes nothing when it is applied again, so a crash at any point is harmless.

/** Receipts that are held at most: some MB of memory, and a few hundred KB to read after a wake. */
export const RECEIPTS_MAX = 20_000;

/** How long a receipt stays in the journal before its job is written, in ms. */
const FOLD_AFTER_MS = 600_000;

/** A segment's length, in characters, from which on the next receipts begin a new one: appending rewrites its pages. */
const SEGMENT_LENGTH = 4_000;

/** The states that move no money, as the journal writes them. */
const LETTERS = { submitted: "s", delivered: "d", undelivered: "n" } as const satisfies Partial<
  Record<ReceiptState, string>
>;
const STATES = { s: "submitted", d: "delivered", n: "undelivered" } as const;

/** A receipt as the journal holds it: the message's place in its job, its state, and the reason where there is one. */
/** `carrier`: where it is not the job's. */
type Receipt = [index: number, letter: keyof typeof STATES, code?: string | null, carrier?: string];

/**
 * The receipts of one batch: their time in ms, `RECEIPT_WINDOW_MS` as it was then, the receipts of each job, and the number
 * of the newest event by then, where the account's feed of events is on.
 */
type Line = [atMs: number, windowMs: number, jobs: [seq: number, receipts: Receipt[]][], toldAt?: number];

/** The jobs in the stored lines of a segment, in the order of the batches, with the indexes of their messages. */
export function receiptsIn(lines: string): { seq: number; indexes: number[] }[] {
  return lines
    .split("\n")
    .filter(Boolean)
    .flatMap((line) => (JSON.parse(line) as Line)[2])
    .map(([seq, receipts]) => ({ seq, indexes: receipts.map(([index]) => index) }));
}

/** One row of the journal. */
interface Segment {
  readonly id: number;
  length: number;
  /** The time of its first receipts, in ms. */
  sinceMs: number;
  /** The jobs that have receipts only here and not in their rows. */
  readonly jobs: Set<number>;
}

/** The receipts of one batch for one job. */
export interface Step {
  atMs: number;
  toldAt: number | undefined;
  windowMs: number;
  receipts: Receipt[];
  segment: Segment;
}

/** A receipt as the journal takes it; null for one that may move money. */
export function journalReceipt(index: number, state: ReceiptState, code?: string, carrier?: string): Receipt | null {
  if (state === "failed") return null;
  if (carrier !== undefined) return [index, LETTERS[state], code ?? null, carrier];
  return code === undefined ? [index, LETTERS[state]] : [index, LETTERS[state], code];
}

/** What the journal needs to know of a job. */
interface Merged {
  seq: number;
  rev: number;
  carrier?: string | null;
  messages: Message[];
}

function receive(message: Message, own: string | null, { atMs, windowMs }: Step, receipt: Receipt): Message {
  const [, letter, code, carrier] = receipt;
  const moment = { nowMs: atMs, timers: { receiptWindowMs: windowMs } };
  return applyReceipt(
    moment,
    message,
    { state: STATES[letter], code: code ?? undefined, carrier: carrier ?? own ?? undefined },
    own,
  ).message;
}

/** The journal of one object, in memory as in storage; loaded when it is first needed. */
export class Journal {
  readonly #sql: SqlStorage;
  /** The oldest first. */
  readonly #segments = new Set<Segment>();
  /** The one that the next receipts are appended to. */
  #last: Segment | null = null;
  #lastId = 0;
  /** By job, the jobs with the oldest receipts first. */
  readonly #steps = new Map<number, Step[]>();
  #receipts = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const row of sql.exec("SELECT segment, lines FROM receipt_journal ORDER BY segment").toArray()) {
      const lines = text(row, "lines");
      const segment = this.#addSegment(number(row, "segment"), lines.length);
      for (const line of lines.split("\n")) if (line) this.#hold(segment, JSON.parse(line) as Line);
    }
  }

  /** Whether receipts must be folded before more are taken. */
  get isFull(): boolean {
    return this.#receipts >= RECEIPTS_MAX;
  }

  /** When the oldest row is to be folded and removed, in ms since the epoch; null when there is none. */
  get foldAtMs(): number | null {
    for (const { sinceMs } of this.#segments) return sinceMs + FOLD_AFTER_MS;
    return null;
  }

  /** Whether receipts of this job are here. */
  has(seq: number): boolean {
    return this.#steps.has(seq);
  }

  /** Numbers of the jobs with a batch of receipts for which this holds. */
  jobsWith(holds: (step: Step) => boolean): number[] {
    return [...this.#steps].flatMap(([seq, steps]) => (steps.some(holds) ? [seq] : []));
  }

  /** Numbers of the jobs with the oldest receipts. */
  oldest(limit: number): number[] {
    return this.#steps.keys().take(limit).toArray();
  }

  /**
   * The job with its receipts, at the revision that it gets when it is written: each batch of receipts that changed it
   * counts as one. The same job when it has none, or when all of them are in its row. `seen` gets the messages before and
   * after each batch.
   */
  merge<Job extends Merged>(job: Job, seen?: (step: Step, before: Message[], after: Message[]) => void): Job {
    const steps = this.#steps.get(job.seq);
    if (!steps) return job;
    const messages = [...job.messages];
    let { rev } = job;
    for (const step of steps) {
      let isChanged = false;
      const before = seen && [...messages];
      for (const receipt of step.receipts) {
        const message = messages[receipt[0]];
        const received = message && receive(message, job.carrier ?? null, step, receipt);
        if (received === undefined || received === message) continue;
        messages[receipt[0]] = { ...received, rev: rev + 1 };
        isChanged = true;
      }
      if (isChanged) rev += 1;
      if (before) seen(step, before, messages);
    }
    return rev === job.rev ? job : { ...job, messages, rev };
  }

  /** Stores the receipts of one batch: one row. */
  append(line: Line): void {
    const stored = `${JSON.stringify(line)}\n`;
    const last = this.#last;
    if (!last || last.length >= SEGMENT_LENGTH) {
      const segment = this.#addSegment(this.#lastId + 1, stored.length);
      this.#sql.exec("INSERT INTO receipt_journal (segment, lines) VALUES (?, ?)", segment.id, stored);
      this.#hold(segment, line);
      return;
    }
    // What a segment without jobs holds is in the jobs' rows.
    const isNeeded = last.jobs.size > 0;
    last.length = (isNeeded ? last.length : 0) + stored.length;
    this.#sql.exec(
      `UPDATE receipt_journal SET lines = ${isNeeded ? "lines || ?" : "?"} WHERE segment = ?`,
      stored,
      last.id,
    );
    this.#hold(last, line);
  }

  /** Forgets the receipts of a job, whose row now has them. The last segment is kept for the next receipts. */
  drop(seq: number): void {
    const steps = this.#steps.get(seq);
    if (!steps) return;
    this.#steps.delete(seq);
    for (const { segment, receipts } of steps) {
      this.#receipts -= receipts.length;
      segment.jobs.delete(seq);
    }
    for (const { segment } of steps) if (segment.jobs.size === 0 && segment !== this.#last) this.#remove(segment);
  }

  /** Puts off the receipts of a job that cannot be written, so that they are in no other job's way. */
  postpone(seq: number, nowMs: number): void {
    const steps = this.#steps.get(seq);
    if (!steps) return;
    this.#steps.delete(seq);
    this.#steps.set(seq, steps);
    for (const { segment } of steps) segment.sinceMs = nowMs;
  }

  /** Removes the last segment too, if nothing needs it. */
  trim(): void {
    for (const segment of this.#segments) if (segment.jobs.size === 0) this.#remove(segment);
  }

  #addSegment(id: number, length: number): Segment {
    const segment: Segment = { id, length, sinceMs: 0, jobs: new Set() };
    this.#segments.add(segment);
    this.#last = segment;
    this.#lastId = id;
    return segment;
  }

  #remove(segment: Segment): void {
    if (!this.#segments.delete(segment)) return;
    if (segment === this.#last) this.#last = null;
    this.#sql.exec("DELETE FROM receipt_journal WHERE segment = ?", segment.id);
  }

  #hold(segment: Segment, [atMs, windowMs, jobs, toldAt]: Line): void {
    if (segment.jobs.size === 0) segment.sinceMs = atMs;
    for (const [seq, receipts] of jobs) {
      const step = { atMs, toldAt, windowMs, receipts, segment };
      const steps = this.#steps.get(seq);
      if (steps) steps.push(step);
      else this.#steps.set(seq, [step]);
      segment.jobs.add(seq);
      this.#receipts += receipts.length;
    }
  }
}

const journals = new WeakMap<SqlStorage, Journal>();

/** The journal of the object with this storage. */
export function journalOf(sql: SqlStorage): Journal {
  const journal = journals.get(sql) ?? new Journal(sql);
  journals.set(sql, journal);
  return journal;
}

/** Forgets what is in memory, because storage may differ from it: after a transaction that was rolled back. */
export function forgetJournal(sql: SqlStorage): void {
  journals.delete(sql);
}
