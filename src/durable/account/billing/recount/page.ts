import type { Difference } from "../../../../model/account.ts";
import { readJob } from "../../jobs.ts";
import type { Job } from "../../jobs.ts";
import type { Walk } from "./walk.ts";

/**
 * Rows that a page reads, about: it ends after the row with which it passes this number. Reading and checking a row takes
 * some 20 to 50 µs, so a page stays far below the 50 ms for which other calls of the account may wait.
 */
const ROWS_PER_PAGE = 500;

/** A job's messages are in its row; decoding and checking so many of them takes as long as reading another row. */
const MESSAGES_PER_ROW = 10;

/** One page of a recount: it reads rows, and counts them. */
export class Page {
  readonly sql: SqlStorage;
  readonly walk: Walk;
  readonly differences: Difference[] = [];
  /** Everything up to this number has left the account. */
  readonly checkpointSeq: number;
  #rows = 0;
  /** The job that was read last: the refunds of one job follow each other. */
  #job: Job | null = null;

  constructor(sql: SqlStorage, walk: Walk, checkpointSeq: number) {
    this.sql = sql;
    this.walk = walk;
    this.checkpointSeq = checkpointSeq;
  }

  get isFull(): boolean {
    return this.#rows >= ROWS_PER_PAGE;
  }

  /** Notes a difference. */
  note(kind: string, detail: string): void {
    this.differences.push({ kind, detail });
    this.walk.found += 1;
  }

  /** Counts rows that the caller read. */
  count(rows: number): void {
    this.#rows += rows;
  }

  /** A job with its messages, or null. */
  job(seq: number): Job | null {
    if (this.#job?.seq === seq) return this.#job;
    this.#job = readJob(this.sql, seq);
    this.count(1 + Math.floor((this.#job?.messages.length ?? 0) / MESSAGES_PER_ROW));
    return this.#job;
  }

  /** The first row of a query that reads a few rows at most, or null. */
  look(query: string, ...values: (string | number)[]): Record<string, SqlStorageValue> | null {
    this.count(1);
    return this.sql.exec(query, ...values).toArray()[0] ?? null;
  }
}
