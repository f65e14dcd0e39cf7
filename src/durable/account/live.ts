import { configOf } from "../../config/config.ts";
import { logProblem } from "../../log.ts";
import type { AccountNews, Outline } from "../../model/account.ts";
import type { LiveAccount } from "../../model/live.ts";
import { nameOf } from "../name.ts";
import { number } from "../rows.ts";
import { Sockets } from "../sockets.ts";
import { firstJobSince, readJob } from "./jobs.ts";
import { listKeys } from "./keys.ts";
import { liveJob } from "./live-jobs.ts";
import type { Shown } from "./live-jobs.ts";
import { accountView } from "./profile.ts";
import { countUnrecorded } from "./history/records.ts";

// The account's live feed: its clients get every change after it was stored. Nothing here writes a row or can make a
// request fail.

/** Requests in the snapshot for a client without a cursor. */
const REQUESTS_FIRST = 30;

/** Jobs in one snapshot, the newest ones. */
export const JOBS_MAX = 500;

/** The shortest time between two sends, in ms; each contains everything that changed since the one before. */
const GAP_MS = 100;

/** The first job of a snapshot, which holds whole requests only. */
function firstOf(sql: SqlStorage, from: number | null): number {
  const seqOf = (query: string, ...bindings: number[]) => {
    const row = sql.exec(query, ...bindings).toArray()[0];
    return row === undefined || row["seq"] === null ? null : number(row, "seq");
  };
  const asked =
    from === null
      ? seqOf("SELECT seq FROM job WHERE debit IS NOT NULL ORDER BY seq DESC LIMIT 1 OFFSET ?", REQUESTS_FIRST - 1)
      : seqOf("SELECT seq FROM job WHERE seq <= ? AND debit IS NOT NULL ORDER BY seq DESC LIMIT 1", from);
  const newest = `SELECT seq, debit FROM job WHERE seq >= ? ORDER BY seq DESC LIMIT ${JOBS_MAX}`;
  return seqOf(`SELECT min(seq) AS seq FROM (${newest}) WHERE debit IS NOT NULL`, asked ?? 0) ?? 0;
}

/** The live feed of one account. */
export class LiveFeed {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #sockets: Sockets<object>;
  /** Jobs that changed since the last send. In memory only: while a timer runs, the object does not hibernate. */
  readonly #changed = new Set<number>();
  #isWaiting = false;
  #sentAt = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
    this.#sockets = new Sockets(ctx, "live");
  }

  /** Accepts a client and sends it everything from the job `from` on, or the newest requests. */
  accept(from: number | null): Response {
    return this.#sockets.accept({}, this.snapshot(from));
  }

  /** Closes every socket, so that each client must authenticate again. */
  hangUp(): void {
    this.#sockets.hangUp();
  }

  /** Everything from a job on, or the newest requests. */
  snapshot(from: number | null): AccountNews & { from: number } {
    const { sql } = this.#ctx.storage;
    const first = firstOf(sql, from);
    const seqs = sql.exec("SELECT seq FROM job WHERE seq >= ? ORDER BY seq", first).toArray();
    return { from: first, ...this.#news(seqs.map((row) => number(row, "seq"))) };
  }

  /** What the console's overview page shows of the account, in one call. */
  outline(sinceMs: number): Outline {
    const { sql } = this.#ctx.storage;
    const seqSince = firstJobSince(sql, sinceMs);
    return {
      account: accountView(sql),
      keys: listKeys(sql),
      news: this.snapshot(null),
      seqSince,
      unrecorded: countUnrecorded(sql, seqSince),
    };
  }

  /** Sends the clients the jobs that changed, and the account; without a client nothing is read. Never throws. */
  send(seqs: Iterable<number>): void {
    try {
      if (this.#sockets.isEmpty) return;
      for (const seq of seqs) this.#changed.add(seq);
      if (this.#isWaiting) return;
      const sinceMs = Date.now() - this.#sentAt;
      if (sinceMs < 0 || sinceMs >= GAP_MS) return this.#flush();
      this.#isWaiting = true;
      setTimeout(() => this.#flush(), GAP_MS - sinceMs);
    } catch (problem) {
      logProblem("live", problem);
    }
  }

  #flush(): void {
    this.#isWaiting = false;
    this.#sentAt = Date.now();
    const seqs = [...this.#changed];
    this.#changed.clear();
    try {
      const news = JSON.stringify(this.#news(seqs));
      this.#sockets.send(() => news);
    } catch (problem) {
      logProblem("live", problem);
    }
  }

  #news(seqs: number[]): AccountNews {
    const { sql } = this.#ctx.storage;
    const { balance, otpRate, plan, status, requestsPerMinute } = accountView(sql);
    const account: LiveAccount = { balance, otpRate, plan, status, requestsPerMinute };
    const shown = this.#shown();
    return {
      account,
      jobs: seqs.flatMap((seq) => {
        const job = readJob(sql, seq);
        return job ? [liveJob(job, shown)] : [];
      }),
    };
  }

  #shown(): Shown {
    const { KEY_SECRET: keySecret, SEAL_SECRET: sealSecret } = configOf(this.#env);
    return { sql: this.#ctx.storage.sql, name: nameOf(this.#ctx), keySecret, sealSecret };
  }
}
