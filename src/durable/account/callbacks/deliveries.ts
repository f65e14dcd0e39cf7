import { configOf } from "../../../config/config.ts";
import { logProblem } from "../../../log.ts";
import type { Callback, CallbackClaim, CallbackResult } from "../../../model/twilio/callback.ts";
import { waitMs } from "../../../webhooks/policy.ts";
import { enqueueCallbacks } from "../../../webhooks/queue.ts";
import { nameOf } from "../../name.ts";
import type { FeedHost } from "../events/feed.ts";
import { readJob } from "../jobs.ts";
import { signingKey } from "../keys.ts";
import type { Turn } from "../turn.ts";
import {
  QUEUED_MS,
  dueAt,
  dueWaiting,
  giveUpBefore,
  nextWaitingMs,
  readWaiting,
  waitsFor,
  writeWaiting,
} from "./rows.ts";
import type { Waiting } from "./rows.ts";

// The account's side of status callbacks: it says what a Worker posts, and stores what became of it. Each host has a lease
// and a rest of its own, so that one that hangs holds up neither another one nor the account's webhooks.

/** The steps of the ladder that one state is tried on; after them it is given up. */
const TRIES_MAX = 4;

/** What was due this long ago, in ms, is given up: its host has not answered since. */
const GIVEN_UP_MS = 21_600_000;

/** A host that did not answer rests for the first step of the ladder, doubled each time, and at most so long, in ms. */
const REST_MS_MAX = 300_000;

/** Messages of one claim, and of all the claims of one call. */
const PER_CLAIM = 50;
const PER_CALL = 200;

/** Hosts of which the object remembers that they did not answer. */
const SILENT_MAX = 500;

/** What a claim may take beyond one answer, in ms. */
const LEASE_MARGIN_MS = 30_000;

interface Until {
  until: number;
}

/** The status callbacks of one account object. What is in memory only keeps Workers from doing the same twice. */
export class StatusCallbacks {
  readonly #host: FeedHost;
  readonly #leases = new Map<string, Until & { id: number }>();
  readonly #silent = new Map<string, Until & { times: number }>();
  #leased = Date.now();
  #calledUntil = 0;

  constructor(host: FeedHost) {
    this.#host = host;
  }

