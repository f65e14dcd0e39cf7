import { configOf } from "../../../config/config.ts";
import { secretsOf } from "../../../crypto/secrets.ts";
import { logProblem } from "../../../log.ts";
import type { Claim, Endpoint, Posted } from "../../../model/webhook.ts";
import { ATTEMPTS_KEPT, settleRun } from "../../../webhooks/policy.ts";
import { enqueueWebhooks } from "../../../webhooks/queue.ts";
import { nameOf } from "../../name.ts";
import type { EventFeed, FeedHost } from "../events/feed.ts";
import { feedOf } from "../events/memory.ts";
import { noteEvent } from "../events/note.ts";
import type { Turn } from "../turn.ts";
import { postsFor } from "./posts.ts";
import { nextParkedMs, readAttempts, readEndpoint, readParked, standings, writeEndpoint, writeParked } from "./rows.ts";
import type { Standing } from "./rows.ts";

// The account's side of webhooks: it says what a Worker delivers, and stores what became of it, in one row for each run.

/** A Worker that was told to deliver is taken for lost after this, in ms, if it has claimed nothing. */
const CALLED_MS = 5_000;

/** The same where the queue was told. */
const QUEUED_MS = 60_000;

/** What a claim may take beyond one answer, in ms. */
const LEASE_MARGIN_MS = 30_000;

interface Lease {
  id: number;
  until: number;
}

/** An endpoint whose events nobody asks for is moved on in steps of so many, a row each: so many are looked at again. */
const SKIPPED_MAX = 1_000;

/** When an endpoint has something to be delivered: ms since the epoch, 0 for now, null for nothing. */
function dueMs(sql: SqlStorage, { id, acked, nextAt, replays }: Standing, seen: number, last: number): number | null {
  if (nextAt !== null) return nextAt;
  return replays || Math.max(acked, seen) < last ? 0 : nextParkedMs(sql, id);
}

/** The deliveries of one account object. What is in memory only keeps Workers from doing the same twice. */
export class Deliveries {
  readonly #host: FeedHost;
  readonly #feed: EventFeed;
  readonly #leases = new Map<string, Lease>();
  /** Up to which number an endpoint's events were looked through, where none of them is for it. */
  readonly #seen = new Map<string, number>();
  /** Batches that were claimed: first and last number, by endpoint. */
  readonly #batches = new Map<string, Map<number, number>>();
  #leased = Date.now();
  /** Until when somebody is on the way to deliver, in ms since the epoch. */
  #calledUntil = 0;

  constructor(host: FeedHost, feed: EventFeed) {
    this.#host = host;
    this.#feed = feed;
    feed.listen(
      () => this.name(),
      () => false,
    );
  }

