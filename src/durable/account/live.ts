import { configOf } from "../../config.ts";
import { accountOfName, messageId } from "../../crypto/ids.ts";
import { unseal } from "../../crypto/seal.ts";
import { logProblem } from "../../log.ts";
import type { AccountNews, Outline } from "../../model/account.ts";
import type { LiveAccount, LiveJob } from "../../model/live.ts";
import type { MessageState, Operation } from "../../model/message.ts";
import { maskOtp, otpText, readOtpText } from "../../text/otp-text.ts";
import { number } from "../rows.ts";
import { readJob } from "./jobs.ts";
import type { Job } from "./jobs.ts";
import { listKeys } from "./keys.ts";
import { ledgerHead } from "./ledger.ts";
import { accountView } from "./profile.ts";

// Whoever watches this account is told what changes, over WebSockets that sleep with the object. Nothing here writes a
// row, and nothing here can make a send fail: what a listener misses, its next connection brings.

/** Requests that a listener without a cursor gets. */
const REQUESTS_FIRST = 30;

/** Jobs that one snapshot holds, the newest. */
export const JOBS_MAX = 500;

/** Tabs that may watch one account at once: more than people have open, and a bound on the work per change. */
export const SOCKETS_MAX = 32;

/** A listener has to come back after this, so that a session that ended does not watch on. */
export const SOCKET_MS_MAX = 900_000;

/** A busy account tells at most this often, and then everything at once. */
const GAP_MS = 100;

/** Characters of a text that a list shows. */
const PREVIEW_MAX = 60;

/** What a socket closes with when its listener is to come back. */
const COME_BACK = 4000;

type WatchedJob = LiveJob<MessageState, Operation>;

/** What a socket keeps while the object sleeps. */
interface Attached {
  openedAt: number;
}

/** An OTP's text without its code; nothing where it cannot be told which of it is the code. */
function withoutCode(text: string): string {
  const sent = readOtpText(text);
  if (!sent) return "";
  const { code, brand } = maskOtp(sent);
  return otpText(brand, code);
}

/** The beginning of a job's text in one line; nothing where there is none or it cannot be read. */
function previewOf(job: Job, name: string, sealSecret: string): string {
  if (!job.text) return "";
  try {
    const text = unseal(sealSecret, name, job.text);
    const shown = job.operation === "otp" && accountOfName(name).mode === "live" ? withoutCode(text) : text;
    const letters = [...shown.replaceAll(/\s+/gu, " ")];
    return letters.length > PREVIEW_MAX ? `${letters.slice(0, PREVIEW_MAX - 1).join("")}…` : letters.join("");
  } catch (problem) {
    logProblem("preview", problem);
    return "";
  }
}

/** The first job of the request that a snapshot begins with: it holds whole requests only. */
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

/** The first job since a time. Their times rise with their numbers, so this reads a few dozen rows of any number. */
export function firstSince(sql: SqlStorage, sinceMs: number): number {
  let low = 0;
  let high = ledgerHead(sql).seq + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = sql.exec("SELECT created_at FROM job WHERE seq >= ? ORDER BY seq LIMIT 1", middle).toArray()[0];
    if (row && number(row, "created_at") < sinceMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Everything that the first page of the console asks the account for. */
export function outline(sql: SqlStorage, feed: LiveFeed, sinceMs: number): Outline {
  return {
    account: accountView(sql),
    keys: listKeys(sql),
    news: feed.snapshot(null),
    seqSince: firstSince(sql, sinceMs),
  };
}

/** The listeners of one account. */
export class LiveFeed {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  /** What changed since listeners were last told. A timer waits then, and an object with a timer does not sleep. */
  readonly #changed = new Set<number>();
  #waiting = false;
  #toldAt = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
  }

  /** Lets a listener in and tells it everything from `from` on, or the newest. */
  accept(from: number | null): Response {
    if (this.#ctx.getWebSockets().length >= SOCKETS_MAX) return new Response(null, { status: 503 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server);
    // A heartbeat is answered without waking the object.
    this.#ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    server.serializeAttachment({ openedAt: Date.now() } satisfies Attached);
    server.send(JSON.stringify(this.snapshot(from)));
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Sends every listener back for a new connection, which only somebody signed in gets. */
  hangUp(): void {
    for (const socket of this.#ctx.getWebSockets()) socket.close(COME_BACK, "connect again");
  }

  /** Everything from a job on, or the newest requests. */
  snapshot(from: number | null): AccountNews & { from: number } {
    const { sql } = this.#ctx.storage;
    const first = firstOf(sql, from);
    const seqs = sql.exec("SELECT seq FROM job WHERE seq >= ? ORDER BY seq", first).toArray();
    return { from: first, ...this.#news(seqs.map((row) => number(row, "seq"))) };
  }

  /** Tells listeners of changed jobs, and how the account stands; nothing is read where nobody listens. Never throws. */
  tell(seqs: readonly number[]): void {
    try {
      if (this.#ctx.getWebSockets().length === 0) return;
      for (const seq of seqs) this.#changed.add(seq);
      if (this.#waiting) return;
      const sinceMs = Date.now() - this.#toldAt;
      if (sinceMs < 0 || sinceMs >= GAP_MS) return this.#flush();
      this.#waiting = true;
      setTimeout(() => this.#flush(), GAP_MS - sinceMs);
    } catch (problem) {
      logProblem("live", problem);
    }
  }

  #flush(): void {
    this.#waiting = false;
    this.#toldAt = Date.now();
    const seqs = [...this.#changed];
    this.#changed.clear();
    try {
      const news = JSON.stringify(this.#news(seqs));
      for (const socket of this.#ctx.getWebSockets()) tellOne(socket, news, this.#toldAt);
    } catch (problem) {
      logProblem("live", problem);
    }
  }

  #news(seqs: number[]): AccountNews {
    const { sql } = this.#ctx.storage;
    const { balance, otpRate, plan, status, requestsPerMinute } = accountView(sql);
    const account: LiveAccount = { balance, otpRate, plan, status, requestsPerMinute };
    return {
      account,
      jobs: seqs.flatMap((seq) => {
        const job = readJob(sql, seq);
        return job ? [this.#liveJob(job)] : [];
      }),
    };
  }

  #liveJob(job: Job): WatchedJob {
    const { KEY_SECRET, SEAL_SECRET } = configOf(this.#env);
    const { name } = this.#ctx.id;
    const [first] = job.messages;
    if (name === undefined || !first) throw new Error("a job has a message, and its object a name");
    const { requestId, seq, operation, charge, debit, createdAt, keyId } = job;
    return {
      requestId,
      seq,
      operation,
      to: first.to,
      recipients: job.messages.length,
      total: debit === null || charge === 0 ? null : debit / charge,
      states: [...Map.groupBy(job.messages, ({ state }) => state)].map(([state, { length: count }]) => ({
        state,
        count,
      })),
      refunded: job.messages.filter((message) => message.refunded).length,
      charge,
      debit,
      createdAt,
      preview: previewOf(job, name, SEAL_SECRET),
      messageId: messageId(KEY_SECRET, accountOfName(name), operation, { seq, index: 0 }),
      keyId,
    };
  }
}

/** Tells one listener, or sends it back for a new connection; one that is gone disturbs no other. */
function tellOne(socket: WebSocket, news: string, nowMs: number): void {
  try {
    const { openedAt } = socket.deserializeAttachment() as Attached;
    if (nowMs - openedAt < SOCKET_MS_MAX) socket.send(news);
    else socket.close(COME_BACK, "connect again");
  } catch (problem) {
    logProblem("live", problem);
  }
}