  get #sql(): SqlStorage {
    return this.#host.ctx.storage.sql;
  }

  /** Names the account to the queue, where something is due and no Worker is on its way. Never throws. */
  name(): void {
    const nowMs = Date.now();
    try {
      if (this.#isCalled(nowMs) || (this.nextMs() ?? Infinity) > nowMs) return;
      this.#calledUntil = nowMs + QUEUED_MS;
      this.#host.ctx.waitUntil(enqueueCallbacks(this.#host.env(), nameOf(this.#host.ctx)));
    } catch (problem) {
      logProblem("status callbacks", problem);
    }
  }

  /** When something is to be posted, in ms since the epoch, as far as no Worker is on it; null: nothing waits. */
  nextMs(): number | null {
    const nowMs = Date.now();
    const held = this.#held(nowMs);
    const free = nextWaitingMs(this.#sql, [...held.keys()]);
    const times = [...held].flatMap(([host, until]) => (waitsFor(this.#sql, host) ? [until] : []));
    if (free !== null) times.push(Math.max(free, free <= nowMs && this.#isCalled(nowMs) ? this.#calledUntil : 0));
    return times.length > 0 ? Math.min(...times) : null;
  }

  /** What there is to post now, for every host that no other Worker has a claim of. */
  claim(): CallbackClaim[] {
    this.#calledUntil = 0;
    const nowMs = Date.now();
    if ((nextWaitingMs(this.#sql, []) ?? Infinity) < nowMs - GIVEN_UP_MS) {
      this.#host.commit(({ sql }) => giveUpBefore(sql, nowMs - GIVEN_UP_MS));
    }
    const due = dueWaiting(this.#sql, nowMs, [...this.#held(nowMs).keys()], PER_CALL);
    return [...Map.groupBy(due, ({ host }) => host)].flatMap(
      ([host, of]) => this.#claimOf(host, of.slice(0, PER_CLAIM), nowMs) ?? [],
    );
  }

  /**
   * Stores what became of a claim; `again`: and returns the host's next one, null where nothing is due. A report that comes
   * when the lease has ended and another Worker has the host's claim says what was settled, and of failures nothing.
   */
  settle(host: string, lease: number, results: CallbackResult[], again: boolean): CallbackClaim | null {
    const nowMs = Date.now();
    const current = this.#leases.get(host)?.id;
    if (current === lease) this.#leases.delete(host);
    const isLate = current !== undefined && current !== lease;
    const counted = isLate ? results.filter(({ settled }) => settled > 0) : results;
    if (!isLate) this.#noteSilence(host, results, nowMs);
    this.#host.commit((turn) => {
      for (const result of counted) this.#store(turn, isLate ? { ...result, failed: null } : result);
      const nextMs = this.nextMs();
      // What is due already is claimed next, or named to the queue.
      turn.changes.webhookMs = nextMs !== null && nextMs <= nowMs ? nowMs + QUEUED_MS : nextMs;
    });
    const isFree = !this.#held(nowMs).has(host);
    const next = again && isFree ? this.#claimOf(host, dueAt(this.#sql, nowMs, host, PER_CLAIM), nowMs) : null;
    this.name();
    return next;
  }

  /** Hosts that get nothing now, and until when: another Worker is on them, or they did not answer. */
  #held(nowMs: number): Map<string, number> {
    const held = [...this.#silent, ...this.#leases].filter(([, { until }]) => until > nowMs);
    return new Map(held.map(([host, { until }]) => [host, until]));
  }

  #isCalled(nowMs: number): boolean {
    // A clock that was set back ends the wait, too.
    return this.#calledUntil > nowMs && this.#calledUntil <= nowMs + QUEUED_MS;
  }

  #noteSilence(host: string, results: readonly CallbackResult[], nowMs: number): void {
    if (results.length === 0) return;
    const times = this.#silent.get(host)?.times ?? 0;
    this.#silent.delete(host);
    if (!results.some(({ failed }) => failed?.silent === true)) return;
    const [firstMs = 0] = configOf(this.#host.env()).WEBHOOK_LADDER_MS;
    this.#silent.set(host, { times: times + 1, until: nowMs + Math.min(REST_MS_MAX, firstMs * 2 ** times) });
    const [oldest] = this.#silent.keys();
    if (this.#silent.size > SILENT_MAX && oldest !== undefined) this.#silent.delete(oldest);
  }

  #claimOf(host: string, due: readonly Waiting[], nowMs: number): CallbackClaim | null {
    const callbacks: Callback[] = [];
    const gone: Waiting[] = [];
    for (const waiting of due) {
      const callback = this.#callbackOf(waiting, nowMs);
      if (callback) callbacks.push(callback);
      else gone.push({ ...waiting, told: [] });
    }
    if (gone.length > 0) this.#host.commit(({ sql }) => gone.forEach((waiting) => writeWaiting(sql, waiting)));
    if (callbacks.length === 0) return null;
    this.#leased += 1;
    const { WEBHOOK_TIMEOUT_MS } = configOf(this.#host.env());
    this.#leases.set(host, { id: this.#leased, until: nowMs + WEBHOOK_TIMEOUT_MS + LEASE_MARGIN_MS });
    return { host, lease: this.#leased, callbacks };
  }

  /** One message's posts; null where it has left the account, or no key is there that signs. */
  #callbackOf({ seq, from, told }: Waiting, nowMs: number): Callback | null {
    const job = readJob(this.#sql, seq);
    const [only] = job?.messages ?? [];
    const { callback, ...terms } = job?.content.twilio ?? { account: "" };
    if (!job || !only || callback === undefined || job.keyId === null) return null;
    const key = signingKey(this.#sql, job.keyId, nowMs);
    if (!key) return null;
    return { seq, secretId: job.secretId, to: only.to, terms: { ...terms, callback }, key, from, told };
  }

  #store({ sql, nowMs }: Turn, { seq, from, settled, failed }: CallbackResult): void {
    const before = readWaiting(sql, seq);
    // What was reported already; or what was not posted in time, which stays due as it is.
    if (before?.from !== from || (settled === 0 && !failed)) return;
    const after = { ...before, from: from + settled, told: before.told.slice(settled), failures: 0, nextAt: nowMs };
    if (!failed) return writeWaiting(sql, after);
    const failures = settled > 0 ? 1 : before.failures + 1;
    if (failures > TRIES_MAX) return writeWaiting(sql, { ...after, from: after.from + 1, told: after.told.slice(1) });
    const { WEBHOOK_LADDER_MS: ladderMs, WEBHOOK_DEAD_MS: deadMs } = configOf(this.#host.env());
    const inMs = waitMs({ ladderMs, deadMs, random: Math.random }, failures, failed.retryAfterMs);
    writeWaiting(sql, { ...after, failures, nextAt: nowMs + inMs });
  }
}