  get #sql(): SqlStorage {
    return this.#host.ctx.storage.sql;
  }

  /** Whether the caller of `report` is to deliver: there are new events, and no Worker is on its way. */
  calls(): boolean {
    if (feedOf(this.#sql).tail.length === 0) return false;
    const nowMs = Date.now();
    if (this.#isCalled(nowMs)) return false;
    const isWaiting = standings(this.#sql).some(({ id, nextAt }) => nextAt === null && !this.#isLeased(id, nowMs));
    if (isWaiting) this.#calledUntil = nowMs + CALLED_MS;
    return isWaiting;
  }

  /** Names the account to the queue, where something waits and no Worker is on its way. Never throws. */
  name(): void {
    const nowMs = Date.now();
    try {
      if (this.#isCalled(nowMs) || (this.nextMs() ?? Infinity) > nowMs) return;
      this.#calledUntil = nowMs + QUEUED_MS;
      this.#host.ctx.waitUntil(enqueueWebhooks(this.#host.env(), nameOf(this.#host.ctx)));
    } catch (problem) {
      logProblem("webhooks", problem);
    }
  }

  /** When something is to be delivered, in ms since the epoch, as far as no Worker is on it; null: nothing waits. */
  nextMs(): number | null {
    if (!feedOf(this.#sql).isOn) return null;
    const nowMs = Date.now();
    const { last } = feedOf(this.#sql);
    const times = standings(this.#sql).flatMap((one) => {
      const at = dueMs(this.#sql, one, this.#seen.get(one.id) ?? 0, last);
      if (at === null) return [];
      const lease = this.#leases.get(one.id);
      const heldMs = lease && lease.until > nowMs ? lease.until : 0;
      return [Math.max(at, heldMs, at <= nowMs && this.#isCalled(nowMs) ? this.#calledUntil : 0)];
    });
    return times.length > 0 ? Math.min(...times) : null;
  }

  /** What there is to deliver now, for every endpoint that no other Worker has a claim of. */
  claim(): Claim[] {
    this.#flush();
    if (!feedOf(this.#sql).isOn) return [];
    const nowMs = Date.now();
    return standings(this.#sql).flatMap(({ id, nextAt }) => {
      if ((nextAt !== null && nextAt > nowMs) || this.#isLeased(id, nowMs)) return [];
      return this.#claimOf(id, nowMs) ?? [];
    });
  }

  /** Stores what became of a claim; `again`: and returns the next one of the endpoint, null where nothing waits. */
  settle(id: string, lease: number, results: Posted[], again: boolean): Claim | null {
    const isOwn = this.#leases.get(id)?.id === lease;
    if (isOwn) this.#leases.delete(id);
    // After a restart of the object nothing is known of claims: whatever was posted counts.
    if (results.length > 0 && (isOwn || !this.#leases.has(id))) {
      this.#host.commit((turn) => this.#store(turn, id, results));
    }
    if (!again) return null;
    this.#flush();
    const nowMs = Date.now();
    const endpoint = readEndpoint(this.#sql, id);
    const isDue = endpoint !== null && endpoint.disabled === null && (endpoint.nextAt ?? 0) <= nowMs;
    const next = isDue && !this.#isLeased(id, nowMs) ? this.#claimOf(id, nowMs) : null;
    this.name();
    return next;
  }

  /** Forgets claims of an endpoint whose terms have changed: what they report does not count any more. */
  forget(id: string): void {
    this.#seen.delete(id);
    this.#batches.delete(id);
    if (this.#leases.has(id)) this.#leases.set(id, { id: 0, until: this.#leases.get(id)?.until ?? 0 });
  }

  /** Numbers what has happened, for a Worker that asks: it needs no other one to be called. */
  #flush(): void {
    this.#calledUntil = Date.now() + CALLED_MS;
    this.#feed.flush();
    this.#calledUntil = 0;
  }

  #isCalled(nowMs: number): boolean {
    // A clock that was set back ends the wait, too.
    return this.#calledUntil > nowMs && this.#calledUntil <= nowMs + QUEUED_MS;
  }

  #isLeased(id: string, nowMs: number): boolean {
    return (this.#leases.get(id)?.until ?? 0) > nowMs;
  }

  #claimOf(id: string, nowMs: number): Claim | null {
    const endpoint = readEndpoint(this.#sql, id);
    if (!endpoint) return null;
    const { KEY_SECRET, WEBHOOK_TIMEOUT_MS } = configOf(this.#host.env());
    if (!secretsOf(KEY_SECRET).withId(endpoint.secretId)) {
      this.#host.commit((turn) => this.#disable(turn, { ...endpoint, disabled: "secret_removed", nextAt: null }));
      return null;
    }
    const batches = this.#batches.get(id) ?? new Map<number, number>();
    const seen = this.#seen.get(id) ?? 0;
    const found = postsFor(this.#sql, { ...endpoint, acked: Math.max(endpoint.acked, seen) }, nowMs, batches);
    if (found.posts.length === 0) {
      this.#seen.set(id, found.seen);
      this.#rest(endpoint, found.seen, nowMs);
      return null;
    }
    const mine = found.posts.map(({ events }) => [events[0]?.seq ?? 0, events.at(-1)?.seq ?? 0] as const);
    this.#batches.set(id, new Map(endpoint.batch ? mine : []));
    this.#leased += 1;
    this.#leases.set(id, { id: this.#leased, until: nowMs + WEBHOOK_TIMEOUT_MS + LEASE_MARGIN_MS });
    return { endpoint, lease: this.#leased, posts: found.posts };
  }

  /** Nothing is to be posted: what said so is taken back, so that the alarm does not ring for it again. */
  #rest(endpoint: Endpoint, seen: number, nowMs: number): void {
    const { id, acked, nextAt, replay } = endpoint;
    const gone = readParked(this.#sql, id).filter((one) => one.nextAt <= nowMs);
    if (nextAt === null && replay === null && gone.length === 0 && seen - acked < SKIPPED_MAX) return;
    this.#host.commit(({ sql }) => {
      writeParked(sql, id, new Map(gone.map(({ seq }) => [seq, null])));
      writeEndpoint(sql, { ...endpoint, acked: Math.max(acked, seen), nextAt: null, replay: null });
    });
  }

  #store(turn: Turn, id: string, results: Posted[]): void {
    const { sql, nowMs } = turn;
    const before = readEndpoint(sql, id);
    if (!before || before.disabled !== null) return;
    const { WEBHOOK_LADDER_MS: ladderMs, WEBHOOK_DEAD_MS: deadMs } = configOf(this.#host.env());
    const rules = { ladderMs, deadMs, random: Math.random };
    const { endpoint, parked } = settleRun(before, readParked(sql, id), results, nowMs, rules);
    const attempts = [...readAttempts(sql, id), ...results.map(({ attempt }) => attempt)].slice(-ATTEMPTS_KEPT);
    writeParked(sql, id, parked);
    if (endpoint.disabled === null) writeEndpoint(sql, endpoint, attempts);
    else this.#disable(turn, endpoint, attempts);
    turn.changes.webhookMs = endpoint.disabled === null ? (endpoint.nextAt ?? nextParkedMs(sql, id)) : null;
  }

  #disable(turn: Turn, endpoint: Endpoint, attempts = readAttempts(turn.sql, endpoint.id)): void {
    const { id, disabled } = endpoint;
    writeEndpoint(turn.sql, endpoint, attempts);
    noteEvent(turn, "webhook.disabled", { webhook_id: id, reason: disabled ?? "failures" });
    turn.changes.account = true;
  }
}
