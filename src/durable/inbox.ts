import { DurableObject } from "cloudflare:workers";
import { configOf } from "../config/config.ts";
import type { Secrets } from "../crypto/secrets.ts";
import { readListener } from "../inbox/listener.ts";
import { matcherOf } from "../inbox/search.ts";
import type * as types from "../inbox/types.ts";
import { WAIT_MS_MAX } from "../inbox/types.ts";
import { logProblem } from "../log.ts";
import { InboxFeed } from "./inbox/live.ts";
import { INBOX_SCHEMA, forget, hasStart, keep, matching, messageByRef, newestSeq, oldestAtMs } from "./inbox/rows.ts";
import type { Range } from "./inbox/rows.ts";
import { Tables } from "./tables.ts";

/** Concurrent waits of one inbox: each is a request that stays open for up to a minute. */
export const WAITS_MAX = 1_000;

const DAY_MS = 86_400_000;

/** After this, in ms, an alarm that failed rings again: the configuration itself may be what failed. */
const RETRY_MS = 3_600_000;

/** A request that waits for the first matching message. */
interface Waiter {
  filter: types.InboxFilter;
  found: (message: types.InboxMessage) => void;
}

/** The messages that the simulator took: of one account in test mode; locally, of all accounts. */
export class Inbox extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql;
  readonly #waiters = new Set<Waiter>();
  readonly #live = new InboxFeed(this.ctx);
  /** Whether the alarm is known to be set. */
  #hasAlarm = false;
  /** An inbox that never got a message has none, and costs no storage. */
  readonly #tables = new Tables(this.ctx, INBOX_SCHEMA);

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    // Of an inbox from before there was an alarm, or one that lost it.
    if (this.#tables.isReady) void this.#setAlarm();
  }

  /** Adds messages, each only once even if it is put again; stored when this returns. */
  put(caught: types.Caught[]): void {
    const before = this.#tables.make((make) =>
      this.ctx.storage.transactionSync(() => {
        make();
        const newest = newestSeq(this.#sql);
        keep(this.#sql, caught, Date.now());
        return newest;
      }),
    );
    if (!this.#hasAlarm) void this.#setAlarm();
    this.#announce(before);
  }

  /** Up to `limit` messages, newest first; null where `since` names a message that the inbox does not hold. */
  list(filter: types.InboxFilter, range: Omit<Range, "newestFirst">, limit: number): types.InboxMessage[] | null {
    if (!this.#knows(filter)) return null;
    return this.#isOpened ? [...this.#matching(filter, { ...range, newestFirst: true }).take(limit)] : [];
  }

  /** One message by its id, or null. */
  find(account: string | null, ref: string): types.InboxMessage | null {
    return this.#isOpened ? messageByRef(this.#sql, account, ref, this.#secret()) : null;
  }

  /** Deletes the matching messages and returns how many they were. */
  remove(filter: types.InboxFilter): number {
    if (!this.#isOpened) return 0;
    return this.#forget([...this.#matching(filter, { newestFirst: true })]);
  }

  /** Deletes one message; false when the inbox does not hold it. */
  removeOne(account: string | null, ref: string): boolean {
    const message = this.find(account, ref);
    return message !== null && this.#forget([message]) > 0;
  }

  /**
   * A matching message: one that is stored already, else the first to arrive; null when none arrives in time. When the
   * object is evicted, its waits end with an error, and the caller repeats them.
   */
  async wait({ newest, ...filter }: types.Awaited, timeoutMs: number): Promise<types.Waited> {
    if (!this.#knows(filter)) return { ok: false, reason: "unknown_message" };
    const [there] = this.#isOpened ? this.#matching(filter, { newestFirst: newest }).take(1) : [];
    if (there || timeoutMs <= 0) return { ok: true, message: there ?? null };
    if (this.#waiters.size >= WAITS_MAX) return { ok: false, reason: "too_many_waits" };
    const { promise, resolve } = Promise.withResolvers<types.InboxMessage | null>();
    const waiter: Waiter = { filter, found: resolve };
    const timer = setTimeout(() => resolve(null), Math.min(timeoutMs, WAIT_MS_MAX));
    this.#waiters.add(waiter);
    try {
      return { ok: true, message: await promise };
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    }
  }

  /** Opens a page's live feed: the messages after the place `?after=`, then each new one, as far as they match. */
  override async fetch(request: Request): Promise<Response> {
    const { filter, after } = readListener(new URL(request.url));
    const wants = this.#isOpened && after !== null;
    return this.#live.accept(filter, wants ? [...this.#matching(filter, { above: after, newestFirst: false })] : []);
  }

  /** Closes every live socket, so that each page must authenticate again after a session has ended. */
  hangUp(): void {
    this.#live.hangUp();
  }

  /** Pages never send on this socket; closes any that does. */
  override webSocketMessage(socket: WebSocket): void {
    socket.close(1008, "this feed only sends");
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  get #isOpened(): boolean {
    return this.#tables.isOpened;
  }

  /** Deletes what was kept for long enough. Never throws. */
  override async alarm(): Promise<void> {
    this.#hasAlarm = false;
    try {
      if (!this.#isOpened) return;
      const untilMs = Date.now() - this.#keptMs();
      this.#forget([...this.#matching({ account: null }, { newestFirst: false })].filter(({ at }) => at <= untilMs));
      await this.#setAlarm(Date.now() + Math.min(DAY_MS, this.#keptMs()));
    } catch (problem) {
      logProblem("test inbox", problem);
      await this.ctx.storage.setAlarm(Date.now() + RETRY_MS);
    }
  }

  /** How long messages are kept, in ms: those of test mode, and no longer than texts. */
  #keptMs(): number {
    const { TEST_DAYS, TEXT_DAYS } = configOf(this.env);
    return Math.min(TEST_DAYS, TEXT_DAYS) * DAY_MS;
  }

  /** Sets the alarm for the oldest message, but not before `earliestMs`, unless it is set. Never throws. */
  async #setAlarm(earliestMs = 0): Promise<void> {
    this.#hasAlarm = true;
    try {
      const atMs = oldestAtMs(this.#sql);
      if (atMs === null) this.#hasAlarm = false;
      else if ((await this.ctx.storage.getAlarm()) === null) {
        await this.ctx.storage.setAlarm(Math.max(earliestMs, atMs + this.#keptMs()));
      }
    } catch (problem) {
      this.#hasAlarm = false;
      logProblem("test inbox", problem);
    }
  }

  /** Sends the messages after a place to waits and pages; without either, it reads nothing. Never throws. */
  #announce(above: number): void {
    if (this.#waiters.size === 0 && this.#live.isEmpty) return;
    try {
      const fresh = [...this.#matching({ account: null }, { above, newestFirst: false })];
      for (const { filter, found } of this.#waiters) {
        const first = fresh.find(matcherOf(filter, Date.now()));
        if (first) found(first);
      }
      this.#live.sendLanded(fresh);
    } catch (problem) {
      logProblem("test inbox", problem);
    }
  }

  #forget(messages: types.InboxMessage[]): number {
    this.ctx.storage.transactionSync(() =>
      forget(
        this.#sql,
        messages.map(({ seq }) => seq),
      ),
    );
    this.#live.sendGone(messages);
    return messages.length;
  }

  /** Whether the inbox holds the message after which a filter begins; without tables it holds none. */
  #knows(filter: types.InboxFilter): boolean {
    return this.#isOpened ? hasStart(this.#sql, filter) : !(filter.since && "after" in filter.since);
  }

  #matching(filter: types.InboxFilter, range: Range) {
    return matching(this.#sql, filter, range, this.#secret());
  }

  #secret(): Secrets {
    return configOf(this.env).SEAL_SECRET;
  }
}
