import { logProblem } from "../../../log.ts";
import type { EventPage } from "../../../model/event.ts";
import type { StagedEvents, Turn } from "../turn.ts";
import { feedOf, forgetFeed, isLoaded, keepFeed } from "./memory.ts";
import { keptEvents, readEvents } from "./pages.ts";
import { recoverFeed } from "./recover.ts";
import { beginFeed, sealAll } from "./seal.ts";
import { EventSockets } from "./sockets.ts";
import type { Subscriber } from "./sockets.ts";

/** The longest time from a change to its number, in ms; what changes until then shares a row. */
const FLUSH_MS = 1_000;

/** The same while something waits for events. */
export const GATHER_MS = 300;

/** Changes that end the wait: one flush writes so many in a few ms. */
const TAIL_MAX = 2_000;

/** Requests that wait for events at once; a further one is answered as if its time were over. */
export const WAITERS_MAX = 64;

/** What the feed needs of its object. */
export interface FeedHost {
  ctx: DurableObjectState;
  env: () => Env;
  commit: <T>(work: (turn: Turn) => T) => T;
}

/**
 * The account's feed of events: numbers changes soon after they are stored, and serves those who read and wait. Until the
 * account asks for it the first time it is off, and costs nothing.
 */
export class EventFeed {
  readonly #host: FeedHost;
  readonly #sockets: EventSockets;
  readonly #waiters = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isStopped = false;
  /** What listens for new numbers beside requests and sockets; and whether it wants to hear soon. */
  #listener: { numbered: (last: number) => void; isEager: () => boolean } | null = null;

  constructor(host: FeedHost) {
    this.#host = host;
    this.#sockets = new EventSockets(host.ctx, host.env);
  }

  get #sql(): SqlStorage {
    return this.#host.ctx.storage.sql;
  }

  /** Whether the account has asked for its events. */
  get isOn(): boolean {
    return feedOf(this.#sql).isOn;
  }

  /** Reads what a transaction has to know of the feed, unless it is in memory. Throws where the sequence has a gap. */
  load(): void {
    if (isLoaded(this.#sql)) return;
    keepFeed(this.#sql, recoverFeed(this.#sql));
    this.#flushLater();
  }

  /** Takes up what the object's last life left, when it starts. Never throws. */
  wake(): void {
    try {
      this.load();
    } catch (problem) {
      logProblem("events", problem);
    }
  }

  /** Has `numbered` called after each flush, with the newest number; `isEager`: it wants to hear within `GATHER_MS`. */
  listen(numbered: (last: number) => void, isEager: () => boolean): void {
    this.#listener = { numbered, isEager };
  }

  /** Takes over what a transaction noted, once it is stored. Never throws. */
  committed({ told, sealed }: StagedEvents): void {
    const feed = feedOf(this.#sql);
    if (sealed !== null) return this.#numbered(sealed);
    if (told.length === 0) return;
    feed.tail.push(...told);
    this.#flushLater();
  }

  /** Gives every stored change its number. */
  flush(): void {
    this.load();
    if (feedOf(this.#sql).tail.length > 0) this.#host.commit(sealAll);
  }

  /**
   * Events after a number, oldest first, at most `limit`; without a number none, and `last` is where now is. The first call
   * turns the feed on.
   */
  read(after: number | null, limit: number): EventPage {
    this.load();
    if (!this.isOn) this.#begin();
    this.flush();
    const { first, last } = keptEvents(this.#sql);
    if (after === null) return { ok: true, events: [], last };
    if (after > last) return { ok: false, reason: "no_such_event", last };
    if (after < first - 1) return { ok: false, reason: "events_expired", first };
    return { ok: true, events: after === last ? [] : readEvents(this.#sql, after, limit), last };
  }

  /** The same; where there are none yet, as soon as there are some, or none after this time in ms. */
  async wait(after: number | null, limit: number, waitMs: number): Promise<EventPage> {
    const page = this.read(after, limit);
    if (!page.ok || page.events.length > 0 || after === null || waitMs <= 0) return page;
    if (this.#waiters.size >= WAITERS_MAX) return page;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    this.#waiters.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#waiters.delete(resolve);
    return this.#isStopped ? page : this.read(after, limit);
  }

  /** Accepts a socket, which gets what it missed and then each event; 410 and 409 where its number is none to begin at. */
  accept(subscriber: Subscriber, after: number | null): Response {
    const page = this.read(after, 1);
    if (page.ok) return this.#sockets.accept(subscriber, after ?? page.last);
    return Response.json(page, { status: page.reason === "events_expired" ? 410 : 409 });
  }

  /** Closes every socket, and answers every request that waits: the account is being erased. */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#sockets.hangUp();
    this.#wakeWaiters();
    forgetFeed(this.#sql);
  }

  #begin(): void {
    this.#host.commit(beginFeed);
    forgetFeed(this.#sql);
    this.load();
  }

  #numbered(last: number): void {
    const feed = feedOf(this.#sql);
    Object.assign(feed, { last, tail: [], unseen: new Set() });
    try {
      // More of what a release without events has changed is looked for from the beginning.
      if (!feed.isCaughtUp) forgetFeed(this.#sql);
      this.#wakeWaiters();
      this.#sockets.push();
      this.#listener?.numbered(last);
      this.load();
    } catch (problem) {
      logProblem("events", problem);
    }
  }

  #wakeWaiters(): void {
    for (const resolve of this.#waiters) resolve();
  }

  #flushLater(): void {
    const { tail } = feedOf(this.#sql);
    if (tail.length === 0 || this.#isStopped) return;
    const isEager = this.#waiters.size > 0 || !this.#sockets.isEmpty || this.#listener?.isEager() === true;
    const inMs = tail.length >= TAIL_MAX ? 0 : isEager ? GATHER_MS : FLUSH_MS;
    if (this.#timer !== null) {
      if (inMs > 0) return;
      clearTimeout(this.#timer);
    }
    this.#timer = setTimeout(() => this.#ring(), inMs);
  }

  /** Should this fail, the next change or the alarm tries again. */
  #ring(): void {
    this.#timer = null;
    if (this.#isStopped) return;
    try {
      this.flush();
    } catch (problem) {
      logProblem("events", problem);
    }
  }
}
